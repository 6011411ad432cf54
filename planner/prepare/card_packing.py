"""Exact packing of pods onto the cards of one node: depth first, large pods first, equal states once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

Free = tuple[int, ...]
MOST_STEPS = 20_000
"""States looked at before the question stays open (and counts as no packing)."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A pod: number of different cards, and what it takes of each card of the node (-1 = cannot use it)."""

    cards: int
    needs: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> tuple[int, int]:
        """Cards, then the largest need: larger pods leave fewer choices."""
        return self.cards, max((sum(need) for need in self.needs), default=0)


def pack_cards(free: Sequence[Free], pieces: Sequence[Piece]) -> list[tuple[int, ...]] | None:
    """Cards of each piece, in the order given; None where no packing was found."""
    order = sorted(range(len(pieces)), key=lambda i: pieces[i].size, reverse=True)
    search = _Search([list(one) for one in free], [pieces[i] for i in order])
    found = search.run()
    if found is None:
        return None
    result: list[tuple[int, ...]] = [()] * len(pieces)
    for position, pick in zip(order, found, strict=True):
        result[position] = pick
    return result


class _Search:
    def __init__(self, free: list[list[int]], pieces: Sequence[Piece]) -> None:
        self._free, self._pieces = free, pieces
        self._failed: set[tuple[int, tuple[tuple[int, ...], ...]]] = set()
        self._steps = 0

    def run(self) -> list[tuple[int, ...]] | None:
        picks: list[tuple[int, ...]] = []
        return picks if self._place(0, picks) else None

    def _place(self, at: int, picks: list[tuple[int, ...]]) -> bool:
        if at == len(self._pieces):
            return True
        state = (at, tuple(map(tuple, self._free)))
        self._steps += 1
        if state in self._failed or self._steps > MOST_STEPS:
            return False
        piece = self._pieces[at]
        for pick in self._choices(piece):
            self._take(piece, pick, 1)
            picks.append(pick)
            if self._place(at + 1, picks):
                return True
            picks.pop()
            self._take(piece, pick, -1)
        self._failed.add(state)
        return False

    def _choices(self, piece: Piece) -> list[tuple[int, ...]]:
        """Sets of cards, fullest first; cards that look the same are interchangeable."""
        able = [
            card
            for card, need in enumerate(piece.needs)
            if need[0] >= 0 and all(n <= f for n, f in zip(need, self._free[card], strict=True))
        ]
        able.sort(key=lambda card: (sum(self._free[card]), card))
        if piece.cards == 1:
            sets: list[tuple[int, ...]] = [(card,) for card in able]
        else:
            sets = (
                list(combinations(able, piece.cards))
                if len(able) <= 12
                else [tuple(able[: piece.cards])]
            )
        seen: set[tuple[object, ...]] = set()
        found = []
        for one in sets:
            look = tuple((tuple(self._free[card]), piece.needs[card]) for card in one)
            if look not in seen:
                seen.add(look)
                found.append(one)
        return found

    def _take(self, piece: Piece, pick: tuple[int, ...], sign: int) -> None:
        for card in pick:
            for d, amount in enumerate(piece.needs[card]):
                self._free[card][d] -= sign * amount
