"""Schedules that keep the shares which they themselves give: bucket by bucket, because a share looks back only.

What a queue may use in a bucket depends on the gangs that have ended before it. So a walk over the buckets knows every
limit when it needs it, and what it starts never makes an earlier start wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from planner.problem.timed import Chosen, Column, TimedProblem
from planner.schedule.encode.timetable import Timetable


@dataclass(frozen=True)
class BrokenShare:
    """A row that is over its share in a bucket in which gangs of it start; ``ended`` counts gangs per class by then."""

    row: int
    bucket: int
    room: int
    ended: Mapping[int, int]


def broken_shares(problem: TimedProblem, chosen: Mapping[Column, int]) -> list[BrokenShare]:
    """Every share that a schedule does not keep."""
    if problem.shares is None:
        return []
    held = np.zeros_like(problem.room)
    begins: dict[int, set[int]] = {}
    for column, count in chosen.items():
        for row, amount in problem.option_of(column).use:
            for start, end in column.stretches:
                held[row, start:end] += amount * count
                begins.setdefault(start, set()).add(row)
    found = []
    for bucket, rows in sorted(begins.items()):
        ended = ended_before(chosen, bucket)
        for row, room in problem.shares.room(bucket, ended).items():
            if row in rows and int(held[row, bucket]) > room:
                found.append(BrokenShare(row, bucket, room, ended))
    return found


def ended_before(chosen: Mapping[Column, int], bucket: int) -> dict[int, int]:
    """Gangs per class whose work ended before a bucket."""
    found: dict[int, int] = {}
    for column, count in chosen.items():
        if column.done and column.stretches[-1][1] <= bucket:
            found[column.work_class] = found.get(column.work_class, 0) + count
    return found


def settled(problem: TimedProblem, wanted: Mapping[Column, int]) -> Chosen:
    """A schedule that keeps its shares, near a wanted one: what may not start where it is wanted starts when it may.

    Without shares it is the wanted one.
    """
    if problem.shares is None:
        return dict(wanted)
    return until_settled(problem, wanted, lambda: SettlingWalk(problem))[1]


Walk = TypeVar("Walk", bound="SettlingWalk")


def until_settled(
    problem: TimedProblem, wanted: Mapping[Column, int], walk: Callable[[], Walk]
) -> tuple[Walk, Chosen]:
    """The last walk and its schedule, repeated without the runs whose shares are taken when they want to go on."""
    avoided: set[Column] = set()
    while True:
        kept = {column: count for column, count in wanted.items() if column not in avoided}
        one = walk()
        chosen = one.run(kept)
        resumed = {broken.bucket for broken in broken_shares(problem, chosen)}
        late = {
            column
            for column in chosen
            if any(start in resumed for start, _ in column.stretches[1:])
        }
        if not resumed or not late - avoided:
            return one, chosen if not resumed else {}
        avoided |= late


class SettlingWalk:
    """One walk over the buckets."""

    def __init__(self, problem: TimedProblem) -> None:
        self.problem = problem
        self.table = Timetable(problem)
        self._held = np.zeros_like(problem.room)
        order = {place: number for number, place in enumerate(problem.order)}
        classes = problem.classes
        self._rank = [order[one.tier_class, one.rank] for one in classes]
        self._lines = sorted(
            range(len(problem.starts.pairs)),
            key=lambda line: (
                self._rank[problem.starts.pairs[line][0]],
                -classes[problem.starts.pairs[line][0]].gpus,
                line,
            ),
        )

    def run(self, wanted: Mapping[Column, int]) -> Chosen:
        """Wanted columns hold their room from the beginning; one that may not start gives it back."""
        table, shares = self.table, self.problem.shares
        for column, count in wanted.items():
            table.place(column, count)
        table.chosen = {}  # what has started; the room of the others is held
        starts: dict[int, list[Column]] = {}
        for column in wanted:
            starts.setdefault(column.start, []).append(column)
        for bucket in range(self.problem.horizon.count):
            room: dict[int, int] = {}
            if shares is not None:
                room = dict(shares.room(bucket, ended_before(table.chosen, bucket)))
                for row in room:
                    room[row] -= int(self._held[row, bucket])
            pairs = []
            for column in sorted(starts.get(bucket, ()), key=self._key):
                may = min(wanted[column], self._most(column, room))
                table.place(column, -wanted[column])
                table.chosen.pop(column, None)
                self._charge(column, may, room)
                pairs.append((column, may))
            started = self.launch(bucket, [pair for pair in pairs if pair[1] > 0])
            for column, may in pairs:
                self._charge(column, started.get(column, 0) - may, room)
                self._start(column, started.get(column, 0))
            for column in self._others(bucket):
                may = min(table.most(column), self._most(column, room))
                count = self.launch(bucket, [(column, may)]).get(column, 0) if may > 0 else 0
                self._charge(column, count, room)
                self._start(column, count)
        return {column: count for column, count in table.chosen.items() if count}

    def launch(self, bucket: int, wanted: Sequence[tuple[Column, int]]) -> Chosen:
        """How many gangs of some columns really start in a bucket: here as many as rows and shares let."""
        return dict(wanted)

    def _key(self, column: Column) -> tuple[int, int, int]:
        one = self.problem.classes[column.work_class]
        return (self._rank[column.work_class], -one.gpus, column.work_class)

    def _others(self, bucket: int) -> Iterator[Column]:
        """Whole runs that begin in a bucket, of gangs that have no start yet, in the order of their ranks."""
        starts = self.problem.starts
        for line in self._lines:
            if starts.may[line, bucket] and self.table.left[starts.pairs[line][0]] > 0:
                yield starts.column(line, bucket)

    def _most(self, column: Column, room: Mapping[int, int]) -> int:
        """Gangs of a column that their shares let start."""
        use = self.problem.option_of(column).use
        most = min((room[row] // amount for row, amount in use if row in room), default=1 << 30)
        return max(most, 0)

    def _charge(self, column: Column, count: int, room: dict[int, int]) -> None:
        for row, amount in self.problem.option_of(column).use:
            if row in room:
                room[row] -= amount * count

    def _start(self, column: Column, count: int) -> None:
        if count <= 0:
            return
        self.table.place(column, count)
        for row, amount in self.problem.option_of(column).use:
            for start, end in column.stretches:
                self._held[row, start:end] += amount * count
