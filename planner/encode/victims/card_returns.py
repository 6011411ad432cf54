"""Whether evicted pods would get their shared cards back beside the newcomers that may evict them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from planner.capacity.cards.card_packing import Piece, pack_cards
from planner.problem.cards import CardTable, IntArray
from planner.problem.placement import PlacementProblem
from planner.problem.victims import VictimPods
from planner.reduce.disaggregate import Assignment

NOTHING = (-1, -1, -1)


def cards_return(
    after: PlacementProblem,
    assignment: Assignment,
    evictors: Collection[int],
    lost: Sequence[tuple[VictimPods, int]],
) -> bool:
    """Whether these pods fit back onto the cards that they held, with the evictors' pods packed beside them.

    Parameters
    ----------
    after
        The problem with all evicted pods gone.
    lost
        Pods of one kind on one node, and how many of them return.
    """
    table = after.cards
    if table is None:
        return True
    free: dict[int, IntArray] = {}
    for one, count in lost:
        for name in one.names[:count]:
            node, picks = table.holds.get(name, (one.node, ()))
            for card, vector in picks:
                left = free.setdefault(node, table.free[node].copy())
                left[card] -= np.array(vector, dtype=np.int64)
    if any(bool(np.any(left < 0)) for left in free.values()):
        return False
    return all(
        _packs(table, node, left, _newcomers(after, assignment, evictors, node))
        for node, left in free.items()
    )


def _newcomers(
    after: PlacementProblem, assignment: Assignment, evictors: Collection[int], node: int
) -> Counter[int]:
    """Shapes of the evictors' pods on a node."""
    found: Counter[int] = Counter()
    for demand in evictors:
        for item, spots in assignment.pods.get(demand, {}).items():
            shape = after.demands[demand].items[item].shape
            found[shape] += sum(count for where, count in spots if where == node)
    return found


def _packs(table: CardTable, node: int, free: IntArray, shapes: Mapping[int, int]) -> bool:
    pieces = []
    for shape, count in shapes.items():
        needs = [
            NOTHING if kind < 0 else tuple(int(n) for n in table.need[shape, kind])
            for kind in table.kind[node]
        ]
        piece = Piece(int(table.count[shape]), tuple((a, b, c) for a, b, c in needs))
        pieces += [piece] * (count if table.count[shape] else 0)
    room = [(int(a), int(b), int(c)) for a, b, c in free]
    return pack_cards(room, pieces) is not None
