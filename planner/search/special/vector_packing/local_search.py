"""Pack all chosen pods by exchanging them between nodes until none holds more than it has.

The neighbourhoods are those of local search for vector packing: a pod moves, two pods change places, or two pods of
one node change places with one or two of another; a pod that was moved rests for some steps (tabu search, Glover 1989).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from planner.problem.placement import BoolArray, IntArray

FloatArray = npt.NDArray[np.float64]
NEVER = 1e9
REST = (5, 15)
"""Steps that a moved pod rests, at least and below."""
MOST_EXCHANGES = 300_000
"""Exchanges with two pods of a node up to which all of them are compared."""
LOOK = 32
"""Steps between two looks at the clock."""


class Exchange:
    """Pods on nodes, where nodes may hold too much; the place after the last node is for pods that are left out.

    :meth:`run` changes ``place`` until all pods fit; else the places with the least excess stay. Pods with the same
    ``group`` (>= 0) may take each other's place outside.
    """

    def __init__(
        self,
        asks: IntArray,
        room: IntArray,
        place: IntArray,
        group: IntArray,
        random: np.random.Generator,
    ) -> None:
        self.place, self.group, self.random = place, group, random
        self.outside = len(room)
        scale = np.maximum(room.max(axis=0), 1)
        # Amounts stay whole numbers (floats hold them exactly), so that "fits" is exact; only costs are scaled.
        self._asks = [np.ascontiguousarray(one, dtype=np.float64) for one in asks.T]
        self._room = [np.append(one, np.inf) for one in room.T.astype(np.float64)]
        self._unit = [1.0 / float(one) for one in scale]
        self._over = [
            np.bincount(place, weights=ask, minlength=len(room) + 1) - one
            for ask, one in zip(self._asks, self._room, strict=True)
        ]
        self._until = np.zeros(len(place), dtype=np.int64)
        self._step = 0
        self._every = _pairs(np.arange(len(place)))

    def excess(self) -> FloatArray:
        """Per node what it holds too much, in parts of a node."""
        return self._cost(self._over)

    def run(self, late: Callable[[int], bool]) -> bool:
        """Exchange until everything fits; False where ``late(step)`` says to stop."""
        best, least = np.inf, self.place.copy()
        while True:
            excess = self.excess()
            total = float(excess.sum())
            if total <= 0:
                return True
            if total < best:
                best = total
                least[:] = self.place
            self._step += 1
            if self._step % LOOK == 0 and late(self._step):
                self.place[:] = least
                return False
            bad = np.flatnonzero(excess > 0)
            self._improve(int(bad[self.random.integers(len(bad))]), excess, best - total)

    def _improve(self, node: int, excess: FloatArray, aspiration: float) -> None:
        """The best exchange with a node that holds too much; resting pods only for less excess than ever."""
        inner = np.flatnonzero(self.place == node)
        others = np.flatnonzero(self.place != node)
        at = self.place[others]
        rests, other_rests = self._until[inner] > self._step, self._until[others] > self._step
        swap, move = self._swaps(node, inner, others, excess), self._moves(node, inner, excess)
        if rests.any() or other_rests.any():
            less = aspiration - 1e-9
            swap[(rests[:, None] | other_rests) & (swap >= less)] = NEVER
            move[rests[:, None] & (move >= less)] = NEVER
        s, m = int(swap.argmin()) if swap.size else -1, int(move.argmin())
        swapped = float(swap.flat[s]) if swap.size else NEVER
        gain = min(swapped, float(move.flat[m]))
        if gain > -1e-12 and self._in_pairs(
            node, inner[~rests], others[(at < self.outside) & ~other_rests], excess
        ):
            return
        if gain >= NEVER / 2:
            return  # all rest
        if swapped <= move.flat[m]:
            i, j = divmod(s, len(others))
            self._exchange([int(inner[i])], [int(others[j])], node, int(at[j]))
        else:
            i, target = divmod(m, self.outside)
            self._exchange([int(inner[i])], [], node, target)

    def _swaps(
        self, node: int, inner: IntArray, others: IntArray, excess: FloatArray
    ) -> FloatArray:
        """``[inner, others]`` change of excess if two pods change places."""
        at = self.place[others]
        cost = self._change(node, inner[:, None], others, at)
        cost -= excess[node] + excess[at]
        out = at == self.outside
        if out.any():
            group = self.group[others[out]]
            fits = (self.group[inner][:, None] == group) & (group >= 0)
            cost[:, out] = np.where(fits, cost[:, out], NEVER)
        return cost

    def _moves(self, node: int, inner: IntArray, excess: FloatArray) -> FloatArray:
        """``[inner, nodes]`` change of excess if a pod moves."""
        total = np.zeros((len(inner), self.outside))
        left = np.zeros(len(inner))
        for ask, over, unit in zip(self._asks, self._over, self._unit, strict=True):
            total += np.maximum(over[: self.outside] + ask[inner][:, None], 0) * unit
            left += np.maximum(over[node] - ask[inner], 0) * unit
        total += (left - excess[node])[:, None] - excess[: self.outside]
        total[:, node] = NEVER
        return total

    def _in_pairs(self, node: int, inner: IntArray, others: IntArray, excess: FloatArray) -> bool:
        """Exchange two pods of a node for one or two, or one for two, if that makes the excess less."""
        options: list[tuple[float, list[int], list[int], int]] = []
        pair, pairs = _pairs(inner), self._pairs_by_node(node)
        single, singles = (inner, None), (others, None)
        for (one, one_too), (two, two_too) in ((pair, singles), (single, pairs), (pair, pairs)):
            if not 0 < len(one) * len(two) <= MOST_EXCHANGES:
                continue
            at = self.place[two]
            too = None if one_too is None else one_too[:, None]
            cost = self._change(node, one[:, None], two, at, too, two_too)
            cost -= excess[node] + excess[at]
            i, j = divmod(int(cost.argmin()), len(two))
            gives = [int(pods[i]) for pods in (one, one_too) if pods is not None]
            takes = [int(pods[j]) for pods in (two, two_too) if pods is not None]
            options.append((float(cost[i, j]), gives, takes, int(at[j])))
        gain, gives, takes, at_node = min(options, default=(0.0, [], [], 0), key=lambda one: one[0])
        if gain >= -1e-12:
            return False
        self._exchange(gives, takes, node, at_node)
        return True

    def _change(
        self,
        node: int,
        gives: IntArray,
        takes: IntArray,
        at: IntArray,
        gives_too: IntArray | None = None,
        takes_too: IntArray | None = None,
    ) -> FloatArray:
        """Excess of both nodes after an exchange, for every pair of what is given and taken."""
        cost = np.zeros((gives.shape[0], takes.shape[0]))
        for ask, over, unit in zip(self._asks, self._over, self._unit, strict=True):
            given = ask[gives] if gives_too is None else ask[gives] + ask[gives_too]
            taken = ask[takes] if takes_too is None else ask[takes] + ask[takes_too]
            net = given - taken
            both = np.maximum(over[node] - net, 0)
            both += np.maximum(over[at] + net, 0)
            cost += both * unit
        return cost

    def _pairs_by_node(self, node: int) -> tuple[IntArray, IntArray]:
        """All pairs of pods that do not rest and are on one node, another one than this."""
        first, second = self._every
        at = self.place[first]
        there = np.flatnonzero((at == self.place[second]) & (at != node))
        one, other = first[there], second[there]
        kept = (at[there] < self.outside) & (self._until[one] <= self._step)
        kept &= self._until[other] <= self._step
        return one[kept], other[kept]

    def _exchange(self, gives: list[int], takes: list[int], node: int, other: int) -> None:
        for pods, source, target in ((gives, node, other), (takes, other, node)):
            for pod in pods:
                self.place[pod] = target
                self._until[pod] = self._step + int(self.random.integers(*REST))
                for ask, over in zip(self._asks, self._over, strict=True):
                    over[source] -= ask[pod]
                    over[target] += ask[pod]

    def _cost(self, over: list[FloatArray]) -> FloatArray:
        total = np.zeros(self.outside + 1)
        for one, unit in zip(over, self._unit, strict=True):
            total += np.maximum(one, 0) * unit
        return total


_PAIRS: dict[int, tuple[IntArray, IntArray]] = {}


def _pairs(pods: IntArray) -> tuple[IntArray, IntArray]:
    """All pairs of some pods."""
    count = len(pods)
    if count not in _PAIRS:
        first, second = np.triu_indices(count, 1)
        _PAIRS[count] = (first, second)
    first, second = _PAIRS[count]
    return pods[first], pods[second]


def best_fit(asks: IntArray, room: IntArray, chosen: BoolArray) -> IntArray:
    """A place for every chosen pod, largest first, on the fullest node that takes it, else where least is too much."""
    scale = np.maximum(room.max(axis=0), 1).astype(np.float64)
    sizes, free = asks / scale, room / scale
    place = np.full(len(asks), len(room), dtype=np.int64)
    for pod in np.argsort(-sizes.max(axis=1), kind="stable"):
        if not chosen[pod]:
            continue
        after = free - sizes[pod]
        fits = (after >= -1e-12).all(axis=1)
        if fits.any():
            node = int(np.where(fits, (after**2).sum(axis=1), np.inf).argmin())
        else:
            node = int(np.maximum(-after, 0).sum(axis=1).argmin())
        place[pod] = node
        free[node] -= sizes[pod]
    return place
