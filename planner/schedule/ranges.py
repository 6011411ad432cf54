"""Range of every start: what if all estimated runs before it were as short, or as long, as their owners' history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from models.running_time import remaining_s, started_at
from planner.problem.timed import Column
from planner.schedule.encode.build import TimedInput
from planner.schedule.encode.occupancy import RunningGang
from planner.schedule.pools import pool_gpus_of


@dataclass(frozen=True, slots=True)
class StartRange:
    """Seconds since the epoch; ``latest_s`` is None where it may lie beyond the horizon."""

    earliest_s: int
    latest_s: int | None


def start_ranges(given: TimedInput, times: Mapping[int, Column]) -> dict[int, StartRange]:
    """Earliest and latest start per work item.

    Gangs are taken in the order of their planned starts, and each gets the first bucket in which the GPUs of its pools
    suffice: once with short runs (at most as late as planned), once with long ones (at least as late as planned). Only
    GPUs are looked at; where nothing is uncertain, planned and possible start agree.
    """
    short, long = _Walk(given, low=True), _Walk(given, low=False)
    order = sorted(times, key=lambda i: (times[i].start, given.items[i].gang.full_name))
    found = {}
    edges = given.problem.horizon.edges
    for item in order:
        column = times[item]
        early = min(short.start(item, column), column.start)
        late = max(long.start(item, column), column.start)
        short.hold(item, column, early)
        long.hold(item, column, late)
        found[item] = StartRange(
            edges[early], edges[late] if late < given.problem.horizon.count else None
        )
    return found


class _Walk:
    """GPUs of every pool over time with durations of one side of their ranges."""

    def __init__(self, given: TimedInput, *, low: bool) -> None:
        self.given, self.low = given, low
        durations = [gang.duration for gang in given.occupancy.running]
        durations += [item.duration for item in given.items]
        self.uncertain = any(one.uncertain for one in durations)
        self.room = given.supply.capacity.copy()
        self._released: dict[int, int] = {}
        for gang in given.occupancy.running:
            self._run(gang)

    def _run(self, gang: RunningGang) -> None:
        one, horizon = self.given.occupancy, self.given.problem.horizon
        pods = self.given.prepared.snapshot.pods_of(gang.gang)
        whole = gang.duration.low_s if self.low else gang.duration.high_s
        left = remaining_s(whole, started_at(pods), horizon.start)
        if not gang.duration.uncertain:
            left = gang.remaining_s
        end = horizon.end_bucket(horizon.start + left)
        if gang.stop_bucket is not None:
            end = min(end, gang.stop_bucket)
        for node, vector in gang.held:
            if one.open[node]:
                pool = int(one.pool_of_node[node])
                self.room[pool, :end] -= int(one.gpus(vector))
                self._released[pool] = min(self._released.get(pool, end), end)

    def start(self, item: int, column: Column) -> int:
        """First bucket from the earliest possible one in which the gang's GPUs are free for its run."""
        horizon = self.given.problem.horizon
        if not self.uncertain:
            return column.start
        need = self._gpus(item, column)
        first = horizon.first_from(max(self.given.items[item].earliest_s, horizon.start))
        if not self.low:
            first = column.start
        elif column.start > first:  # it waits for something that ends
            released = min((self._released.get(pool, first) for pool in need), default=first)
            first = min(max(first, released), column.start)
        for bucket in range(first, horizon.count):
            end = self._end(item, bucket)
            if all(int(self.room[pool, bucket:end].min()) >= n for pool, n in need.items()):
                return bucket
        return horizon.count

    def hold(self, item: int, column: Column, bucket: int) -> None:
        """The gang runs from this bucket on."""
        if bucket < self.given.problem.horizon.count:
            for pool, gpus in self._gpus(item, column).items():
                end = self._end(item, bucket)
                self.room[pool, bucket:end] -= gpus
                self._released[pool] = min(self._released.get(pool, end), end)

    def _end(self, item: int, bucket: int) -> int:
        one = self.given.items[item]
        length = one.work_s
        if one.duration.uncertain:
            length = one.duration.low_s if self.low else one.duration.high_s
        horizon = self.given.problem.horizon
        return max(horizon.end_bucket(horizon.edges[bucket] + length), bucket + 1)

    def _gpus(self, item: int, column: Column) -> dict[int, int]:
        return pool_gpus_of(self.given, item, column)
