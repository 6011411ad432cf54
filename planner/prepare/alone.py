"""Whether a gang's minimum fits into some room: exact where counting decides, else an open question."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.prepare.fit import Placed, Room, minimum_counts
from planner.problem.placement import Demand, PlacementProblem

Fitting = tuple[dict[int, int], list[Placed]]
"""Pods per item index of a gang, and the same pods per shape and node."""
ExactFit = Callable[[PlacementProblem, Demand, Room], Fitting | None]
"""Finds by search how a gang's minimum fits into a room; None if it does not."""


def fits(problem: PlacementProblem, demand: Demand, room: Room, exact: ExactFit) -> bool:
    """Whether the gang's minimum fits into the room, queues included."""
    verdict = quick_fit(problem, demand, room)
    return exact(problem, demand, room) is not None if verdict is None else verdict


def quick_fit(problem: PlacementProblem, demand: Demand, room: Room) -> bool | None:
    """True or False where counting decides, None where only a search can."""
    if demand.simple:
        item = demand.items[0]
        shape = item.shape
        nodes = room.fitting(shape, demand.need)
        return min(nodes, item.count, room.queue_count(demand, shape)) >= demand.need
    if not room.queues_admit(demand, np.array(demand.minimum, dtype=np.int64)):
        return False
    if _roles_cannot_fit(problem, demand, room):
        return False
    return True if try_place(problem, demand, room, keep=False) is not None else None


def _roles_cannot_fit(problem: PlacementProblem, demand: Demand, room: Room) -> bool:
    """Counting item by item: an upper bound on the pods of each role and of all roles is too small."""
    by_role: dict[str, int] = {}
    for item in demand.items:
        shape = item.shape
        most = min(room.fitting(shape, 1), item.count, room.queue_count(demand, shape))
        by_role[item.role] = by_role.get(item.role, 0) + most
    short = any(by_role.get(role, 0) < need for role, need in demand.role_need)
    return short or sum(by_role.values()) < demand.need


def try_place(
    problem: PlacementProblem, demand: Demand, room: Room, *, keep: bool
) -> Fitting | None:
    """Place a minimal set greedily: (pods per item index, pods per node); None if this attempt fails.

    With ``keep`` the room shrinks. Gangs with subgroups are left to a search.
    """
    if demand.grouped or not room.queues_admit(demand, np.array(demand.minimum, dtype=np.int64)):
        return None
    if _roles_cannot_fit(problem, demand, room):
        return None
    counts = minimum_counts(demand, problem, room)
    if counts is None:
        return None
    by_shape: dict[int, int] = {}
    for index, count in counts.items():
        shape = demand.items[index].shape
        by_shape[shape] = by_shape.get(shape, 0) + count
    request = sum(
        (problem.requests[shape] * count for shape, count in by_shape.items()),
        np.zeros(len(problem.dimensions), dtype=np.int64),
    )
    if not room.queues_admit(demand, request):
        return None
    busy = room.busy.copy()
    placed = room.place(by_shape)
    if placed is None:
        return None
    if keep:
        room.charge(demand, request)
    else:
        room.undo(placed)
        room.busy = busy
    return counts, placed


def most_gangs(problem: PlacementProblem, demand: Demand, room: Room) -> int:
    """How many gangs like this simple one fit, counted."""
    shape = demand.items[0].shape
    in_queues = room.queue_count(demand, shape) // demand.need
    if in_queues == 0:
        return 0
    return min(room.fitting(shape, demand.need) // demand.need, in_queues)
