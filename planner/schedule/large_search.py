"""Large schedules, rank by rank: bounds by column generation, schedules by rounding and by windows.

Every rank is scheduled beside the *start times* of those above it. That keeps problems small, and makes back-fill
harmless by construction; the bounds of a rank hold for the start times above it (which the certificate calls
conditional), where the search of small problems lets ranks above move as long as their tiers get no worse.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from planner.problem.timed import Chosen, Column, TimedProblem
from planner.schedule.encode.columns import start_table
from planner.schedule.encode.settle import settled
from planner.schedule.encode.timetable import ORDERS, Timetable
from planner.schedule.model.build import build_schedule
from planner.schedule.model.build import whole as whole_counts
from planner.schedule.model.generation import GeneratedProgram
from planner.schedule.model.tiers import TimedTier, timed_tiers
from planner.schedule.search import TimedOutcome, TimedSearch, certified, tighter, worse
from planner.schedule.windows import WindowSearch
from planner.solve.highs import HighsBackend
from planner.solve.tiers import TierResult

WORK_SHARE, BOUND_SHARE = 0.55, 0.5
"""Part of the remaining time for a rank, and of that for its bound."""
SEARCH_SHARE = 0.8
"""Part of what is left of a rank's time for one search in integers; windows take the rest."""
SEARCHES = (0, 3_000, 6_000)
"""Columns beside those of the linear program (whose mixture reaches the bound) in searches that follow one another."""
SEARCH_WORK = 0.01
"""Units of work of such a search per second of the limit, where limits are deterministic."""
COSTS = 3
"""Times that the next search takes longer; a solver looks at the clock too rarely to be trusted."""
SEARCH_GAP = 1e-6
"""Relative gap of such a search: one among few columns is near its own bound long before that of the rank."""
PASSES = 2
"""Times that every gang is moved to an earlier start, where there is room."""
ENDLESS = 1e9
"""Seconds that never pass."""
DELAY_SHARE = 0.1
"""Part of the remaining time for the bound of a rank's delay."""


class LargeSearch(TimedSearch):
    """Ranks one after the other, each with its own smaller problem."""

    def run(self) -> TimedOutcome:
        """Deadlines first, then rank by rank."""
        best = self.greedy()
        self._publish(best, [])
        bounds: dict[str, tuple[int | None, float, str]] = {}
        fixed: Chosen = self._deadlines(bounds)
        for place in self.problem.order:
            fixed = self._rank(place, fixed, bounds)
            whole = settled(self.problem, self._filled(fixed, place))
            if self._better(whole, best):
                best = whole
            self._publish(best, self._results(best, bounds))
        safe = best
        if self._better(best, fixed):
            bounds = {}  # a greedy schedule that is better belongs to other start times
        else:
            best = fixed
        found = self._outcome(best, self._results(best, bounds))
        legal = settled(self.problem, best)
        legal = safe if self._better(safe, legal) else legal
        return found if legal == best else certified(self.problem, found, legal)

    def _results(
        self, best: Chosen, bounds: Mapping[str, tuple[int | None, float, str]]
    ) -> list[TierResult]:
        found = []
        for tier in self.tiers:
            value = tier.value(self.problem, best)
            bound, seconds, backend = bounds.get(tier.name, (None, 0.0, "counting"))
            bound = tighter(tier, bound, tier.ideal)
            if bound is not None and worse(tier, bound, value):
                bound = value
            found.append(TierResult(tier.goal(self.problem, ()), value, bound, seconds, backend))
        return found

    def _deadlines(self, bounds: dict[str, tuple[int | None, float, str]]) -> Chosen:
        """Start times of the gangs with a deadline, whatever their rank: they come before all work."""
        tier = next((one for one in self.tiers if one.kind == "deadlines"), None)
        if tier is None:
            return {}
        began = time.perf_counter()
        classes = [n for n, one in enumerate(self.problem.classes) if one.deadline_s is not None]
        part = _Part(self.problem, classes, {})
        goal = next(one for one in timed_tiers(part.problem) if one.kind == "deadlines")
        table = Timetable(part.problem)
        for place in part.problem.order:
            table.fill(*place, order="deadline")
        best = table.chosen
        bound: int | None = goal.ideal
        if goal.value(part.problem, best) != bound and self._may_go_on():
            program = self._program(part)
            program.add(best)
            until = self._until(time.perf_counter(), self._left() * DELAY_SHARE)
            bound, fractions = program.bound(goal, part.problem.order, until=until)
            for found in self._roundings(part, best, fractions):
                if _closer(goal, part.problem, found, best):
                    best = found
        bounds[tier.name] = (bound, time.perf_counter() - began, "highs-lp")
        return part.back(best)

    def _rank(
        self,
        place: tuple[str, int],
        fixed: Chosen,
        bounds: dict[str, tuple[int | None, float, str]],
    ) -> Chosen:
        """Start times of one rank beside those that are fixed."""
        began = time.perf_counter()
        classes = [
            n for n, one in enumerate(self.problem.classes) if (one.tier_class, one.rank) == place
        ]
        part = _Part(self.problem, classes, fixed)
        if not part.problem.starts.size:
            return fixed
        work, delay = (
            next(one for one in timed_tiers(part.problem) if one.kind == kind)
            for kind in ("work", "delay")
        )
        best = self._first(part, work, delay)
        name = f"{place[0]}.{place[1]}"
        done = work.value(self.problem, {c: n for c, n in fixed.items() if self._is(c, place)})
        bound: int | None = work.ideal
        backend = "counting"
        if not self._good(work.value(part.problem, best), bound) and self._may_go_on():
            best, bound, backend = self._search_part(part, work, delay, best)
        elif delay.value(part.problem, best) > delay.ideal:
            best = self._compacted(part, best)
        value = work.value(part.problem, best)
        if bound is not None:
            bounds[f"{name}.gpu_hours"] = (
                max(bound, value) + done,
                time.perf_counter() - began,
                backend,
            )
        if self.report is not None:
            self.report(f"{name}.gpu_hours", value + done, None if bound is None else bound + done)
        return {**fixed, **part.back(best)}

    def _is(self, column: Column, place: tuple[str, int]) -> bool:
        one = self.problem.classes[column.work_class]
        return (one.tier_class, one.rank) == place

    def _first(self, part: _Part, work: TimedTier, delay: TimedTier) -> Chosen:
        """The best of a few orders in which gangs are given their earliest start."""
        found: Chosen = {}
        for order in ORDERS:
            table = Timetable(part.problem)
            for place in part.problem.order:
                table.fill(*place, order=order)
            if not found or _ahead(part.problem, work, delay, table.chosen, found):
                found = table.chosen
        return found

    def _search_part(
        self, part: _Part, work: TimedTier, delay: TimedTier, best: Chosen
    ) -> tuple[Chosen, int | None, str]:
        share = self._left() * (1.0 if part.last else WORK_SHARE)
        now = time.perf_counter()
        program = self._program(part)
        program.add(best)
        until = self._until(now, share * BOUND_SHARE)
        bound, fractions = program.bound(work, part.problem.order, until=until)
        bound = tighter(work, bound, work.ideal)
        for found in self._roundings(part, best, fractions):
            if _ahead(part.problem, work, delay, found, best):
                best = found
        best = self._compacted(part, best)
        best, bound = self._searches(part, (work, delay), (best, bound), program, now + share)
        if not self._good(work.value(part.problem, best), bound) and self._may_go_on():
            target = work.ideal if bound is None else bound
            target = int(target / (1 + self.limits.gap))
            windows = WindowSearch(part.problem, work, self.limits)
            until = self._until(now, share)
            found = windows.run(best, target, until=until, stopped=self.stopped)
            found = self._compacted(part, found)
            if _ahead(part.problem, work, delay, found, best):
                best = found
        return best, bound, "highs-lp"

    def _until(self, now: float, seconds: float) -> float:
        """Moment at which a step ends; with deterministic limits no clock ends it."""
        return now + (ENDLESS if self.limits.deterministic else seconds)

    def _compacted(self, part: _Part, chosen: Chosen) -> Chosen:
        """Every gang as early as the others let it start, and what else fits."""
        table = Timetable(part.problem)
        table.take(list(chosen), chosen)
        for _ in range(PASSES):
            if not table.shift_left():
                break
        for place in part.problem.order:
            table.fill(*place)
        return table.chosen

    def _searches(
        self,
        part: _Part,
        tiers: tuple[TimedTier, TimedTier],
        known: tuple[Chosen, int | None],
        program: GeneratedProgram,
        until: float,
    ) -> tuple[Chosen, int | None]:
        """Searches among more and more columns, until the rank is good enough, all were looked at or time is over."""
        work, delay = tiers
        best, bound = known
        for most in SEARCHES:
            began = time.perf_counter()
            if self._good(work.value(part.problem, best), bound) or not self._may_go_on():
                break
            found, proved, complete = self._searched(part, work, best, program, until, most)
            bound = tighter(work, bound, proved)
            if _ahead(part.problem, work, delay, found, best):
                best = self._compacted(part, found)
            now = time.perf_counter()
            if complete or (not self.limits.deterministic and (now - began) * COSTS > until - now):
                break
        return best, bound

    def _searched(
        self,
        part: _Part,
        work: TimedTier,
        best: Chosen,
        program: GeneratedProgram,
        until: float,
        most: int,
    ) -> tuple[Chosen, int | None, bool]:
        """Search in integers among the columns that a better schedule may use, and whether these were all.

        If these are all looked at, the search's bound (or the value, where nothing better is left) is one of the rank.
        """
        value = work.value(part.problem, best)
        useful = program.useful(work, value, most)
        complete = len(useful) < most
        columns = list(dict.fromkeys([*best, *program.columns, *useful]))
        built = build_schedule(part.problem, columns, [work])
        left = (until - time.perf_counter()) * SEARCH_SHARE
        limits = replace(self._solve_limits(1.0), seconds=max(left, 0.2), gap=SEARCH_GAP, workers=1)
        if self.limits.deterministic:
            limits = replace(limits, seconds=self.limits.time_limit_s * SEARCH_WORK)
        result = HighsBackend().solve(
            built.model, built.goals[0], pins=(), limits=limits, hint=built.values(best)
        )
        bound = None
        if result.bound is not None and complete:
            bound = max(result.bound, value)
        if result.values is None:
            return best, bound, complete
        return whole_counts(built.chosen(result.values)), bound, complete

    def _program(self, part: _Part) -> GeneratedProgram:
        return GeneratedProgram(part.problem, workers=self.limits.workers, stopped=self.stopped)

    def _roundings(
        self, part: _Part, best: Chosen, fractions: Mapping[Column, float]
    ) -> list[Chosen]:
        """A few ways to make a relaxation whole."""
        own = sorted(fractions, key=_order)
        found = []
        for up in (False, True):
            table = Timetable(part.problem)
            table.take(own, fractions)
            if up:
                parts = {column: fractions[column] % 1 for column in own}
                for column in sorted(own, key=lambda c: (-parts[c], _order(c))):
                    if parts[column] > 0.05 and table.most(column):
                        table.place(column, 1)
            for place in part.problem.order:
                table.fill(*place)
            found.append(table.chosen)
        return found


class _Part:
    """Some classes of a problem beside gangs that have their times already."""

    def __init__(self, whole: TimedProblem, classes: Sequence[int], fixed: Chosen) -> None:
        room = whole.room.copy()
        left = {number: whole.classes[number].size for number in classes}
        for column, count in fixed.items():
            if column.work_class in left:
                left[column.work_class] -= count
            for row, amount in whole.option_of(column).use:
                for start, end in column.stretches:
                    room[row, start:end] -= amount * count
        self.numbers = [number for number in classes if left[number] > 0]
        chosen = tuple(
            replace(
                whole.classes[n], items=whole.classes[n].items[whole.classes[n].size - left[n] :]
            )
            for n in self.numbers
        )
        places = {(one.tier_class, one.rank) for one in chosen}
        order = tuple(place for place in whole.order if place in places)
        self.last = bool(order) and order[-1] == whole.order[-1]
        self.problem = replace(
            whole,
            room=room,
            classes=chosen,
            starts=start_table(chosen, whole.horizon, room),
            order=order,
            earlier=(),
            missed_returns=0,
            shares=None,  # the whole schedule is settled in the end
        )

    def back(self, chosen: Chosen) -> Chosen:
        """Columns in the numbers of the whole problem."""
        return {
            replace(column, work_class=self.numbers[column.work_class]): count
            for column, count in chosen.items()
        }


def _ahead(
    problem: TimedProblem, work: TimedTier, delay: TimedTier, one: Chosen, other: Chosen
) -> bool:
    """More work, or as much with less delay."""
    new, old = work.value(problem, one), work.value(problem, other)
    if new != old:
        return new > old
    return delay.value(problem, one) < delay.value(problem, other)


def _closer(tier: TimedTier, problem: TimedProblem, one: Chosen, other: Chosen) -> bool:
    return worse(tier, tier.value(problem, other), tier.value(problem, one))


def _order(column: Column) -> tuple[int, int, int]:
    return (column.start, column.work_class, column.option)
