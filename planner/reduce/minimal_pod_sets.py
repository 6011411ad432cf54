"""All minimal sets of pods that make a small gang ready, and all ways to spread pods over nodes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from planner.capacity.fit import Room
from planner.problem.placement import Demand, PlacementProblem
from planner.reduce.disaggregate import Assignment

MOST_SETS = 2_000
"""Combinations of pods per item up to which a gang's deliveries are listed."""

Delivery = Mapping[int, int]
"""Item to pods."""


class TooManyError(Exception):
    """There are more possibilities than are worth listing."""


@lru_cache(maxsize=4096)
def minimal_deliveries(demand: Demand) -> tuple[Delivery, ...]:
    """Legal numbers of pods per item that contain no smaller legal ones.

    Raises
    ------
    TooManyError
        The gang has more combinations than :data:`MOST_SETS`.
    """
    kept: list[tuple[int, ...]] = []
    for counts in _every(demand):
        larger = any(all(a <= b for a, b in zip(one, counts, strict=True)) for one in kept)
        if not larger and _ready(demand, counts):
            kept.append(counts)
    return tuple(_delivery(counts) for counts in kept)


@lru_cache(maxsize=4096)
def all_deliveries(demand: Demand) -> tuple[Delivery, ...]:
    """All legal numbers of pods per item, small ones first; raises as :func:`minimal_deliveries` does."""
    return tuple(_delivery(counts) for counts in _every(demand) if _ready(demand, counts))


def _every(demand: Demand) -> list[tuple[int, ...]]:
    """All numbers of pods but none, small sums first."""
    ranges = [range(0, item.count + 1, item.step) for item in demand.items]
    total = 1
    for one in ranges:
        total *= len(one)
    if total > MOST_SETS:
        raise TooManyError
    return [counts for counts in sorted(itertools.product(*ranges), key=sum) if any(counts)]


def _delivery(counts: Sequence[int]) -> Delivery:
    return {item: n for item, n in enumerate(counts) if n}


def _ready(demand: Demand, counts: Sequence[int]) -> bool:
    if sum(counts) < demand.need:
        return False
    for role, need in demand.role_need:
        roles = zip(demand.items, counts, strict=True)
        if sum(n for item, n in roles if item.role == role) < need:
            return False
    complete: dict[int, int] = {}
    for number, group in enumerate(demand.subgroups):
        members = zip(demand.items, counts, strict=True)
        came = sum(n for item, n in members if number in item.subgroup)
        if came and came < group.size - group.running:
            return False
        if came or group.counted >= group.size:
            complete[group.policy] = complete.get(group.policy, 0) + 1
    return all(
        complete.get(policy, 0) >= minimum for policy, minimum in enumerate(demand.min_subgroups)
    )


def every_placement(
    problem: PlacementProblem, deliveries: Mapping[int, Delivery]
) -> Iterator[Assignment]:
    """All ways to put these pods (demand to delivery) onto nodes within their room and the queues' limits."""
    room = Room(problem)
    for index, counts in deliveries.items():
        demand = problem.demands[index]
        request = np.zeros(len(problem.dimensions), dtype=np.int64)
        for item, count in counts.items():
            request += problem.requests[demand.items[item].shape] * count
        if not room.queues_admit(demand, request):
            return
        room.charge(demand, request)
    parts = [(d, item, n) for d, counts in deliveries.items() for item, n in counts.items()]
    yield from _spread(problem, room, parts, Assignment({}))


def _spread(
    problem: PlacementProblem,
    room: Room,
    parts: Sequence[tuple[int, int, int]],
    found: Assignment,
) -> Iterator[Assignment]:
    if not parts:
        yield found.copy()
        return
    demand, item, count = parts[0]
    shape = problem.demands[demand].items[item].shape
    nodes = [int(node) for node in np.flatnonzero(problem.admits[shape])]
    for spots in _over(problem, room, shape, nodes, count):
        found.pods.setdefault(demand, {})[item] = spots
        yield from _spread(problem, room, parts[1:], found)
    found.pods.get(demand, {}).pop(item, None)


def _over(
    problem: PlacementProblem, room: Room, shape: int, nodes: Sequence[int], count: int
) -> Iterator[list[tuple[int, int]]]:
    """Spreads of so many pods; while one is looked at, its room is taken."""
    if count == 0:
        yield []
        return
    if not nodes:
        return
    request = problem.requests[shape]
    node, rest = nodes[0], nodes[1:]
    asked = request > 0
    most = min(int((room.free[node][asked] // request[asked]).min()), count)
    most = min(most, room.domains.most(shape, node))
    for here in range(max(most, 0), -1, -1):
        room.free[node] -= request * here
        room.domains.put(shape, node, here)
        for spots in _over(problem, room, shape, rest, count - here):
            yield [(node, here), *spots] if here else spots
        room.free[node] += request * here
        room.domains.put(shape, node, -here)
