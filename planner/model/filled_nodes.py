"""I6 node by node: pods of a gang that fill a piece of a node take it from larger pods, whatever is left beside.

On six GPUs one pod of two leaves a piece of four, two of them do not; what is summed over a group of nodes does not
know whether two pods are on one node, but a way of their gang does. With x_s pods of q GPUs or more and l_w gangs with
smaller pods that go way w, u of their GPUs on a node,

``sum_s floor(gpus_s / q) x_s + sum_w (sum over nodes of floor(u / q)) l_w <= sum over nodes of floor(free / q)``

holds for every plan, since ``floor(a) + floor(b) <= floor(a + b)`` on every node. Pieces that several gangs break
together are not counted, so that it does not matter whether they share nodes (opened_nodes counts more, and has to
know). Where no node has GPUs beside whole pieces, sums say as much.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.model.build import BuiltModel
from planner.model.domain_bounds import free_gpus
from planner.problem.placement import IntArray
from planner.reduce.cheapest_nodes import FloatArray
from planner.solve.generated import OwnRow


@dataclass(frozen=True, slots=True)
class Filled:
    """Row of a group's pieces of ``size`` GPUs."""

    group: int
    size: int


class FilledNodes:
    """Pieces that gangs with pods of these numbers of GPUs fill."""

    def __init__(self, built: BuiltModel, gpus: Collection[int]) -> None:
        form = built.form
        self._groups = len(form.groups)
        self._rows: dict[Filled, OwnRow] = {}
        self._sizes: dict[int, list[int]] = {}
        least = min(filter(None, gpus), default=0)
        if form.problem.gpu_scale == 1 or not least:
            return  # parts of cards are no whole GPUs
        free, asked = free_gpus(form.problem), form.problem.shape_gpus
        for g, members in form.by_group.items():
            have = free[list(form.groups[g].nodes)]
            for size in sorted({int(asked[s]) for s, _ in members if asked[s] > least}):
                if not ((have > size) & (have % size > 0)).any():
                    continue
                columns, pieces = zip(
                    *((c, int(asked[s]) // size) for s, c in members if asked[s] >= size),
                    strict=True,
                )
                room = float((have // size).sum())
                self._rows[Filled(g, size)] = OwnRow(columns, pieces, -math.inf, room)
                self._sizes.setdefault(g, []).append(size)

    def row(self, key: Filled) -> OwnRow:
        """The row beside no way."""
        return self._rows[key]

    def rows_of(self, group: int) -> list[Filled]:
        """The rows of a group."""
        return [Filled(group, size) for size in self._sizes.get(group, ())]

    def entries(self, each: int, pods: Sequence[tuple[int, int]]) -> list[tuple[Hashable, int]]:
        """What pods of ``each`` GPUs take in every row: groups and how many pods a node of them has, node by node."""
        found: dict[Hashable, int] = {}
        for group, count in pods:
            for key in self.rows_of(group):
                if key.size > each and count * each >= key.size:
                    found[key] = found.get(key, 0) + count * each // key.size
        return list(found.items())

    def costs(
        self, each: int, groups: IntArray, most: int, prices: Mapping[Filled, float]
    ) -> FloatArray:
        """``[nodes, most + 1]`` what so many pods of ``each`` GPUs cost on nodes of these groups."""
        taken = each * np.arange(most + 1, dtype=np.int64)
        by_group = np.zeros((self._groups, most + 1))
        for key, price in prices.items():
            if price < 0 and key.size > each:
                by_group[key.group] -= price * (taken // key.size)
        found: FloatArray = by_group[groups]
        return found
