"""Pack chosen pods by taking some nodes at a time and grouping all their pods anew, as well as they can be.

Of a few nodes with some two dozen pods every set of pods that fills a node nearly is found in two halves that meet in
the middle (Horowitz and Sahni, 1974). Sets that leave the least unused are put together node after node, each with the
largest pod that is left; a step keeps what makes the nodes hold less too much than before. This is a large
neighbourhood search (Shaw, "Using constraint programming and local search methods to solve vehicle routing problems",
1998) whose neighbourhoods are solved nearly exactly. It needs nodes with the same room and few pods on each.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from planner.problem.placement import IntArray
from planner.search.special.vector_packing.meeting import pairs_between

FloatArray = npt.NDArray[np.float64]
PODS = 26
"""Pods of one neighbourhood: all sets of half of them are listed."""
STATES = 200
"""Ways to fill the first nodes that are kept while the next one is filled."""
WORSE = 0.005
"""Part of a node, at most, by which a step may make the excess worse where it finds nothing better."""
WIDEST = 0.1
"""Part of a node by which nodes may hold too much after a step, if they can: wider, there are many more sets."""
MOST_PODS = 40
"""Pods beyond which even two nodes are not grouped anew."""
STEPS_OF_ONE = 16
"""Exchanges of other searches that take as long as one step."""
ROUNDING = 1e-12


class Regrouping:
    """Pods on nodes which are alike and may hold too much; pods at the place after the last node stay out.

    Pods with the same ``kind`` ask for the same. :meth:`run` changes ``place`` until all pods fit; else the places with
    the least excess stay.
    """

    def __init__(
        self,
        asks: IntArray,
        room: IntArray,
        place: IntArray,
        kind: IntArray,
        random: np.random.Generator,
    ) -> None:
        self.place, self.random, self.nodes = place, random, len(room)
        self.room = room[0]
        self._asks, self._kind = asks, kind
        self._inside = np.flatnonzero(place < self.nodes)
        self._scale = 1.0 / np.maximum(self.room, 1)

    def excess(self) -> float:
        """What nodes hold too much, in parts of a node."""
        return self._excess(self._loads())

    def run(self, late: Callable[[int], bool]) -> bool:
        """Regroup until everything fits; False where ``late(step)`` says to stop."""
        best, least, step = np.inf, self.place.copy(), 0
        while True:
            loads = self._loads()
            excess = self._excess(loads)
            if excess <= 0:
                return True
            if excess < best:
                best = excess
                least[:] = self.place
            step += STEPS_OF_ONE
            if late(step):
                self.place[:] = least
                return False
            self._regroup(self._some(loads), loads)

    def _loads(self) -> IntArray:
        loads = np.zeros((self.nodes, len(self.room)), dtype=np.int64)
        np.add.at(loads, self.place[self._inside], self._asks[self._inside])
        return loads

    def _excess(self, loads: IntArray) -> float:
        return float((np.maximum(loads - self.room, 0) * self._scale).sum())

    def _some(self, loads: IntArray) -> IntArray:
        """A node that holds too much, and others at random."""
        bad = np.flatnonzero((loads > self.room).any(axis=1))
        first = int(bad[self.random.integers(len(bad))])
        count = np.bincount(self.place[self._inside], minlength=self.nodes)
        order = self.random.permutation(self.nodes)
        others = order[order != first]
        total = count[first] + np.cumsum(count[others])
        kept: IntArray = np.append(first, others[: max(int((total <= PODS).sum()), 1)])
        return kept

    def _regroup(self, nodes: IntArray, loads: IntArray) -> None:
        """Put all pods of these nodes on them anew, with less excess if that is found."""
        pods = self._inside[np.isin(self.place[self._inside], nodes)]
        if len(pods) > MOST_PODS:
            return
        size = (self._asks[pods] * self._scale).sum(axis=1)
        pods = pods[np.lexsort((self._kind[pods], -size))]
        excess = self._excess(loads[nodes])
        most = excess + WORSE * float(self.random.random())
        groups = self._grouped(pods, len(nodes), excess, min(most, WIDEST))
        if not groups and most > WIDEST:
            groups = self._grouped(pods, len(nodes), excess, most)
        for node, group in zip(nodes, groups, strict=False):
            self.place[pods[group]] = node

    def _grouped(self, pods: IntArray, nodes: int, excess: float, most: float) -> list[IntArray]:
        """Groups of pods (the largest first), one per node, with less excess than ``most``; none where none are found.

        The least excess counts where it is below ``excess``, else chance.
        """
        asks = self._asks[pods]
        spare = self.room * nodes - asks.sum(axis=0)
        unused_most = np.minimum(spare + np.floor(most * self.room).astype(np.int64), self.room)
        if (unused_most < 0).any():
            return []
        sets, over = self._sets(asks, unused_most)
        lowest = sets & -sets
        order = np.argsort(lowest, kind="stable")
        sets, unused = sets[order], over[order] * self._scale
        begin = np.searchsorted(lowest[order], 1 << np.arange(len(asks) + 1))
        twins = int((2 << np.flatnonzero(np.diff(self._kind[pods]) == 0)).sum())
        every = (1 << len(asks)) - 1
        used, left = np.zeros(1, dtype=np.int64), np.zeros((1, len(self.room)))
        trail: list[tuple[IntArray, IntArray]] = []
        for _ in range(nodes - 1):
            free = every & ~used
            largest = _bit(free & -free)
            rows, chosen = _ranges(begin[largest], begin[largest + 1])
            new, old = sets[chosen], used[rows]
            fits = (new & old) == 0
            # Of equal pods the first free ones are taken.
            fits &= (((new & twins) >> 1) & ~new & ~old) == 0
            rows, chosen = rows[fits], chosen[fits]
            after = left[rows] + unused[chosen]
            cost = np.maximum(after - spare * self._scale, 0).sum(axis=1)
            kept = np.flatnonzero(cost < most - ROUNDING)
            if not len(kept):
                return []
            if len(kept) > STATES:
                value = after[kept].sum(axis=1) * (1 + self.random.random(len(kept)) / 10)
                kept = kept[np.argpartition(value, STATES)[:STATES]]
            rows, chosen, left, cost = rows[kept], chosen[kept], after[kept], cost[kept]
            used = used[rows] | sets[chosen]
            trail.append((rows, chosen))
        row = int(cost.argmin())
        if cost[row] >= excess - ROUNDING:
            row = int(self.random.integers(len(cost)))
        masks = [every & ~int(used[row])]
        for rows, chosen in reversed(trail):
            masks.append(int(sets[chosen[row]]))
            row = int(rows[row])
        return [np.flatnonzero(mask >> np.arange(len(asks)) & 1) for mask in masks]

    def _sets(self, asks: IntArray, most: IntArray) -> tuple[IntArray, IntArray]:
        """Sets of pods, as bits, that leave at most so much of a node unused, and what they leave."""
        half = len(asks) // 2
        one, its = self._subsets(asks[:half])
        other, theirs = self._subsets(asks[half:])
        pairs = pairs_between(its, theirs, self.room - most, self.room, lambda: False)
        if pairs is None:
            return np.empty(0, dtype=np.int64), np.empty((0, len(self.room)), dtype=np.int64)
        first, last = pairs
        return one[first] | (other[last] << half), self.room - its[first] - theirs[last]

    def _subsets(self, asks: IntArray) -> tuple[IntArray, IntArray]:
        """All sets of some pods that fit on a node, as bits, and their sums."""
        bits = np.zeros(1, dtype=np.int64)
        sums = np.zeros((1, len(self.room)), dtype=np.int64)
        for pod, ask in enumerate(asks):
            more = sums + ask
            fits = (more <= self.room).all(axis=1)
            bits = np.concatenate([bits, bits[fits] | (1 << pod)])
            sums = np.concatenate([sums, more[fits]])
        return bits, sums


def _bit(powers: IntArray) -> IntArray:
    """The exponents of powers of two; 0 for 0."""
    found: IntArray = np.rint(np.log2(np.maximum(powers, 1))).astype(np.int64)
    return found


def _ranges(begin: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """All numbers of some ranges, and which range each is of."""
    count = end - begin
    rows = np.repeat(np.arange(len(count)), count)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(count) - count - begin, count)
