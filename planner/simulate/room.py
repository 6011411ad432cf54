"""Free amounts of the nodes, and the choice of nodes for pods of one shape."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from models.cards.kinds import CARD_RESOURCES
from models.effective import EffectivePolicy
from models.gpu import whole_gpu_names
from models.resources import PODS
from models.snapshot import Snapshot
from planner.capacity.cards.card_room import CardRoom
from planner.problem.cards import CardTable
from planner.simulate.node_scores import NodeScores
from planner.simulate.shapes import MOST_AMOUNT, Shapes

Taken = list[tuple[int, int]]
"""(node, pods) pairs."""

_UNKNOWN = 2**31
_MOST_KEPT = 2**24
"""Scores that are kept between gangs, in all (8 bytes each)."""


class Room:
    """What is free on every node; shrinks with every pod that is put there.

    A pod goes to the node with the best score, the first of the snapshot among equals (the scheduler draws lots).
    Scores of a shape are kept and found again only for nodes that changed.
    """

    def __init__(
        self,
        policy: EffectivePolicy,
        shapes: Shapes,
        free: NDArray[np.int64],
        scores: NodeScores,
        cards: CardTable | None = None,
    ) -> None:
        self._shapes, self._scores = shapes, scores
        self._cards = None if cards is None else CardRoom(cards)
        self.free = free.copy()
        dimensions = shapes.dimensions
        names = whole_gpu_names(policy.policy.gpu_models)
        self._gpu_rows = [index for index, name in enumerate(dimensions) if name in names]
        self._bounds: dict[int, int] = {}
        self._amounts = [
            scores.amounts({dimensions[d]: amount for d, amount in one}) for one in shapes.requests
        ]
        self._kept: OrderedDict[int, tuple[NDArray[np.float64], int]] = OrderedDict()
        self._changed: list[int] = []

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
        scores = self._current(shape)
        if within is not None:
            scores, tentative = np.where(within, scores, -np.inf), True
        taken = self._best(shape, scores, count)
        for node, pods in taken:
            self._change(shape, node, -pods)
        if within is None and shape in self._kept:
            self._kept[shape] = (scores, len(self._changed))
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
        self._scores.requested[:, node] -= sign * self._scores.amounts(request)
        self._changed.append(node)
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
        self._scores.requested[:, node] -= self._amounts[shape] * pods
        self._changed.append(node)
        if self._cards is not None:
            if pods < 0:
                self._cards.put(shape, node, -pods)
            else:
                self._cards.pull(shape, node, pods)

    def _current(self, shape: int) -> NDArray[np.float64]:
        """Score per node, minus infinity where no pod of the shape fits."""
        kept = self._kept.pop(shape, None)
        if kept is None:
            scores = self._scored(shape, np.arange(self.free.shape[1]))
        else:
            scores, known = kept
            nodes = np.unique(np.array(self._changed[known:], dtype=np.int64))
            if nodes.size:
                scores[nodes] = self._scored(shape, nodes)
        self._kept[shape] = (scores, len(self._changed))
        while len(self._kept) > 1 and len(self._kept) * scores.size > _MOST_KEPT:
            self._kept.popitem(last=False)
        return scores

    def _scored(self, shape: int, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
        fits = self._shapes.admits(shape)[nodes] & (self._fits(shape, nodes) > 0)
        scores = np.full(nodes.size, -np.inf)
        scores[fits] = self._scores.of(self._amounts[shape], nodes[fits])
        return scores

    def _fits(self, shape: int, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        fits = [self.free[dimension, nodes] // n for dimension, n in self._shapes.requests[shape]]
        if self._cards is not None and self._cards.table.count[shape]:
            fits.append(self._cards.counts(shape, nodes))
        return np.asarray(np.minimum.reduce(fits), dtype=np.int64)

    def _best(self, shape: int, scores: NDArray[np.float64], count: int) -> Taken:
        """Pod by pod to the node that scores best at that moment; ``scores`` follow."""
        later: dict[int, list[float]] = {}
        pods: dict[int, int] = {}
        while count > 0 and scores.size:
            node = int(scores.argmax())
            if scores[node] == -np.inf:
                break
            if node not in later:
                later[node] = self._further(shape, node, count)
            pods[node] = pods.get(node, 0) + 1
            scores[node] = later[node][pods[node] - 1]
            count -= 1
        return list(pods.items())

    def _further(self, shape: int, node: int, count: int) -> list[float]:
        """Scores of the node after each pod of the shape that it takes."""
        most = min(int(self._fits(shape, np.array([node]))[0]), count + 1)
        if most <= 1:
            return [-np.inf]
        nodes = np.full(most - 1, node, dtype=np.int64)
        found = self._scores.of(self._amounts[shape], nodes, np.arange(1.0, most))
        return [*found.tolist(), -np.inf]


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
