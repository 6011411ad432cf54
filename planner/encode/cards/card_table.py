"""From a snapshot to the card table: inventory, cards held by running pods, needs of the shapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from models.cards.book import CardBook
from models.cards.kinds import (
    MILLI_RESOURCE,
    SHARE_MEMORY,
    SHARE_NUMBER,
    VGPU_CORES,
    VGPU_MEMORY,
    VGPU_NUMBER,
    VGPU_PERCENT,
    CardAsk,
    CardKind,
    Vector,
)
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.capacity.cards.card_packing import Piece, pack_cards
from planner.problem.cards import UNUSABLE, CardTable, Hold, IntArray

_FULL_CORES = 100


def card_table(
    snapshot: Snapshot, book: CardBook, asks: Sequence[CardAsk | None]
) -> CardTable | None:
    """The table for shapes with these asks; None where nobody shares cards.

    Where pods ask for cards and no node has any, there is one kind that offers nothing.
    """
    if not book:
        return None
    cards = [book.cards(node) for node in snapshot.nodes]
    known = dict.fromkeys(kind for row in cards for _, kind in row)
    kinds = {kind: index for index, kind in enumerate(known)}
    most = max((len(row) for row in cards), default=0) or 1
    kind = np.full((len(cards), most), -1, dtype=np.int64)
    free = np.zeros((len(cards), most, 3), dtype=np.int64)
    holds: dict[str, Hold] = {}
    assumed: set[str] = set()
    for row, (node, found) in enumerate(zip(snapshot.nodes, cards, strict=True)):
        kind[row, : len(found)] = [kinds[one] for _, one in found]
        left, own = _running(row, found, snapshot.pods_by_node.get(node.name, ()), book, assumed)
        free[row, : len(found)] = np.array(left, dtype=np.int64).reshape(len(found), 3)
        holds.update(own)
    return CardTable(
        free=free,
        kind=kind,
        capacity=np.array([one.capacity for one in kinds] or [(0, 0, 0)], dtype=np.int64),
        need=_needs(asks, list(kinds)),
        count=np.array([ask.count if ask else 0 for ask in asks], dtype=np.int64),
        names=tuple(tuple(name for name, _ in row) for row in cards),
        whole=book.whole_names,
        holds=holds,
        assumed=frozenset(assumed),
        liking=tuple(ask.liking if ask else "" for ask in asks),
    )


def _needs(asks: Sequence[CardAsk | None], kinds: Sequence[CardKind]) -> IntArray:
    nothing = (UNUSABLE, UNUSABLE, UNUSABLE)
    rows = [
        [(ask.on(kind) if ask else None) or nothing for kind in kinds] or [nothing] for ask in asks
    ]
    return np.array(rows, dtype=np.int64).reshape(len(asks), max(len(kinds), 1), 3)


def _running(
    row: int,
    cards: Sequence[tuple[str, CardKind]],
    pods: Sequence[Pod],
    book: CardBook,
    assumed: set[str],
) -> tuple[list[Vector], dict[str, Hold]]:
    """What running pods leave of each card: those that tell their cards first, the others packed beside them."""
    left = [list(kind.capacity) for _, kind in cards]
    holds: dict[str, Hold] = {}
    silent: list[tuple[Pod, CardAsk]] = []
    for pod in pods:
        ask = book.ask(pod.spec)
        if ask is None or not cards:
            continue
        told = book.told(pod, list(cards))
        if told is None:
            silent.append((pod, ask))
        else:
            holds[pod.full_name] = (row, _take(left, told))
    assumed.update(pod.full_name for pod, _ in silent)
    for pod, picks in _assume(left, cards, silent):
        holds[pod.full_name] = (row, _take(left, picks))
    for (_, kind), amounts in zip(cards, left, strict=True):
        if kind.capacity[1] and amounts[1] <= kind.capacity[1] - _FULL_CORES:
            amounts[:] = [0, 0, 0]  # a card whose cores are all given takes nobody
    return [_vector([max(n, 0) for n in amounts]) for amounts in left], holds


def _assume(
    left: list[list[int]], cards: Sequence[tuple[str, CardKind]], silent: list[tuple[Pod, CardAsk]]
) -> list[tuple[Pod, list[tuple[int, Vector]]]]:
    """A packing of pods that do not tell their cards; where there is none, largest first as far as they fit."""
    if not silent:
        return []
    pieces = [
        Piece(ask.count, tuple(ask.on(kind) or (-1, -1, -1) for _, kind in cards))
        for _, ask in silent
    ]
    free = [tuple(max(n, 0) for n in one) for one in left]
    found = pack_cards(free, pieces)
    if found is not None:
        return [
            (pod, [(card, _vector(piece.needs[card])) for card in pick])
            for (pod, _), piece, pick in zip(silent, pieces, found, strict=True)
        ]
    result: list[tuple[Pod, list[tuple[int, Vector]]]] = []
    order = sorted(range(len(silent)), key=lambda i: pieces[i].size, reverse=True)
    for i in order:
        alone = pack_cards(free, [pieces[i]])
        if alone is None:
            continue
        picks = [(card, _vector(pieces[i].needs[card])) for card in alone[0]]
        for card, vector in picks:
            free[card] = tuple(map(int.__sub__, free[card], vector))
        result.append((silent[i][0], picks))
    return result


def _take(
    left: list[list[int]], picks: Sequence[tuple[int, Vector]]
) -> tuple[tuple[int, Vector], ...]:
    for card, vector in picks:
        for d in range(3):
            left[card][d] -= vector[d]
    return tuple(picks)


def _vector(amounts: Sequence[int]) -> Vector:
    one, two, three = amounts
    return (one, two, three)


def within_cards(table: CardTable, dimensions: Sequence[str], free: IntArray) -> IntArray:
    """Free sums of card resources and whole GPUs no larger than what the cards have left."""
    found = free.copy()
    totals = summed(table)
    untouched = ((table.kind >= 0) & (table.free == table.empty).all(axis=2)).sum(axis=1)
    for d, name in enumerate(dimensions):
        if name in totals:
            found[:, d] = np.minimum(found[:, d], totals[name])
        elif name in table.whole:
            found[:, d] = np.minimum(found[:, d], untouched)
    return found


def summed(table: CardTable) -> dict[str, IntArray]:
    """``[nodes]`` free sums under the names of card resources: no pod fits where its own request exceeds them."""
    shown = (table.kind >= 0).sum(axis=1)
    totals = table.free.sum(axis=1)
    return {
        MILLI_RESOURCE: totals[:, 0],
        VGPU_MEMORY: totals[:, 0],
        SHARE_MEMORY: totals[:, 0],
        VGPU_CORES: totals[:, 1],
        VGPU_NUMBER: totals[:, 2],
        VGPU_PERCENT: shown * 100,
        SHARE_NUMBER: shown,
    }
