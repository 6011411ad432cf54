"""Pack chosen pods by letting all nodes exchange some of theirs at once, as cheaply as an assignment can.

Every node offers a few of its pods, picked at random, and each offer goes to one node: who takes which is an
assignment problem, solved exactly (Kuhn, "The Hungarian method for the assignment problem", 1955). One step is thus
the best of as many exchanges as there are orders of the nodes (a very large neighbourhood; Ahuja, Ergun, Orlin and
Punnen, "A survey of very large-scale neighborhood search techniques", 2002). It needs several nodes to be of use.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from planner.problem.placement import IntArray

FloatArray = npt.NDArray[np.float64]
FEWEST_NODES = 8
"""Nodes from which on this finds more than exchanges of two."""
OFFERS = (0.2, 0.6, 1.0)
"""Of random numbers: below which a node offers one, two or three pods."""
NOISE = 1e-4
"""Part of a node by which costs are off, so that equal ones are taken in turn."""
LOOK = 16
"""Steps between two looks at the clock."""


class Reassignment:
    """Pods on nodes that may hold too much; pods at the place after the last node stay out.

    :meth:`run` changes ``place`` until all pods fit; else the places with the least excess stay.
    """

    def __init__(
        self, asks: IntArray, room: IntArray, place: IntArray, random: np.random.Generator
    ) -> None:
        self.place, self.random, self.nodes = place, random, len(room)
        self._inside = np.flatnonzero(place < self.nodes)
        # Amounts stay whole numbers (floats hold them exactly), so that "fits" is exact; only costs are scaled.
        self._asks = [np.ascontiguousarray(one, dtype=np.float64) for one in asks[self._inside].T]
        self._room = [one.astype(np.float64) for one in room.T]
        self._unit = [1.0 / float(one) for one in np.maximum(room.max(axis=0), 1)]

    def excess(self) -> float:
        """What nodes hold too much, in parts of a node."""
        return self._excess(self._loads(self.place[self._inside], slice(None)))

    def run(self, late: Callable[[int], bool]) -> bool:
        """Exchange until everything fits; False where ``late(step)`` says to stop."""
        at = self.place[self._inside]
        loads = self._loads(at, slice(None))
        best, least, step = np.inf, at, 0
        while True:
            total = self._excess(loads)
            if total < best:
                best, least = total, at
            step += 1
            if total <= 0 or (step % LOOK == 0 and late(step)):
                self.place[self._inside] = least
                return total <= 0
            at, loads = self._exchanged(at, loads)

    def _loads(self, at: IntArray, pods: IntArray | slice) -> list[FloatArray]:
        weights = (ask[pods] for ask in self._asks)
        return [np.bincount(at, one, self.nodes).astype(np.float64) for one in weights]

    def _excess(self, loads: list[FloatArray]) -> float:
        parts = zip(loads, self._room, self._unit, strict=True)
        return sum(float(np.maximum(load - room, 0).sum()) * unit for load, room, unit in parts)

    def _exchanged(
        self, at: IntArray, loads: list[FloatArray]
    ) -> tuple[IntArray, list[FloatArray]]:
        """Places and loads after one exchange between all nodes."""
        offered = self._offered(at)
        source = at[offered]
        offers = self._loads(source, offered)
        kept = [load - offer for load, offer in zip(loads, offers, strict=True)]
        cost = NOISE * self.random.random((self.nodes, self.nodes))
        for own, offer, room, unit in zip(kept, offers, self._room, self._unit, strict=True):
            over = (own - room)[:, None] + offer
            np.maximum(over, 0, out=over)
            over *= unit
            cost += over
        _, gives = linear_sum_assignment(cost)
        target = np.empty(self.nodes, dtype=np.int64)
        target[gives] = np.arange(self.nodes)
        after = at.copy()
        after[offered] = target[source]
        return after, [own + offer[gives] for own, offer in zip(kept, offers, strict=True)]

    def _offered(self, at: IntArray) -> IntArray:
        """One to three random pods of every node."""
        count = np.bincount(at, minlength=self.nodes)
        order = np.argsort(at + self.random.random(len(at)))
        position = np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)
        wanted = 1 + np.searchsorted(OFFERS, self.random.random(self.nodes), side="right")
        found: IntArray = order[position < np.repeat(wanted, count)]
        return found
