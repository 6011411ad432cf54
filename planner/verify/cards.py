"""Cards beside the pods that hold a node: who uses which card, and what fits on what is left.

The verifier's own packing: pods that tell their cards keep them, the others are dealt out one card at a time, the
card with the least room first; where that fails, every distribution is tried up to a bound on the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from models.cards.book import CardBook
from models.cards.kinds import CardAsk, CardKind, Vector
from models.cluster import Node
from models.workloads import Pod

Load = tuple[tuple[CardAsk, int], ...]
"""(what a pod asks, number of such pods)."""
Left = tuple[Vector, ...]
_MOST_TRIES = 30_000


@dataclass(frozen=True, slots=True)
class Tray:
    """Cards of one node: kinds, and what is left of each."""

    kinds: tuple[CardKind, ...]
    left: Left

    def pods(self, ask: CardAsk) -> int:
        """Pods with this ask that fit, alone: k pods of n cards need n k uses with at most k on one card."""
        uses = [_uses(ask, kind, left) for kind, left in zip(self.kinds, self.left, strict=True)]
        most = 0
        while sum(min(use, most + 1) for use in uses) >= ask.count * (most + 1):
            most += 1
        return most

    def look(self) -> tuple[tuple[CardKind, Vector], ...]:
        """The same for trays that differ in the order of their cards only."""
        pairs = zip(self.kinds, self.left, strict=True)
        return tuple(sorted(pairs, key=lambda one: (one[0].family, one[0].model, one[1])))


def _uses(ask: CardAsk, kind: CardKind, left: Vector) -> int:
    vector = ask.on(kind)
    if vector is None:
        return 0
    return min(have // need for have, need in zip(left, vector, strict=True) if need)


def deal(kinds: Sequence[CardKind], left: Sequence[Vector], load: Load) -> Left | None:
    """What is left once these pods have their cards; None where no distribution was found."""
    order = sorted(load, key=lambda one: (one[0].whole, one[0].count, one[0].amount), reverse=True)
    asks = [ask for ask, count in order for _ in range(count)]
    return _Dealer(kinds).deal(list(left), asks)


class _Dealer:
    def __init__(self, kinds: Sequence[CardKind]) -> None:
        self._kinds = kinds
        self._dead: set[tuple[int, Left]] = set()
        self._tries = 0

    def deal(self, left: list[Vector], asks: Sequence[CardAsk]) -> Left | None:
        stack: list[tuple[int, list[Vector]]] = [(0, left)]
        while stack:
            at, now = stack.pop()
            if at == len(asks):
                return tuple(now)
            key = (at, tuple(now))
            if key in self._dead:
                continue
            self._dead.add(key)
            self._tries += 1
            if self._tries > _MOST_TRIES:
                return None
            following = self._after(now, asks[at], 0, asks[at].count)
            # The last one pushed is tried first: the tightest cards.
            stack.extend((at + 1, one) for one in reversed(following))
        return None

    def _after(
        self, left: list[Vector], ask: CardAsk, first: int, cards: int
    ) -> list[list[Vector]]:
        """Ways to take so many different cards, tightest first; equal cards give one way."""
        order = sorted(range(len(left)), key=lambda card: (sum(left[card]), card))
        return self._choose(left, ask, order, first, cards)

    def _choose(
        self, left: list[Vector], ask: CardAsk, order: Sequence[int], first: int, cards: int
    ) -> list[list[Vector]]:
        if cards == 0:
            return [left]
        found: list[list[Vector]] = []
        seen: set[tuple[CardKind, Vector]] = set()
        for position in range(first, len(order)):
            card = order[position]
            look = (self._kinds[card], left[card])
            if look in seen or not _uses(ask, *look):
                continue
            seen.add(look)
            taken = ask.on(self._kinds[card]) or (0, 0, 0)
            after = list(left)
            after[card] = _minus(left[card], taken)
            found += self._choose(after, ask, order, position + 1, cards - 1)
            if len(found) > 64:
                break
        return found


def _minus(one: Vector, other: Vector) -> Vector:
    return (one[0] - other[0], one[1] - other[1], one[2] - other[2])


class CardDesk:
    """Trays of nodes beside given pods."""

    def __init__(self, book: CardBook) -> None:
        self.book = book

    def tray(self, node: Node, pods: Iterable[tuple[Pod, int, Sequence[int]]]) -> Tray | None:
        """Cards beside (pod, number of such pods, cards where they are known) triples; None if they do not fit."""
        cards = self.book.cards(node)
        kinds = tuple(kind for _, kind in cards)
        left = [kind.capacity for kind in kinds]
        loose: list[tuple[CardAsk, int]] = []
        running: list[tuple[CardAsk, int]] = []
        for pod, count, known in pods:
            ask = self.book.ask(pod.spec)
            if ask is None or (not cards and pod.node is not None):
                continue
            told = self.book.told(pod, cards) if pod.node is not None else None
            if told is not None:
                for card, vector in told:
                    left[card] = _minus(left[card], vector)
            elif known:
                if not _apply(left, kinds, ask, known):
                    return None
            else:
                (loose if pod.node is None else running).append((ask, count))
        if any(amount < 0 for one in left for amount in one):
            return None
        dealt = deal(kinds, left, (*running, *loose))
        if dealt is None and running and deal(kinds, left, tuple(running)) is None:
            dealt = deal(kinds, _overfull(kinds, left, running), tuple(loose))
        if dealt is None:
            return None
        closed: Mapping[int, bool] = {
            card: bool(kind.capacity[1]) and dealt[card][1] == 0 for card, kind in enumerate(kinds)
        }
        return Tray(kinds, tuple((0, 0, 0) if closed[i] else one for i, one in enumerate(dealt)))


def _overfull(
    kinds: Sequence[CardKind], left: Sequence[Vector], running: Sequence[tuple[CardAsk, int]]
) -> Left:
    """Running pods that cannot all have cards take them as far as they go, the largest first."""
    now = tuple(left)
    for ask, count in sorted(running, key=lambda one: (one[0].count, one[0].amount), reverse=True):
        for _ in range(count):
            now = deal(kinds, now, ((ask, 1),)) or now
    return now


def _apply(
    left: list[Vector], kinds: Sequence[CardKind], ask: CardAsk, known: Sequence[int]
) -> bool:
    """Take the cards that the document names for one pod; False where they cannot be these."""
    if len(known) != ask.count or len(set(known)) != len(known):
        return False
    for card in known:
        vector = ask.on(kinds[card]) if 0 <= card < len(kinds) else None
        if vector is None:
            return False
        left[card] = _minus(left[card], vector)
    return True
