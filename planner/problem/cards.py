"""Cards of the nodes by index: what is free on each, and what one pod of a shape takes of a card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
Hold = tuple[int, tuple[tuple[int, tuple[int, int, int]], ...]]
"""Node, and (card, what is taken of it) per card."""
UNUSABLE = -1


@dataclass(frozen=True)
class CardTable:
    """Cards and who asks for them; a card offers three amounts (memory or milli-GPU, cores, shares).

    Attributes
    ----------
    free
        ``[nodes, cards, 3]`` what the pods on the nodes leave; 0 where a node has fewer cards.
    kind
        ``[nodes, cards]`` kind of the card, -1 where a node has fewer cards.
    capacity
        ``[kinds, 3]`` what an empty card offers.
    need
        ``[shapes, kinds, 3]`` what a pod takes of each card it uses; -1 where it cannot use the kind.
    count
        ``[shapes]`` number of different cards that a pod uses, 0 = none.
    liking
        Per shape words for the cards that its pods accept, "" where they accept all.
    whole
        Resources of which one unit is a whole card.
    holds
        Running pod to its cards, known or assumed.
    assumed
        Running pods whose cards nobody tells.
    """

    free: IntArray
    kind: IntArray
    capacity: IntArray
    need: IntArray
    count: IntArray
    liking: tuple[str, ...]
    names: tuple[tuple[str, ...], ...] = ()
    whole: tuple[str, ...] = ()
    holds: Mapping[str, Hold] = field(default_factory=dict)
    assumed: frozenset[str] = frozenset()

    def of_shapes(self, rows: Sequence[int]) -> CardTable:
        """The same cards for other shapes: each by the number that it had."""
        at = np.array(rows, dtype=np.int64)
        liking = tuple(self.liking[shape] for shape in rows)
        return replace(self, need=self.need[at], count=self.count[at], liking=liking)

    @cached_property
    def asking(self) -> frozenset[int]:
        """Shapes that use cards."""
        return frozenset(int(shape) for shape in np.flatnonzero(self.count))

    @cached_property
    def empty(self) -> IntArray:
        """``[nodes, cards, 3]`` what the cards offer when nobody uses them."""
        offered = self.capacity[np.maximum(self.kind, 0)]
        return np.where((self.kind >= 0)[:, :, None], offered, 0)

    def copies(self, shape: int, free: IntArray, kind: IntArray) -> IntArray:
        """``[..., cards]`` how many pods of a shape each card could serve, one card of each pod counted."""
        need = self.need[shape][np.maximum(kind, 0)]
        usable = (kind >= 0) & (need[..., 0] >= 0)
        each = np.where(need > 0, free // np.maximum(need, 1), np.iinfo(np.int64).max).min(axis=-1)
        return np.where(usable, np.maximum(each, 0), 0)

    def pods(self, shape: int, free: IntArray, kind: IntArray) -> IntArray:
        """``[nodes]`` pods of one shape that fit on each node's cards: k pods of n cards need ``sum min(c, k) >= n k``.

        The condition is sufficient: the cards can be dealt out in rounds, the fullest first.
        """
        copies, count = self.copies(shape, free, kind), int(self.count[shape])
        if count == 1:
            return np.asarray(copies.sum(axis=-1), dtype=np.int64)
        found = np.zeros(len(copies), dtype=np.int64)
        for k in range(1, int(copies.max(initial=0)) * copies.shape[-1] // max(count, 1) + 1):
            served = np.minimum(copies, k).sum(axis=-1) >= count * k
            if not served.any():
                break
            found[served] = k
        return found
