"""Bounds for models of which only some columns are written down (column generation, Dantzig and Wolfe).

For *any* multipliers of the rows the Lagrangian is a bound of the tier: levels and gangs are then free of each other,
every level takes 0 or its room, and every class its best column or none. So the bound holds for all columns, whichever
of them the linear program knew, and however it was solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.problem.timed import Column, TimedProblem
from planner.schedule.model.tiers import TimedTier, wait_s, weight_of

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Multipliers:
    """Of the balances ``[rows, buckets]``, of decided tiers and classes; signs as in a minimisation.

    Those of the classes only say which columns are worth writing down: the bound works out its own.
    """

    balance: FloatArray
    pins: FloatArray
    classes: FloatArray

    def towards(self, other: Multipliers, part: float) -> Multipliers:
        """A part of the way to others."""
        return Multipliers(
            self.balance + part * (other.balance - self.balance),
            self.pins + part * (other.pins - self.pins),
            self.classes + part * (other.classes - self.classes),
        )


class Pricing:
    """Reduced costs of every column of a problem, as arrays over (class, option) and start."""

    def __init__(self, problem: TimedProblem) -> None:
        self.problem = problem
        starts = problem.starts
        self._use = np.zeros((len(starts.pairs), len(problem.rows)))
        for line, (number, place) in enumerate(starts.pairs):
            for row, amount in problem.classes[number].options[place].use:
                self._use[line, row] = amount
        self.row_scales = np.maximum(self._use.max(axis=0, initial=1.0), 1.0)
        self._use /= self.row_scales
        self.room = problem.room / self.row_scales[:, np.newaxis]
        self._class_of = np.array([number for number, _ in starts.pairs], dtype=np.int64)
        self._sizes = np.array([one.size for one in problem.classes], dtype=np.float64)
        self.may = starts.may.copy()
        self._must = np.zeros(len(problem.classes), dtype=np.bool_)
        self._held: dict[int, int] = {}
        self._place = [(one.tier_class, one.rank) for one in problem.classes]

    def hold_best(self, number: int) -> int:
        """From now on gangs of a class all run, and in columns with most work; returns those seconds."""
        lines = np.flatnonzero(self._class_of == number)
        starts = self.problem.starts
        best = int(np.where(self.may[lines], starts.work[lines], 0).max(initial=0))
        split = [c.work_s for c in starts.split if c.work_class == number]
        best = max([best, *split])
        if best:
            self.may[lines] &= starts.work[lines] >= best
            self._must[number] = True
            self._held[number] = best
        return best

    def amounts(self, tier: TimedTier) -> FloatArray:
        """``[pairs, buckets]`` what one gang adds to a tier."""
        problem, starts = self.problem, self.problem.starts
        found = np.zeros(starts.may.shape)
        edges = np.array(problem.horizon.edges[:-1], dtype=np.float64)
        for line, (number, _) in enumerate(starts.pairs):
            one = problem.classes[number]
            if tier.place is not None and self._place[number] != tier.place:
                continue
            if tier.kind == "work":
                found[line] = one.gpus * starts.work[line]
            elif tier.kind == "delay":
                first = max(one.earliest_s, problem.horizon.start)
                delay = np.maximum(edges - first, 0)
                found[line] = weight_of(one) * (delay - wait_s(problem, one))
            elif tier.kind == "deadlines" and one.deadline_s is not None:
                found[line] = -starts.done[line].astype(np.float64)
            elif tier.kind == "sla" and one.sla_s is not None:
                found[line] = -(edges <= one.sla_s).astype(np.float64)
        return found

    def reduced(
        self, costs: FloatArray, pins: Sequence[FloatArray], given: Multipliers
    ) -> FloatArray:
        """``[pairs, buckets]`` reduced cost of every whole run; infinite where there is none."""
        starts = self.problem.starts
        levels = np.zeros((self._use.shape[1], self.problem.horizon.count + 1))
        levels[:, :-1] = given.balance
        priced = self._use @ levels
        found = costs + priced[:, :-1] - np.take_along_axis(priced, starts.ends, axis=1)
        for multiplier, amounts in zip(given.pins, pins, strict=True):
            if multiplier:
                found = found - multiplier * amounts
        return np.where(self.may, found, np.inf)

    def reduced_split(
        self,
        tier: TimedTier,
        sign: float,
        pins: Sequence[tuple[TimedTier, float]],
        given: Multipliers,
    ) -> FloatArray:
        """Reduced cost of every split column; ``pins`` with their scales."""
        problem = self.problem
        found = np.zeros(len(problem.starts.split))
        buckets = problem.horizon.count
        for number, column in enumerate(problem.starts.split):
            cost = sign * tier.amount(problem, column)
            for row, amount in problem.option_of(column).use:
                part = amount / self.row_scales[row]
                for start, end in column.stretches:
                    cost += part * given.balance[row, start]
                    if end < buckets:
                        cost -= part * given.balance[row, end]
            for multiplier, (pin, scale) in zip(given.pins, pins, strict=True):
                if multiplier:
                    cost -= multiplier * pin.amount(problem, column) / scale
            short = column.work_s < self._held.get(column.work_class, 0)
            found[number] = np.inf if short else cost
        return found

    def least(self, given: Multipliers, reduced: FloatArray, split: FloatArray) -> float:
        """The Lagrangian without the pins' own part: least cost of levels and gangs."""
        following = np.zeros_like(given.balance)
        following[:, :-1] = given.balance[:, 1:]
        levels = np.minimum(following - given.balance, 0.0)
        best = np.where(self._must, np.inf, 0.0)
        np.minimum.at(best, self._class_of, reduced.min(axis=1, initial=np.inf))
        if split.size:
            owners = np.array([column.work_class for column in self.problem.starts.split])
            np.minimum.at(best, owners, split)
        return float((levels * self.room).sum() + (best * self._sizes).sum())

    def within(
        self, reduced: FloatArray, split: FloatArray, spare: float, most: int
    ) -> list[Column]:
        """Columns that cost at most ``spare`` more than the best of their class (or than none), cheapest first."""
        best = np.where(self._must, np.inf, 0.0)
        np.minimum.at(best, self._class_of, reduced.min(axis=1, initial=np.inf))
        columns = self.problem.starts.split
        owners = np.array([column.work_class for column in columns], dtype=np.int64)
        if split.size:
            np.minimum.at(best, owners, split)
        more = reduced - best[self._class_of][:, np.newaxis]
        lines, starts = np.nonzero(more <= spare)
        found = [
            (float(more[a, b]), self.problem.starts.column(int(a), int(b)))
            for a, b in zip(lines, starts, strict=True)
        ]
        if split.size:
            extra = split - best[owners]
            found += [(float(extra[n]), columns[n]) for n in np.flatnonzero(extra <= spare)]
        found.sort(key=lambda pair: pair[0])
        return [column for _, column in found[:most]]

    def best_starts(self, reduced: FloatArray, classes: FloatArray, most: int) -> list[Column]:
        """Columns that cost less than their class's multiplier: per class and option the best few, not adjacent."""
        found = []
        worth = classes[self._class_of] - 1e-7
        lines = np.flatnonzero(reduced.min(axis=1, initial=np.inf) < worth)
        order = np.argsort(reduced[lines], axis=1)[:, : 4 * most]
        for line, row in zip(lines, order, strict=True):
            taken: list[int] = []
            for start in row:
                if reduced[line, start] >= worth[line] or len(taken) == most:
                    break
                if all(abs(int(start) - other) > 1 for other in taken):
                    taken.append(int(start))
                    found.append(self.problem.starts.column(int(line), int(start)))
        return found
