"""Free amounts of the nodes, and the greedy choice of nodes for pods of one shape."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from models.cards.kinds import CARD_RESOURCES
from models.effective import EffectivePolicy
from models.gpu import whole_gpu_names
from models.resources import CPU, PODS
from models.snapshot import Snapshot
from planner.capacity.cards.card_room import CardRoom
from planner.problem.cards import CardTable
from planner.simulate.shapes import MOST_AMOUNT, Shapes

NodeOrder = Literal["tightest", "most-free"]
Taken = list[tuple[int, int]]
"""(node, pods) pairs."""

_CPU_BITS, _NODE_BITS = 28, 22
_MOST_GPUS, _MOST_CPU = 2**12 - 1, 2**_CPU_BITS - 1
_UNKNOWN = 2**31


class Room:
    """What is free on every node; shrinks with every pod that is put there.

    Nodes are tried by free GPUs, then free CPU, then name: the fewest first (``tightest``, as the binpack plugin
    scores) or the most first (``most-free``, as LeastAllocated does). A pod without GPUs looks at CPU alone when
    it wants the most free node.
    """

    def __init__(
        self,
        policy: EffectivePolicy,
        shapes: Shapes,
        free: NDArray[np.int64],
        order: NodeOrder,
        cards: CardTable | None = None,
    ) -> None:
        self._shapes, self._order = shapes, order
        self._cards = None if cards is None else CardRoom(cards)
        self.free = free.copy()
        dimensions = shapes.dimensions
        names = whole_gpu_names(policy.policy.gpu_models)
        self._gpu_rows = [index for index, name in enumerate(dimensions) if name in names]
        self._cpu_row = dimensions.index(CPU) if CPU in dimensions else len(dimensions) - 1
        self._gpus: NDArray[np.int64] = self.free[self._gpu_rows].sum(axis=0)
        self._bounds: dict[int, int] = {}

    def bound(self, shape: int) -> int:
        """An upper bound on the pods of the shape that fit, from attempts that fell short: room only shrinks."""
        return self._bounds.get(shape, _UNKNOWN)

    def take(
        self,
        shape: int,
        count: int,
        *,
        tentative: bool = False,
        within: NDArray[np.bool_] | None = None,
    ) -> Taken:
        """Put up to ``count`` pods of the shape on nodes (of a domain); fewer where there is no more room.

        ``tentative``: other pods are in place that may be taken back, so a shortfall proves nothing.
        """
        if count <= 0 or self.bound(shape) <= 0:
            return []
        nodes = self._fitting(shape)
        if within is not None:
            nodes, tentative = nodes[within[nodes]], True
        choose = self._fill if self._order == "tightest" else self._spread
        taken = choose(shape, nodes, count)
        for node, pods in taken:
            self._change(shape, node, -pods)
        total = sum(pods for _, pods in taken)
        if total < count and not tentative:
            self._bounds[shape] = min(total, self.bound(shape))
        return taken

    def give_back(self, shape: int, taken: Taken) -> None:
        """Undo a :meth:`take`."""
        for node, pods in taken:
            self._change(shape, node, pods)

    def release(self, node: int, request: Mapping[str, int], sign: int = 1) -> None:
        """A running pod leaves the node (``sign`` -1: it holds its room again)."""
        for dimension, name in enumerate(self._shapes.dimensions):
            amount = 1 if name == PODS else request.get(name, 0)
            self.free[dimension, node] += sign * amount
            if dimension in self._gpu_rows:
                self._gpus[node] += sign * amount
        self._bounds.clear()

    def slots(self, shape: int, nodes: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Pods of the shape that fit on each node (of some nodes)."""
        every = np.arange(self.free.shape[1]) if nodes is None else nodes
        fits = np.maximum(self._fits(shape, every), 0)
        return np.where(self._shapes.admits(shape)[every], fits, 0)

    def gpus_of(self, shape: int) -> int:
        """Whole GPUs of one pod."""
        return sum(
            n for dimension, n in self._shapes.requests[shape] if dimension in self._gpu_rows
        )

    def _change(self, shape: int, node: int, pods: int) -> None:
        for dimension, amount in self._shapes.requests[shape]:
            self.free[dimension, node] += amount * pods
            if dimension in self._gpu_rows:
                self._gpus[node] += amount * pods
        if self._cards is not None:
            if pods < 0:
                self._cards.put(shape, node, -pods)
            else:
                self._cards.pull(shape, node, pods)

    def _fitting(self, shape: int) -> NDArray[np.intp]:
        open_nodes = self._shapes.admits(shape).copy()
        for dimension, amount in self._shapes.requests[shape]:
            open_nodes &= self.free[dimension] >= amount
        nodes = np.flatnonzero(open_nodes)
        if self._cards is not None and self._cards.table.count[shape]:
            nodes = nodes[self._cards.counts(shape, nodes) > 0]
        return nodes

    def _first(self, nodes: NDArray[np.intp], count: int, *, by_gpu: bool) -> NDArray[np.int64]:
        """The ``count`` first nodes in order, as sort keys whose low bits are the node."""
        gpus = np.minimum(self._gpus[nodes], _MOST_GPUS) if by_gpu else np.zeros_like(nodes)
        cpu = np.clip(self.free[self._cpu_row, nodes], 0, _MOST_CPU)
        if self._order == "most-free":
            gpus, cpu = _MOST_GPUS - gpus, _MOST_CPU - cpu
        keys = (gpus << (_CPU_BITS + _NODE_BITS)) | (cpu << _NODE_BITS) | nodes
        if count == 1 and keys.size:
            return np.array([keys.min()], dtype=np.int64)
        if keys.size > count:
            keys = np.partition(keys, count - 1)[:count]
        return np.sort(keys)

    def _fits(self, shape: int, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        fits = [self.free[dimension, nodes] // n for dimension, n in self._shapes.requests[shape]]
        if self._cards is not None and self._cards.table.count[shape]:
            fits.append(self._cards.counts(shape, nodes))
        return np.asarray(np.minimum.reduce(fits), dtype=np.int64)

    def _fill(self, shape: int, nodes: NDArray[np.intp], count: int) -> Taken:
        """Fill one node after the other: a node that took a pod is the tightest for the next."""
        chosen = self._first(nodes, count, by_gpu=True) & (2**_NODE_BITS - 1)
        taken: Taken = []
        for node, fits in zip(chosen.tolist(), self._fits(shape, chosen).tolist(), strict=True):
            pods = min(fits, count)
            taken.append((node, pods))
            count -= pods
            if count == 0:
                break
        return taken

    def _spread(self, shape: int, nodes: NDArray[np.intp], count: int) -> Taken:
        """Pod by pod to the node that has most free at that moment."""
        amounts = dict(self._shapes.requests[shape])
        gpus = self.gpus_of(shape)
        heap = self._first(nodes, count, by_gpu=gpus > 0).tolist()
        chosen = np.array(heap, dtype=np.int64) & (2**_NODE_BITS - 1)
        fits = dict(zip(chosen.tolist(), self._fits(shape, chosen).tolist(), strict=True))
        step = (gpus << (_CPU_BITS + _NODE_BITS)) + (amounts.get(self._cpu_row, 0) << _NODE_BITS)
        pods: dict[int, int] = {}
        while heap and count > 0:
            key = heap[0]
            node = key & (2**_NODE_BITS - 1)
            pods[node] = pods.get(node, 0) + 1
            count -= 1
            if pods[node] < fits[node]:
                heapq.heapreplace(heap, key + step)
            else:
                heapq.heappop(heap)
        return sorted(pods.items())


def free_amounts(snapshot: Snapshot, dimensions: tuple[str, ...]) -> NDArray[np.int64]:
    """``[dimensions, nodes]`` allocatable less what pods hold, terminating ones included."""
    free = np.zeros((len(dimensions), len(snapshot.nodes)), dtype=np.int64)
    for column, node in enumerate(snapshot.nodes):
        held: dict[str, int] = {}
        for pod in snapshot.pods_by_node.get(node.name, ()):
            _count(held, pod.spec.request)
        for row, name in enumerate(dimensions):
            left = node.allocatable.amount(name) - held.get(name, 0)
            if name in CARD_RESOURCES and name not in node.allocatable:
                left = MOST_AMOUNT - 1  # counted card by card
            free[row, column] = max(-MOST_AMOUNT, min(left, MOST_AMOUNT - 1))
    return free


def _count(held: dict[str, int], request: Mapping[str, int]) -> None:
    for name, amount in request.items():
        held[name] = held.get(name, 0) + amount
    held[PODS] = held.get(PODS, 0) + 1
