"""Pairs of two lists of sums that together come to what is wanted: the step in which two halves meet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.problem.placement import BoolArray, IntArray

MOST_PAIRS = 4_000_000
MANY_PAIRS = 100_000
"""Pairs in one resource beyond which they are looked up in two."""
CELLS_OF_WINDOW = 4
"""Cells that the amounts of a second resource between what is wanted are in."""
CELL_BITS = 25
"""Binary digits of the number of a cell in a table of amounts."""


def pairs_between(
    one: IntArray, other: IntArray, low: IntArray, high: IntArray, late: Callable[[], bool]
) -> tuple[IntArray, IntArray] | None:
    """Rows of both lists (``[rows, resources]``) whose sums are between ``low`` and ``high``; None where too many.

    They are looked up in the resource with the least room between the two, and compared in all.
    """
    width = (high - low + 1) / np.maximum(high, 1)
    order = np.argsort(width, kind="stable")
    d = int(order[0])
    mine, theirs = _with_partner(one[:, d], other[:, d], int(low[d]), int(high[d]))
    theirs = theirs[np.argsort(other[theirs, d])]
    first, last = _places(one[mine, d], other[theirs, d], int(low[d]), int(high[d]))
    if int((last - first).sum()) > MANY_PAIRS and len(width) > 1:
        more = int(order[1])
        mine, theirs, first, last = _cells(one, other, (d, more), low, high, (mine, theirs))
    count = last - first
    if int(count.sum()) > MOST_PAIRS or late():
        return None
    left = np.repeat(mine, count)
    offset = np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count)
    right = theirs[np.repeat(first, count) + offset]
    fits = np.ones(len(left), dtype=np.bool_)
    for own, its, least, most in zip(one.T, other.T, low, high, strict=True):
        sums = own[left] + its[right]
        fits &= (sums >= least) & (sums <= most)
    return left[fits], right[fits]


def _places(mine: IntArray, theirs: IntArray, low: int, high: int) -> tuple[IntArray, IntArray]:
    """For each of one column of amounts where its partners begin and end in the other one, which is sorted."""
    first = np.searchsorted(theirs, low - mine, side="left")
    return first, np.searchsorted(theirs, high - mine, side="right")


def _cells(
    one: IntArray,
    other: IntArray,
    resources: tuple[int, int],
    low: IntArray,
    high: IntArray,
    rows: tuple[IntArray, IntArray],
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Rows of the one list and of the other, and where in the latter the partners of each begin and end.

    They are looked up in two resources: the other list is sorted by cells of the second, and in these by the first.
    """
    d, more = resources
    mine, theirs = rows
    width = int(high[more] - low[more]) // CELLS_OF_WINDOW + 1
    cell = other[theirs, more] // width
    stride = int(high[d]) + 1
    order = np.argsort(cell * stride + other[theirs, d])
    theirs = theirs[order]
    keys = cell[order] * stride + other[theirs, d]
    least = np.maximum(low[d] - one[mine, d], 0)
    most = high[d] - one[mine, d]
    begin = np.maximum(low[more] - one[mine, more], 0) // width
    end = np.maximum(high[more] - one[mine, more], -1) // width
    found: list[tuple[IntArray, IntArray, IntArray]] = []
    for step in range(CELLS_OF_WINDOW + 2):
        inside = np.flatnonzero((begin + step <= end) & (most >= 0))
        row = (begin[inside] + step) * stride
        first = np.searchsorted(keys, row + least[inside], side="left")
        last = np.searchsorted(keys, row + most[inside], side="right")
        some = last > first
        found.append((mine[inside[some]], first[some], last[some]))
    mine, first, last = (np.concatenate(one) for one in zip(*found, strict=True))
    return mine, theirs, first, last


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
