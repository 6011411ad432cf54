"""All ways to fill one of some equal nodes that leave no more of it unused than a whole plan may.

The kinds of pods are dealt to two halves; sets of pods of both meet in the middle (Horowitz and Sahni, "Computing
partitions with applications to the knapsack problem", 1974). A way is kept as its two sets: what all ways earn at some
prices of pods is known from what the sets do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.problem.placement import BoolArray, IntArray
from planner.search.special.vector_packing.meeting import pairs_between

MOST_SETS = 100_000
"""Sets of pods of one half; beyond, no answer is given."""


@dataclass(frozen=True)
class Ways:
    """Way ``w`` holds the pods of ``one[left[w]]`` and ``other[right[w]]`` (``[sets, kinds]`` pods each).

    ``over[ways, resources]`` is what it leaves unused.
    """

    one: IntArray
    other: IntArray
    left: IntArray
    right: IntArray
    over: IntArray

    def __len__(self) -> int:
        return len(self.left)

    def pods(self, ways: IntArray) -> IntArray:
        """``[ways, kinds]`` pods of some ways."""
        found: IntArray = self.one[self.left[ways]] + self.other[self.right[ways]]
        return found

    def earned(self, prices: IntArray) -> IntArray:
        """What every way earns at prices per kind."""
        first, second = self.one @ prices, self.other @ prices
        found: IntArray = first[self.left] + second[self.right]
        return found

    def allowed(self, supply: IntArray, spare: IntArray) -> BoolArray:
        """Which ways use no more than ``supply[kinds]`` and leave no more than ``spare[resources]``."""
        first = np.asarray((self.one <= supply).all(axis=1))
        second = np.asarray((self.other <= supply).all(axis=1))
        found: BoolArray = first[self.left] & second[self.right]
        for over, most in zip(self.over.T, spare, strict=True):
            found &= over <= most
        return found

    def some(self, kept: BoolArray | IntArray) -> Ways:
        """Some of the ways."""
        return Ways(self.one, self.other, self.left[kept], self.right[kept], self.over[kept])


def full_ways(
    asks: IntArray, supply: IntArray, room: IntArray, spare: IntArray, late: Callable[[], bool]
) -> Ways | None:
    """Ways with up to ``supply`` pods of each kind that leave at most ``spare`` of the room; None if too many."""
    size = (asks / np.maximum(room, 1)).sum(axis=1)
    order = np.argsort(-size, kind="stable")
    order = order[supply[order] > 0]
    one = _sets(asks, supply, order[::2], room, late)
    other = None if one is None else _sets(asks, supply, order[1::2], room, late)
    if one is None or other is None:
        return None
    pairs = pairs_between(one[1], other[1], np.maximum(room - spare, 0), room, late)
    if pairs is None:
        return None
    left, right = pairs
    over = np.stack(
        [most - a[left] - b[right] for most, a, b in zip(room, one[1].T, other[1].T, strict=True)],
        axis=1,
    )
    return Ways(one[0], other[0], left, right, over)


def _sets(
    asks: IntArray, supply: IntArray, kinds: IntArray, room: IntArray, late: Callable[[], bool]
) -> tuple[IntArray, IntArray] | None:
    """``[sets, kinds]`` pods of all sets of some kinds that fit on a node, and their sums; None if too many."""
    counts = np.zeros((1, len(supply)), dtype=np.int64)
    sums = np.zeros((1, len(room)), dtype=np.int64)
    for kind in kinds:
        parts = [(counts, sums)]
        for _ in range(int(supply[kind])):
            more = parts[-1][1] + asks[kind]
            fits = (more <= room).all(axis=1)
            if not fits.any():
                break
            grown = parts[-1][0][fits]
            grown[:, kind] += 1
            parts.append((grown, more[fits]))
        counts, sums = (np.concatenate(one) for one in zip(*parts, strict=True))
        if len(sums) > MOST_SETS or late():
            return None
    return counts, sums
