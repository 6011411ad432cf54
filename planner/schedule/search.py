"""Search for the best schedule: tier by tier, relaxed, rounded, and searched in integers where that leaves a gap.

A tier of some rank needs the columns of that rank and of those above it only: nothing below has to run, so without it
the bound is the same. Small problems are written down whole; large ones column by column as they are needed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd

from planner.problem.limits import Limits
from planner.problem.linear import TierGoal
from planner.problem.timed import Chosen, Column, Conflict, TimedProblem
from planner.schedule.encode.settle import BrokenShare, broken_shares, settled
from planner.schedule.encode.timetable import Timetable
from planner.schedule.model.build import BuiltSchedule, build_schedule, whole
from planner.schedule.model.tiers import TimedTier, timed_tiers
from planner.solve.backend import Pin, SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.highs import HighsBackend
from planner.solve.tiers import TierResult

WHOLE_COLUMNS = 6_000
"""Columns up to which a problem is written down whole."""
CP_SAT_VARIABLES = 150
"""Variables up to which CP-SAT searches; above, HiGHS closes these models faster."""
MOST_SHARE_ROUNDS = 60
"""Searches that follow one another because a schedule does not keep the shares which it gives."""
WORK_SHARE, OTHER_SHARE = 0.4, 0.1
"""Part of the remaining time that a tier of work, and another one, may take."""

TierReport = Callable[[str, int | None, int | None], None]


@dataclass(frozen=True)
class TimedOutcome:
    """Gangs per column, and what is proved about them."""

    chosen: Mapping[Column, int]
    tiers: tuple[TierResult, ...]


class TimedSearch:
    """One search; :meth:`run` returns the best schedule found."""

    def __init__(
        self,
        problem: TimedProblem,
        limits: Limits,
        *,
        conflicts: Sequence[Conflict] = (),
        start: Mapping[Column, int] | None = None,
        report: TierReport | None = None,
        publish: Callable[[TimedOutcome], None] = lambda outcome: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.problem, self.limits = problem, limits
        self.conflicts, self.start = tuple(conflicts), start
        self.report, self.publish, self.stopped = report, publish, stopped
        self.started = time.perf_counter()
        self.tiers = timed_tiers(problem)

    def run(self) -> TimedOutcome:
        """Greedy first, then tier by tier."""
        best = self.greedy()
        self._publish(best, [])
        results: list[TierResult] = []
        self._begin(best)
        for index, tier in enumerate(self.tiers):
            began = time.perf_counter()
            value = tier.value(self.problem, best)
            bound: int | None = tier.ideal
            backend = "counting"
            if not self._good(value, bound):
                found, proved, backend = self._decide(index, best)
                bound = tighter(tier, bound, proved)
                if self._better(found, best):
                    best = found
                value = tier.value(self.problem, best)
            if bound is not None and worse(tier, bound, value):
                bound = value
            goal = tier.goal(self.problem, ())
            result = TierResult(goal, value, bound, time.perf_counter() - began, backend)
            results.append(result)
            self._pin(tier, value)
            if self.report is not None:
                self.report(tier.name, value, bound)
            self._publish(best, results)
        return self._outcome(best, [self._revalued(one, best) for one in results])

    def _publish(self, best: Chosen, results: Sequence[TierResult]) -> None:
        """What may be shown if the search ends here: a schedule that keeps its own shares."""
        outcome = self._outcome(best, results)
        legal = settled(self.problem, best)
        self.publish(outcome if legal == best else certified(self.problem, outcome, legal))

    def _revalued(self, result: TierResult, best: Chosen) -> TierResult:
        """A later search may have made a decided tier better; its bound still holds, and so do those below it.

        (They were found for plans whose tiers above are at least as good as they were then.)
        """
        tier = next(one for one in self.tiers if one.name == result.goal.name)
        value = tier.value(self.problem, best)
        bound = result.bound
        if bound is not None and worse(tier, bound, value):
            bound = value
        return replace(result, value=value, bound=bound)

    def _begin(self, best: Chosen) -> None:
        """Prepare what the tiers share."""

    def _pin(self, tier: TimedTier, value: int) -> None:
        """A tier is decided."""

    def _decide(self, index: int, best: Chosen) -> tuple[Chosen, int | None, str]:
        """Better solution, bound and backend of a tier that counting does not decide."""
        raise AssertionError("a search of no kind")

    def _outcome(self, best: Chosen, results: Sequence[TierResult]) -> TimedOutcome:
        decided = {one.goal.name: one for one in results}
        tiers = tuple(
            decided.get(tier.name)
            or TierResult(
                tier.goal(self.problem, ()), tier.value(self.problem, best), None, 0.0, "greedy"
            )
            for tier in self.tiers
        )
        return TimedOutcome(dict(best), tiers)

    def greedy(self) -> Chosen:
        """The schedule that is known already, else rank after rank, each gang as early as it can."""
        if self.start is not None:
            return dict(self.start)
        table = Timetable(self.problem)
        for tier_class, rank in self.problem.order:
            table.fill(tier_class, rank)
        return settled(self.problem, table.chosen)

    def _left(self) -> float:
        if self.limits.deterministic:
            return self.limits.time_limit_s
        return self.limits.time_limit_s - (time.perf_counter() - self.started)

    def _may_go_on(self) -> bool:
        return self._left() > 0 and not self.stopped()

    def _good(self, value: int, bound: int | None) -> bool:
        return bound is not None and abs(bound - value) <= self.limits.gap * max(1, abs(value))

    def _better(self, found: Chosen, best: Chosen) -> bool:
        return is_better(self.problem, found, best)

    def _filled(self, chosen: Mapping[Column, int], place: tuple[str, int] | None) -> Chosen:
        """The same with the ranks from this one on filled in greedily (not where shares or conflicts decide)."""
        if self.problem.shares is not None or self.conflicts:
            return dict(chosen)
        table = Timetable(self.problem)
        table.take(list(chosen), dict(chosen))
        if place is not None:
            for tier_class, rank in self.problem.order[self.problem.order.index(place) :]:
                table.fill(tier_class, rank)
        return table.chosen

    def _solve_limits(self, share: float) -> SolveLimits:
        left = self._left()
        return SolveLimits(
            seconds=left / 4 if self.limits.deterministic else max(left * share, 0.2),
            gap=self.limits.gap,
            seed=self.limits.seed,
            workers=self.limits.workers,
            deterministic=self.limits.deterministic,
        )


class WholeSearch(TimedSearch):
    """All columns in one model, solved in integers tier by tier.

    Shares of queues are cuts: a schedule that does not keep the shares which it gives itself is ruled out, with all
    that give them no more, until the best one keeps them. Bounds of every round hold.
    """

    def run(self) -> TimedOutcome:
        """Rounds of the search, until its schedule keeps its own shares or time is over."""
        self._broken: list[BrokenShare] = []
        best = self.greedy()
        for _ in range(MOST_SHARE_ROUNDS):
            outcome = super().run()
            broken = broken_shares(self.problem, outcome.chosen)
            if not broken:
                return outcome
            legal = settled(self.problem, outcome.chosen)
            best = legal if self._better(legal, best) else best
            self._broken += broken
            if not self._may_go_on():
                break
        return certified(self.problem, outcome, best)

    def _begin(self, best: Chosen) -> None:
        columns = tuple(self.problem.starts.columns())
        self._built: BuiltSchedule = build_schedule(
            self.problem,
            columns,
            self.tiers,
            shares=self._broken,
            conflicts=self.conflicts,
        )
        self._pins: list[Pin] = []

    def _goal(self, tier: TimedTier) -> TierGoal:
        return next(goal for goal in self._built.goals if goal.name == tier.name)

    def _pin(self, tier: TimedTier, value: int) -> None:
        self._pins.append(Pin(self._goal(tier), value))

    def _decide(self, index: int, best: Chosen) -> tuple[Chosen, int | None, str]:
        tier, built = self.tiers[index], self._built
        if not self._may_go_on() or not built.columns:
            return best, None, "greedy"
        backend = CpSatBackend() if built.model.size <= CP_SAT_VARIABLES else HighsBackend()
        share = WORK_SHARE if tier.kind == "work" else OTHER_SHARE
        found = backend.solve(
            built.model,
            self._goal(tier),
            pins=self._pins,
            limits=self._solve_limits(share),
            hint=built.values(best),
        )
        bound = _on_grid(self._goal(tier), found.bound)
        if found.values is None:
            return best, bound, backend.name
        chosen = whole(built.chosen(found.values))
        filled = self._filled(chosen, tier.place)
        return (filled if self._better(filled, chosen) else chosen), bound, backend.name


def _on_grid(goal: TierGoal, bound: int | None) -> int | None:
    """The bound moved to the next value that sums of the tier's amounts can have (floats leave it a hair beside)."""
    step = gcd(*goal.expression.coefficients)
    if bound is None or not step:
        return bound
    above = bound - goal.expression.constant
    steps = above // step if goal.sense == "max" else -(-above // step)
    return goal.expression.constant + steps * step


def certified(
    problem: TimedProblem, outcome: TimedOutcome, chosen: Mapping[Column, int]
) -> TimedOutcome:
    """Another schedule with the bounds of an outcome: those below the first tier that differs held for other values."""
    found, same = [], True
    for tier, one in zip(timed_tiers(problem), outcome.tiers, strict=True):
        value = tier.value(problem, chosen)
        found.append(
            replace(one, value=value, bound=tighter(tier, one.bound if same else None, tier.ideal))
        )
        same = same and one.value == value
    return replace(outcome, chosen=dict(chosen), tiers=tuple(found))


def is_better(
    problem: TimedProblem, found: Mapping[Column, int], best: Mapping[Column, int]
) -> bool:
    """Whether a schedule is better in the first tier in which they differ."""
    for tier in timed_tiers(problem):
        new, old = tier.value(problem, found), tier.value(problem, best)
        if new != old:
            return not worse(tier, new, old)
    return False


def is_as_good(
    problem: TimedProblem, one: Mapping[Column, int], other: Mapping[Column, int]
) -> bool:
    """Whether no tier tells two schedules apart."""
    return all(
        tier.value(problem, one) == tier.value(problem, other) for tier in timed_tiers(problem)
    )


def search_of(problem: TimedProblem) -> type[TimedSearch]:
    """The search for a problem of this size."""
    from planner.schedule.large_search import LargeSearch

    return WholeSearch if problem.starts.size <= WHOLE_COLUMNS else LargeSearch


def worse(tier: TimedTier, one: int, other: int) -> bool:
    """Whether value ``one`` of a tier is worse than ``other``."""
    return one < other if tier.sense == "max" else one > other


def tighter(tier: TimedTier, one: int | None, other: int | None) -> int | None:
    """The sharper of two bounds."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other) if tier.sense == "max" else max(one, other)
