"""Row duals of the linear relaxation: what one more unit of a row's side is worth."""

from __future__ import annotations

from dataclasses import dataclass

import highspy

from planner.problem.linear import LinearModel, TierGoal
from planner.solve.highs import load_relaxation


@dataclass(frozen=True)
class Relaxed:
    """Optimum of a relaxation.

    Attributes
    ----------
    duals
        Per row: change of the objective per unit of the row's side.
    """

    objective: float
    duals: tuple[float, ...]


def relaxed_duals(
    model: LinearModel, goal: TierGoal, *, seconds: float, workers: int = 1
) -> Relaxed | None:
    """Duals at the optimum of one goal; None where it was not reached in time."""
    solver = load_relaxation(model, goal, seconds=seconds, workers=workers)
    if solver.run() == highspy.HighsStatus.kError:
        return None
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    duals = tuple(float(one) for one in solver.getSolution().row_dual)
    return Relaxed(float(solver.getInfo().objective_function_value), duals)
