"""A model with most of its columns fixed, as a small model of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from planner.problem.linear import INFINITE, Expression, LinearModel, Row, TierGoal
from planner.solve.matrix import matrix_of

IntArray = npt.NDArray[np.int64]


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

    def whole(self, values: Sequence[int]) -> tuple[int, ...]:
        """The solution of the whole model."""
        found = self.fixed.copy()
        found[self.columns] = values
        return tuple(found.tolist())


def reduced(model: LinearModel, lower: IntArray, upper: IntArray) -> Reduced | None:
    """The model within narrower bounds; None where a row cannot be satisfied by its fixed columns."""
    is_open = lower < upper
    columns = np.flatnonzero(is_open)
    place = np.full(model.size, -1, dtype=np.int64)
    place[columns] = np.arange(columns.size)
    fixed = np.where(is_open, 0, lower)
    small = LinearModel(lower[columns].tolist(), upper[columns].tolist())
    matrix = matrix_of(model)
    taken = matrix.totals(fixed)
    low = np.where(matrix.low == -INFINITE, -INFINITE, matrix.low - taken)
    high = matrix.high - taken
    kept = is_open[matrix.columns]
    counts = np.bincount(matrix.row_of[kept], minlength=taken.size)
    if np.any((counts == 0) & ((high < 0) | (low > 0))):
        return None
    index = place[matrix.columns[kept]].tolist()
    factors = matrix.factors[kept].tolist()
    begin = 0
    for number in np.flatnonzero(counts).tolist():
        end = begin + int(counts[number])
        sides = int(low[number]), int(high[number])
        row = tuple(index[begin:end]), tuple(factors[begin:end])
        small.rows.append(Row(*row, *sides, model.rows[number].tag))
        begin = end
    return Reduced(small, columns, fixed)
