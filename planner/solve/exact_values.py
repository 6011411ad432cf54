"""From a solver's floats to whole values that are checked exactly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.problem.linear import INFINITE, LinearModel
from planner.solve.backend import Pin


def integer_values(
    model: LinearModel, pins: Sequence[Pin], values: Sequence[float]
) -> tuple[int, ...] | None:
    """Rounded values if they satisfy every bound, row and pin exactly, else None."""
    if len(values) != model.size:
        return None
    whole = np.rint(np.array(values)).astype(np.int64)
    if np.any(whole < np.array(model.lower)) or np.any(whole > np.array(model.upper)):
        return None
    numbers = tuple(int(value) for value in whole)
    for row in model.rows:
        total = sum(c * numbers[v] for v, c in zip(row.columns, row.coefficients, strict=True))
        if total > row.high or (row.low != -INFINITE and total < row.low):
            return None
    if any(pin.goal.is_worse(pin.expression.value(numbers), pin.value) for pin in pins):
        return None
    return numbers
