"""The search of a drill: tier by tier, then the curve of what is possible at every second."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from planner.drill.model.build import DrillModel
from planner.drill.start import Thinning, first_drill
from planner.model.harm import tie_goals
from planner.problem.limits import Limits
from planner.problem.linear import TierGoal
from planner.solve.backend import Backend, SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.exact_values import integer_values
from planner.solve.highs import HighsBackend
from planner.solve.tiers import TierResult, TierSearch, TierSink

CP_SAT_VARIABLES = 150
"""Integer variables up to which CP-SAT searches; above, HiGHS closes these models faster."""
PLAN_SHARE = 0.6
"""Part of the time limit for the drill itself; the rest is for the curve and for changes."""


@dataclass(frozen=True)
class MostBy:
    """Most GPUs back by a second: best found, and proved bound."""

    second: int
    gpus: int
    bound: int | None


@dataclass(frozen=True)
class DrillOutcome:
    """Solution of a drill's model with its tiers."""

    values: tuple[int, ...]
    tiers: tuple[TierResult, ...]


class DrillSearch:
    """Searches of one model within one limit (seconds, or work where it is deterministic)."""

    def __init__(
        self,
        built: DrillModel,
        limits: Limits,
        *,
        report: TierSink | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.built = built
        self.limits = limits
        self.report = report
        self.stopped = stopped
        self._started = time.perf_counter()

    @property
    def left_s(self) -> float:
        """Seconds (or work) that are left."""
        if self.limits.deterministic:
            return self.limits.time_limit_s
        return self.limits.time_limit_s - (time.perf_counter() - self._started)

    def run(self) -> DrillOutcome:
        """The best drill: victims that buy nothing are kept where a limit ended the search early."""
        tiers = self.built.tiers
        ties = tie_goals(self.built.variables.evictions)
        found = self._search((*tiers, *ties), first_drill(self.built), self.left_s * PLAN_SHARE)
        found = replace(found, tiers=found.tiers[: len(tiers)])
        values = self._settled(found.values)
        if any(tier.bound != tier.value for tier in found.tiers):
            values = Thinning(self.built).thinned(values)
        return DrillOutcome(values, tuple(_with_values(tier, values) for tier in found.tiers))

    def most_by(self, second: int, incumbent: Sequence[int]) -> MostBy:
        """Most GPUs that can be back by a second, whoever leaves for it; at least those of a known drill."""
        goal, start = self.built.back_by(second), tuple(incumbent)
        if self.stopped() or self.left_s <= 0:
            return MostBy(second, goal.expression.value(start), None)
        found = self._search((goal,), start, self.left_s)
        [tier] = found.tiers
        return MostBy(second, tier.value, tier.bound)

    def curve(self, values: Sequence[int]) -> tuple[MostBy, ...]:
        """A point at every second at which the most changes; between two equal ones nothing is searched."""
        seconds = sorted({0, *self.built.seconds(), self.built.problem.deadline})
        known = {at: self.most_by(at, values) for at in (0, seconds[-1])}
        self._between(seconds, (0, len(seconds) - 1), known, values)
        points = [known[second] for second in sorted(known)]
        for place, (before, point) in enumerate(pairwise(points), 1):
            if point.gpus < before.gpus:  # no time was left to find again what was possible earlier
                points[place] = replace(point, gpus=points[place - 1].gpus)
        return tuple(points)

    def _between(
        self,
        seconds: Sequence[int],
        ends: tuple[int, int],
        known: dict[int, MostBy],
        values: Sequence[int],
    ) -> None:
        first, last = ends
        low, high = known[seconds[first]], known[seconds[last]]
        settled = low.gpus == high.gpus and low.bound is not None
        if last - first < 2 or settled:
            for second in seconds[first + 1 : last]:
                known.setdefault(second, MostBy(second, low.gpus, high.bound))
            return
        middle = (first + last) // 2
        known[seconds[middle]] = self.most_by(seconds[middle], values)
        self._between(seconds, (first, middle), known, values)
        self._between(seconds, (middle, last), known, values)

    def _search(
        self, tiers: Sequence[TierGoal], incumbent: tuple[int, ...], seconds: float
    ) -> DrillOutcome:
        limits = SolveLimits(
            seconds=max(seconds, 0.1),
            gap=self.limits.gap,
            seed=self.limits.seed,
            workers=self.limits.workers,
            deterministic=self.limits.deterministic,
        )
        found = TierSearch(
            self.built.model,
            tiers,
            self._backend(),
            limits,
            report=self._told,
            stopped=self.stopped,
        ).run(incumbent)
        return DrillOutcome(found.values or incumbent, found.tiers)

    def _told(self, goal: TierGoal, value: int | None, bound: int | None) -> None:
        if self.report is not None and goal.unit:  # what settles ties is no tier
            self.report(goal, value, bound)

    def _backend(self) -> Backend:
        small = self.built.model.size <= CP_SAT_VARIABLES
        return CpSatBackend(stopped=self.stopped) if small else HighsBackend(stopped=self.stopped)

    def _settled(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """Values with counting variables at their least, if all rows hold."""
        changed = list(values)
        self.built.settle(changed)
        return integer_values(self.built.model, (), changed) or values


def _with_values(tier: TierResult, values: tuple[int, ...]) -> TierResult:
    value, bound = tier.goal.expression.value(values), tier.bound
    if bound is not None and tier.goal.is_worse(bound, value):
        bound = value  # counted again after the search: better than what its pins allowed
    return replace(tier, value=value, bound=bound)
