"""I6 node by node: what pods of a gang leave on a node is worth less to larger pods than their GPUs say.

Pods of one gang that take u of the c free GPUs of a node take ``d = floor(c / q) - floor((c - u) / q)`` pieces of q
GPUs from larger pods, while sums over a group of nodes count u / q. For the largest size q that pods ask for, gangs
with pods of q / 2, x_s pods of shape s on a group and l_w gangs that go way w,

``sum_s floor(gpus_s / q) x_s + sum_w (sum over nodes of d) l_w <= pieces``

holds where no two of these gangs share a node. Gangs that do would be one more column. It is never written down: where
its price tells that it could gain anything (:mod:`planner.model.sharing`), ways into that domain leave
the row. For smaller pods see filled_nodes: where a few gangs shared, such rows lost nearly all that they gained.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.model.build import BuiltModel
from planner.model.domain_bounds import free_gpus
from planner.problem.placement import BoolArray, IntArray
from planner.reduce.cheapest_nodes import FloatArray
from planner.solve.generated import OwnRow

Spots = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Opened:
    """Row of a group's pieces of ``size`` GPUs beside gangs with pods of half of it that choose from ``choices``."""

    group: int
    size: int
    choices: tuple[int, ...]


@dataclass
class OpenedNodes:
    """Pieces of larger pods that the ways of a model's gangs take."""

    built: BuiltModel
    _larger: dict[tuple[int, int], tuple[tuple[int, int], ...]] = field(default_factory=dict)
    _left: dict[tuple[int, tuple[int, ...]], BoolArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        form = self.built.form
        self.free: IntArray = free_gpus(form.problem)
        self._group_of = np.full(len(self.free), -1, dtype=np.int64)
        gpus = form.problem.shape_gpus
        self.largest = int(gpus.max(initial=0)) if form.problem.gpu_scale > 1 else 0
        for g, members in form.by_group.items():
            self._group_of[list(form.groups[g].nodes)] = g
            some = tuple((c, 1) for s, c in members if self.largest and gpus[s] == self.largest)
            if some:
                self._larger[g, self.largest] = some

    def row(self, key: Opened) -> OwnRow:
        """The row beside no way."""
        columns, pieces = zip(*self._larger[key.group, key.size], strict=True)
        nodes = list(self.built.form.groups[key.group].nodes)
        return OwnRow(columns, pieces, -math.inf, float((self.free[nodes] // key.size).sum()))

    def leave(self, size: int, choices: tuple[int, ...], domain: int) -> None:
        """Ways into a domain count in no *opened* row of a size from now on."""
        mask = self._left.setdefault((size, choices), np.zeros(len(self.free), dtype=bool))
        mask[self.built.form.problem.topology.arrays(domain)] = True

    def shared(self, each: int, choices: tuple[int, ...], domain: int) -> bool:
        """Whether ways of pods of ``each`` GPUs into a domain count in no *opened* row."""
        mask = self._left.get((2 * each, choices))
        return mask is not None and bool(mask[self.built.form.problem.topology.arrays(domain)[0]])

    def entries(
        self, each: int, choices: tuple[int, ...], spots: Spots, *, shared: bool
    ) -> list[tuple[Hashable, int]]:
        """What pods of ``each`` GPUs on these nodes take in every row."""
        found: dict[Hashable, int] = {}
        size = 2 * each
        if shared or size != self.largest:
            return []
        for node, count in spots:
            group, have, taken = int(self._group_of[node]), int(self.free[node]), count * each
            pieces = have // size - (have - taken) // size
            if pieces and (group, size) in self._larger:
                key = Opened(group, size, choices)
                found[key] = found.get(key, 0) + pieces
        return list(found.items())

    def costs(
        self,
        each: int,
        choices: tuple[int, ...],
        nodes: IntArray,
        most: int,
        prices: Mapping[Opened, float],
    ) -> FloatArray:
        """``[nodes, most + 1]`` what so many pods of ``each`` GPUs cost there in these rows."""
        groups = len(self.built.form.groups)
        size = 2 * each
        each_piece = np.zeros(groups)
        for key, price in prices.items():
            if price < 0 and (key.size, key.choices) == (size, choices):
                each_piece[key.group] = -price
        if not each_piece.any():
            return np.zeros((len(nodes), most + 1))
        have, group = self.free[nodes][:, None], self._group_of[nodes][:, None]
        taken = each * np.arange(most + 1, dtype=np.int64)[None, :]
        pieces = have // size - np.maximum(have - taken, 0) // size
        left = self._left.get((size, choices))
        alone = 1 if left is None else ~left[nodes][:, None]
        found: FloatArray = pieces * alone * each_piece[group]
        return found
