"""A model with most of its columns fixed, as a small model of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from planner.problem.linear import INFINITE, Expression, LinearModel, Row, TierGoal

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
    lengths = np.array([len(row.columns) for row in model.rows], dtype=np.int64)
    index = np.fromiter((c for row in model.rows for c in row.columns), np.int64, lengths.sum())
    factors = np.fromiter(
        (c for row in model.rows for c in row.coefficients), np.int64, lengths.sum()
    )
    of_row = np.repeat(np.arange(lengths.size), lengths)
    taken = np.zeros(lengths.size, dtype=np.int64)
    np.add.at(taken, of_row, factors * fixed[index])
    touched = np.zeros(lengths.size, dtype=bool)
    touched[of_row[is_open[index]]] = True
    for number, row in enumerate(model.rows):
        low = row.low if row.low == -INFINITE else row.low - int(taken[number])
        high = row.high - int(taken[number])
        if not touched[number]:
            if high < 0 or low > 0:
                return None
            continue
        kept = [
            (int(place[column]), factor)
            for column, factor in zip(row.columns, row.coefficients, strict=True)
            if place[column] >= 0
        ]
        small.rows.append(
            Row(tuple(c for c, _ in kept), tuple(f for _, f in kept), low, high, row.tag)
        )
    return Reduced(small, columns, fixed)
