"""Place all pods of a plan anew: gangs that must or want to be together first, the largest in front."""

from __future__ import annotations

import numpy as np

from planner.capacity.fit import Placed, Room
from planner.capacity.fits_alone import Fitting
from planner.problem.placement import Demand, IntArray, PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.search.construct.domain_choice import FewPlaces
from planner.search.construct.fill import spots_by_item

Spots = dict[int, list[tuple[int, int]]]
Counts = dict[int, int]


def regrouped(problem: PlacementProblem, assignment: Assignment) -> Assignment | None:
    """The same starts and pods on other nodes; None where this order leaves a pod without room.

    Gangs whose parts choose domains of their own keep their nodes.
    """
    room = Room(problem)
    found = assignment.copy()
    bound: list[int] = []
    loose: list[int] = []
    for index, items in assignment.pods.items():
        demand = problem.demands[index]
        if not any(items.values()):
            continue
        if demand.grouped:
            room.take(Assignment({index: items}).placed(problem))
        elif demand.choices is not None or demand.gathered:
            bound.append(index)
        else:
            loose.append(index)
    few = FewPlaces(problem)
    for index in sorted(bound, key=lambda d: _order(problem, assignment, d)):
        spots = _together(problem, few, room, index, _counts(assignment, index))
        if spots is None:
            return None
        found.pods[index] = spots
    return found if _anywhere(problem, room, found, loose) else None


def _counts(assignment: Assignment, index: int) -> Counts:
    items = assignment.pods[index].items()
    return {item: total for item, spots in items if (total := sum(n for _, n in spots))}


def _order(problem: PlacementProblem, assignment: Assignment, index: int) -> tuple[int, int, int]:
    """Hard rules first, then those with most GPUs."""
    demand, counts = problem.demands[index], _counts(assignment, index)
    gpus = sum(
        int(problem.shape_gpus[demand.items[item].shape]) * count for item, count in counts.items()
    )
    return (demand.choices is None, -gpus, index)


def _together(
    problem: PlacementProblem, few: FewPlaces, room: Room, index: int, counts: Counts
) -> Spots | None:
    demand = problem.demands[index]
    if demand.choices is None:
        return _few(problem, few, room, index, counts, None)
    for number in _tightest(problem, demand, counts, room):
        nodes = problem.topology.arrays(number)
        found = _few(problem, few, room, index, counts, nodes)
        if found is not None:
            return found
    return None


def _tightest(problem: PlacementProblem, demand: Demand, counts: Counts, room: Room) -> list[int]:
    """Domains with room for all pods counted shape by shape, those with the least room first."""
    choices = demand.choices or ()
    wanted: dict[int, int] = {}
    for item, count in counts.items():
        wanted[demand.items[item].shape] = wanted.get(demand.items[item].shape, 0) + count
    total = np.zeros(len(choices), dtype=np.int64)
    enough = np.ones(len(choices), dtype=bool)
    for shape, count in wanted.items():
        rooms = problem.topology.sums(choices, room.counts(shape))
        total += rooms
        enough &= rooms >= count
    fitting = np.flatnonzero(enough)
    order = np.lexsort((np.array(choices)[fitting], total[fitting]))
    return [choices[at] for at in fitting[order].tolist()]


def _few(
    problem: PlacementProblem,
    few: FewPlaces,
    room: Room,
    index: int,
    counts: Counts,
    allowed: IntArray | None,
) -> Spots | None:
    demand = problem.demands[index]
    nodes = few.nodes_for(demand, counts, room.free, allowed)
    if nodes is None:
        return None
    wanted: dict[int, int] = {}
    for item, count in counts.items():
        wanted[demand.items[item].shape] = wanted.get(demand.items[item].shape, 0) + count
    with room.only(nodes):
        placed = room.place(wanted)
    if placed is None:
        return None
    return spots_by_item(problem, index, Fitting(counts, placed))


def _anywhere(problem: PlacementProblem, room: Room, found: Assignment, loose: list[int]) -> bool:
    """Place the pods of all other gangs shape by shape, and give them out in order."""
    wanted: dict[int, int] = {}
    for index in loose:
        for item, count in _counts(found, index).items():
            shape = problem.demands[index].items[item].shape
            wanted[shape] = wanted.get(shape, 0) + count
    placed = room.place(wanted)
    if placed is None:
        return False
    pools: dict[int, list[list[int]]] = {}
    for one in sorted(placed, key=_by_node):
        pools.setdefault(one.shape, []).append([one.node, one.count])
    for index in loose:
        demand = problem.demands[index]
        for item, count in _counts(found, index).items():
            found.pods[index][item] = _taken(pools[demand.items[item].shape], count)
    return True


def _by_node(one: Placed) -> tuple[int, int]:
    return one.shape, one.node


def _taken(pool: list[list[int]], count: int) -> list[tuple[int, int]]:
    taken: list[tuple[int, int]] = []
    while count:
        take = min(pool[0][1], count)
        taken.append((pool[0][0], take))
        pool[0][1] -= take
        count -= take
        if not pool[0][1]:
            pool.pop(0)
    return taken
