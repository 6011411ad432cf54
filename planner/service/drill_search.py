"""The search of a drill: tier by tier, then the curve of what is possible at every second."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from planner.formulations.reclaim.build import DrillModel
from planner.problem.limits import Limits
from planner.problem.linear import INFINITE, Row, TierGoal
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
        found = self._search(self.built.tiers, self.built.nothing(), self.left_s * PLAN_SHARE)
        values = self._settled(found.values)
        if any(tier.bound != tier.value for tier in found.tiers):
            values = self._thinned(values)
        return DrillOutcome(values, tuple(_with_values(tier, values) for tier in found.tiers))

    def most_by(self, second: int, incumbent: Sequence[int] | None = None) -> MostBy:
        """Most GPUs that can be back by a second, whoever leaves for it."""
        goal = self.built.back_by(second)
        start = tuple(incumbent) if incumbent is not None else self.built.nothing()
        if self.stopped() or self.left_s <= 0:
            return MostBy(second, goal.expression.value(start), None)
        found = self._search((goal,), start, self.left_s)
        [tier] = found.tiers
        return MostBy(second, tier.value, tier.bound)

    def curve(self, values: Sequence[int]) -> tuple[MostBy, ...]:
        """A point at every second at which the most changes; between two equal ones nothing is searched."""
        seconds = sorted({0, *self.built.seconds(), self.built.problem.deadline})
        known = {0: self.most_by(0), seconds[-1]: self.most_by(seconds[-1], values)}
        self._between(seconds, 0, len(seconds) - 1, known)
        return tuple(known[second] for second in sorted(known))

    def _between(
        self, seconds: Sequence[int], first: int, last: int, known: dict[int, MostBy]
    ) -> None:
        low, high = known[seconds[first]], known[seconds[last]]
        settled = low.gpus == high.gpus and low.bound is not None
        if last - first < 2 or settled:
            for second in seconds[first + 1 : last]:
                known.setdefault(second, MostBy(second, low.gpus, high.bound))
            return
        middle = (first + last) // 2
        known[seconds[middle]] = self.most_by(seconds[middle])
        self._between(seconds, first, middle, known)
        self._between(seconds, middle, last, known)

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
            report=self.report,
            stopped=self.stopped,
        ).run(incumbent)
        return DrillOutcome(found.values or incumbent, found.tiers)

    def _backend(self) -> Backend:
        small = self.built.model.size <= CP_SAT_VARIABLES
        return CpSatBackend(stopped=self.stopped) if small else HighsBackend(stopped=self.stopped)

    def _thinned(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """Keep gangs, and surplus pods, that may stay with everything else as it is; rows are checked exactly."""
        evictions = self.built.variables.evictions
        columns_of: dict[int | tuple[int, int], dict[int, None]] = {}
        for (kind, group), (column, _) in evictions.pods.items():
            gang = evictions.victims.kinds[kind].gang
            if values[column]:
                owner = gang if gang >= 0 else (kind, group)
                columns_of.setdefault(owner, {})[column] = None
        rows = self._rows_by_column()
        for owner, columns in columns_of.items():
            whole = evictions.given_up[owner] if isinstance(owner, int) else None
            given_up = whole is not None and values[whole] > 0
            everything = [*columns, *((whole,) if whole is not None and given_up else ())]
            values = self._kept(values, dict.fromkeys(everything, 0), rows)
            for column in () if given_up else columns:
                before = None
                while values[column] and values != before:
                    before = values
                    values = self._kept(values, {column: values[column] - 1}, rows)
        return values

    def _rows_by_column(self) -> dict[int, list[Row]]:
        found: dict[int, list[Row]] = {}
        for row in self.built.model.rows:
            for column in row.columns:
                found.setdefault(column, []).append(row)
        return found

    def _kept(
        self, values: tuple[int, ...], changes: dict[int, int], rows: dict[int, list[Row]]
    ) -> tuple[int, ...]:
        """The values with some changed, where every row that they touch still holds; else as they were."""
        changed = list(values)
        for column, value in changes.items():
            changed[column] = value
        self.built.settle(changed)
        touched = [
            c for c, (one, other) in enumerate(zip(values, changed, strict=True)) if one != other
        ]
        if all(_holds(row, changed) for column in touched for row in rows.get(column, ())):
            return tuple(changed)
        return values

    def _settled(self, values: tuple[int, ...]) -> tuple[int, ...]:
        """Values with counting variables at their least, if all rows hold."""
        changed = list(values)
        self.built.settle(changed)
        return integer_values(self.built.model, (), changed) or values


def _holds(row: Row, values: Sequence[int]) -> bool:
    total = sum(c * values[v] for v, c in zip(row.columns, row.coefficients, strict=True))
    return total <= row.high and (row.low == -INFINITE or total >= row.low)


def _with_values(tier: TierResult, values: tuple[int, ...]) -> TierResult:
    value, bound = tier.goal.expression.value(values), tier.bound
    if bound is not None and tier.goal.is_worse(bound, value):
        bound = value  # counted again after the search: better than what its pins allowed
    return replace(tier, value=value, bound=bound)
