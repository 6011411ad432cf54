"""Exact packing of pods onto the cards of one node: depth first, large pods first, equal states once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

Free = tuple[int, ...]
MOST_STEPS = 20_000
"""States looked at before the question stays open (and counts as no packing)."""

MOST_TRIES = 100
"""Fillings card by card where that is so."""


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
    if found is None and search.gave_up:
        tries = (filled_up(free, search.pieces, Random(number)) for number in range(MOST_TRIES))
        found = next((one for one in tries if one is not None), None)
    if found is None:
        return None
    result: list[tuple[int, ...]] = [()] * len(pieces)
    for position, pick in zip(order, found, strict=True):
        result[position] = pick
    return result


def filled_up(
    free: Sequence[Free], pieces: Sequence[Piece], rng: Random
) -> list[tuple[int, ...]] | None:
    """Cards filled one after the other, each as far as it goes around the largest piece that is left.

    Pieces of several cards come first, on the fullest cards that take them. Around which of the larger pieces a card is
    filled is drawn. Many pieces that fill their cards nearly
    are packed by this where a search piece by piece does not end (Gupta and Ho, "Minimum bin slack", 1999).
    """
    left = [list(one) for one in free]
    picks: list[tuple[int, ...]] = [()] * len(pieces)
    single = [i for i, piece in enumerate(pieces) if piece.cards == 1]
    for i in (i for i, piece in enumerate(pieces) if piece.cards > 1):
        cards = [card for card in range(len(left)) if _takes(left[card], pieces[i].needs[card])]
        if len(cards) < pieces[i].cards:
            return None
        cards.sort(key=lambda card: (sum(left[card]), card))
        picks[i] = tuple(cards[: pieces[i].cards])
        for card in picks[i]:
            left[card] = [f - n for f, n in zip(left[card], pieces[i].needs[card], strict=True)]
    for card in sorted(range(len(left)), key=lambda card: (sum(left[card]), card)):
        needs = [(i, pieces[i].needs[card]) for i in single if not picks[i]]
        needs.sort(key=lambda one: (-sum(one[1]), one[0]))
        able = [one for one in needs if _takes(left[card], one[1])]
        if able:
            first = able[min(int(rng.expovariate(1.0)), len(able) - 1)]
            rest = [one for one in needs if one[0] != first[0]]
            for i in (first[0], *_fullest_set(_minus(left[card], first[1]), rest)):
                picks[i] = (card,)
    return picks if all(picks) else None


def _fullest_set(left: list[int], needs: Sequence[tuple[int, Free]]) -> tuple[int, ...]:
    """Pieces that leave the least of a card, as far as so many steps tell."""
    best: tuple[int, tuple[int, ...]] = (sum(left), ())
    steps = 0
    stack: list[tuple[int, list[int], tuple[int, ...]]] = [(0, left, ())]
    while stack and best[0] > 0 and steps < MOST_STEPS // 10:
        at, now, chosen = stack.pop()
        steps += 1
        for k in range(len(needs) - 1, at - 1, -1):
            i, need = needs[k]
            if _takes(now, need):
                after = _minus(now, need)
                best = min(best, (sum(after), (*chosen, i)))
                stack.append((k + 1, after, (*chosen, i)))
    return best[1]


def _takes(left: Sequence[int], need: Free) -> bool:
    return need[0] >= 0 and all(n <= f for n, f in zip(need, left, strict=True))


def _minus(left: Sequence[int], need: Free) -> list[int]:
    return [f - n for f, n in zip(left, need, strict=True)]


class _Search:
    def __init__(self, free: list[list[int]], pieces: Sequence[Piece]) -> None:
        self._free, self.pieces = free, pieces
        self._failed: set[tuple[int, tuple[tuple[int, ...], ...]]] = set()
        self._steps = 0

    @property
    def gave_up(self) -> bool:
        """Whether not all states were looked at."""
        return self._steps > MOST_STEPS

    def run(self) -> list[tuple[int, ...]] | None:
        picks: list[tuple[int, ...]] = []
        return picks if self._place(0, picks) else None

    def _place(self, at: int, picks: list[tuple[int, ...]]) -> bool:
        if at == len(self.pieces):
            return True
        state = (at, tuple(map(tuple, self._free)))
        self._steps += 1
        if state in self._failed or self._steps > MOST_STEPS:
            return False
        piece = self.pieces[at]
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
