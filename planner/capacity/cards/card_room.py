"""Free amounts of cards that shrink as pods are placed, and which cards the placed pods use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from planner.capacity.cards.card_packing import Piece, pack_cards
from planner.problem.cards import CardTable, IntArray

Pick = tuple[int, ...]
"""Cards of one pod."""


class CardRoom:
    """Cards beside everything placed so far. Pods go to the fullest cards that take them.

    Where that order does not do, the pods that were placed here change their cards: none of them runs yet.
    """

    def __init__(self, table: CardTable) -> None:
        self.table = table
        self.free = table.free.copy()
        self._picks: dict[int, dict[int, list[Pick]]] = {}

    def copy(self) -> CardRoom:
        """A room of its own with the same pods on the same cards."""
        other = CardRoom(self.table)
        other.free = self.free.copy()
        other._picks = {
            node: {shape: list(picks) for shape, picks in held.items()}
            for node, held in self._picks.items()
        }
        return other

    def counts(self, shape: int, nodes: IntArray | None = None) -> IntArray:
        """Pods of a shape that fit on the cards of each node (of some nodes)."""
        if nodes is None:
            return self.table.pods(shape, self.free, self.table.kind)
        return self.table.pods(shape, self.free[nodes], self.table.kind[nodes])

    def put(self, shape: int, node: int, count: int) -> bool:
        """Place pods on a node; False, and nothing changed, if no cards were found for all of them."""
        if not self.table.count[shape]:
            return True
        for placed in range(count):
            pick = self._fullest(shape, node)
            if pick is None:
                self.pull(shape, node, placed)
                return self._repack(shape, node, count)
            self._use(shape, node, pick)
        return True

    def put_all(self, placed: Sequence[tuple[int, int, int]]) -> bool:
        """Place (shape, node, pods) that are known to fit together on each node, whatever the order."""
        done = True
        large_first = sorted(placed, key=lambda one: self._size(one[0]), reverse=True)
        for shape, node, count in large_first:
            done = self.put(shape, node, count) and done
        return done

    def _size(self, shape: int) -> tuple[int, int]:
        return int(self.table.count[shape]), int(self.table.need[shape].max(initial=0))

    def pull(self, shape: int, node: int, count: int) -> None:
        """Take placed pods away again."""
        picks = self._picks.get(node, {}).get(shape, [])
        for _ in range(min(count, len(picks))):
            for card in picks.pop():
                self.free[node, card] += self._need(shape, node, card)

    def cards(self, node: int) -> Mapping[int, list[Pick]]:
        """Cards of the pods placed on a node, by shape."""
        return self._picks.get(node, {})

    def left(self) -> CardTable:
        """The table with what is free now."""
        return replace(self.table, free=self.free.copy())

    def _need(self, shape: int, node: int, card: int) -> IntArray:
        return np.asarray(self.table.need[shape, self.table.kind[node, card]])

    def _use(self, shape: int, node: int, pick: Pick) -> None:
        for card in pick:
            self.free[node, card] -= self._need(shape, node, card)
        self._picks.setdefault(node, {}).setdefault(shape, []).append(pick)

    def _fullest(self, shape: int, node: int) -> Pick | None:
        free, kind = self.free[node], self.table.kind[node]
        able = np.flatnonzero(self.table.copies(shape, free, kind))
        count = int(self.table.count[shape])
        if len(able) < count:
            return None
        left = free[able] / np.maximum(self.table.empty[node][able], 1)
        order = able[np.lexsort((able, left.sum(axis=1)))]
        return tuple(int(card) for card in order[:count])

    def _repack(self, shape: int, node: int, count: int) -> bool:
        """All pods placed on the node and these new ones, packed from the start."""
        held = self._picks.get(node, {})
        wanted = {one: len(picks) for one, picks in held.items() if picks}
        wanted[shape] = wanted.get(shape, 0) + count
        found = pack_node(self.table, node, wanted)
        if found is None:
            return False
        self.free[node] = self.table.free[node]
        self._picks[node] = {}
        for one, picks in found.items():
            for pick in picks:
                self._use(one, node, pick)
        return True


def pack_node(
    table: CardTable, node: int, wanted: Mapping[int, int]
) -> dict[int, list[Pick]] | None:
    """Cards for so many new pods of each shape on a node beside its running pods; None if none were found."""
    order = [shape for shape in wanted if table.count[shape] and wanted[shape]]
    pieces: list[Piece] = []
    owners: list[int] = []
    kinds = [int(kind) for kind in table.kind[node]]
    for shape in order:
        needs = [
            tuple(int(n) for n in table.need[shape, kind]) if kind >= 0 else (-1, -1, -1)
            for kind in kinds
        ]
        for _ in range(wanted[shape]):
            pieces.append(Piece(int(table.count[shape]), tuple(needs)))
            owners.append(shape)
    free = [tuple(int(n) for n in row) for row in table.free[node]]
    found = pack_cards(free, pieces)
    if found is None:
        return None
    picks: dict[int, list[Pick]] = {}
    for shape, pick in zip(owners, found, strict=True):
        picks.setdefault(shape, []).append(pick)
    return picks


def placed_cards(
    table: CardTable, node: int, shapes: Sequence[tuple[int, int]]
) -> dict[int, list[Pick]] | None:
    """Cards for (shape, pods) pairs on a node."""
    wanted: dict[int, int] = {}
    for shape, count in shapes:
        wanted[shape] = wanted.get(shape, 0) + count
    return pack_node(table, node, wanted)
