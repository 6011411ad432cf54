"""Gangs of equal pods on nodes that admit them all: vector packing with priorities, by index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.problem.placement import BoolArray, IntArray, PlacementProblem
from planner.reduce.gang_classes import GangClass

MOST_PODS = 600
"""Pods up to which a packing is searched pod by pod."""
MOST_NODES = 100


@dataclass(frozen=True)
class PackingProblem:
    """Kinds are gang classes, in the order of their ranks.

    Attributes
    ----------
    nodes
        Nodes of the placement problem that take part.
    room
        ``[nodes, resources]`` free amounts; resources that others imply are left out.
    asks
        ``[kinds, resources]`` request of one pod.
    pods, gangs
        Per kind: pods of one gang, and gangs.
    rank
        Per kind its place among ``ranks``, which name class and rank in tier order.
    """

    nodes: tuple[int, ...]
    room: IntArray
    asks: IntArray
    pods: IntArray
    gangs: IntArray
    rank: IntArray
    ranks: tuple[tuple[str, int], ...]
    classes: tuple[GangClass, ...]

    @cached_property
    def alike(self) -> bool:
        """All nodes have the same room."""
        return bool((self.room == self.room[0]).all())

    def of_rank(self, rank: int) -> IntArray:
        """Kinds of a rank."""
        return np.flatnonzero(self.rank == rank)

    def size(self, rank: int) -> int:
        """Gangs of a rank."""
        return int(self.gangs[self.rank == rank].sum())


def packing_problem(
    problem: PlacementProblem, classes: Sequence[GangClass]
) -> PackingProblem | None:
    """The problem of these classes, given in tier order; None where there is more to it than packing.

    There is where pods use GPUs, gangs are elastic or want certain domains, nodes admit some of the shapes only, pods
    share rooms, or a queue's limit may bind.
    """
    waiting = tuple(one for one in classes if not one.growing)
    total = sum(one.size * one.example.need for one in waiting)
    if not waiting or len(waiting) < len(classes) or total > MOST_PODS:
        return None
    if problem.cards is not None or problem.domain_rooms or problem.spreads:
        return None
    if not all(_plain(problem, one) for one in waiting) or _limited(problem, waiting):
        return None
    shapes = np.array([one.example.items[0].shape for one in waiting])
    admitted = problem.admits[shapes]
    nodes = np.flatnonzero(admitted.any(axis=0))
    if not 0 < len(nodes) <= MOST_NODES or not admitted[:, nodes].all():
        return None
    room, asks = _needed(problem.free[nodes], problem.requests[shapes])
    ranks = tuple(dict.fromkeys((one.tier_class, one.rank) for one in waiting))
    return PackingProblem(
        nodes=tuple(map(int, nodes)),
        room=room,
        asks=asks,
        pods=np.array([one.example.need for one in waiting], dtype=np.int64),
        gangs=np.array([one.size for one in waiting], dtype=np.int64),
        rank=np.array([ranks.index((one.tier_class, one.rank)) for one in waiting]),
        ranks=ranks,
        classes=waiting,
    )


def _plain(problem: PlacementProblem, one: GangClass) -> bool:
    """Pods of one shape without GPUs, all of which the gang needs, anywhere."""
    demand = one.example
    if not demand.simple or demand.choices is not None or demand.gathered or not demand.need:
        return False
    item = demand.items[0]
    return item.count == demand.need and not problem.shape_gpus[item.shape]


def _limited(problem: PlacementProblem, classes: Sequence[GangClass]) -> bool:
    """Whether a limit of a queue is less than what all gangs below it ask for, and than what all nodes have."""
    most = problem.free.sum(axis=0)
    asked: dict[int, IntArray] = {}
    for one in classes:
        shape = one.example.items[0].shape
        amount = problem.requests[shape] * one.example.need * one.size
        for queue in one.example.queue_chain:
            asked[queue] = asked.get(queue, np.zeros_like(amount)) + amount
    rooms = problem.queue_room
    return any(
        bool(((rooms[queue] >= 0) & (np.minimum(amount, most) > rooms[queue])).any())
        for queue, amount in asked.items()
        if queue in rooms
    )


def _needed(room: IntArray, asks: IntArray) -> tuple[IntArray, IntArray]:
    """Room and requests without the resources that another one implies: asked for less of on every node."""
    asked = [d for d in range(asks.shape[1]) if asks[:, d].any()]
    kept = list(asked)
    for d in reversed(asked):
        if any(_implied(room, asks, d, other) for other in kept if other != d):
            kept.remove(d)
    return np.ascontiguousarray(room[:, kept]), np.ascontiguousarray(asks[:, kept])


def _implied(room: IntArray, asks: IntArray, d: int, other: int) -> bool:
    """``ask_d / room_d <= ask_other / room_other`` for every kind and node."""
    # Exact: the products stay far below 2^63 only in floats, so the comparison is on the safe side.
    left = asks[:, None, d] * room[None, :, other].astype(np.float64) * (1 + 1e-12)
    right = asks[:, None, other] * room[None, :, d].astype(np.float64)
    found: BoolArray = left <= right
    # A full node holds 0 of ``other``, which says nothing to pods that do not ask for it.
    unasked = (asks[:, other] == 0) & (asks[:, d] > 0)
    return bool(found.all()) and not unasked.any()
