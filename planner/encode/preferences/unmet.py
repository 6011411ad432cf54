"""What the gangs of a plan do not get of what their pods prefer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.encode.preferences.told_apart import wished
from planner.problem.placement import PlacementProblem
from planner.problem.wishes import (
    SPREAD_POINTS,
    BoolArray,
    Counts,
    SpreadWish,
    Wishes,
    domain_sums,
    summed,
)
from planner.reduce.disaggregate import Assignment


@dataclass(frozen=True, slots=True)
class Unmet:
    """One preferred rule that pods of a gang do not get; ``points`` each."""

    words: str
    points: int


Pods = Iterator[tuple[int, int, int, int]]
"""Demand, wish, node and number of new pods."""


def unmet_by_demand(
    problem: PlacementProblem, wishes: Wishes, plan: Assignment
) -> dict[int, Counter[Unmet]]:
    """Demand to the rules that its pods do not get, with the number of these pods.

    Of the pods that are too many in a domain, those of the gangs that come later in the snapshot are named.
    """
    counts = summed(wished(problem, plan))
    rows = _rows(wishes, counts)
    found: dict[int, Counter[Unmet]] = {}
    for demand, wish, node, count in _pods(problem, plan):
        for one, nodes in rows.get(wish, ()):
            if nodes[node]:
                found.setdefault(demand, Counter())[one] += count
    for spread in wishes.spreads:
        for demand, pods in _too_many(problem, spread, counts, plan):
            found.setdefault(demand, Counter())[Unmet(spread.words, SPREAD_POINTS)] += pods
    return found


def _pods(problem: PlacementProblem, plan: Assignment) -> Pods:
    for demand, items in sorted(plan.pods.items()):
        for item, spots in items.items():
            wish = problem.demands[demand].items[item].wish
            for node, count in spots if wish else ():
                yield demand, wish, node, count


def _rows(wishes: Wishes, counts: Counts) -> dict[int, list[tuple[Unmet, BoolArray]]]:
    """Wish to its rules with the nodes on which they are not met."""
    found: dict[int, list[tuple[Unmet, BoolArray]]] = {}
    for wish, nodes in wishes.nodes.items():
        found[wish] = [(Unmet(one.words, one.points), one.unmet) for one in nodes]
    for term in wishes.pods:
        matching = domain_sums(term.place, term.held, counts, term.selected.__contains__)
        rule = Unmet(term.words, term.points)
        found.setdefault(term.owner, []).append((rule, term.unmet(matching)))
    return found


def _too_many(
    problem: PlacementProblem, one: SpreadWish, counts: Counts, plan: Assignment
) -> Iterator[tuple[int, int]]:
    came = domain_sums(one.place, np.zeros_like(one.held), counts, one.owners.__contains__)
    matching = domain_sums(one.place, one.held, counts, one.counted.__contains__)
    left = one.too_many(came, matching)
    for demand, wish, node, count in reversed(list(_pods(problem, plan))):
        if wish not in one.owners:
            continue
        domain = one.place[node]
        take = count if domain < 0 else min(count, int(left[domain]))
        if domain >= 0:
            left[domain] -= take
        if take:
            yield demand, take
