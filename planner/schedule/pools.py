"""Pools, queues and loans of the ``schedule`` part over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from models.extremes import MOST_IN_ALL
from models.moments import local_text
from models.schedule import ScheduledGang, ScheduledPool, ScheduledQueue, TimedLoan
from planner.problem.placement import IntArray
from planner.problem.timed import Column
from planner.schedule.encode.build import TimedInput
from planner.schedule.encode.queue_room import queue_use
from planner.schedule.encode.settle import ended_before
from planner.schedule.encode.supply import used_by_running
from planner.schedule.encode.whole_gpus import whole_gpus
from planner.schedule.services import service_returns

Times = Mapping[int, Column]


def pool_gpus_of(given: TimedInput, item: int, column: Column) -> dict[int, int]:
    """GPUs of a scheduled gang per pool."""
    found: dict[int, int] = {}
    held = dict(given.items[item].held)
    devices = whole_gpus(given.prepared)
    for part in given.parts[item][column.option]:
        held_now = part.shape < 0
        gpus = (
            given.occupancy.gpus(held[part.pool]) if held_now else devices[part.shape] * part.count
        )
        found[part.pool] = found.get(part.pool, 0) + int(gpus)
    return found


def pool_entries(given: TimedInput, times: Times) -> tuple[ScheduledPool, ...]:
    """Pools with GPUs."""
    one, have = given.occupancy, given.supply
    used, slow = used_by_running(one), used_by_running(one, slow_only=True)
    for item, column in times.items():
        for pool, gpus in pool_gpus_of(given, item, column).items():
            for start, end in column.stretches:
                used[pool, start:end] += gpus
                if given.items[item].slow:
                    slow[pool, start:end] += gpus
    found = []
    offered = one.gpus(one.allocatable)
    for pool, name in enumerate(one.pools):
        nodes = one.pool_of_node == pool
        gpus = int(offered[nodes].sum())
        if not gpus:
            continue
        # What runs now is taken as given in the first bucket, even above the limits.
        capacity = have.capacity[pool].copy()
        capacity[0] = max(capacity[0], used[pool, 0])
        found.append(
            ScheduledPool(
                name=name,
                nodes=int(nodes.sum()),
                gpus=gpus,
                capacity=_ints(capacity),
                own=_ints(have.own[pool]),
                used=_ints(used[pool]),
                lent=_ints(np.maximum(used[pool] - have.own[pool], 0) * (one.lending is not None)),
                slow=_ints(slow[pool]) if one.lending is not None else (),
                online=_ints(have.online[pool]),
            )
        )
    return tuple(found)


def queue_entries_over_time(
    given: TimedInput, times: Times, chosen: Mapping[Column, int]
) -> tuple[ScheduledQueue, ...]:
    """GPUs and limits of every queue with work."""
    prepared, one = given.prepared, given.occupancy
    limits = queue_limits(given, chosen)
    names = [name for name in one.names if name in prepared.gpu_names]
    with_work = {g.gang.queue for g in one.running} | {i.gang.queue for i in given.items}
    listed = sorted({above for name in with_work for above in prepared.limits.chain(name)})
    found = []
    for queue in listed:
        if queue not in prepared.limits.queues:
            continue
        used = one.gpus(queue_use(prepared, one, queue)) if one.gpu_columns else None
        if used is None:
            continue
        family = set(prepared.limits.below(queue))
        for item, column in times.items():
            if given.items[item].gang.queue in family:
                for start, end in column.stretches:
                    used[start:end] += given.items[item].gpus
        mine = [limits[queue, name] for name in names if (queue, name) in limits]
        limit = mine[0] if len(mine) == 1 else None
        found.append(
            ScheduledQueue(
                name=queue,
                used=_ints(used),
                limit=() if limit is None else _ints(limit),
            )
        )
    return tuple(found)


def queue_limits(
    given: TimedInput, chosen: Mapping[Column, int]
) -> Mapping[tuple[str, str], IntArray]:
    """(queue, dimension) to its limit per bucket in a schedule."""
    count, shares = given.problem.horizon.count, given.problem.shares
    limits = given.prepared.limits
    found: dict[tuple[str, str], IntArray] = {}
    if shares is None:
        for name in limits.queues:
            for dimension in given.occupancy.names[:-1]:
                limit = limits.limit(name, dimension)
                if limit is not None:
                    found[name, dimension] = np.full(count, min(limit, MOST_IN_ALL), dtype=np.int64)
        return found
    for bucket in range(count):
        for key, amount in shares.limits(bucket, ended_before(chosen, bucket)).items():
            line = found.setdefault(key, np.zeros(count, dtype=np.int64))
            line[bucket] = amount
    return found


def loan_entries(
    given: TimedInput, pools: Sequence[ScheduledPool], gangs: Sequence[ScheduledGang]
) -> tuple[TimedLoan, ...]:
    """One loan per stretch of buckets in which a pool lends."""
    found = []
    horizon = given.problem.horizon
    for pool in pools:
        start: int | None = None
        for bucket in range(horizon.count + 1):
            lent = bucket < horizon.count and pool.lent[bucket] > 0
            if lent and start is None:
                start = bucket
            elif not lent and start is not None:
                found.append(_loan(given, pool, gangs, start, bucket))
                start = None
    return tuple(found)


def _loan(
    given: TimedInput, pool: ScheduledPool, gangs: Sequence[ScheduledGang], start: int, end: int
) -> TimedLoan:
    horizon, lending = given.problem.horizon, given.occupancy.lending
    here = [
        gang
        for gang in gangs
        if any(
            r.pool == pool.name and r.start_bucket < end and r.end_bucket > start for r in gang.runs
        )
    ]
    own_end = end
    while own_end < horizon.count and pool.capacity[own_end] > pool.own[own_end]:
        own_end += 1
    lent = list(pool.lent[start:end])
    late_from, back = _missed_within(given, pool.name, start, end)
    by, back = (own_end, end) if late_from is None else (late_from, back)
    late = [
        max(lent[i] - (pool.used[start + i] - pool.slow[start + i]), 0) for i in range(len(lent))
    ]
    overhead = lending.overhead_s if lending else 0
    quick = [gang.grace_s + overhead for gang in here if gang.leaves_in_time]
    return TimedLoan(
        pool=pool.name,
        start_bucket=start,
        end_bucket=end,
        starts_at=local_text(horizon.edges[start], horizon.timezone),
        returned_by=local_text(horizon.edges[back], horizon.timezone),
        leave_by=local_text(horizon.edges[by], horizon.timezone),
        gpus=max(lent),
        gpu_seconds=sum(n * horizon.lengths[start + i] for i, n in enumerate(lent)),
        slack_s=horizon.edges[by] - horizon.edges[back],
        reclaimable_gpus=max(lent) - max(late),
        worst_return_s=max(quick, default=0),
        gangs=tuple(gang.full_name for gang in here),
        services=service_returns(given, pool, start, own_end),
    )


def _missed_within(given: TimedInput, pool: str, start: int, end: int) -> tuple[int | None, int]:
    """First bucket of a loan in which a service of the pool lacks GPUs, and the first one after the last of them."""
    number = given.occupancy.pools.index(pool)
    missing = [
        one
        for one in given.occupancy.services.missing
        if one.pool == number and one.start < end and one.end > start
    ]
    if not missing:
        return None, end
    return max(min(one.start for one in missing), start), max(one.end for one in missing)


def _ints(values: IntArray) -> tuple[int, ...]:
    return tuple(int(value) for value in values)
