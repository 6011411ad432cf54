"""Whether a linear model admits a decision: the two words that tests of rules are written in."""

from __future__ import annotations

from collections.abc import Mapping

from planner.problem.linear import Expression, LinearModel, RawSolution, TierGoal
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend

_ANYTHING = TierGoal("anything", "max", "points", Expression(), 0)


def must_be_feasible(model: LinearModel, fixed: Mapping[int, int] | None = None) -> tuple[int, ...]:
    """A solution with some columns fixed; AssertionError where there is none."""
    found = _solved(model, fixed or {})
    assert found.values is not None, f"no solution with {dict(fixed or {})}"
    return found.values


def must_be_infeasible(model: LinearModel, fixed: Mapping[int, int] | None = None) -> None:
    """AssertionError unless it is proved that no solution has these columns fixed."""
    found = _solved(model, fixed or {})
    assert found.values is None, f"unexpected solution {found.values}"
    assert found.proved_infeasible, "the search gave no answer"


def _solved(model: LinearModel, fixed: Mapping[int, int]) -> RawSolution:
    for column, value in fixed.items():
        if not model.lower[column] <= value <= model.upper[column]:
            return RawSolution(None, None, proved_infeasible=True)
    bounded = LinearModel(
        [fixed.get(column, low) for column, low in enumerate(model.lower)],
        [fixed.get(column, high) for column, high in enumerate(model.upper)],
        list(model.rows),
    )
    limits = SolveLimits(seconds=10.0, deterministic=True)
    return CpSatBackend().solve(bounded, _ANYTHING, pins=(), limits=limits)
