"""Fill what room there is, gang after gang: a first plan, and the last pass that proves P3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from planner.capacity.fit import Placed, Room
from planner.capacity.fits_alone import (
    ExactFit,
    Fitting,
    gangs_per_domain,
    most_gangs,
    quick_fit,
    try_place,
)
from planner.problem.placement import Demand, PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.domain_of_gang import home_of
from planner.reduce.elastic import put_back
from planner.reduce.gang_classes import GangClass, RankKind, in_tier_order


def room_after(problem: PlacementProblem, assignment: Assignment) -> Room:
    """Room on nodes and in queues beside an assignment."""
    room = Room(problem)
    room.take(assignment.placed(problem))
    asked: dict[tuple[int, ...], Counter[int]] = {}
    for index, items in assignment.pods.items():
        demand = problem.demands[index]
        room.enter(demand)
        pods = asked.setdefault(demand.queue_chain, Counter())
        for item, spots in items.items():
            pods[demand.items[item].shape] += sum(n for _, n in spots)
    for chain, pods in asked.items():
        counts = np.array(list(pods.values()), dtype=np.int64)
        room.charge_queues(chain, counts @ problem.requests[list(pods)])
    return room


def fill_in_turn(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    assignment: Assignment,
    room: Room,
    exact: ExactFit | None,
    stopped: Callable[[], bool] = lambda: False,
    *,
    cluster_scope: bool = False,
    earlier: Assignment | None = None,
) -> None:
    """Start gangs and add elastic pods wherever they fit, in the order of the tiers.

    Elastic pods of a rank come after its gangs and before those of lower ranks, first on nodes where an ``earlier``
    plan has them. ``classes`` are in tier order.
    """
    starting: dict[RankKind, list[GangClass]] = {}
    growing: dict[RankKind, list[GangClass]] = {}
    for one in classes:
        if not one.growing:
            starting.setdefault((one.tier_class, one.rank), []).append(one)
        if one.most_elastic > 0:
            growing.setdefault((one.grows_in, one.rank), []).append(one)
    exhausted: set[int] = set()
    for kind in in_tier_order((*starting, *growing), cluster_scope=cluster_scope):
        fill_starts(problem, starting.get(kind, ()), assignment, room, exact, stopped)
        receivers = growing.get(kind, ())
        if earlier is not None and receivers:
            put_back(problem, assignment, earlier, room, [d for k in receivers for d in k.demands])
        fill_elastic(problem, receivers, assignment, room, stopped, exhausted)


def fill_starts(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    assignment: Assignment,
    room: Room,
    exact: ExactFit | None,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Start waiting gangs wherever they fit, in the order of ``classes``; returns how many.

    Room only shrinks, so a class is done with the first gang that does not fit. Without ``exact`` gangs whose fit is
    an open question are passed over.
    """
    started = 0
    for one in classes:
        if one.growing or stopped():
            continue
        waiting = [demand for demand in one.demands if demand not in assignment.pods]
        if not waiting:
            continue
        if one.example.simple:
            started += _fill_simple(problem, one, waiting, assignment, room)
        else:
            started += _fill_one_by_one(problem, one, waiting, assignment, room, exact)
    return started


def _fill_simple(
    problem: PlacementProblem,
    one: GangClass,
    waiting: list[int],
    assignment: Assignment,
    room: Room,
) -> int:
    demand = one.example
    count = min(most_gangs(problem, demand, room), len(waiting))
    if count == 0:
        return 0
    shape = demand.items[0].shape
    spots = _simple_spots(problem, demand, room, count)
    room.charge_queues(demand.queue_chain, problem.requests[shape] * (count * demand.need))
    for index in waiting[:count]:
        room.enter(problem.demands[index])
        assignment.pods[index] = {0: _cut(spots, demand.need)}
    return count


def _simple_spots(
    problem: PlacementProblem, demand: Demand, room: Room, count: int
) -> list[list[int]]:
    """Nodes and pods for so many gangs, domain by domain where each has to stay in one."""
    shape = demand.items[0].shape
    if demand.choices is None:
        placed = room.place_up_to(shape, count * demand.need)
        return [[p.node, p.count] for p in sorted(placed, key=lambda p: p.node)]
    spots: list[list[int]] = []
    for number, gangs in gangs_per_domain(problem, demand, room).items():
        if not count:
            break
        here = min(gangs, count)
        with room.only(problem.topology.arrays(number)):
            placed = room.place_up_to(shape, here * demand.need)
        spots += [[p.node, p.count] for p in sorted(placed, key=lambda p: p.node)]
        count -= here
    return spots


def _cut(spots: list[list[int]], count: int) -> list[tuple[int, int]]:
    """Take ``count`` pods from the front of the spots."""
    taken: list[tuple[int, int]] = []
    while count:
        take = min(spots[0][1], count)
        taken.append((spots[0][0], take))
        spots[0][1] -= take
        count -= take
        if not spots[0][1]:
            spots.pop(0)
    return taken


def _fill_one_by_one(
    problem: PlacementProblem,
    one: GangClass,
    waiting: list[int],
    assignment: Assignment,
    room: Room,
    exact: ExactFit | None,
) -> int:
    for position, index in enumerate(waiting):
        demand = problem.demands[index]
        found = try_place(problem, demand, room, keep=True)
        if found is None:
            if exact is None or quick_fit(problem, demand, room) is False:
                return position
            found = exact(problem, demand, room)
            if found is None:
                return position
            room.take(found[1])
            for item, count in found[0].items():
                room.charge(demand, problem.requests[demand.items[item].shape] * count)
        assignment.pods[index] = spots_by_item(problem, index, found)
    return len(waiting)


def spots_by_item(
    problem: PlacementProblem, index: int, found: Fitting
) -> dict[int, list[tuple[int, int]]]:
    """Nodes per item of one gang; items of the same shape share its nodes in order where that does not matter."""
    if found.spots is not None:
        return found.spots
    by_shape: dict[int, list[list[int]]] = {}
    for one in sorted(found.placed, key=lambda p: (p.shape, p.node)):
        by_shape.setdefault(one.shape, []).append([one.node, one.count])
    items = problem.demands[index].items
    return {item: _cut(by_shape[items[item].shape], n) for item, n in found.counts.items() if n}


def fill_elastic(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    assignment: Assignment,
    room: Room,
    stopped: Callable[[], bool] = lambda: False,
    exhausted: set[int] | None = None,
) -> int:
    """Add elastic pods wherever they fit, rank by rank; returns how many.

    Gangs with subgroups or partitions are left alone. ``exhausted`` are shapes of which no pod fits any more; more are
    added.
    """
    added = 0
    exhausted = set() if exhausted is None else exhausted
    for one in sorted(classes, key=lambda k: k.rank):
        if one.example.grouped or stopped():
            continue
        for index in one.demands:
            if not one.growing and index not in assignment.pods:
                continue
            for item in range(len(one.example.items)):
                added += _grow(problem, index, item, assignment, room, exhausted)
    return added


def _grow(
    problem: PlacementProblem,
    index: int,
    item: int,
    assignment: Assignment,
    room: Room,
    exhausted: set[int],
) -> int:
    demand = problem.demands[index]
    one = demand.items[item]
    have = sum(n for _, n in assignment.pods.get(index, {}).get(item, ()))
    if one.step > 1 or have >= one.count or one.shape in exhausted:
        return 0
    if room.fitting(one.shape, 1) == 0:
        exhausted.add(one.shape)
        return 0
    wanted = min(one.count - have, room.queue_count(demand, one.shape))
    placed = _grown(problem, demand, one.shape, wanted, assignment.pods.get(index, {}), room)
    if not placed:
        return 0
    count = sum(p.count for p in placed)
    room.charge(demand, problem.requests[one.shape] * count)
    spots = assignment.pods.setdefault(index, {}).setdefault(item, [])
    spots.extend((p.node, p.count) for p in placed)
    return count


def _grown(
    problem: PlacementProblem,
    demand: Demand,
    shape: int,
    wanted: int,
    items: Mapping[int, Sequence[tuple[int, int]]],
    room: Room,
) -> list[Placed]:
    """Pods of a shape, in the gang's domain where it has to stay in one."""
    if demand.choices is None:
        return room.place_up_to(shape, wanted)
    home = home_of(problem, demand, items)
    if home is None:
        return []
    with room.only(problem.topology.arrays(home)):
        return room.place_up_to(shape, wanted)
