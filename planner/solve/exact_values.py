"""From a solver's floats to whole values that are checked exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from planner.problem.linear import INFINITE, LinearModel
from planner.solve.backend import Pin
from planner.solve.matrix import matrix_of


def integer_values(
    model: LinearModel, pins: Sequence[Pin], values: Sequence[float]
) -> tuple[int, ...] | None:
    """Rounded values if they satisfy every bound, row and pin exactly, else None."""
    if len(values) != model.size:
        return None
    whole = np.rint(np.array(values)).astype(np.int64)
    if np.any(whole < np.array(model.lower)) or np.any(whole > np.array(model.upper)):
        return None
    numbers = tuple(whole.tolist())
    if not _rows_hold(model, whole, numbers):
        return None
    if any(pin.goal.is_worse(pin.expression.value(numbers), pin.value) for pin in pins):
        return None
    return numbers


def _rows_hold(model: LinearModel, whole: npt.NDArray[np.int64], numbers: tuple[int, ...]) -> bool:
    """Whether every row is satisfied; at once where no sum can leave 63 bits, else number by number."""
    matrix = matrix_of(model)
    if matrix.summable(int(np.abs(whole).max(initial=0))):
        totals = matrix.totals(whole)
        return bool(np.all(totals <= matrix.high) and np.all(totals >= matrix.low))
    for row in model.rows:
        total = sum(c * numbers[v] for v, c in zip(row.columns, row.coefficients, strict=True))
        if total > row.high or (row.low != -INFINITE and total < row.low):
            return False
    return True
