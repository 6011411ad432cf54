"""Whole solutions near a relaxed one: the relaxation of all tiers in order, and what it leaves fractional decided.

A vertex of the relaxation has few fractional columns beside thousands of whole ones. Only they, and the columns that
they have to be traded against, are searched in integers, which takes moments where the whole model takes minutes
(relaxation enforced neighbourhoods, Berthold, "RENS – the optimal rounding", 2014).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence

import numpy as np
import numpy.typing as npt

from planner.problem.linear import LinearModel, TierGoal
from planner.solve.backend import Pin, SolveLimits
from planner.solve.highs import HighsBackend, LpBounds
from planner.solve.reduced import reduced
from planner.solve.tiers import TierSearch

FRACTION = 1e-6
"""Distance from a whole number up to which a value counts as whole."""


def relaxed_in_order(
    model: LinearModel,
    tiers: Sequence[TierGoal],
    *,
    seconds: float,
    workers: int,
    stopped: Callable[[], bool] = lambda: False,
    bounding: Collection[str] = (),
) -> npt.NDArray[np.float64] | None:
    """A fractional solution that is best in goal after goal; None where time was short.

    Goals that the model only bounds are left out, except those named in ``bounding``.
    """
    until = time.perf_counter() + seconds
    relaxation = LpBounds(model, workers=workers)
    for goal in tiers:
        if goal.relaxed and goal.name not in bounding:
            continue
        left = until - time.perf_counter()
        bound = relaxation.bound(goal, seconds=left) if left > 0 and not stopped() else None
        if bound is None:
            return None
        relaxation.pin(Pin(goal, bound))
    return np.array(relaxation.values())


def fractional(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Which values are not whole."""
    return np.abs(values - np.rint(values)) > FRACTION


def rounded(
    model: LinearModel,
    tiers: Sequence[TierGoal],
    values: npt.NDArray[np.float64],
    opened: npt.NDArray[np.bool_],
    lowered: npt.NDArray[np.bool_],
    limits: SolveLimits,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[int, ...] | None:
    """The best whole solution whose columns are next to the fractional ones.

    ``opened`` columns may be anything, ``lowered`` ones anything less.
    None where there is none, or none was found within the limits.
    """
    lower, upper = np.array(model.lower), np.array(model.upper)
    low = np.clip(np.floor(values + FRACTION).astype(np.int64), lower, upper)
    high = np.clip(np.ceil(values - FRACTION).astype(np.int64), lower, upper)
    low = np.where(opened | lowered, lower, low)
    small = reduced(model, low, np.where(opened, upper, high))
    if small is None:
        return None
    search = TierSearch(
        small.model,
        [small.goal(goal) for goal in tiers if not goal.relaxed],
        HighsBackend(stopped=stopped),
        limits,
        stopped=stopped,
    )
    found = search.run(None)
    return None if found.values is None else small.whole(found.values)
