"""A model with most of its columns fixed, as a small model of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from planner.problem.linear import INFINITE, Expression, LinearModel, Row, TierGoal
from planner.solve.matrix import Matrix, matrix_of

IntArray = npt.NDArray[np.int64]

NARROWED = 3
"""Times at most that rows over one column narrow it, which may leave other rows with one."""


@dataclass(frozen=True)
class Reduced:
    """The open columns of a model and the rows in which they are.

    Attributes
    ----------
    columns
        Columns of the whole model that are open, ascending.
    fixed
        Value of every column of the whole model; those of open ones are 0.
    """

    model: LinearModel
    columns: IntArray
    fixed: IntArray

    def goal(self, goal: TierGoal) -> TierGoal:
        """The same goal over the open columns."""
        place = {int(column): number for number, column in enumerate(self.columns)}
        expression = goal.expression
        terms = [
            (place[column], factor)
            for column, factor in zip(expression.columns, expression.coefficients, strict=True)
            if column in place
        ]
        constant = expression.value(self.fixed.tolist())
        reduced = Expression(tuple(c for c, _ in terms), tuple(f for _, f in terms), constant)
        return replace(goal, expression=reduced)

    def part(self, values: Sequence[int]) -> tuple[int, ...]:
        """The open columns of a solution of the whole model."""
        return tuple(values[column] for column in self.columns.tolist())

    def whole(self, values: Sequence[int]) -> tuple[int, ...]:
        """The solution of the whole model."""
        found = self.fixed.copy()
        found[self.columns] = values
        return tuple(found.tolist())


def reduced(model: LinearModel, lower: IntArray, upper: IntArray) -> Reduced | None:
    """The model within narrower bounds; None where a row cannot be satisfied by its fixed columns.

    Rows over one open column narrow its bounds; rows that hold whatever is decided are left out.
    """
    matrix = matrix_of(model)
    row_of = matrix.row_of
    for _ in range(NARROWED):
        narrowed = _narrowed(matrix, row_of, lower, upper)
        if narrowed is None:
            return None
        same = np.array_equal(narrowed[0], lower) and np.array_equal(narrowed[1], upper)
        lower, upper = narrowed
        if same:
            break
    is_open = lower < upper
    columns = np.flatnonzero(is_open)
    place = np.full(model.size, -1, dtype=np.int64)
    place[columns] = np.arange(columns.size)
    fixed = np.where(is_open, 0, lower)
    small = LinearModel(lower[columns].tolist(), upper[columns].tolist())
    taken = matrix.totals(fixed)
    low = np.where(matrix.low == -INFINITE, -INFINITE, matrix.low - taken)
    high = matrix.high - taken
    kept = is_open[matrix.columns]
    counts = np.bincount(row_of[kept], minlength=taken.size)
    if np.any((counts == 0) & ((high < 0) | (low > 0))):
        return None
    binds = (counts > 0) & _may_bind(matrix, lower, upper)
    kept &= binds[row_of]
    index = place[matrix.columns[kept]].tolist()
    factors = matrix.factors[kept].tolist()
    begin = 0
    for number in np.flatnonzero(binds).tolist():
        end = begin + int(counts[number])
        sides = int(low[number]), int(high[number])
        row = tuple(index[begin:end]), tuple(factors[begin:end])
        small.rows.append(Row(*row, *sides, model.rows[number].tag))
        begin = end
    return Reduced(small, columns, fixed)


def _narrowed(
    matrix: Matrix, row_of: IntArray, lower: IntArray, upper: IntArray
) -> tuple[IntArray, IntArray] | None:
    """Bounds as rows over a single open column say; None where nothing is within them."""
    is_open = lower < upper
    open_entries = is_open[matrix.columns]
    single = np.bincount(row_of[open_entries], minlength=matrix.low.size) == 1
    taken = matrix.totals(np.where(is_open, 0, lower))
    chosen = open_entries & single[row_of]
    rows, columns, factors = row_of[chosen], matrix.columns[chosen], matrix.factors[chosen]
    size = np.abs(factors)
    below = np.floor_divide(matrix.high[rows] - taken[rows], size)  # of the signed column
    has_low = matrix.low[rows] > -INFINITE
    above = -np.floor_divide(taken[rows] - np.where(has_low, matrix.low[rows], 0), size)
    low, high = lower.copy(), upper.copy()
    up = factors > 0
    np.minimum.at(high, columns[up], below[up])
    np.maximum.at(low, columns[~up], -below[~up])
    np.maximum.at(low, columns[up & has_low], above[up & has_low])
    np.minimum.at(high, columns[~up & has_low], -above[~up & has_low])
    return None if np.any(low > high) else (low, high)


def _may_bind(matrix: Matrix, lower: IntArray, upper: IntArray) -> npt.NDArray[np.bool_]:
    """Rows that some values within the bounds would break; all where sums may not be exact."""
    widest = max(np.abs(lower).max(initial=0), np.abs(upper).max(initial=0))
    if not matrix.summable(int(widest)):
        return np.ones(matrix.low.size, dtype=bool)
    up = matrix.factors > 0
    low, high = lower[matrix.columns], upper[matrix.columns]
    least = matrix.sums(matrix.factors * np.where(up, low, high))
    most = matrix.sums(matrix.factors * np.where(up, high, low))
    found: npt.NDArray[np.bool_] = (most > matrix.high) | (least < matrix.low)
    return found
