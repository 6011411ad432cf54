"""Rows that the cards of some nodes put on the pods placed there: valid for any nodes, sharp where sizes divide.

For integer weights ``w`` per pod let ``V(f)`` be the most weight that fits on a card with ``f`` free; then
``sum_s cards_s w_s x_s <= sum over cards V(free)``. Two families of weights:

- nested sizes: ``w_s = floor(need_s / c)`` for every size c that is asked for, ``V(f) = floor(f / c)``; together they
  are sufficient where the sizes divide each other;
- dual feasible functions of Fekete and Schepers (2001) for parts of a card: what is larger than a half (a third …) of
  a card forbids others beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from planner.problem.cards import CardTable, IntArray
from planner.problem.evenly import evenly

PARTS = (1, 2, 3)
"""Parameters k of the dual feasible functions."""
MOST_SIZES = 100
"""Sizes that get a row; of more, these spread evenly: many hardly divide each other, and every row is valid alone."""


@dataclass(frozen=True, slots=True)
class CardLimit:
    """``sum weight * pods <= room`` over (shape, weight) pairs."""

    weights: tuple[tuple[int, int], ...]
    room: int


class CardSizes:
    """Makes the rows of groups of nodes."""

    def __init__(self, table: CardTable, demanded: Iterable[int]) -> None:
        self._table = table
        self._shapes = sorted(shape for shape in demanded if table.count[shape])
        self._looks: dict[int, bytes] = {}

    def look(self, node: int) -> bytes:
        """What tells the cards of nodes apart, whatever their order."""
        if node not in self._looks:
            rows = sorted(
                (int(kind), *map(int, free))
                for kind, free in zip(self._table.kind[node], self._table.free[node], strict=True)
            )
            self._looks[node] = repr(rows).encode()
        return self._looks[node]

    def limits(self, nodes: IntArray) -> tuple[CardLimit, ...]:
        """Rows for some nodes."""
        table = self._table
        kinds = {int(kind) for kind in np.unique(table.kind[nodes]) if kind >= 0}
        usable = {
            shape: [kind for kind in kinds if table.need[shape, kind, 0] >= 0]
            for shape in self._shapes
        }
        found: list[CardLimit] = []
        for d in range(3):
            needs = {
                shape: min(int(table.need[shape, kind, d]) for kind in usable[shape])
                for shape in self._shapes
                if usable[shape]
            }
            needs = {shape: need for shape, need in needs.items() if need}
            if needs:
                free = table.free[nodes][:, :, d][table.kind[nodes] >= 0]
                found += self._nested(needs, free)
                found += self._parts(needs, free)
        return tuple(found)

    def _nested(self, needs: Mapping[int, int], free: IntArray) -> list[CardLimit]:
        found = []
        for size in evenly(sorted(set(needs.values())), MOST_SIZES):
            weights = {shape: need // size for shape, need in needs.items()}
            found.append(self._limit(weights, int((free // size).sum())))
        return found

    def _parts(self, needs: Mapping[int, int], free: IntArray) -> list[CardLimit]:
        """Weights by the parts of a card that a need exceeds, in units of 1 / k."""
        whole = int(free.max(initial=0))
        sizes = sorted(set(needs.values()))
        found = []
        for k in PARTS:
            by_size = {size: part_weight(size, whole, k) for size in sizes}
            values, numbers = np.unique(free, return_counts=True)
            most = {int(value): most_weight(by_size, int(value)) for value in values}
            room = sum(most[int(v)] * int(n) for v, n in zip(values, numbers, strict=True))
            found.append(self._limit({s: by_size[need] for s, need in needs.items()}, room))
        return found

    def _limit(self, weights: Mapping[int, int], room: int) -> CardLimit:
        counted = ((s, int(self._table.count[s]) * w) for s, w in weights.items() if w)
        return CardLimit(tuple(counted), room)


def part_weight(size: int, whole: int, k: int) -> int:
    """``k (k+1) u_k(size / whole)``, whole for whole parts."""
    parts, rest = divmod((k + 1) * size, max(whole, 1))
    return (k + 1) * parts if rest else k * parts


def most_weight(by_size: Mapping[int, int], free: int) -> int:
    """Most weight of sizes that fit into a free amount together (sizes may repeat)."""
    if free <= 0:
        return 0
    unit = int(np.gcd.reduce([*by_size, 0]))
    steps = free // unit
    best = [0] * (steps + 1)
    pairs = [(size // unit, weight) for size, weight in by_size.items() if weight]
    for amount in range(1, steps + 1):
        best[amount] = max(
            [best[amount - 1], *(best[amount - s] + w for s, w in pairs if s <= amount)]
        )
    return best[steps]
