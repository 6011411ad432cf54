"""Proof that nodes cannot be filled as full as a plan would need: too few ways to fill one with few pods.

Where ``pods`` are to be on ``nodes``, some hold ``most = pods // nodes`` pods or less, and what they hold less than
``most + 1`` comes to ``(most + 1) * nodes - pods`` at least. Most ways to fill a node use many small pods; ways with
few are rare, and where a plan may leave next to nothing unused, all of them can be listed: the larger pods of a node
and its smaller ones are two halves that meet (Horowitz and Sahni, 1974). How often such ways can be used together, with
the pods there are and without more left over than a plan may leave, is a small integer program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import BoolArray, IntArray
from planner.search.special.vector_packing.meeting import pairs_between
from planner.search.special.vector_packing.problem import PackingProblem
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend

FloatArray = npt.NDArray[np.float64]
MOST_SETS = 4_000_000
"""Sets of pods on one side; beyond, no answer is given."""
MOST_HALVES = 200_000
"""Pairs of larger and smaller pods; beyond, no answer is given."""
MOST_WAYS = 2_000
"""Ways to fill a node; beyond, no answer is given."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class _Sets:
    """Multisets of equally many pods, the largest first: ``[sets, resources]`` sums, and the kinds of the pods.

    ``before`` are kinds of sets with one pod less, ``rows`` tells from which of them each comes, ``last`` the kind that
    was added (both are empty for the set without pods): of a million sets the kinds of few are asked for.
    """

    sums: IntArray
    before: npt.NDArray[np.int16]
    rows: npt.NDArray[np.int32]
    last: npt.NDArray[np.int32]

    def kinds(self, some: IntArray | BoolArray | slice) -> npt.NDArray[np.int16]:
        """``[sets, pods]`` kinds of some of the sets."""
        if not len(self.rows):
            return self.before[some]
        last = self.last[some].astype(np.int16)
        return np.concatenate([self.before[self.rows[some]], last[:, None]], axis=1)


class FewPods:
    """The question for so many gangs of every rank (rank to gangs), where plans leave at most ``spare`` unused."""

    def __init__(
        self,
        packing: PackingProblem,
        need: Mapping[int, int],
        spare: IntArray,
        late: Callable[[], bool],
    ) -> None:
        self.late, self.nodes, self.room = late, len(packing.nodes), packing.room[0]
        self.alike = packing.alike
        self.spare = spare
        inside = np.array([int(rank) in need for rank in packing.rank])
        supply = np.where(inside, packing.gangs * packing.pods, 0)
        size = (packing.asks / np.maximum(self.room, 1)).sum(axis=1)
        order = np.argsort(-size, kind="stable")
        order = order[supply[order] > 0]
        self.asks, self.supply, self.size = packing.asks[order], supply[order], size[order]
        self.pods = int(self.supply.sum()) - sum(
            (packing.size(rank) - count) * int(packing.pods[packing.of_rank(rank)].min())
            for rank, count in need.items()
        )
        self.most = self.pods // self.nodes

    def refuted(self, limits: SolveLimits) -> bool:
        """Whether it is proved that there is no plan; never where nodes differ."""
        if (self.spare < 0).any():
            return True
        if not self.alike or self.most < 2:
            return False
        ways = self._ways()
        if ways is None or len(ways) > MOST_WAYS:
            return False
        return self._less(ways, limits) < (self.most + 1) * self.nodes - self.pods

    def _ways(self) -> IntArray | None:
        """``[ways, kinds]`` up to ``most`` pods that leave no more of a node unused than a whole plan may."""
        larger = self._grown((self.most + 1) // 2, self._larger)
        smaller = self._grown(self.most // 2, self._smaller)
        if larger is None or smaller is None:
            return None
        found = [self._full(one) for one in larger[:-1]]
        sums = np.concatenate([one.sums for one in smaller])
        low, front = self.room - self.spare, larger[-1]
        pairs = pairs_between(front.sums, sums, low, self.room, self.late)
        if pairs is None or len(pairs[0]) > MOST_HALVES:
            return None
        begin = 0
        for rest in smaller:
            inside = (pairs[1] >= begin) & (pairs[1] < begin + len(rest.sums))
            first, last = front.kinds(pairs[0][inside]), rest.kinds(pairs[1][inside] - begin)
            if last.shape[1]:
                ordered = first[:, -1] <= last[:, 0]
                first, last = first[ordered], last[ordered]
            found.append(self._counted(np.concatenate([first, last], axis=1)))
            begin += len(rest.sums)
        ways = np.concatenate(found)
        return ways[(ways <= self.supply).all(axis=1)]

    def _full(self, sets: _Sets) -> IntArray:
        """Those that fill a node alone."""
        return self._counted(sets.kinds((sets.sums >= self.room - self.spare).all(axis=1)))

    def _counted(self, sets: npt.NDArray[np.int16]) -> IntArray:
        counts = np.zeros((len(sets), len(self.supply)), dtype=np.int64)
        for column in sets.T:
            counts[np.arange(len(sets)), column] += 1
        return counts

    def _larger(
        self, pods: int, first: IntArray, size: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Size of a next pod with which so many more, no larger than it, can fill the node."""
        least = (len(self.room) - (self.spare / np.maximum(self.room, 1)).sum()) * (1 - ROUNDING)
        return (least - size) / (self.most - pods + 1), np.full(len(size), np.inf)

    def _smaller(
        self, pods: int, first: IntArray, size: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Size of a next pod with room beside the larger half of the pods, which are as large as the first of these."""
        larger, most = (self.most + 1) // 2, len(self.room) * (1 + ROUNDING)
        if pods == 1:
            return np.zeros(1), np.full(1, most / (larger + 1))
        return np.zeros(len(size)), most - larger * self.size[first] - size

    def _grown(
        self,
        length: int,
        sizes: Callable[[int, IntArray, FloatArray], tuple[FloatArray, FloatArray]],
    ) -> list[_Sets] | None:
        """Sets of 0, 1, … pods up to a length that fit on a node; None where there are too many.

        ``sizes`` tells how small and large the next pod may be, given its number, the first kind and the size so far.
        """
        none = np.zeros(0, dtype=np.int32)
        start = np.zeros((1, len(self.room)), dtype=np.int64)
        level = _Sets(start, np.zeros((1, 0), np.int16), none, none)
        found, size = [level], np.zeros(1)
        first, last = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int32)
        for pods in range(1, length + 1):
            least, most = sizes(pods, first, size)
            begin = np.maximum(last, np.searchsorted(-self.size, -most, side="left"))
            end = np.searchsorted(-self.size, -least, side="right")
            count = np.maximum(end - begin, 0)
            if int(count.sum()) > MOST_SETS or self.late():
                return None
            rows = np.repeat(np.arange(len(count), dtype=np.int32), count)
            skipped = (np.cumsum(count) - count - begin).astype(np.int32)
            new = np.arange(len(rows), dtype=np.int32) - skipped[rows]
            rows, new, sums = self._fitting(level, rows, new)
            level = _Sets(sums, level.kinds(slice(None)), rows, new)
            found.append(level)
            if pods < length:
                first = first[rows] if pods > 1 else new.astype(np.int64)
                last, size = new, size[rows] + self.size[new]
        return found

    def _fitting(
        self, level: _Sets, rows: npt.NDArray[np.int32], new: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], IntArray]:
        """Which of a level's sets with a new pod fit on a node, and their sums; one resource after the other."""
        sums: list[IntArray] = []
        for d, most in enumerate(self.room):
            more = level.sums[:, d][rows] + self.asks[:, d][new]
            fits = more <= most
            rows, new = rows[fits], new[fits]
            sums = [*(one[fits] for one in sums), more[fits]]
        return rows, new, np.stack(sums, axis=1)

    def _less(self, ways: IntArray, limits: SolveLimits) -> int:
        """A bound on what nodes with few pods can hold less than one more than ``most``, together."""
        if not len(ways):
            return 0
        less = self.most + 1 - ways.sum(axis=1)
        model = LinearModel()
        uses = [np.where(way, self.supply // np.maximum(way, 1), self.nodes).min() for way in ways]
        columns = [model.variable(0, min(self.nodes, int(most))) for most in uses]
        model.at_most([(column, 1) for column in columns], self.nodes, "nodes")
        for k, most in enumerate(self.supply):
            terms = [(columns[p], int(ways[p, k])) for p in np.flatnonzero(ways[:, k])]
            if terms:
                model.at_most(terms, int(most), "pods")
        for over, most in zip((self.room - ways @ self.asks).T, self.spare, strict=True):
            terms = [(columns[p], int(over[p])) for p in np.flatnonzero(over)]
            if terms:
                model.at_most(terms, int(most), "sum")
        ideal = int(less.sum()) * self.nodes
        expression = Expression(tuple(columns), tuple(map(int, less)))
        goal = TierGoal("less", "max", "pods", expression, ideal)
        bound = CpSatBackend().solve(model, goal, pins=(), limits=limits).bound
        return ideal if bound is None else bound
