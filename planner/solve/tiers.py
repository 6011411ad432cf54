"""Lexicographic search: tier after tier, each decided before the next begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planner.problem.linear import LinearModel, RawSolution, TierGoal
from planner.solve.backend import Backend, Pin, SolveLimits
from planner.solve.highs import LpBounds

SMALL_MODEL = 400
"""Variables up to which the integer solver is as quick as a linear relaxation."""
SHARE = 0.4
"""Part of the remaining time that one tier may use."""


@dataclass(frozen=True, slots=True)
class TierResult:
    """Value and bound of one tier in the model; ``bound`` holds for the pins above it."""

    goal: TierGoal
    value: int
    bound: int | None
    seconds: float
    backend: str

    @property
    def closed(self) -> bool:
        """Value and bound agree."""
        return self.bound == self.value


TierSink = Callable[[TierGoal, int | None, int | None], None]
"""Called with (tier, value, bound) while the search runs."""


@dataclass(frozen=True, slots=True)
class Lexicographic:
    """Result of a search: the last solution and a result per tier that was reached."""

    values: tuple[int, ...] | None
    tiers: tuple[TierResult, ...]
    seconds: float


class TierSearch:
    """Solves tiers in order with one backend.

    A tier is decided without search where the incumbent meets the tier's ideal or the bound of the linear
    relaxation; otherwise the backend searches, for at most its share of the remaining time.
    """

    def __init__(
        self,
        model: LinearModel,
        tiers: Sequence[TierGoal],
        backend: Backend,
        limits: SolveLimits,
        *,
        report: TierSink | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.model = model
        self.tiers = tiers
        self.backend = backend
        self.limits = limits
        self.report = report
        self.stopped = stopped
        large = model.size > SMALL_MODEL
        self._lp = LpBounds(model, workers=limits.workers) if large else None

    def run(self, incumbent: Sequence[int] | None) -> Lexicographic:
        """Search all tiers from an incumbent; without any solution ``values`` is None."""
        started = time.perf_counter()
        best = tuple(incumbent) if incumbent is not None else None
        pins: list[Pin] = []
        results: list[TierResult] = []
        for goal in self.tiers:
            left = self._left(started)
            result, best = self._tier(goal, pins, best, left)
            if result is None:
                break
            results.append(result)
            self._pin(pins, Pin(goal, result.value))
            if self.report is not None:
                self.report(goal, result.value, result.bound)
        return Lexicographic(best, tuple(results), time.perf_counter() - started)

    def _left(self, started: float) -> float:
        if self.limits.deterministic:
            return self.limits.seconds
        return self.limits.seconds - (time.perf_counter() - started)

    def _pin(self, pins: list[Pin], pin: Pin) -> None:
        pins.append(pin)
        if self._lp is not None:
            self._lp.pin(pin)

    def _tier(
        self, goal: TierGoal, pins: Sequence[Pin], best: tuple[int, ...] | None, left: float
    ) -> tuple[TierResult | None, tuple[int, ...] | None]:
        began = time.perf_counter()
        value = goal.expression.value(best) if best is not None else None
        bound: int | None = goal.ideal
        backend = "counting"
        if value != bound and self._lp is not None and left > 0:
            relaxed = self._lp.bound(goal, seconds=max(left * SHARE, 1.0))
            bound = _tighter(goal, bound, relaxed)
            backend = self._lp.name
        if value != bound and (left > 0 or best is None) and not self.stopped():
            found = self._search(goal, pins, best, left)
            backend = found.backend
            bound = _tighter(goal, bound, found.bound)
            if found.values is not None:
                best, value = self._better(goal, best, value, found.values)
        if best is None or value is None:
            return None, None
        if bound is not None and goal.is_worse(bound, value):
            bound = value  # a float bound a hair on the wrong side of an exact value
        seconds = time.perf_counter() - began
        return TierResult(goal, value, bound, seconds, backend), best

    def _search(
        self, goal: TierGoal, pins: Sequence[Pin], best: tuple[int, ...] | None, left: float
    ) -> RawSolution:
        limits = SolveLimits(
            seconds=max(left * SHARE, 0.1),
            gap=self.limits.gap,
            seed=self.limits.seed,
            workers=self.limits.workers,
            deterministic=self.limits.deterministic,
        )
        report = self.report
        sink = None if report is None else lambda value, bound: report(goal, value, bound)
        return self.backend.solve(
            self.model, goal, pins=pins, limits=limits, hint=best, report=sink
        )

    @staticmethod
    def _better(
        goal: TierGoal, best: tuple[int, ...] | None, value: int | None, found: tuple[int, ...]
    ) -> tuple[tuple[int, ...], int]:
        new = goal.expression.value(found)
        if best is None or value is None or not goal.is_worse(new, value):
            return found, new
        return best, value


def _tighter(goal: TierGoal, one: int | None, other: int | None) -> int | None:
    """The sharper of two bounds of a goal."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other) if goal.sense == "max" else max(one, other)
