"""Bounds of tier after tier by one linear relaxation that begins where the last tier ended."""

from __future__ import annotations

import time
from collections.abc import Sequence

from planner.problem.linear import LinearModel, TierGoal
from planner.solve.backend import Pin
from planner.solve.highs import LpBounds
from planner.solve.tiers import TierResult

MOST_S = 1e6
"""Seconds that stand for no limit."""


class Relaxation:
    """Tiers of one model, bounded and decided in order.

    Attributes
    ----------
    results
        The tiers decided so far.
    fractional
        The relaxed solution of the last bound; None where nothing was relaxed for it.
    seconds
        What relaxing took so far.
    """

    def __init__(self, model: LinearModel, workers: int) -> None:
        self.results: list[TierResult] = []
        self.fractional: Sequence[float] | None = None
        self.seconds = 0.0
        self._lp = LpBounds(model, workers=workers)
        self._began = 0.0

    @property
    def pins(self) -> list[Pin]:
        """The decided tiers."""
        return [Pin(one.goal, one.value) for one in self.results]

    def bound(self, goal: TierGoal, value: int, seconds: float) -> int:
        """The proved bound; where no time is left, what can be counted."""
        self._began = time.perf_counter()
        self.fractional = None
        if value == goal.ideal or seconds <= 0:
            return goal.ideal
        relaxed = self._lp.bound(goal, seconds=min(seconds, MOST_S))
        self.seconds += time.perf_counter() - self._began
        if relaxed is None:
            return goal.ideal
        self.fractional = self._lp.values()
        return min(goal.ideal, relaxed) if goal.sense == "max" else max(goal.ideal, relaxed)

    def after(self, goal: TierGoal, value: int, other: TierGoal, seconds: float) -> int:
        """Bound of ``other`` if a goal that is not decided yet had this value; its own pin replaces that."""
        self._lp.pin(Pin(goal, value))
        fractional = self.fractional
        found = self.bound(
            other, other.ideal - 1 if other.sense == "max" else other.ideal + 1, seconds
        )
        self.fractional = fractional
        return found

    def pin(self, goal: TierGoal, value: int, bound: int) -> None:
        """The tier is decided at this value."""
        if goal.is_worse(bound, value):
            bound = value
        seconds = time.perf_counter() - self._began
        self.results.append(TierResult(goal, value, bound, seconds, self._lp.name))
        self._lp.pin(Pin(goal, value))

    def decide(self, goal: TierGoal, value: int, seconds: float) -> None:
        """Bound and pin in one."""
        self.pin(goal, value, self.bound(goal, value, seconds))
