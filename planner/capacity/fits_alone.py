"""Whether a gang's minimum fits into some room: exact where counting decides, else an open question."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from planner.capacity.fit import Placed, Room, minimum_counts
from planner.problem.placement import Demand, PlacementProblem


class Fitting(NamedTuple):
    """How a gang's pods fit: pods per item index, the same pods per shape and node.

    ``spots`` gives the (node, pods) pairs per item where it matters which item is where; else None.
    """

    counts: dict[int, int]
    placed: list[Placed]
    spots: dict[int, list[tuple[int, int]]] | None = None


ExactFit = Callable[[PlacementProblem, Demand, Room], Fitting | None]
"""Finds by search how a gang's minimum fits into a room; None if it does not."""


def fits(problem: PlacementProblem, demand: Demand, room: Room, exact: ExactFit) -> bool:
    """Whether the gang's minimum fits into the room, queues included."""
    verdict = quick_fit(problem, demand, room)
    return exact(problem, demand, room) is not None if verdict is None else verdict


def quick_fit(problem: PlacementProblem, demand: Demand, room: Room) -> bool | None:
    """True or False where counting decides, None where only a search can.

    A gang that must stay in one domain fits where it fits into some domain.
    """
    if demand.choices is None:
        return _quick_here(problem, demand, room)
    unsure = False
    for number in roomy_domains(problem, demand, room):
        with room.only(problem.topology.arrays(number)):
            verdict = _quick_here(problem, demand, room)
        if verdict:
            return True
        unsure = unsure or verdict is None
    return None if unsure else False


def _quick_here(problem: PlacementProblem, demand: Demand, room: Room) -> bool | None:
    if demand.simple:
        item = demand.items[0]
        shape = item.shape
        nodes = room.fitting(shape, demand.need)
        return min(nodes, item.count, room.queue_count(demand, shape)) >= demand.need
    if not room.queues_admit(demand, np.array(demand.minimum, dtype=np.int64)):
        return False
    if _roles_cannot_fit(problem, demand, room):
        return False
    return True if _place_here(problem, demand, room, keep=False) is not None else None


def roomy_domains(problem: PlacementProblem, demand: Demand, room: Room) -> list[int]:
    """Domains that the gang may choose and that hold enough pods, counted item by item; the tightest first."""
    choices = demand.choices or ()
    most = np.zeros(len(choices), dtype=np.int64)
    total = np.zeros(len(choices), dtype=np.int64)
    for shape, count in _asked(demand).items():
        fitting = problem.topology.sums(choices, room.counts(shape))
        most += np.minimum(fitting, count)
        total += fitting
    enough = np.flatnonzero(most >= demand.need)
    return [choices[position] for position in enough[np.argsort(total[enough], kind="stable")]]


def _asked(demand: Demand) -> dict[int, int]:
    """Shape to the most pods of it that the gang may receive."""
    found: dict[int, int] = {}
    for item in demand.items:
        found[item.shape] = found.get(item.shape, 0) + item.count
    return found


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
    if demand.choices is None:
        return _place_here(problem, demand, room, keep=keep)
    for number in roomy_domains(problem, demand, room):
        with room.only(problem.topology.arrays(number)):
            found = _place_here(problem, demand, room, keep=keep)
        if found is not None:
            return found
    return None


def _place_here(
    problem: PlacementProblem, demand: Demand, room: Room, *, keep: bool
) -> Fitting | None:
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
        room.undo(placed, tried=True)
        room.busy = busy
    return Fitting(counts, placed)


def most_gangs(problem: PlacementProblem, demand: Demand, room: Room) -> int:
    """How many gangs like this simple one fit, counted."""
    shape = demand.items[0].shape
    in_queues = room.queue_count(demand, shape) // demand.need
    entering = [room.admission[gate] // amount for gate, amount in demand.admission]
    in_queues = min(in_queues, *entering) if entering else in_queues
    if in_queues <= 0:
        return 0
    if demand.choices is None:
        return min(room.fitting(shape, demand.need) // demand.need, in_queues)
    return min(sum(gangs_per_domain(problem, demand, room).values()), in_queues)


def gangs_per_domain(problem: PlacementProblem, demand: Demand, room: Room) -> dict[int, int]:
    """Domain to the gangs like this simple one that fit into it, domains with the least room first."""
    choices = demand.choices or ()
    pods = problem.topology.sums(choices, room.counts(demand.items[0].shape))
    enough = np.flatnonzero(pods >= demand.need)
    order = enough[np.argsort(pods[enough], kind="stable")]
    gangs = (pods[order] // demand.need).tolist()
    return {choices[at]: n for at, n in zip(order.tolist(), gangs, strict=True)}
