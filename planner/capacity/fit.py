"""Fast packing on concrete nodes: counts of what fits, and a tight greedy placement.

Both are exact where one shape is concerned and a heuristic where several share nodes; whoever needs certainty asks a
solver after them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from planner.capacity.cards.card_room import CardRoom
from planner.capacity.counted_room import CountedRoom, fit_counts
from planner.problem.domain_rooms import DomainsLeft
from planner.problem.placement import Demand, IntArray, PlacementProblem
from planner.problem.spreads import SpreadCounts

MOST = int(np.iinfo(np.int64).max)
SHORT = 2**14
"""Pods per node below which nodes are put in order by keys of 16 bits, which takes a quarter of the time."""


def node_counts(problem: PlacementProblem, shape: int, free: IntArray | None = None) -> IntArray:
    """Pods of one shape that fit on each node now (or with other free sums), on its cards too where they are shared."""
    room = problem.free if free is None else free
    counts = fit_counts(room, problem.requests[shape], problem.admits[shape])
    table = problem.cards
    if table is None or not table.count[shape]:
        return counts
    return np.minimum(counts, table.pods(shape, table.free, table.kind))


@dataclass(frozen=True, slots=True)
class Placed:
    """Pods of one shape on one node."""

    shape: int
    node: int
    count: int


class Room:
    """Room on nodes and in queues that shrinks as pods are placed."""

    def __init__(self, problem: PlacementProblem, free: IntArray | None = None) -> None:
        self.problem = problem
        self.free = (problem.free if free is None else free).copy()
        self.queues = {queue: room.copy() for queue, room in problem.queue_room.items()}
        self.admission = list(problem.admission_room)
        self.entered: set[int] = set()
        self.busy = problem.node_has_gpu_pods.copy()
        self.cards = None if problem.cards is None else CardRoom(problem.cards)
        self.domains = DomainsLeft(problem.domain_rooms)
        self.even = SpreadCounts(problem.spreads)
        self._nodes: IntArray | None = None
        self._at_most: dict[int, int] = {}
        self._counted = CountedRoom(len(self.free))
        self._largest = np.maximum(problem.free.max(axis=0, initial=1), 1)

    def queue_count(self, demand: Demand, shape: int) -> int:
        """Pods of a shape that the gang's queues still admit; none where it may not enter."""
        request = self.problem.requests[shape]
        found = MOST if self.admits(demand) else 0
        for queue in demand.queue_chain:
            room = self.queues[queue]
            binding = (request > 0) & (room >= 0)
            if binding.any():
                found = min(found, int((room[binding] // request[binding]).min()))
        return found

    def fitting(self, shape: int, wanted: int) -> int:
        """Pods of a shape that fit, each node by itself; room that was too small for ``wanted`` is not counted again.

        Room only shrinks while pods are placed, so the last count bounds the next one; :meth:`undo` forgets it.
        """
        if self._nodes is not None:
            return self.domains.together(shape, self.counts(shape), self._nodes)
        known = self._at_most.get(shape)
        if known is not None and known < wanted:
            return known
        self._at_most[shape] = self.domains.together(shape, self.counts(shape), None)
        return self._at_most[shape]

    def counts(self, shape: int) -> IntArray:
        """Pods of a shape that fit on each of the nodes looked at (see :meth:`only`), in their order."""
        request, admitted = self.problem.requests[shape], self.problem.admits[shape]
        nodes = self._nodes
        if nodes is None:
            found = self._counted.of(shape, self.free, request, admitted)
        else:
            found = fit_counts(self.free[nodes], request, admitted[nodes])
        found = self.domains.within(shape, found, nodes)
        if self.cards is None or not self.cards.table.count[shape]:
            return found
        return np.minimum(found, self.cards.counts(shape, nodes))

    def fits_on(self, shape: int, node: int) -> int:
        """Pods of a shape that fit on one node, shared rooms and cards aside."""
        request = self.problem.requests[shape]
        asked = request > 0
        if not self.problem.admits[shape, node]:
            return 0
        return int((self.free[node, asked] // request[asked]).min())

    @property
    def free_here(self) -> IntArray:
        """``[nodes, dimensions]`` room, 0 on nodes that are not looked at."""
        if self._nodes is None:
            return self.free
        found = np.zeros_like(self.free)
        found[self._nodes] = self.free[self._nodes]
        return found

    def queues_admit(self, demand: Demand, request: IntArray) -> bool:
        """Whether a sum of requests fits into the queue and its ancestors, in every dimension it asks for."""
        return self.admits(demand) and all(
            bool(np.all((request <= 0) | (room < 0) | (request <= room)))
            for room in (self.queues[queue] for queue in demand.queue_chain)
        )

    def admits(self, demand: Demand) -> bool:
        """Whether the scheduler's admission lets the gang in, or has done so."""
        return demand.gang in self.entered or all(
            amount <= self.admission[gate] for gate, amount in demand.admission
        )

    def enter(self, demand: Demand) -> None:
        """The gang starts: it takes its part of the admission, once."""
        if demand.admission and demand.gang not in self.entered:
            self.entered.add(demand.gang)
            for gate, amount in demand.admission:
                self.admission[gate] -= amount

    def leave(self, demand: Demand) -> None:
        """The gang does not start after all."""
        if demand.gang in self.entered:
            self.entered.remove(demand.gang)
            for gate, amount in demand.admission:
                self.admission[gate] += amount

    def place(self, counts: Mapping[int, int]) -> list[Placed] | None:
        """Place so many pods of each shape, large shapes and tight nodes first; None and no change if one fails."""
        placed: list[Placed] = []
        for shape in self.by_size(counts):
            found = self.place_up_to(shape, counts[shape], mark=False)
            placed.extend(found)
            if sum(one.count for one in found) < counts[shape]:
                self.undo(placed, tried=True)
                return None
        self._mark(placed)
        return placed

    def place_up_to(self, shape: int, wanted: int, *, mark: bool = True) -> list[Placed]:
        """Place as many pods of a shape as fit, at most ``wanted``."""
        placed = [Placed(shape, node, count) for node, count in self._assign(shape, wanted)]
        for one in placed:
            self.free[one.node] -= self.problem.requests[shape] * one.count
            self.domains.put(shape, one.node, one.count)
            self.even.put(shape, one.node, one.count)
            if self.cards is not None:
                self.cards.put(shape, one.node, one.count)
        self._counted.changed([one.node for one in placed])
        if mark:
            self._mark(placed)
        return placed

    def take(self, placed: Sequence[Placed]) -> None:
        """Take the room of pods that were placed by somebody else."""
        for one in placed:
            self.free[one.node] -= self.problem.requests[one.shape] * one.count
            self.domains.put(one.shape, one.node, one.count)
            self.even.put(one.shape, one.node, one.count)
        if self.cards is not None:
            self.cards.put_all([(one.shape, one.node, one.count) for one in placed])
        self._counted.changed([one.node for one in placed])
        self._mark(placed)

    def by_size(self, shapes: Iterable[int]) -> list[int]:
        """Shapes, those with most GPUs and the largest share of a node first."""
        return sorted(shapes, key=self._size, reverse=True)

    @contextmanager
    def only(self, nodes: Sequence[int] | IntArray) -> Iterator[None]:
        """Within the block, pods are counted on these nodes only, and go nowhere else."""
        before = self._nodes
        self._nodes = np.asarray(nodes, dtype=np.int64)
        try:
            yield
        finally:
            self._nodes = before

    @contextmanager
    def closed(self, nodes: Sequence[int]) -> Iterator[None]:
        """Within the block nothing fits on these nodes, and nothing may be placed there or taken away."""
        before = self.free[nodes]
        self.free[nodes] = 0
        self._counted.changed(nodes)
        try:
            yield
        finally:
            self.free[nodes] = before
            self._counted.changed(nodes)

    def _mark(self, placed: Sequence[Placed]) -> None:
        for one in placed:
            if self.problem.shape_gpus[one.shape] > 0:
                self.busy[one.node] = True

    def undo(self, placed: Sequence[Placed], *, tried: bool = False) -> None:
        """Give back the room of placed pods; ``tried``: nothing else happened since, so that earlier counts hold."""
        for one in placed:
            self.free[one.node] += self.problem.requests[one.shape] * one.count
            self.domains.put(one.shape, one.node, -one.count)
            self.even.put(one.shape, one.node, -one.count)
            if self.cards is not None:
                self.cards.pull(one.shape, one.node, one.count)
        self._counted.changed([one.node for one in placed])
        if placed and not tried:
            self._at_most.clear()

    def charge(self, demand: Demand, request: IntArray) -> None:
        """Take a sum of requests from the gang's queues; a gang that was not there enters."""
        self.enter(demand)
        self.charge_queues(demand.queue_chain, request)

    def charge_queues(self, queues: Sequence[int], request: IntArray) -> None:
        """Take a sum of requests from these queues; nothing is left where it is more than there is."""
        for queue in queues:
            room = self.queues[queue]
            limited = room >= 0
            room[limited] -= np.minimum(request[limited], room[limited])

    def _size(self, shape: int) -> tuple[int, float, int]:
        request = self.problem.requests[shape]
        return int(self.problem.shape_gpus[shape]), float((request / self._largest).max()), -shape

    def _assign(self, shape: int, wanted: int) -> list[tuple[int, int]]:
        if wanted <= 0:
            return []
        fits = self.counts(shape)
        holding = np.flatnonzero(fits > 0)
        if holding.size == 0:
            return []
        fits = fits[holding]
        nodes = holding if self._nodes is None else self._nodes[holding]
        order = self._order(shape, nodes, fits)
        if self.domains.binds(shape) or self.even.binds(shape):
            return self._in_turn(shape, nodes[order], fits[order], wanted)
        order = order[:wanted]  # each of them holds one pod at least
        nodes, fits = nodes[order], fits[order]
        reach = np.cumsum(fits)
        stop = int(np.searchsorted(reach, wanted)) + 1
        taken = fits[:stop].copy()
        if stop <= reach.size and reach[stop - 1] > wanted:
            taken[-1] -= reach[stop - 1] - wanted
        return list(zip(nodes[:stop].tolist(), taken.tolist(), strict=True))

    def _in_turn(
        self, shape: int, nodes: IntArray, fits: IntArray, wanted: int
    ) -> list[tuple[int, int]]:
        """Node after node, as far as their domains take more; again and again where pods have to be even."""
        found: dict[int, int] = {}
        left = dict(zip(nodes.tolist(), fits.tolist(), strict=True))
        moved = True
        while wanted and moved:
            moved = False
            for node, most in left.items():
                take = min(most, wanted, self.domains.most(shape, node))
                even = self.even.most(shape, node)
                take = take if even is None else min(take, even)
                if take > 0:
                    self._count(shape, node, take)
                    found[node] = found.get(node, 0) + take
                    left[node] -= take
                    wanted -= take
                    moved = self.even.binds(shape)
        for node, take in found.items():
            self._count(shape, node, -take)
        return list(found.items())

    def _count(self, shape: int, node: int, pods: int) -> None:
        self.domains.put(shape, node, pods)
        self.even.put(shape, node, pods)

    def _order(self, shape: int, nodes: IntArray, fits: IntArray) -> IntArray:
        """Tight: pods without GPUs go to nodes without GPUs first, others to nodes in use with the fewest left."""
        gpu_shape = self.problem.shape_gpus[shape] > 0
        first = ~self.busy[nodes] if gpu_shape else self.problem.node_gpus[nodes] > 0
        if self._nodes is None and (most := int(fits.max())) < SHORT:
            short = (fits + first * most).astype(np.int16)
            return np.argsort(short, kind="stable")  # the nodes are in order already
        return np.lexsort((nodes, fits, first))


def minimum_counts(demand: Demand, problem: PlacementProblem, room: Room) -> dict[int, int] | None:
    """Pods per item (index) of one set that makes the gang ready, roles first, then items with most room."""
    return least_counts(demand, lambda shape: int(room.counts(shape).sum()))


def least_counts(demand: Demand, width: Callable[[int], int]) -> dict[int, int] | None:
    """The same where ``width`` tells how many pods of a shape fit."""
    left = [item.count // item.step * item.step for item in demand.items]
    taken = [0] * len(left)
    widest = [width(item.shape) for item in demand.items]
    order = sorted(range(len(left)), key=lambda one: -widest[one])
    of_role: dict[str, list[int]] = {}
    for index in order:
        of_role.setdefault(demand.items[index].role, []).append(index)
    goals: list[tuple[str | None, int]] = [*demand.role_need, (None, demand.need)]
    for role, need in goals:
        missing = need if role is not None else need - sum(taken)
        for index in order if role is None else of_role.get(role, ()):
            if missing <= 0:
                break
            item = demand.items[index]
            take = min(left[index], -(-missing // item.step) * item.step)
            taken[index] += take
            left[index] -= take
            missing -= take
        if missing > 0:
            return None
    return {index: count for index, count in enumerate(taken) if count}
