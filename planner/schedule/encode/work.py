"""Work that waits: one item per gang, with what it needs and where its pods may go."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from models.horizon import Horizon
from models.lending import LendingLimits
from models.running_time import (
    deadline_of,
    duration_of,
    earliest_start_of,
    grace_of,
    latest_start_of,
    may_be_stopped,
    saving_of,
)
from models.schedule import Duration
from models.workloads import Gang
from planner.capacity.fit import Room, minimum_counts
from planner.capacity.fits_alone import ExactFit
from planner.encode.prepared import Prepared
from planner.problem.placement import IntArray
from planner.schedule.encode.occupancy import Occupancy, RunningGang, is_slow
from planner.schedule.encode.whole_gpus import whole_gpus

CARRIED = -1
"""Demand of an item that carries on a running gang's work."""


@dataclass(frozen=True)
class WorkItem:
    """One gang that waits, or the rest of a running one that has to leave.

    Attributes
    ----------
    demand
        Index into the placement problem's demands, or :data:`CARRIED`.
    pieces
        (shape, count) of a set of pods that makes it ready.
    counts
        The same as (item of the demand, count).
    vector
        What they request over the placement problem's dimensions (a carried gang: over those of the occupancy).
    held
        Per pool what a carried gang held, empty otherwise.
    """

    gang: Gang
    demand: int
    queue: int
    queue_chain: tuple[int, ...]
    pieces: tuple[tuple[int, int], ...]
    counts: tuple[tuple[int, int], ...]
    vector: IntArray
    gpus: int
    duration: Duration
    work_s: int
    earliest_s: int
    deadline_s: int | None
    sla_s: int | None
    grace_s: int
    stoppable: bool
    slow: bool
    interval_s: int
    restart_s: int
    tier_class: str = ""
    rank: int = 0
    held: tuple[tuple[int, IntArray], ...] = ()
    resumed_from: int = 0
    """Seconds of work that a carried gang has saved already."""


def waiting_work(
    prepared: Prepared, horizon: Horizon, lending: LendingLimits | None, exact: ExactFit
) -> tuple[WorkItem, ...]:
    """An item per demand that is not ready, in the demands' order.

    Which pods make a gang with subgroups ready is found by ``exact`` in the empty cluster.
    """
    empty = np.maximum(prepared.problem.free, _empty(prepared))
    room = Room(prepared.problem, empty)
    no_limits = {queue: np.full_like(one, -1) for queue, one in room.queues.items()}
    found = []
    for index, demand in enumerate(prepared.problem.demands):
        if demand.ready:
            continue
        if demand.grouped:
            alone = Room(replace(prepared.problem, queue_room=no_limits), empty)
            fitting = exact(prepared.problem, demand, alone)
            counts = None if fitting is None else fitting[0]
        else:
            counts = minimum_counts(demand, prepared.problem, room)
        if counts is None:
            continue
        pieces: dict[int, int] = {}
        for item, count in counts.items():
            shape = demand.items[item].shape
            pieces[shape] = pieces.get(shape, 0) + count
        found.append(_item(prepared, horizon, lending, index, counts, pieces))
    return tuple(found)


def _empty(prepared: Prepared) -> IntArray:
    names = prepared.problem.dimensions
    rows = [[node.allocatable.amount(name) for name in names] for node in prepared.ruled.nodes]
    return np.array(rows, dtype=np.int64).reshape(prepared.problem.free.shape)


def _item(
    prepared: Prepared,
    horizon: Horizon,
    lending: LendingLimits | None,
    index: int,
    counts: dict[int, int],
    pieces: dict[int, int],
) -> WorkItem:
    problem, policy = prepared.problem, prepared.policy.policy
    demand = problem.demands[index]
    case = prepared.cases[demand.gang]
    gang, pods = case.gang, case.pods
    vector = sum(
        (problem.requests[shape] * count for shape, count in pieces.items()),
        np.zeros(len(problem.dimensions), dtype=np.int64),
    )
    devices = whole_gpus(prepared)
    duration = duration_of(gang, pods, policy)
    stoppable, grace = may_be_stopped(gang, pods), grace_of(gang, pods, policy)
    interval, restart = saving_of(gang, pods, policy)
    return WorkItem(
        gang=gang,
        demand=index,
        queue=demand.queue,
        queue_chain=demand.queue_chain,
        pieces=tuple(sorted(pieces.items())),
        counts=tuple(sorted(counts.items())),
        vector=vector,
        gpus=sum(int(devices[shape]) * count for shape, count in pieces.items()),
        duration=duration,
        work_s=duration.seconds,
        earliest_s=max(earliest_start_of(gang, pods) or horizon.start, horizon.start),
        deadline_s=deadline_of(gang, pods),
        sla_s=latest_start_of(gang) if prepared.policy.sla else None,
        grace_s=grace,
        stoppable=stoppable and interval > 0,
        slow=is_slow(lending, grace, stoppable=stoppable),
        interval_s=interval,
        restart_s=restart,
    )


def carried_work(prepared: Prepared, one: Occupancy) -> tuple[WorkItem, ...]:
    """The rest of running gangs that have to leave: saved work counts, the rest is done again."""
    number = {name: index for index, name in enumerate(prepared.problem.queue_names)}
    return tuple(
        _carried(prepared, one, running, running.stop_bucket, number)
        for running in one.running
        if running.stop_bucket is not None and not running.shed and running.gang.queue in number
    )


def _carried(
    prepared: Prepared, one: Occupancy, running: RunningGang, stop: int, number: dict[str, int]
) -> WorkItem:
    gang = running.gang
    pods = prepared.snapshot.pods_of(gang)
    spent = one.horizon.edges[stop] - one.horizon.start
    ran = max(running.duration.seconds - running.remaining_s, 0) + spent
    saved = ran - ran % running.interval_s if running.interval_s else 0
    whole = max(running.duration.seconds, running.remaining_s)
    by_pool: dict[int, IntArray] = {}
    for node, vector in running.held:
        pool = int(one.pool_of_node[node])
        by_pool[pool] = by_pool.get(pool, np.zeros(len(one.names), dtype=np.int64)) + vector
    total = sum(by_pool.values(), np.zeros(len(one.names), dtype=np.int64))
    return WorkItem(
        gang=gang,
        demand=CARRIED,
        queue=number[gang.queue],
        queue_chain=tuple(
            number[name] for name in prepared.limits.chain(gang.queue) if name in number
        ),
        pieces=(),
        counts=(),
        vector=total,
        gpus=running.gpus,
        duration=running.duration,
        work_s=max(whole - saved, 1) + running.restart_s,
        earliest_s=one.horizon.edges[stop],
        deadline_s=deadline_of(gang, pods),
        sla_s=None,
        grace_s=running.grace_s,
        stoppable=running.interval_s > 0,
        slow=running.slow,
        interval_s=running.interval_s,
        restart_s=running.restart_s,
        held=tuple(sorted(by_pool.items(), key=lambda item: item[0])),
        resumed_from=saved,
    )


def ranked(items: tuple[WorkItem, ...], places: dict[int, tuple[str, int]]) -> tuple[WorkItem, ...]:
    """Items with class and rank: from the standings, and for carried work by priority below its queue's covered work.

    ``places`` maps a demand to (class, rank).
    """
    found = []
    for one in items:
        if one.demand != CARRIED:
            tier_class, rank = places.get(one.demand, ("", 0))
        else:
            above = {
                other.gang.priority
                for other in items
                if other.queue == one.queue and other.gang.priority > one.gang.priority
            }
            tier_class, rank = "rest", len(above) + 1
        found.append(replace(one, tier_class=tier_class, rank=rank))
    return tuple(found)
