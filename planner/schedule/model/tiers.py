"""What a schedule is good for, tier by tier.

1. ``missed_returns``: GPU-seconds that services lack because running gangs stay; nothing that starts changes it.
2. ``missed_deadlines``: gangs with a deadline that do not end by it (they are not started then).
3. ``sla_missed`` (policy ``sla``): gangs that start after creation plus waiting time, or not at all.
4. For each class and rank from the top: ``gpu_hours``, GPU-seconds of work done in the horizon, then ``delay``, the
   gangs' GPUs times seconds from their first possible start to their start (to the horizon's end for those that do
   not start). A rank is decided with its delay before the next one begins, so what is back-filled below can neither
   take work from it nor postpone it.
5. ``lost_work``: GPU-seconds of restarts and of work done twice.
6. ``kept_starts``: starts as in the previous schedule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from planner.problem.linear import Expression, TierGoal
from planner.problem.timed import Column, TimedProblem, WorkClass

Kind = Literal["returns", "deadlines", "sla", "work", "delay", "lost", "kept"]


@dataclass(frozen=True)
class TimedTier:
    """One tier: a constant and an amount per gang of a column; ``place`` is the class and rank it is about."""

    name: str
    sense: Literal["max", "min"]
    unit: str
    kind: Kind
    constant: int
    ideal: int
    place: tuple[str, int] | None = None

    def amount(self, problem: TimedProblem, column: Column) -> int:
        """What one gang of a column adds (nothing for ``kept``, which is counted per class and bucket)."""
        one = problem.classes[column.work_class]
        if self.place is not None and (one.tier_class, one.rank) != self.place:
            return 0
        if self.kind == "work":
            return one.gpus * column.work_s
        if self.kind == "delay":
            return weight_of(one) * (problem.delay_s(column) - wait_s(problem, one))
        if self.kind == "lost":
            return one.gpus * column.lost_s
        if self.kind == "deadlines":
            return -int(one.deadline_s is not None and column.done)
        if self.kind == "sla":
            edge = problem.horizon.edges[column.start]
            return -int(one.sla_s is not None and edge <= one.sla_s)
        return 0

    def value(self, problem: TimedProblem, chosen: Mapping[Column, int]) -> int:
        """The tier's value for gangs per column."""
        if self.kind == "kept":
            return kept_starts(problem, chosen)
        return self.constant + sum(
            self.amount(problem, column) * count for column, count in chosen.items()
        )

    def goal(
        self,
        problem: TimedProblem,
        columns: Sequence[Column],
        kept: Sequence[int] = (),
        beside: int = 0,
    ) -> TierGoal:
        """The tier over a model's columns; ``kept`` are its variables for kept starts, ``beside`` what is fixed."""
        if self.kind == "kept":
            expression = Expression(tuple(kept), (1,) * len(kept), beside)
        else:
            amounts = [(n, self.amount(problem, column)) for n, column in enumerate(columns)]
            terms = [(n, amount) for n, amount in amounts if amount]
            expression = Expression(
                tuple(n for n, _ in terms), tuple(a for _, a in terms), self.constant + beside
            )
        return TierGoal(self.name, self.sense, self.unit, expression, self.ideal)


def weight_of(one: WorkClass) -> int:
    """Weight of a gang's delay: its GPUs, at least 1."""
    return max(one.gpus, 1)


def wait_s(problem: TimedProblem, one: WorkClass) -> int:
    """Seconds from a gang's first possible start to the end of the horizon: its delay where it does not start."""
    return max(problem.horizon.end - max(one.earliest_s, problem.horizon.start), 0)


def kept_starts(problem: TimedProblem, chosen: Mapping[Column, int]) -> int:
    """Gangs that start in the bucket in which the previous schedule starts as many of their class."""
    found: dict[tuple[int, int], int] = {}
    for column, count in chosen.items():
        key = (column.work_class, column.start)
        found[key] = found.get(key, 0) + count
    return sum(
        min(found.get((number, bucket), 0), count) for number, bucket, count in problem.earlier
    )


def timed_tiers(problem: TimedProblem) -> tuple[TimedTier, ...]:
    """All tiers in their order."""
    classes, missed = problem.classes, problem.missed_returns
    found = [TimedTier("missed_returns", "min", "GPU-s", "returns", missed, missed)]
    late = sum(one.size for one in classes if one.deadline_s is not None)
    if late:
        found.append(
            TimedTier(
                "missed_deadlines",
                "min",
                "gangs",
                "deadlines",
                late,
                _never_kept(problem, "deadlines"),
            )
        )
    promised = sum(one.size for one in classes if one.sla_s is not None)
    if promised:
        found.append(
            TimedTier("sla_missed", "min", "gangs", "sla", promised, _never_kept(problem, "sla"))
        )
    work, delay = _best_cases(problem)
    for place in problem.order:
        here = [one for one in classes if (one.tier_class, one.rank) == place]
        name = f"{place[0]}.{place[1]}"
        found.append(TimedTier(f"{name}.gpu_hours", "max", "GPU-s", "work", 0, work[place], place))
        waits = sum(one.size * weight_of(one) * wait_s(problem, one) for one in here)
        found.append(
            TimedTier(f"{name}.delay", "min", "GPU-s", "delay", waits, delay[place], place)
        )
    if problem.starts.split:
        found.append(TimedTier("lost_work", "min", "GPU-s", "lost", 0, 0))
    if problem.earlier:
        most = sum(count for _, _, count in problem.earlier)
        found.append(TimedTier("kept_starts", "max", "gangs", "kept", 0, most))
    return tuple(found)


def _never_kept(problem: TimedProblem, kind: Kind) -> int:
    """Gangs with a promise that no way to run them keeps."""
    tier = TimedTier("", "min", "gangs", kind, 0, 0)
    may = {column.work_class for column in problem.starts.columns() if tier.amount(problem, column)}
    mark = "deadline_s" if kind == "deadlines" else "sla_s"
    return sum(
        one.size
        for number, one in enumerate(problem.classes)
        if getattr(one, mark) is not None and number not in may
    )


def _best_cases(
    problem: TimedProblem,
) -> tuple[dict[tuple[str, int], int], dict[tuple[str, int], int]]:
    """Per class and rank the work and the delay if every gang ran alone."""
    starts = problem.starts
    work = [0] * len(problem.classes)
    delay = [wait_s(problem, one) for one in problem.classes]
    for line, (number, _) in enumerate(starts.pairs):
        may = starts.may[line]
        if may.any():
            first = starts.column(line, int(may.argmax()))
            work[number] = max(work[number], int(starts.work[line][may].max()))
            delay[number] = min(delay[number], problem.delay_s(first))
    for column in starts.split:
        work[column.work_class] = max(work[column.work_class], column.work_s)
        delay[column.work_class] = min(delay[column.work_class], problem.delay_s(column))
    best_work = dict.fromkeys(problem.order, 0)
    best_delay = dict.fromkeys(problem.order, 0)
    for number, one in enumerate(problem.classes):
        place = (one.tier_class, one.rank)
        best_work[place] += one.size * one.gpus * work[number]
        best_delay[place] += one.size * weight_of(one) * delay[number]
    return best_work, best_delay
