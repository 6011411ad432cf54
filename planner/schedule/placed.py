"""A schedule whose every start has its nodes: what does not fit where it is wanted starts as soon as it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from planner.problem.timed import Chosen, Column
from planner.reduce.disaggregate import Assignment
from planner.schedule.encode.build import TimedInput
from planner.schedule.encode.settle import SettlingWalk
from planner.schedule.growing import Grown
from planner.schedule.placing import NodeShare, Placer

MOST_TRIES = 3
"""Gangs of a class that are tried in a bucket before the class waits for the next one."""


@dataclass(frozen=True)
class Placed:
    """Starts of a schedule and their nodes.

    Attributes
    ----------
    times
        Work item to the column that it runs in.
    nodes
        Per work item and stretch where its pods are; gangs that start too late to be placed are left out.
    now
        Pods that are placed in the first bucket, by demand of the snapshot's problem.
    grown
        Pods above the minimum that run beside, by work item.
    """

    times: Mapping[int, Column]
    nodes: Mapping[int, tuple[tuple[NodeShare, ...], ...]]
    now: Assignment
    grown: Mapping[int, tuple[Grown, ...]] = field(default_factory=dict)


class PlacedWalk(SettlingWalk):
    """The walk over the buckets that places what starts.

    Attributes
    ----------
    times
        Work item to the column that it runs in.
    """

    def __init__(
        self,
        given: TimedInput,
        placer: Placer,
        earlier: Mapping[str, int],
    ) -> None:
        super().__init__(given.problem)
        self.given, self.placer, self.earlier = given, placer, earlier
        self.times: dict[int, Column] = {}
        self._left = [list(one.items) for one in given.problem.classes]
        placer.begin()

    def launch(self, bucket: int, wanted: Sequence[tuple[Column, int]]) -> Chosen:
        """Place gangs of some columns that begin in a bucket."""
        pairs: list[tuple[int, Column]] = []
        taken: set[int] = set()
        for column, count in wanted:
            chosen = self._candidates(column, count, taken)
            taken.update(chosen)
            pairs += [(item, column) for item in chosen]
        placed = self.placer.start_all(bucket, pairs)
        found: Chosen = {}
        for item, column in pairs:
            if item in placed:
                self._take(item, column, found)
        for column, count in wanted:
            missing = count - found.get(column, 0)
            others = [i for i in self._left[column.work_class] if i not in taken]
            for item in others[:MOST_TRIES] if missing > 0 else ():
                if self.placer.start(item, column):
                    self._take(item, column, found)
                    missing -= 1
                    if not missing:
                        break
        return found

    def _take(self, item: int, column: Column, found: Chosen) -> None:
        self.times[item] = column
        self._left[column.work_class].remove(item)
        found[column] = found.get(column, 0) + 1

    def _candidates(self, column: Column, count: int, taken: set[int]) -> list[int]:
        """Gangs of a class that start here: as in the earlier schedule where they did, else the oldest first."""
        left = [item for item in self._left[column.work_class] if item not in taken]

        def moved(item: int) -> bool:
            return self.earlier.get(self.given.items[item].gang.full_name) != column.start

        return sorted(left, key=lambda item: (moved(item), left.index(item)))[:count]
