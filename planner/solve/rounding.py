"""Whole solutions near a relaxed one: the relaxation of all tiers in order, and what it leaves fractional decided.

A vertex of the relaxation has few fractional columns beside thousands of whole ones. Only they, and the columns that
they have to be traded against, are searched in integers, which takes moments where the whole model takes minutes
(relaxation enforced neighbourhoods, Berthold, "RENS – the optimal rounding", 2014).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from planner.problem.linear import LinearModel, TierGoal
from planner.solve.backend import SolveLimits
from planner.solve.highs import HighsBackend
from planner.solve.known import KnownTier
from planner.solve.reduced import IntArray, reduced
from planner.solve.tiers import TierSearch

FRACTION = 1e-6
"""Distance from a whole number up to which a value counts as whole."""


def fractional(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which values are not whole."""
    return np.abs(values - np.rint(values)) > FRACTION


def window(
    model: LinearModel,
    values: npt.NDArray[np.float64],
    opened: npt.NDArray[np.bool_],
    lowered: npt.NDArray[np.bool_],
) -> tuple[IntArray, IntArray]:
    """Bounds next to fractional values; ``opened`` columns may be anything, ``lowered`` ones anything less."""
    lower, upper = np.array(model.lower), np.array(model.upper)
    low = np.clip(np.floor(values + FRACTION).astype(np.int64), lower, upper)
    high = np.clip(np.ceil(values - FRACTION).astype(np.int64), lower, upper)
    return np.where(opened | lowered, lower, low), np.where(opened, upper, high)


def rounded(
    model: LinearModel,
    tiers: Sequence[TierGoal],
    low: IntArray,
    high: IntArray,
    limits: SolveLimits,
    stopped: Callable[[], bool] = lambda: False,
    *,
    start: Sequence[int] | None = None,
    decided: int = 0,
) -> tuple[int, ...] | None:
    """The best whole solution within a :func:`window`; None where there is none, or none was found in time.

    ``start`` is a solution within the window; so many tiers, the first ones, are ``decided`` as it has them.
    """
    small = reduced(model, low, high)
    if small is None:
        return None
    values = [goal.expression.value(start) for goal in tiers[:decided]] if start else []
    known = {one.name: KnownTier(value, value) for one, value in zip(tiers, values, strict=False)}
    # So little is left to decide that more threads and a search for first solutions only take time.
    search = TierSearch(
        small.model,
        [small.goal(goal) for goal in tiers if not goal.relaxed],
        HighsBackend(stopped=stopped),
        replace(limits, workers=1, planned=True),
        stopped=stopped,
        known=known,
    )
    found = search.run(None if start is None else small.part(start))
    return None if found.values is None else small.whole(found.values)
