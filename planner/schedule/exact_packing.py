"""Whether all starts of a small schedule find nodes together, exactly; and the fewest of them that do not.

Variables ``y[g, s, n]``: pods of shape group g of a gang on node n in stretch s. In every bucket and on every node what
pods request fits into the room beside everything else; a gang that stays in one domain chooses one per stretch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import BoolArray, IntArray
from planner.problem.timed import Column, Conflict
from planner.schedule.encode.build import TimedInput
from planner.schedule.placing import NodeShare, Placer, Pods
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend

MOST_GANGS, MOST_NODES, MOST_BUCKETS = 40, 24, 160
"""Sizes up to which a schedule is packed exactly."""
WORK = 2.0
"""Deterministic work units for one question."""

Shares = dict[int, tuple[tuple[NodeShare, ...], ...]]


@dataclass(frozen=True)
class _Group:
    """Pods of one size of a gang in one stretch."""

    item: int
    stretch: int
    count: int
    vector: IntArray
    nodes: BoolArray
    index: int = -1


@dataclass(frozen=True)
class Packing:
    """Nodes per gang and stretch, and of waiting gangs the pods of their first stretch; both empty where none exist."""

    nodes: Shares
    first: Mapping[int, Pods]


def packs_exactly(given: TimedInput) -> bool:
    """Whether all that placement depends on is room on nodes and domains, and the problem is small."""
    problem = given.prepared.problem
    plain = problem.cards is None and not problem.domain_rooms and not problem.spreads
    plain = plain and not any(one.grouped or one.shares_domains for one in problem.demands)
    sizes = (
        len(given.items) <= MOST_GANGS
        and len(problem.node_names) <= MOST_NODES
        and given.problem.horizon.count <= MOST_BUCKETS
    )
    return plain and sizes


def exact_packing(
    given: TimedInput, placer: Placer, times: Mapping[int, Column]
) -> Packing | Literal["none", "unknown"]:
    """Nodes of all gangs; "none" where it is proved that there are none, "unknown" without an answer in the limit."""
    model = LinearModel()
    groups: list[tuple[_Group, list[tuple[int, int]]]] = []
    held: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    for item, column in sorted(times.items(), key=lambda pair: pair[0]):
        for stretch, (start, end) in enumerate(column.stretches):
            mine: list[list[tuple[int, int]]] = []
            for group in _groups(given, placer, item, column, stretch):
                variables = [
                    (int(node), model.variable(0, group.count))
                    for node in np.flatnonzero(group.nodes)
                ]
                if not variables:
                    return "none"
                terms = [(variable, 1) for _, variable in variables]
                model.at_most(terms, group.count, "pods")
                model.at_least(terms, group.count, "pods")
                for node, variable in variables:
                    for dimension in np.flatnonzero(group.vector):
                        for bucket in range(start, min(end, placer.placed_buckets)):
                            key = (node, int(dimension), bucket)
                            held.setdefault(key, []).append(
                                (variable, int(group.vector[dimension]))
                            )
                groups.append((group, variables))
                mine.append(variables)
            _one_domain(given, model, item, mine)
    for (place, resource, at), asked in held.items():
        model.at_most(asked, int(placer.base[at, place, resource]), "room")
    goal = TierGoal("packs", "min", "", Expression((0,), (0,)), 0)
    limits = SolveLimits(seconds=WORK, gap=0.0, seed=0, workers=1, deterministic=True)
    solution = CpSatBackend().solve(model, goal, pins=(), limits=limits)
    if solution.values is None:
        return "none" if solution.proved_infeasible else "unknown"
    return _packing(groups, solution.values)


def smallest_conflict(given: TimedInput, placer: Placer, times: Mapping[int, Column]) -> Conflict:
    """Starts that do not pack together, and do without any one of them."""
    left = dict(times)
    for item in sorted(times):
        fewer = {one: column for one, column in left.items() if one != item}
        if fewer and exact_packing(given, placer, fewer) == "none":
            left = fewer
    counts: dict[tuple[int, Column], int] = {}
    for column in left.values():
        counts[column.work_class, column] = counts.get((column.work_class, column), 0) + 1
    return Conflict(tuple((column, count) for (_, column), count in counts.items()))


def _groups(
    given: TimedInput, placer: Placer, item: int, column: Column, stretch: int
) -> list[_Group]:
    work = given.items[item]
    if work.demand < 0:
        return [
            _Group(item, stretch, 1, vector, placer.carried_mask(item, column, pod))
            for pod, vector in placer.carried_pods(item)
        ]
    problem = given.prepared.problem
    found = []
    for index, count in work.counts:
        shape = problem.demands[work.demand].items[index].shape
        vector = np.zeros(len(given.occupancy.names), dtype=np.int64)
        vector[placer.columns] = problem.requests[shape]
        found.append(_Group(item, stretch, count, vector, placer.mask(item, column, shape), index))
    return found


def _one_domain(
    given: TimedInput,
    model: LinearModel,
    item: int,
    groups: Sequence[Sequence[tuple[int, int]]],
) -> None:
    work = given.items[item]
    choices = None
    if work.demand >= 0:
        choices = given.prepared.problem.demands[work.demand].choices
    if choices is None:
        return
    topology = given.prepared.problem.topology
    domain_of = {int(n): number for number in choices for n in topology.arrays(number)}
    chosen = {number: model.variable(0, 1) for number in choices}
    model.at_most([(one, 1) for one in chosen.values()], 1, "one domain")
    for variables in groups:
        for node, variable in variables:
            most = model.upper[variable]
            if node in domain_of:
                model.at_most([(variable, 1), (chosen[domain_of[node]], -most)], 0, "one domain")
            else:
                model.at_most([(variable, 1)], 0, "one domain")


def _packing(
    groups: Sequence[tuple[_Group, Sequence[tuple[int, int]]]], values: Sequence[float]
) -> Packing:
    first: dict[int, Pods] = {}
    found: dict[int, dict[int, dict[int, tuple[int, IntArray]]]] = {}
    for group, variables in groups:
        nodes = found.setdefault(group.item, {}).setdefault(group.stretch, {})
        for node, variable in variables:
            count = round(values[variable])
            if count and group.index >= 0 and not group.stretch:
                pods_of = first.setdefault(group.item, {})
                pods_of.setdefault(group.index, []).append((node, count))
            if count:
                pods, vector = nodes.get(node, (0, np.zeros_like(group.vector)))
                nodes[node] = (pods + count, vector + group.vector * count)
    shares = {
        item: tuple(
            tuple(NodeShare(node, *nodes[node]) for node in sorted(nodes))
            for _, nodes in sorted(stretches.items())
        )
        for item, stretches in found.items()
    }
    return Packing(shares, first)
