"""After packing: gangs whose pods found no room are served before those of later ranks, which make way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.capacity.fit import Placed, Room
from planner.capacity.fits_alone import try_place
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.construct.fill import room_after, spots_by_item

Kind = tuple[str, int]
Spots = dict[int, list[tuple[int, int]]]


def served_first(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    started: Sequence[int],
    assignment: Assignment,
    stopped: Callable[[], bool] = lambda: False,
) -> Assignment:
    """The assignment with the gangs that a solution starts (``started`` per class, in tier order) before later ones.

    A solution of a model that takes nodes together may not pack as a whole; what is missing hits any gang. From the
    first rank that lacks one on, gangs stay where they were while their room is free, and look for another place else.
    """
    kinds: dict[Kind, list[int]] = {}
    for one, count in zip(classes, started, strict=True):
        if not one.growing:
            kinds.setdefault((one.tier_class, one.rank), []).extend(one.demands[:count])
    lacking = [
        kind for kind, demands in kinds.items() if any(d not in assignment.pods for d in demands)
    ]
    if not lacking or problem.domain_rooms or problem.spreads:
        return assignment
    order = list(kinds)
    later = order[order.index(lacking[0]) + 1 :]
    following = {demand for kind in later for demand in kinds[kind]}
    growing = {demand for one in classes if one.growing for demand in one.demands}
    gone = following | growing
    found = Assignment({d: items for d, items in assignment.pods.items() if d not in gone})
    room = room_after(problem, found)
    for kind in order[order.index(lacking[0]) :]:
        _serve(problem, kinds[kind], assignment, found, room, stopped)
    _serve(problem, sorted(growing & assignment.pods.keys()), assignment, found, room, stopped)
    return found


def _serve(
    problem: PlacementProblem,
    demands: Sequence[int],
    before: Assignment,
    found: Assignment,
    room: Room,
    stopped: Callable[[], bool],
) -> None:
    """Gangs that had a place keep it where it is free; then the others look for one."""
    homeless = []
    for demand in demands:
        if demand in found.pods:
            continue
        old = before.pods.get(demand)
        if old is not None and _kept(problem, demand, old, room):
            found.pods[demand] = old
        else:
            homeless.append(demand)
    for demand in homeless:
        one = problem.demands[demand]
        placed = None if one.ready or stopped() else try_place(problem, one, room, keep=True)
        if placed is not None:
            found.pods[demand] = spots_by_item(problem, demand, placed)


def _kept(problem: PlacementProblem, demand: int, items: Spots, room: Room) -> bool:
    """Take a gang's old places where they are free; else nothing is taken."""
    one = problem.demands[demand]
    taken: list[Placed] = []
    for item, spots in items.items():
        shape = one.items[item].shape
        for node, count in spots:
            if (room.free[node] < problem.requests[shape] * count).any():
                room.undo(taken)
                return False
            taken.append(Placed(shape, node, count))
            room.take(taken[-1:])
    request = sum(
        (problem.requests[placed.shape] * placed.count for placed in taken),
        problem.requests[0] * 0,
    )
    if not room.queues_admit(one, request):
        room.undo(taken)
        return False
    room.charge(one, request)
    return True
