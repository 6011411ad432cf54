"""Pairs of two lists of sums that together come to what is wanted: the step in which two halves meet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.problem.placement import BoolArray, IntArray

MOST_PAIRS = 4_000_000
CELL_BITS = 25
"""Binary digits of the number of a cell in a table of amounts."""


def pairs_between(
    one: IntArray, other: IntArray, low: IntArray, high: IntArray, late: Callable[[], bool]
) -> tuple[IntArray, IntArray] | None:
    """Rows of both lists (``[rows, resources]``) whose sums are between ``low`` and ``high``; None where too many.

    They are looked up in the resource with the least room between the two, and compared in all.
    """
    width = (high - low + 1) / np.maximum(high, 1)
    d = int(width.argmin())
    mine, theirs = _with_partner(one[:, d], other[:, d], int(low[d]), int(high[d]))
    theirs = theirs[np.argsort(other[theirs, d])]
    keys = other[theirs, d]
    first = np.searchsorted(keys, low[d] - one[mine, d], side="left")
    last = np.searchsorted(keys, high[d] - one[mine, d], side="right")
    count = last - first
    if int(count.sum()) > MOST_PAIRS or late():
        return None
    left = np.repeat(mine, count)
    offset = np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count)
    right = theirs[np.repeat(first, count) + offset]
    sums = one[left] + other[right]
    fits = ((sums >= low) & (sums <= high)).all(axis=1)
    return left[fits], right[fits]


def _with_partner(one: IntArray, other: IntArray, low: int, high: int) -> tuple[IntArray, IntArray]:
    """Rows of two columns that may have a partner in the other one: amounts are marked in cells as wide as the window.

    Looking cells up in a table is several times faster than sorting, and leaves few amounts to sort.
    """
    width = max((high - low).bit_length(), high.bit_length() - CELL_BITS)
    cells = (high >> width) + 1
    mine, theirs = np.arange(len(one)), np.arange(len(other))
    if high < 0 or cells <= 1:
        return mine, theirs
    mine = mine[_marked(other, cells, width, low - one, high - one)]
    theirs = theirs[_marked(one[mine], cells, width, low - other, high - other)]
    return mine, theirs


def _marked(
    amounts: IntArray, cells: int, width: int, first: IntArray, last: IntArray
) -> BoolArray:
    """Where some amount may lie from ``first`` to ``last``, which are at most a cell apart."""
    table = np.zeros(cells, dtype=np.bool_)
    table[np.minimum(amounts >> width, cells - 1)] = True
    found: BoolArray = table[np.clip(first >> width, 0, cells - 1)]
    found |= table[np.clip(last >> width, 0, cells - 1)]
    return found
