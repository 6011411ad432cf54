"""Whole units by largest remainder, for many groups at once."""

from __future__ import annotations

import numpy as np

from planner.shares.tree import IntArray


def round_by_remainder(
    shares: IntArray, remainder: IntArray, group: IntArray, left: IntArray
) -> IntArray:
    """Give the ``left`` units of each group to its members with the largest remainders, first in order among equals.

    Members without a remainder receive nothing: their share is exact.
    """
    order = np.lexsort((-remainder, group))
    sizes = np.bincount(group, minlength=len(left))
    first = np.cumsum(sizes) - sizes
    rank = np.empty(len(group), dtype=np.int64)
    rank[order] = np.arange(len(group)) - first[group[order]]
    return shares + ((rank < left[group]) & (remainder > 0))
