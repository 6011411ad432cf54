"""Work over time by index: room per row and bucket, and classes of gangs with the places in which they may run.

A *row* is anything that a running gang uses a constant amount of: a resource of a pool, the GPUs of a set of nodes,
what may be lent, a dimension of a queue's limit. A gang that runs through buckets ``[s, e)`` takes its amount from
every one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from models.horizon import Horizon
from planner.problem.placement import BoolArray, IntArray


@dataclass(frozen=True, slots=True)
class TimedRow:
    """One kind of room.

    Attributes
    ----------
    kind
        ``room``, ``nodes``, ``pieces``, ``lent``, ``slow``, ``reserved`` or ``queue``.
    subject
        Pool or queue.
    detail
        Resource, or what else tells it from its neighbours.
    """

    kind: str
    subject: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Pods of one shape of a gang in one pool; ``shape`` -1 where the pods run already and have none."""

    shape: int
    count: int
    pool: int


@dataclass(frozen=True, slots=True)
class Option:
    """One way to spread a gang over pools, and (row, amount) of what it uses while it runs."""

    pools: tuple[int, ...]
    use: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class WorkClass:
    """Gangs that are the same for every row, value and tier.

    Attributes
    ----------
    items
        Indices into the schedule's work items, in the order in which they start.
    gpus
        GPUs of one gang.
    duration_s
        Seconds of work of one gang, restarts not included.
    earliest_s, deadline_s, sla_s
        Seconds since the epoch; None where there is none.
    interval_s, restart_s
        Seconds between checkpoints (0 = none) and of a restart.
    """

    items: tuple[int, ...]
    options: tuple[Option, ...]
    gpus: int
    duration_s: int
    earliest_s: int
    deadline_s: int | None
    sla_s: int | None
    stoppable: bool
    interval_s: int
    restart_s: int
    tier_class: str
    rank: int

    @property
    def size(self) -> int:
        """Number of gangs."""
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Column:
    """Gangs of a class that run in one option through the same stretches of buckets.

    Attributes
    ----------
    stretches
        Half-open bucket ranges, ascending; more than one where the gang is stopped and resumes.
    work_s
        Seconds of useful work within the horizon.
    lost_s
        Seconds of restarts and of work since the last checkpoint.
    done
        The work ends within the horizon (and before its deadline).
    """

    work_class: int
    option: int
    stretches: tuple[tuple[int, int], ...]
    work_s: int
    lost_s: int
    done: bool

    @property
    def start(self) -> int:
        """First bucket."""
        return self.stretches[0][0]


Chosen = dict[Column, int]
"""Gangs per column."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Gangs of some columns, so many of each, that do not find nodes at the same time."""

    columns: tuple[tuple[Column, int], ...]


@dataclass(frozen=True)
class StartTable:
    """All ways to run every class: arrays over starts for whole runs, a list of split ones.

    Attributes
    ----------
    pairs
        (class, option) per line of the arrays.
    may
        ``[pairs, buckets]`` one gang has room for a run that begins in the bucket, and keeps its deadline.
    ends
        ``[pairs, buckets]`` first bucket after the run.
    work
        ``[pairs, buckets]`` seconds of work within the horizon.
    split
        Columns of gangs that stop and resume.
    """

    horizon: Horizon
    pairs: tuple[tuple[int, int], ...]
    may: BoolArray
    ends: IntArray
    work: IntArray
    done: BoolArray
    split: tuple[Column, ...]

    def column(self, line: int, start: int) -> Column:
        """The whole run of a line that begins in a bucket."""
        number, place = self.pairs[line]
        return Column(
            work_class=number,
            option=place,
            stretches=((start, int(self.ends[line, start])),),
            work_s=int(self.work[line, start]),
            lost_s=0,
            done=bool(self.done[line, start]),
        )

    @property
    def size(self) -> int:
        """Number of columns."""
        return int(self.may.sum()) + len(self.split)

    def columns(self) -> Iterator[Column]:
        """Every column, class by class."""
        for line, start in zip(*np.nonzero(self.may), strict=True):
            yield self.column(int(line), int(start))
        yield from self.split


class ShareRooms(Protocol):
    """Rooms of rows that depend on which gangs have ended before a bucket."""

    def room(self, bucket: int, ended: Mapping[int, int]) -> Mapping[int, int]:
        """Row to its room in a bucket in which a gang of it starts; ``ended`` counts gangs per work class."""
        ...

    def limits(self, bucket: int, ended: Mapping[int, int]) -> Mapping[tuple[str, str], int]:
        """(queue, dimension) to its limit in a bucket."""
        ...


@dataclass(frozen=True)
class TimedProblem:
    """Rows, classes and columns.

    Attributes
    ----------
    room
        ``[rows, buckets]`` what scheduled gangs may use beside running ones; never negative.
    order
        (tier class, rank) in the order of the tiers.
    earlier
        Per work class the number of its gangs that a previous schedule starts in a bucket.
    missed_returns
        GPU-seconds that online services lack because running gangs hold their room and may not be stopped.
    shares
        What rows of queues hold in a schedule, where that depends on it; their ``room`` is the most that it can be.
    """

    horizon: Horizon
    pools: tuple[str, ...]
    rows: tuple[TimedRow, ...]
    room: IntArray
    classes: tuple[WorkClass, ...]
    starts: StartTable
    order: tuple[tuple[str, int], ...]
    earlier: tuple[tuple[int, int, int], ...] = ()
    missed_returns: int = 0
    shares: ShareRooms | None = None

    def option_of(self, column: Column) -> Option:
        """Where the column's gangs run."""
        return self.classes[column.work_class].options[column.option]

    def delay_s(self, column: Column) -> int:
        """Seconds from the moment a gang of the column could first start to its start."""
        one = self.classes[column.work_class]
        return max(self.horizon.edges[column.start] - max(one.earliest_s, self.horizon.start), 0)
