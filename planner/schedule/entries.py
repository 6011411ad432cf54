"""Gangs of the ``schedule`` part: who starts when, in which pool, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from models.moments import local_text
from models.plan import Reason
from models.resources import Resources
from models.schedule import Growth, NodePods, Run, ScheduledGang, Shrink
from planner.problem.rule_names import is_rule
from planner.problem.timed import Column
from planner.schedule.encode.build import TimedInput
from planner.schedule.encode.occupancy import RunningGang
from planner.schedule.encode.work import CARRIED, WorkItem
from planner.schedule.growing import Grown
from planner.schedule.placing import NodeShare
from planner.schedule.pools import pool_gpus_of
from planner.schedule.ranges import StartRange

Times = Mapping[int, Column]
"""Work item to the column that it runs in."""


def times_of(given: TimedInput, chosen: Mapping[Column, int], earlier: Mapping[str, int]) -> Times:
    """Which gang of a class runs in which column: as before where it did, else the oldest first."""
    found: dict[int, Column] = {}
    by_class: dict[int, list[Column]] = {}
    for column, count in chosen.items():
        by_class.setdefault(column.work_class, []).extend([column] * count)
    for number, columns in by_class.items():
        columns.sort(key=lambda c: (c.stretches, c.option))
        left = list(given.problem.classes[number].items)
        for column in list(columns):
            same = (i for i in left if earlier.get(given.items[i].gang.full_name) == column.start)
            item = next(same, None)
            if item is not None:
                found[item] = column
                left.remove(item)
                columns.remove(column)
        found.update(zip(left, columns, strict=False))
    return found


class Entries:
    """Makes the entries of one schedule."""

    def __init__(
        self,
        given: TimedInput,
        earlier: Mapping[str, int] | None = None,
        nodes: Mapping[int, Sequence[Sequence[NodeShare]]] | None = None,
        grown: Mapping[int, Sequence[Grown]] | None = None,
    ) -> None:
        self.given = given
        self.nodes, self.grown = nodes or {}, grown or {}
        self.earlier = earlier or {}
        self.horizon = given.problem.horizon
        self.lending = given.occupancy.lending

    def text(self, bucket: int) -> str:
        """Time of an edge."""
        return local_text(self.horizon.edges[bucket], self.horizon.timezone)

    def at(self, second: int) -> str:
        """Time of a moment."""
        return local_text(second, self.horizon.timezone)

    def running(self) -> list[ScheduledGang]:
        """Gangs that run now."""
        parts: dict[str, list[RunningGang]] = {}
        for one in self.given.occupancy.running:
            parts.setdefault(one.gang.full_name, []).append(one)
        return [self._together([self._running(p) for p in some], some) for some in parts.values()]

    def _together(
        self, entries: Sequence[ScheduledGang], parts: Sequence[RunningGang]
    ) -> ScheduledGang:
        """A gang and its pods that leave earlier as one entry."""
        (core, *others) = sorted(zip(entries, parts, strict=True), key=lambda p: len(p[1].shed))
        if not others:
            return core[0]
        requests = dict(core[0].requests.as_dict())
        for entry, _ in others:
            for name, amount in entry.requests.items():
                requests[name] = requests.get(name, 0) + amount
        return core[0].model_copy(
            update={
                "gpus": sum(entry.gpus for entry in entries),
                "requests": Resources(requests),
                "runs": _joined(
                    [run for entry in (core[0], *(e for e, _ in others)) for run in entry.runs]
                ),
                "work_gpu_seconds": sum(entry.work_gpu_seconds for entry in entries),
                "reasons": tuple(
                    {r.message: r for entry in entries for r in entry.reasons}.values()
                ),
                "shrinks": tuple(
                    Shrink(
                        bucket=bucket,
                        pods=tuple(
                            sorted(n for _, p in others if p.gone_bucket == bucket for n in p.shed)
                        ),
                    )
                    for bucket in sorted({part.gone_bucket for _, part in others})
                    if bucket < core[1].gone_bucket
                ),
            }
        )

    def _running(self, one: RunningGang) -> ScheduledGang:
        end = self.horizon.start + one.remaining_s
        gone = end if one.stop_bucket is None else self.horizon.edges[one.stop_bucket]
        pools: dict[int, int] = {}
        gpus: dict[int, int] = {}
        for node, vector in one.held:
            pool = int(self.given.occupancy.pool_of_node[node])
            pools[pool] = pools.get(pool, 0) + int(vector[-1])
            gpus[pool] = gpus.get(pool, 0) + int(self.given.occupancy.gpus(vector))
        runs = tuple(
            Run(
                pool=self.given.problem.pools[pool],
                start_bucket=0,
                end_bucket=one.gone_bucket,
                starts_at=self.text(0),
                ends_at=self.at(gone),
                pods=pods,
                gpus=gpus[pool],
            )
            for pool, pods in sorted(pools.items())
        )
        return ScheduledGang(
            namespace=one.gang.namespace,
            name=one.gang.name,
            queue=one.gang.queue,
            priority=one.gang.priority,
            status="running",
            gpus=one.gpus,
            requests=_resources(self.given, one.held),
            duration=one.duration,
            runs=runs,
            ends_at=self.at(gone),
            work_gpu_seconds=one.gpus * (min(gone, self.horizon.end) - self.horizon.start),
            grace_s=one.grace_s,
            stoppable=one.stoppable,
            leaves_in_time=self.lending is not None and not one.slow,
            reasons=one.reasons,
        )

    def started(self, number: int, column: Column, span: StartRange | None) -> ScheduledGang:
        """A gang that starts."""
        item = self.given.items[number]
        first = self.horizon.edges[column.start]
        base = self._base(item)
        return base.model_copy(
            update={
                "status": "starts",
                "runs": self._runs(number, column),
                "starts_at": self.at(first),
                "ends_at": self.at(self._end(item, column)),
                "earliest": self.at(span.earliest_s if span else first),
                "latest": None
                if span is not None and span.latest_s is None
                else self.at(span.latest_s if span and span.latest_s else first),
                "work_gpu_seconds": item.gpus * column.work_s,
                "lost_gpu_seconds": item.gpus * column.lost_s,
                "delay_s": max(first - max(item.earliest_s, self.horizon.start), 0),
                "grows": self._grows(number, column),
                "reasons": self._resumed(item),
            }
        )

    def _grows(self, number: int, column: Column) -> tuple[Growth, ...]:
        names, nodes = self.given.occupancy.names, self.given.prepared.snapshot.nodes
        ends = min(self._end(self.given.items[number], column), self.horizon.end)
        found = []
        for one in self.grown.get(number, ()):
            gpus = int(self.given.occupancy.gpus(one.share.vector))
            pairs = zip(names[:-1], one.share.vector, strict=False)
            found.append(
                Growth(
                    start_bucket=one.start,
                    end_bucket=column.stretches[-1][1],
                    node=nodes[one.share.node].name,
                    pods=one.share.pods,
                    gpus=gpus,
                    gpu_seconds=gpus * (ends - self.horizon.edges[one.start]),
                    requests=Resources({n: int(a) for n, a in pairs if a and not is_rule(n)}),
                )
            )
        return tuple(found)

    def _resumed(self, item: WorkItem) -> tuple[Reason, ...]:
        if item.demand != CARRIED:
            return ()
        told = f"goes on after it had to leave, {item.resumed_from:,} s of its work are saved"
        return (Reason(code="scheduled_later", message=told),)

    def waits(self, number: int, reasons: Sequence[Reason], fixes: Sequence[str]) -> ScheduledGang:
        """A gang that does not start within the horizon."""
        item = self.given.items[number]
        wait = max(self.horizon.end - max(item.earliest_s, self.horizon.start), 0)
        return self._base(item).model_copy(
            update={"delay_s": wait, "reasons": tuple(reasons), "fixes": tuple(fixes)}
        )

    def _base(self, item: WorkItem) -> ScheduledGang:
        names = self.given.prepared.problem.dimensions
        if item.demand == CARRIED:
            names = self.given.occupancy.names
        pairs = zip(names, item.vector, strict=True)
        amounts = {name: int(a) for name, a in pairs if a and not is_rule(name)}
        later = item.earliest_s > self.horizon.start
        return ScheduledGang(
            namespace=item.gang.namespace,
            name=item.gang.name,
            queue=item.gang.queue,
            priority=item.gang.priority,
            status="waits",
            tier_class=item.tier_class,
            rank=item.rank,
            gpus=item.gpus,
            requests=Resources(amounts),
            duration=item.duration,
            earliest_start=self.at(item.earliest_s) if later else None,
            deadline=None if item.deadline_s is None else self.at(item.deadline_s),
            grace_s=item.grace_s,
            stoppable=item.stoppable,
            leaves_in_time=self.lending is not None and not item.slow,
            previous_start_bucket=self.earlier.get(item.gang.full_name),
        )

    def _end(self, item: WorkItem, column: Column) -> int:
        """When its work ends; a gang that does not resume ends with its last stretch."""
        start, end = column.stretches[-1]
        if column.done or end == self.horizon.count:
            left = item.work_s
            for before, after in column.stretches[:-1]:
                left -= self.horizon.edges[after] - self.horizon.edges[before]
            if len(column.stretches) > 1:
                return self.horizon.edges[end]
            return self.horizon.edges[start] + left
        return self.horizon.edges[end]

    def _runs(self, number: int, column: Column) -> tuple[Run, ...]:
        item = self.given.items[number]
        pools: dict[int, int] = {}
        for part in self.given.parts[number][column.option]:
            pools[part.pool] = pools.get(part.pool, 0) + part.count
        gpus = pool_gpus_of(self.given, number, column)
        found = []
        for stretch, (start, end) in enumerate(column.stretches):
            last = (start, end) == column.stretches[-1]
            ends = self._end(item, column) if last else self.horizon.edges[end]
            for pool, pods in sorted(pools.items()):
                found.append(
                    Run(
                        pool=self.given.problem.pools[pool],
                        start_bucket=start,
                        end_bucket=end,
                        starts_at=self.text(start),
                        ends_at=self.at(ends),
                        pods=pods,
                        gpus=gpus[pool],
                        nodes=self._on_nodes(number, stretch, pool),
                    )
                )
        return tuple(found)

    def _on_nodes(self, number: int, stretch: int, pool: int) -> tuple[NodePods, ...]:
        """Where the pods of a gang are in one pool in one stretch."""
        if number not in self.nodes:
            return ()
        one, names = self.given.occupancy, self.given.prepared.snapshot.nodes
        return tuple(
            NodePods(
                node=names[share.node].name,
                pods=share.pods,
                requests=Resources(
                    {
                        n: int(a)
                        for n, a in zip(one.names[:-1], share.vector, strict=False)
                        if a and not is_rule(n)
                    }
                ),
            )
            for share in self.nodes[number][stretch]
            if int(one.pool_of_node[share.node]) == pool
        )


def _joined(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Runs in one pool that end together as one."""
    found: dict[tuple[str, int], Run] = {}
    for run in runs:
        key = (run.pool, run.end_bucket)
        known = found.get(key)
        more = {"pods": known.pods + run.pods, "gpus": known.gpus + run.gpus} if known else {}
        found[key] = run.model_copy(update=more)
    return tuple(found.values())


def _resources(given: TimedInput, held: Sequence[tuple[int, object]]) -> Resources:
    total: dict[str, int] = {}
    for _, vector in held:
        for name, amount in zip(given.occupancy.names, vector, strict=True):  # type: ignore[call-overload]
            if amount and not is_rule(name):
                total[name] = total.get(name, 0) + int(amount)
    return Resources(total)
