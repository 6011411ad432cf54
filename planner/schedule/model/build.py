"""The model of a schedule over a list of columns.

Variables ``x_j`` (gangs of column j) are integer. For row k and bucket t

    ``sum(a_kj x_j: j runs in t) <= room_kt``

A bucket in which the same columns run as in another one of no more room needs no row. (Rows of levels, with two entries
per column instead of one per bucket, are a third of the size and far better for linear programs, see
:mod:`planner.schedule.model.generation`; in integer programs their long chains keep HiGHS in its cut separation.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planner.problem.linear import LinearModel, TierGoal
from planner.problem.placement import IntArray
from planner.problem.timed import Chosen, Column, Conflict, TimedProblem, WorkClass
from planner.schedule.encode.settle import BrokenShare
from planner.schedule.model.tiers import TimedTier


@dataclass(frozen=True)
class Mark:
    """A variable that is 1 only where gangs of some columns number between two amounts."""

    variable: int
    columns: tuple[int, ...]
    least: int
    most: int


@dataclass(frozen=True)
class BuiltSchedule:
    """The model and its tiers.

    Attributes
    ----------
    columns
        The first variables.
    kept
        (variable, columns, most) that count starts which a previous schedule had as well.
    marks
        Variables of cuts for shares.
    """

    problem: TimedProblem
    model: LinearModel
    goals: tuple[TierGoal, ...]
    columns: tuple[Column, ...]
    kept: tuple[tuple[int, tuple[int, ...], int], ...]
    marks: tuple[Mark, ...] = ()

    def values(self, chosen: Mapping[Column, int]) -> tuple[int, ...]:
        """Values of all variables from the gangs per column."""
        values = [0] * self.model.size
        for number, column in enumerate(self.columns):
            values[number] = chosen.get(column, 0)
        for variable, members, most in self.kept:
            values[variable] = min(sum(values[one] for one in members), most)
        for mark in self.marks:
            count = sum(values[one] for one in mark.columns)
            values[mark.variable] = int(mark.least <= count <= mark.most)
        return tuple(values)

    def chosen(self, values: Sequence[float]) -> dict[Column, float]:
        """Gangs per column of a solution, those without left out."""
        return {
            column: value
            for column, value in zip(self.columns, values, strict=False)
            if value > 1e-9
        }


def build_schedule(
    problem: TimedProblem,
    columns: Sequence[Column],
    tiers: Sequence[TimedTier],
    *,
    shares: Sequence[BrokenShare] = (),
    conflicts: Sequence[Conflict] = (),
    fixed: Mapping[Column, int] | None = None,
) -> BuiltSchedule:
    """Variables, rows and tiers over some columns; gangs in ``fixed`` columns run as they are."""
    fixed = fixed or {}
    room, left = _beside(problem, fixed)
    model = LinearModel()
    for column in columns:
        model.variable(0, _most(problem, column, room, left))
    _class_sizes(columns, left, model)
    _rooms(problem, columns, room, model)
    marks = [_share_cut(problem, columns, one, model) for one in shares]
    marks += [_conflict_cut(problem, columns, one, model) for one in conflicts]
    kept = _kept(problem, columns, model, fixed)
    beside = [tier.value(problem, fixed) - tier.constant for tier in tiers]
    goals = tuple(
        tier.goal(problem, columns, [variable for variable, _, _ in kept], amount)
        for tier, amount in zip(tiers, beside, strict=True)
    )
    return BuiltSchedule(
        problem, model, goals, tuple(columns), kept, tuple(mark for some in marks for mark in some)
    )


def _beside(problem: TimedProblem, fixed: Mapping[Column, int]) -> tuple[IntArray, list[int]]:
    room, left = problem.room.copy(), [one.size for one in problem.classes]
    for column, count in fixed.items():
        left[column.work_class] -= count
        for row, amount in problem.option_of(column).use:
            for start, end in column.stretches:
                room[row, start:end] -= amount * count
    return room, left


def _most(problem: TimedProblem, column: Column, room: IntArray, left: Sequence[int]) -> int:
    most = left[column.work_class]
    for row, amount in problem.option_of(column).use:
        for start, end in column.stretches:
            most = min(most, int(room[row, start:end].min()) // amount)
    return max(most, 0)


def _class_sizes(columns: Sequence[Column], left: Sequence[int], model: LinearModel) -> None:
    """A gang runs at most once."""
    members: dict[int, list[tuple[int, int]]] = {}
    for number, column in enumerate(columns):
        members.setdefault(column.work_class, []).append((number, 1))
    for work_class, terms in members.items():
        model.at_most(terms, left[work_class], "gangs of a class")


def _rooms(
    problem: TimedProblem, columns: Sequence[Column], room: IntArray, model: LinearModel
) -> None:
    """What runs in a bucket fits into its room."""
    terms: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for number, column in enumerate(columns):
        for row, amount in problem.option_of(column).use:
            for start, end in column.stretches:
                for bucket in range(start, end):
                    terms.setdefault((row, bucket), []).append((number, amount))
    tightest: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
    for (row, bucket), members in terms.items():
        key = (row, tuple(members))
        tightest[key] = min(tightest.get(key, 1 << 60), int(room[row, bucket]))
    for (row, entries), high in tightest.items():
        model.at_most(entries, high, problem.rows[row].kind)


def _share_cut(
    problem: TimedProblem, columns: Sequence[Column], one: BrokenShare, model: LinearModel
) -> list[Mark]:
    """What a row holds in a bucket in which gangs of it start, for all schedules that give it no larger share.

    A share grows with what its queue asks for and shrinks with what others do. So in every schedule in which at least
    as many gangs of its queue have ended by then, and at most as many of each class of others, the row's room is no
    larger than in the schedule that broke it.
    """
    used: list[tuple[int, int]] = []
    starts: list[int] = []
    ended: dict[int, list[int]] = {}
    for number, column in enumerate(columns):
        amount = dict(problem.option_of(column).use).get(one.row, 0)
        if amount and any(start <= one.bucket < end for start, end in column.stretches):
            used.append((number, amount))
        if amount and any(start == one.bucket for start, _ in column.stretches):
            starts.append(number)
        if column.done and column.stretches[-1][1] <= one.bucket:
            ended.setdefault(column.work_class, []).append(number)
    wide = int(problem.room[one.row, one.bucket]) - one.room
    if not starts or wide <= 0:
        return []
    begun = model.variable(0, 1)
    most = sum(model.upper[number] for number in starts)
    model.at_most([*((n, 1) for n in starts), (begun, -most)], 0, "starts of a share")
    terms = [*used, (begun, wide)]
    marks = [Mark(begun, tuple(starts), 1, most)]
    own = {n for n, work in enumerate(problem.classes) if _uses(work, one.row)}
    for number, members in ended.items():
        had, size = one.ended.get(number, 0), problem.classes[number].size
        if number in own and had:
            fewer = model.variable(0, 1)
            counted = [(n, 1) for n in members]
            model.at_most([*counted, (fewer, size - had + 1)], size, "fewer have ended")
            marks.append(Mark(fewer, tuple(members), 0, had - 1))
            terms.append((fewer, -wide))
        elif number not in own and had < size:
            more = model.variable(0, 1)
            counted = [(n, -1) for n in members]
            model.at_most([*counted, (more, had + 1)], 0, "more have ended")
            marks.append(Mark(more, tuple(members), had + 1, size))
            terms.append((more, -wide))
    model.at_most(terms, one.room + wide, "share")
    return marks


def _conflict_cut(
    problem: TimedProblem, columns: Sequence[Column], one: Conflict, model: LinearModel
) -> list[Mark]:
    """Not all of these gangs at once; a run that covers another one's buckets in the same place takes as much."""
    marks = []
    for column, count in one.columns:
        members = tuple(number for number, other in enumerate(columns) if _covers(other, column))
        size = problem.classes[column.work_class].size
        mark = model.variable(0, 1)
        model.at_most([*((n, 1) for n in members), (mark, -size)], count - 1, "conflict")
        marks.append(Mark(mark, members, count, size))
    model.at_most([(mark.variable, 1) for mark in marks], len(marks) - 1, "conflict")
    return marks


def _covers(one: Column, other: Column) -> bool:
    """One whole run that holds what another one holds, and longer."""
    if (one.work_class, one.option) != (other.work_class, other.option):
        return False
    if one.stretches == other.stretches:
        return True
    if len(one.stretches) > 1 or len(other.stretches) > 1:
        return False
    return (
        one.stretches[0][0] <= other.stretches[0][0]
        and one.stretches[0][1] >= other.stretches[0][1]
    )


def _uses(one: WorkClass, row: int) -> bool:
    return any(row == used for option in one.options for used, _ in option.use)


def _kept(
    problem: TimedProblem,
    columns: Sequence[Column],
    model: LinearModel,
    fixed: Mapping[Column, int],
) -> tuple[tuple[int, tuple[int, ...], int], ...]:
    """Starts in the bucket of the previous schedule, counted up to their number then."""
    found = []
    for work_class, bucket, count in problem.earlier:
        members = tuple(
            number
            for number, column in enumerate(columns)
            if column.work_class == work_class and column.start == bucket
        )
        had = sum(
            n for one, n in fixed.items() if one.work_class == work_class and one.start == bucket
        )
        if members and had < count:
            variable = model.variable(0, count - had)
            model.at_most([(variable, 1), *((one, -1) for one in members)], 0, "starts as before")
            found.append((variable, members, count - had))
    return tuple(found)


def whole(counts: Mapping[Column, float]) -> Chosen:
    """Counts as integers."""
    return {column: round(count) for column, count in counts.items() if round(count)}
