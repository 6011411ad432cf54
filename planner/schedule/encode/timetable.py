"""Gangs into time by hand: how many of a column still fit, and filling rank by rank from the earliest start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np

from planner.problem.placement import BoolArray, IntArray
from planner.problem.timed import Chosen, Column, TimedProblem, WorkClass

Order = Literal["large", "short", "long", "deadline"]
ORDERS: tuple[Order, ...] = ("large", "short", "long")
"""Orders of work classes that are tried: most GPUs first, shortest (least delay in all), longest."""


class Timetable:
    """Room that shrinks as gangs are given their times."""

    def __init__(self, problem: TimedProblem) -> None:
        self.problem = problem
        self.room = problem.room.copy()
        self.chosen: Chosen = {}
        self.left = [one.size for one in problem.classes]
        self._lines: dict[int, list[int]] = {}
        for line, (number, _) in enumerate(problem.starts.pairs):
            self._lines.setdefault(number, []).append(line)
        self._split: dict[int, list[Column]] = {}
        for column in problem.starts.split:
            self._split.setdefault(column.work_class, []).append(column)

    def most(self, column: Column) -> int:
        """Gangs of a column that still fit."""
        most = self.left[column.work_class]
        for row, amount in self.problem.option_of(column).use:
            for start, end in column.stretches:
                if most <= 0:
                    return 0
                most = min(most, int(self.room[row, start:end].min()) // amount)
        return max(most, 0)

    def place(self, column: Column, count: int) -> None:
        """Let ``count`` gangs run in a column."""
        for row, amount in self.problem.option_of(column).use:
            for start, end in column.stretches:
                self.room[row, start:end] -= amount * count
        self.chosen[column] = self.chosen.get(column, 0) + count
        self.left[column.work_class] -= count

    def take(self, columns: Iterable[Column], counts: Mapping[Column, float]) -> None:
        """Place the whole part of so many gangs per column, as far as there is room."""
        for column in columns:
            whole = int(counts.get(column, 0) + 1e-6)
            if whole > 0:
                fits = min(whole, self.most(column))
                if fits:
                    self.place(column, fits)

    def fill(self, tier_class: str, rank: int, *, order: Order = "large") -> None:
        """Start what fits of a class and rank, each gang as early as it can."""
        classes = self.problem.classes
        chosen = [
            number
            for number, one in enumerate(classes)
            if (one.tier_class, one.rank) == (tier_class, rank)
        ]
        chosen.sort(key=lambda n: (*_place(classes[n], order), n))
        for number in chosen:
            while self.left[number] > 0:
                column = self._earliest(number)
                if column is None:
                    break
                self.place(column, max(self.most(column), 1))

    def shift_left(self) -> bool:
        """Take every gang out and put it back as early as it can start; whether anything moved.

        Gangs with most GPUs times seconds of delay go first.
        """
        moved = False
        classes = self.problem.classes
        order = sorted(
            self.chosen,
            key=lambda c: (-classes[c.work_class].gpus * self.problem.delay_s(c), c.start),
        )
        for column in order:
            for _ in range(self.chosen.get(column, 0)):
                if self.problem.delay_s(column) == 0:
                    break
                self.place(column, -1)
                other = self._earliest(column.work_class)
                better = other is not None and (
                    (-other.work_s, other.start) < (-column.work_s, column.start)
                )
                self.place(other if better and other is not None else column, 1)
                moved = moved or better
        self.chosen = {column: count for column, count in self.chosen.items() if count}
        return moved

    def _earliest(self, number: int) -> Column | None:
        """The column of a class that still has room, with most work, then the earliest start."""
        best: tuple[int, int, int] | None = None
        found: Column | None = None
        for line in self._lines.get(number, ()):
            free = np.flatnonzero(self.free_starts(number, line))
            if free.size:
                column = self.problem.starts.column(line, int(free[0]))
                key = (-column.work_s, column.start, 0)
                if best is None or key < best:
                    best, found = key, column
        for column in self._split.get(number, ()):
            key = (-column.work_s, column.start, 1)
            if (best is None or key < best) and self.most(column) > 0:
                best, found = key, column
        return found

    def free_starts(self, number: int, line: int) -> BoolArray:
        """Buckets in which one more gang of a class and option could begin a whole run."""
        starts = self.problem.starts
        short = self._short(number, starts.pairs[line][1])
        missing = np.concatenate([[0], np.cumsum(short)])
        may: BoolArray = starts.may[line] & (missing[starts.ends[line]] == missing[:-1])
        return may

    def _short(self, number: int, place: int) -> IntArray:
        """Buckets in which not one more gang of a class and option fits."""
        short = np.zeros(self.room.shape[1], dtype=np.int64)
        for row, amount in self.problem.classes[number].options[place].use:
            short |= self.room[row] < amount
        return short


def _place(one: WorkClass, order: Order) -> tuple[int, ...]:
    if order == "short":
        return (one.duration_s, -one.gpus)
    if order == "long":
        return (-one.duration_s, -one.gpus)
    if order == "deadline":
        return (one.deadline_s or 0, -one.gpus, one.duration_s)
    return (-one.gpus, -one.duration_s)
