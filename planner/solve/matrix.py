"""The rows of a model as arrays, made once: solvers, checks and smaller models all begin with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from planner.problem.linear import LinearModel, Row

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows one after another: the entries of row r are ``starts[r]:starts[r + 1]``.

    Attributes
    ----------
    low, high
        Sides of the rows; an absent one is ``INFINITE`` away.
    largest
        Largest absolute factor.
    """

    starts: IntArray
    columns: IntArray
    factors: IntArray
    low: IntArray
    high: IntArray
    largest: int

    @property
    def row_of(self) -> IntArray:
        """Row of every entry."""
        return np.repeat(np.arange(self.low.size), np.diff(self.starts))

    def totals(self, values: IntArray) -> IntArray:
        """Sum of every row at whole values; exact as long as each sum is within 63 bits."""
        return self.sums(self.factors * values[self.columns])

    def sums(self, entries: IntArray) -> IntArray:
        """Sum of every row over a number per entry."""
        sums = np.concatenate([[0], np.cumsum(entries)])
        found: IntArray = sums[self.starts[1:]] - sums[self.starts[:-1]]
        return found

    def summable(self, most: int) -> bool:
        """Whether sums over values of at most this size are within 63 bits for certain."""
        longest = int(np.diff(self.starts).max(initial=0))
        return self.largest * most * longest < 1 << 62


def matrix_of(model: LinearModel) -> Matrix:
    """The rows of a model, remembered until rows are added or replaced."""
    rows, kept = model.rows, model.arrays
    if kept is not None and kept[0] is rows and kept[1] == len(rows):
        known: Matrix = kept[2]
        return known
    made = _made(rows)
    model.arrays = (rows, len(rows), made)
    return made


def _made(rows: Sequence[Row]) -> Matrix:
    lengths = np.array([len(row.columns) for row in rows], dtype=np.int64)
    total = int(lengths.sum())
    columns = np.fromiter(chain.from_iterable(row.columns for row in rows), np.int64, total)
    factors = np.fromiter(chain.from_iterable(row.coefficients for row in rows), np.int64, total)
    return Matrix(
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        columns,
        factors,
        np.array([row.low for row in rows], dtype=np.int64),
        np.array([row.high for row in rows], dtype=np.int64),
        int(np.abs(factors).max(initial=0)),
    )
