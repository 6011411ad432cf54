"""I6 on an assignment: which domain holds a gang, and whether all its parts are where they must be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from planner.problem.placement import Demand, PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass

Spots = Mapping[int, Sequence[tuple[int, int]]]


def home_of(problem: PlacementProblem, demand: Demand, items: Spots) -> int | None:
    """The domain that a gang with a hard topology has chosen: the one of its new pods, or the only one."""
    choices = demand.choices or ()
    if len(choices) == 1:
        return choices[0]
    nodes = {node for spots in items.values() for node, count in spots if count}
    return problem.topology.home(choices, nodes)


def keeps_topology(problem: PlacementProblem, assignment: Assignment) -> bool:
    """Whether every gang, subgroup and partition that receives pods is inside a domain that it may choose."""
    return all(
        _kept(problem, problem.demands[index], items)
        for index, items in assignment.pods.items()
        if any(items.values())
    )


def _kept(problem: PlacementProblem, demand: Demand, items: Spots) -> bool:
    everywhere = [node for spots in items.values() for node, count in spots if count]
    if not _inside(problem, demand.choices, everywhere):
        return False
    for number, group in enumerate(demand.subgroups):
        nodes = [
            node
            for item, spots in items.items()
            if number in demand.items[item].subgroup
            for node, count in spots
            if count
        ]
        if nodes and not _inside(problem, group.choices, nodes):
            return False
    return all(_whole_partitions(problem, demand, item, spots) for item, spots in items.items())


def _inside(
    problem: PlacementProblem, choices: tuple[int, ...] | None, nodes: Iterable[int]
) -> bool:
    return choices is None or problem.topology.home(choices, nodes) is not None


def _whole_partitions(
    problem: PlacementProblem, demand: Demand, item: int, spots: Sequence[tuple[int, int]]
) -> bool:
    one = demand.items[item]
    if one.choices is None:
        return True
    pods: Counter[int | None] = Counter()
    for node, count in spots:
        pods[problem.topology.home(one.choices, [node])] += count
    return not pods[None] and not any(count % one.step for count in pods.values())


def apart_where_bound(classes: Sequence[GangClass]) -> tuple[GangClass, ...]:
    """Classes with gangs of a hard topology as classes of one gang each: every one has a domain of its own."""
    found: list[GangClass] = []
    for one in classes:
        bound = one.example.choices is not None
        found += [replace(one, demands=(d,)) for d in one.demands] if bound else [one]
    return tuple(found)
