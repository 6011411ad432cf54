"""Improve a schedule window by window: gangs of one rank that start there are freed and placed anew, exactly.

A neighbourhood search (large neighbourhoods, Shaw 1998): each step is a small integer program in which everything else
stays. Steps are chosen by the seed, so the same seed makes the same steps.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np

from planner.problem.limits import Limits
from planner.problem.timed import Chosen, Column, TimedProblem
from planner.schedule.encode.timetable import Timetable
from planner.schedule.model.build import build_schedule, whole
from planner.schedule.model.tiers import TimedTier
from planner.solve.backend import SolveLimits
from planner.solve.highs import HighsBackend

WINDOWS = 6
"""A window is this part of the horizon at first."""
MOST_COLUMNS = 1_500
"""Columns of one step at most; those of gangs that run already come first."""
STEP_S = 1.5
"""Seconds of one step at most."""
MOST_STEPS = 24
"""Steps with deterministic limits, where no clock ends them."""
STEP_WORK = 0.4
"""Units of work of one of those."""


class WindowSearch:
    """Steps for one tier of work; ranks above stay as they are, ranks below are left out."""

    def __init__(self, problem: TimedProblem, tier: TimedTier, limits: Limits) -> None:
        self.problem, self.tier, self.limits = problem, tier, limits
        self._random = random.Random(limits.seed)
        self._width = max(problem.horizon.count // WINDOWS, 2)
        self._lines: dict[int, list[int]] = {}
        for line, (number, _) in enumerate(problem.starts.pairs):
            self._lines.setdefault(number, []).append(line)
        self._own = [
            number
            for number, one in enumerate(problem.classes)
            if (one.tier_class, one.rank) == tier.place
        ]

    def run(
        self, best: Chosen, target: int, *, until: float, stopped: Callable[[], bool]
    ) -> Chosen:
        """Steps until the target is reached, time (without a clock: their number) is over or somebody stops it."""
        pools = self._pools()
        value = self.tier.value(self.problem, best)
        step = 0
        while self._goes_on(step, until) and not stopped() and value < target:
            pool = pools[step % len(pools)]
            found = self._step(best, pool, until)
            new = self.tier.value(self.problem, found)
            if new >= value:
                best, value = found, new
            step += 1
        return best

    def _goes_on(self, step: int, until: float) -> bool:
        return step < MOST_STEPS if self.limits.deterministic else time.perf_counter() < until

    def _pools(self) -> list[int]:
        """Pools in which gangs of the rank may run."""
        options = (option for n in self._own for option in self.problem.classes[n].options)
        return sorted({pool for option in options for pool in option.pools}) or [0]

    def _step(self, best: Chosen, pool: int, until: float) -> Chosen:
        first = self._random.randrange(1 - self._width, self.problem.horizon.count - 1)
        window = range(max(first, 0), min(first + self._width, self.problem.horizon.count))
        freed = {
            column: count
            for column, count in best.items()
            if self._is_own(column)
            and column.start in window
            and pool in self.problem.option_of(column).pools
        }
        fixed = {column: count for column, count in best.items() if column not in freed}
        table = Timetable(self.problem)
        for column, count in fixed.items():
            table.place(column, count)
        columns = self._columns(table, freed, window, pool)
        if not columns:
            return best
        built = build_schedule(self.problem, columns, [self.tier], fixed=fixed)
        fixed_work = self.limits.deterministic
        seconds = STEP_WORK if fixed_work else max(min(STEP_S, until - time.perf_counter()), 0.1)
        limits = SolveLimits(seconds, 1e-4, self.limits.seed, workers=1, deterministic=fixed_work)
        result = HighsBackend().solve(
            built.model, built.goals[0], pins=(), limits=limits, hint=built.values(freed)
        )
        if result.values is None:
            return best
        return {**fixed, **whole(built.chosen(result.values))}

    def _is_own(self, column: Column) -> bool:
        one = self.problem.classes[column.work_class]
        return (one.tier_class, one.rank) == self.tier.place

    def _columns(self, table: Timetable, freed: Chosen, window: range, pool: int) -> list[Column]:
        """Columns of the freed gangs, then of others that do not run, as long as there is room for them."""
        busy = list(dict.fromkeys(column.work_class for column in freed))
        known = set(busy)
        idle = [n for n in self._own if table.left[n] > 0 and n not in known]
        self._random.shuffle(idle)
        found = list(freed)
        taken = set(found)
        for number in (*busy, *idle):
            for column in self._starts(table, number, window, pool):
                if column not in taken:
                    taken.add(column)
                    found.append(column)
            if len(found) >= MOST_COLUMNS:
                break
        return found

    def _starts(self, table: Timetable, number: int, window: range, pool: int) -> list[Column]:
        starts = self.problem.starts
        found = []
        for line in self._lines.get(number, ()):
            if pool not in self.problem.classes[number].options[starts.pairs[line][1]].pools:
                continue
            may = table.free_starts(number, line)
            inside = np.flatnonzero(may[window.start : window.stop]) + window.start
            found += [starts.column(line, int(start)) for start in inside]
        return found
