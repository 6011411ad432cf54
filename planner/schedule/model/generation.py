"""The linear program of a large schedule, with columns written down as they are needed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import highspy
import numpy as np

from models.findings import BackendError
from planner.problem.timed import Column, TimedProblem
from planner.schedule.model.pricing import FloatArray, Multipliers, Pricing
from planner.schedule.model.tiers import TimedTier
from planner.solve.highs import set_global_threads

PER_LINE = 3
"""Columns that one round adds per class and option at most."""
MOST_SPLIT = 2000
"""Split columns that one round adds at most."""
DUAL_SIMPLEX, PRIMAL_SIMPLEX = 1, 4
"""Bounds that change leave a basis dual feasible, new columns leave it primal feasible."""
STEEPEST = 3.0
"""Largest multiplier of a decided tier; a bound with smaller multipliers than the best ones is weaker, never wrong."""
CLOSE = 2e-5
"""Relative distance of the Lagrangian bound from the program's value at which no column is looked for any more."""


STEPS = (0.8, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02)
"""Parts of the way from the best multipliers to the new ones that are looked at."""


@dataclass(frozen=True)
class _Priced:
    """Multipliers, reduced costs of whole and split columns, and the Lagrangian bound (of a minimisation)."""

    given: Multipliers
    reduced: FloatArray
    split: FloatArray
    least: float


class GeneratedProgram:
    """One linear program over all ranks; lower ones are closed until their tiers come."""

    def __init__(
        self,
        problem: TimedProblem,
        *,
        workers: int,
        stopped: Callable[[], bool],
    ) -> None:
        self._workers = workers
        self.problem, self._stopped = problem, stopped
        self.pricing = Pricing(problem)
        self.columns: list[Column] = []
        self._known: set[Column] = set()
        self._pins: list[tuple[TimedTier, int]] = []
        self._scales: list[float] = []
        self._held: dict[int, int] = {}
        self._slacks: list[int] = []
        self._best: _Priced | None = None
        self._numbers: list[int] = []
        self._pin_amounts: list[FloatArray] = []
        self._solver = highspy.Highs()
        self._solver.setOptionValue("output_flag", False)
        self._solver.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)
        self._rows, self._buckets = problem.room.shape
        self._load()

    def _load(self) -> None:
        """Levels and their balances, one row per class; no column yet."""
        rows, buckets = self._rows, self._buckets
        count = rows * buckets
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = count, count + len(self.problem.classes)
        lp.col_lower_ = np.zeros(count)
        lp.col_upper_ = self.pricing.room.ravel()
        lp.col_cost_ = np.zeros(count)
        infinite = highspy.kHighsInf
        sizes = [float(one.size) for one in self.problem.classes]
        lp.row_lower_ = np.concatenate([np.zeros(count), np.full(len(sizes), -infinite)])
        lp.row_upper_ = np.concatenate([np.zeros(count), np.array(sizes)])
        index, value, start = [], [], [0]
        for row in range(rows):
            for bucket in range(buckets):
                index.append(row * buckets + bucket)
                value.append(1.0)
                if bucket + 1 < buckets:
                    index.append(row * buckets + bucket + 1)
                    value.append(-1.0)
                start.append(len(index))
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = np.array(start, dtype=np.int32)
        lp.a_matrix_.index_ = np.array(index, dtype=np.int32)
        lp.a_matrix_.value_ = np.array(value)
        if self._solver.passModel(lp) == highspy.HighsStatus.kError:
            raise BackendError("HiGHS refuses the model")
        self._base = count

    def add(self, columns: Iterable[Column]) -> int:
        """Write columns down; returns how many were new."""
        fresh = [one for one in dict.fromkeys(columns) if one not in self._known]
        if not fresh:
            return 0
        index: list[int] = []
        value: list[float] = []
        starts = []
        for column in fresh:
            starts.append(len(index))
            for row, amount in self._entries(column):
                index.append(row)
                value.append(amount)
        self._solver.addCols(
            len(fresh),
            np.zeros(len(fresh)),
            np.zeros(len(fresh)),
            np.full(len(fresh), highspy.kHighsInf),
            len(index),
            np.array(starts, dtype=np.int32),
            np.array(index, dtype=np.int32),
            np.array(value),
        )
        first = self._solver.getNumCol() - len(fresh)
        self._numbers.extend(range(first, first + len(fresh)))
        self.columns.extend(fresh)
        self._known.update(fresh)
        return len(fresh)

    def _entries(self, column: Column) -> Iterable[tuple[int, float]]:
        buckets = self._buckets
        for row, amount in self.problem.option_of(column).use:
            part = float(amount / self.pricing.row_scales[row])
            for start, end in column.stretches:
                yield row * buckets + start, -part
                if end < buckets:
                    yield row * buckets + end, part
        yield self._base + column.work_class, 1.0
        after = self._base + len(self.problem.classes)
        for number, (tier, _) in enumerate(self._pins):
            amount = tier.amount(self.problem, column)
            if amount:
                yield after + number, amount / self._scales[number]

    def pin(self, tier: TimedTier, value: int) -> None:
        """A decided tier may not get worse."""
        if tier.kind in ("returns", "kept", "lost"):
            return
        if value == tier.ideal and tier.kind == "work":
            self._hold_whole(tier)
            return
        scale = _scale(self.pricing.amounts(tier))
        target = (value - tier.constant) / scale
        low, high = (
            (target, highspy.kHighsInf) if tier.sense == "max" else (-highspy.kHighsInf, target)
        )
        amounts = [(n, tier.amount(self.problem, c)) for n, c in enumerate(self.columns)]
        kept = [(self._numbers[n], a / scale) for n, a in amounts if a]
        self._solver.addRow(
            low,
            high,
            len(kept),
            np.array([n for n, _ in kept], dtype=np.int32),
            np.array([a for _, a in kept]),
        )
        # A column that may break the pin at a price keeps its multiplier from growing without end.
        self._solver.addCol(
            STEEPEST,
            0.0,
            highspy.kHighsInf,
            1,
            np.array([self._solver.getNumRow() - 1], dtype=np.int32),
            np.array([1.0 if tier.sense == "max" else -1.0]),
        )
        self._slacks.append(self._solver.getNumCol() - 1)
        self._pins.append((tier, value))
        self._scales.append(scale)
        self._pin_amounts.append(self.pricing.amounts(tier) / scale)

    def _hold_whole(self, tier: TimedTier) -> None:
        """A rank that does all its work: every gang of it runs, in a column that does most."""
        for number, one in enumerate(self.problem.classes):
            if (one.tier_class, one.rank) == tier.place:
                best = self.pricing.hold_best(number)
                if best:
                    self._solver.changeRowBounds(
                        self._base + number, float(one.size), float(one.size)
                    )
                    self._held[number] = best

    def bound(
        self, tier: TimedTier, places: Sequence[tuple[str, int]], *, until: float
    ) -> tuple[int | None, dict[Column, float]]:
        """Proved bound of a tier with ranks ``places`` open, and the program's last fractional solution."""
        open_places = set(places)
        sign = -1.0 if tier.sense == "max" else 1.0
        scale = _scale(self.pricing.amounts(tier))
        sign /= scale
        costs = sign * self.pricing.amounts(tier)
        closed = [(o.tier_class, o.rank) not in open_places for o in self.problem.classes]
        for line, (number, _) in enumerate(self.problem.starts.pairs):
            if closed[number]:
                costs[line] = np.inf
        best: _Priced | None = None
        solution: dict[Column, float] = {}
        while time.perf_counter() < until and not self._stopped():
            value = self._solve(tier, sign, closed, until)
            if value is None:
                break
            solution = self._solution()
            new = self._priced(tier, sign, costs, closed)
            best, mixed = self._mixed(best, new)
            if value - best.least <= CLOSE * max(1.0, abs(value)):
                break
            if not self.add([*self._columns_below(mixed), *self._columns_below(new)]):
                break
        self._best = best
        if best is None:
            return None, solution
        return _whole_bound(best.least / sign + tier.constant, tier), solution

    def useful(self, tier: TimedTier, value: int, most: int) -> list[Column]:
        """Columns that a schedule better than ``value`` may use, by the last bound's reduced costs; cheapest first.

        Any other column costs more than the bound leaves (reduced-cost fixing). At most ``most`` are returned.
        """
        best = self._best
        if best is None:
            return []
        scale = _scale(self.pricing.amounts(tier))
        sign = (-1.0 if tier.sense == "max" else 1.0) / scale
        spare = sign * (value - tier.constant) - best.least
        return self.pricing.within(best.reduced, best.split, spare + 1e-9, most)

    def _priced(
        self, tier: TimedTier, sign: float, costs: FloatArray, closed: Sequence[bool]
    ) -> _Priced:
        given = self._multipliers()
        reduced = self.pricing.reduced(costs, self._pin_amounts, given)
        pins = [(t, f) for (t, _), f in zip(self._pins, self._scales, strict=True)]
        split = self.pricing.reduced_split(tier, sign, pins, given)
        if split.size:
            shut = np.array([closed[c.work_class] for c in self.problem.starts.split])
            split = np.where(shut, np.inf, split)
        least = self.pricing.least(given, reduced, split) + self._constant(given)
        return _Priced(given, reduced, split, least)

    def _mixed(self, best: _Priced | None, new: _Priced) -> tuple[_Priced, _Priced]:
        """The best multipliers between the best and the new ones, and where to look for columns.

        The Lagrangian is concave in its multipliers; those of one linear program to the next jump about (Wentges
        smoothing of column generation).
        """
        if best is None:
            return new, new
        found = best if best.least >= new.least else new
        mixed = new
        for part in STEPS:
            given = best.given.towards(new.given, part)
            reduced = best.reduced + part * _difference(new.reduced, best.reduced)
            split = best.split + part * _difference(new.split, best.split)
            least = self.pricing.least(given, reduced, split) + self._constant(given)
            one = _Priced(given, reduced, split, least)
            if least > found.least:
                found = mixed = one
        if mixed is new:
            part = STEPS[-1]
            given = best.given.towards(new.given, part)
            reduced = best.reduced + part * _difference(new.reduced, best.reduced)
            split = best.split + part * _difference(new.split, best.split)
            mixed = _Priced(given, reduced, split, 0.0)
        return found, mixed

    def _columns_below(self, one: _Priced) -> list[Column]:
        """Columns that are worth writing down at some multipliers."""
        classes = one.given.classes
        found = self.pricing.best_starts(one.reduced, classes, PER_LINE)
        split = self.problem.starts.split
        gain = np.array([classes[column.work_class] for column in split]) - one.split
        order = np.argsort(-gain)[:MOST_SPLIT] if split else ()
        found += [split[n] for n in order if gain[n] > 1e-7]
        return found

    def relaxed(
        self,
        tier: TimedTier,
        low: Mapping[Column, int],
        high: Mapping[Column, int],
        *,
        until: float,
    ) -> dict[Column, float] | None:
        """The program over the written columns with gangs given (``low``) and at most so many (``high``, else none).

        None where no solution was found in time.
        """
        count = len(self.columns)
        scale = _scale(self.pricing.amounts(tier))
        sign = (-1.0 if tier.sense == "max" else 1.0) / scale
        self._solver.changeColsCost(
            count,
            np.array(self._numbers, dtype=np.int32),
            np.array([sign * tier.amount(self.problem, one) for one in self.columns]),
        )
        self._solver.changeColsBounds(
            count,
            np.array(self._numbers, dtype=np.int32),
            np.array([float(low.get(one, 0)) for one in self.columns]),
            np.array([float(high.get(one, 0)) for one in self.columns]),
        )
        self._solver.setOptionValue("simplex_strategy", DUAL_SIMPLEX)
        solved = self._run(until)
        self._solver.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)
        return self._solution() if solved else None

    def _run(self, until: float) -> bool:
        left = max(until - time.perf_counter(), 0.1)
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + left)
        self._solver.setOptionValue("threads", set_global_threads(self._workers))
        if self._solver.run() == highspy.HighsStatus.kError:
            raise BackendError("HiGHS ended with an error")
        return bool(self._solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)

    def _solve(
        self, tier: TimedTier, sign: float, closed: Sequence[bool], until: float
    ) -> float | None:
        count = len(self.columns)
        numbers = np.array(self._numbers, dtype=np.int32)
        costs = np.array([sign * tier.amount(self.problem, one) for one in self.columns])
        upper = np.array(
            [
                0.0
                if closed[one.work_class] or one.work_s < self._held.get(one.work_class, 0)
                else highspy.kHighsInf
                for one in self.columns
            ]
        )
        self._solver.changeColsCost(count, numbers, costs)
        self._solver.changeColsBounds(count, numbers, np.zeros(count), upper)
        if not self._run(until):
            return None
        return float(self._solver.getInfo().objective_function_value)

    def _solution(self) -> dict[Column, float]:
        values = self._solver.getSolution().col_value
        found = zip(self.columns, (values[n] for n in self._numbers), strict=True)
        return {column: value for column, value in found if value > 1e-7}

    def _multipliers(self) -> Multipliers:
        duals = np.array(self._solver.getSolution().row_dual)
        after = self._base + len(self.problem.classes)
        pins = duals[after:].copy()
        for number, (tier, _) in enumerate(self._pins):
            side = max if tier.sense == "max" else min
            pins[number] = side(pins[number], 0.0)
        balance = duals[: self._base].reshape(self._rows, self._buckets)
        return Multipliers(balance, pins, duals[self._base : after])

    def _constant(self, given: Multipliers) -> float:
        """The part of the Lagrangian that pins bring."""
        found = 0.0
        for multiplier, scale, (tier, value) in zip(
            given.pins, self._scales, self._pins, strict=True
        ):
            found += multiplier * (value - tier.constant) / scale
        return found


def _difference(one: FloatArray, other: FloatArray) -> FloatArray:
    """``one - other``; closed columns (infinite in both) differ by nothing."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(one - other, nan=0.0)


def _scale(amounts: FloatArray) -> float:
    """Keeps coefficients near 1, whatever the unit of a tier is."""
    return max(float(np.abs(amounts).max(initial=0.0)), 1.0)


def _whole_bound(bound: float, tier: TimedTier) -> int:
    """Integer bound on the safe side of what floats may be off."""
    slack = 1e-7 * max(1.0, abs(bound))
    return int(np.floor(bound + slack)) if tier.sense == "max" else int(np.ceil(bound - slack))
