"""Cells: the parts of the cluster that topology rules and tiers tell apart; node groups never straddle them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.problem.placement import Demand, IntArray, PlacementProblem
from planner.problem.wishes import Wishes

MOST_GATHERED = 1_500
"""Places times gangs up to which the model itself counts domains per gang; beyond, it bounds their number only."""


MOST_CHOICES = 8_000
"""Kinds of gangs times domains up to which the model decides who is where; beyond, it bounds the starts only."""


def chooses_exactly(problem: PlacementProblem) -> bool:
    """Whether the model decides the domain of every gang with a hard topology.

    Beyond :data:`MOST_CHOICES` its rows about domains stay valid, but only placing the gangs tells which fit together.
    One gang alone is always decided.
    """
    if len(problem.demands) == 1:
        return True
    return not problem.counts_domains and domain_choices(problem) <= MOST_CHOICES


def domain_choices(problem: PlacementProblem) -> int:
    """Kinds of gangs times the domains that each may be in: columns of a model that decides who is where."""
    kinds: dict[tuple[object, ...], int] = {}
    for demand in problem.demands:
        widths = [len(demand.choices or ())]
        widths += [len(group.choices or ()) for group in demand.subgroups]
        widths += [len(item.choices or ()) for item in demand.items]
        if any(widths):
            shapes = tuple((item.shape, item.count) for item in demand.items)
            alone = demand.gang if demand.grouped else -1
            kinds[demand.queue, demand.need, shapes, alone] = max(widths) * max(
                len(demand.items) if demand.grouped else 1, 1
            )
    return sum(kinds.values())


def gathers_exactly(problem: PlacementProblem) -> bool:
    """Whether the model counts the domains of every gang that the objective wants in few of them."""
    if not problem.topology.levels or not chooses_exactly(problem):
        return False
    units = sum(len(demand.gathered) for demand in problem.demands)
    return 0 < units * len(problem.topology.levels[0].names) <= MOST_GATHERED


def bound_inside(demand: Demand) -> bool:
    """Subgroups or partitions have domains of their own to choose from."""
    groups = any(group.choices is not None for group in demand.subgroups)
    return groups or any(item.choices is not None for item in demand.items)


def node_cells(problem: PlacementProblem) -> IntArray | None:
    """``[nodes]`` number of the node's cell; None where the model tells no nodes apart by topology."""
    shared = [one.place for one in problem.domain_rooms]
    shared += [one.place for one in problem.spreads]
    shared += [] if problem.wishes is None else _told_by(problem.wishes)
    if not chooses_exactly(problem):
        return _joint(shared)
    families: dict[tuple[int, ...], None] = {}
    for demand in problem.demands:
        groups = (group.choices for group in demand.subgroups)
        items = (item.choices for item in demand.items)
        for choices in (demand.choices, *groups, *items):
            if choices is not None:
                families[choices] = None
    rows = [*shared, *(_numbers(problem, choices) for choices in families)]
    if gathers_exactly(problem):
        rows += [level.place_of for level in problem.topology.levels]
    return _joint(rows)


def _told_by(wishes: Wishes) -> list[IntArray]:
    """What preferred rules tell of nodes: points for them alone, and domains."""
    found = {row.tobytes(): row for row in wishes.losses.values()}
    found |= {one.place.tobytes(): one.place for one in wishes.pods}
    found |= {one.place.tobytes(): one.place for one in wishes.spreads}
    return list(found.values())


def _joint(rows: Sequence[IntArray]) -> IntArray | None:
    if not rows:
        return None
    _, found = np.unique(np.array(rows), axis=1, return_inverse=True)
    return np.asarray(found, dtype=np.int64).reshape(-1)


def _numbers(problem: PlacementProblem, choices: tuple[int, ...]) -> IntArray:
    """``[nodes]`` which of the domains holds the node, -1 for none."""
    found = np.full(len(problem.node_names), -1, dtype=np.int64)
    for number in choices:
        found[problem.topology.arrays(number)] = number
    return found
