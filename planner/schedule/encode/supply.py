"""GPUs of every pool over time: own ones, loans, and running gangs that have to make room."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from models.moments import local_text
from models.plan import Reason
from planner.problem.placement import IntArray
from planner.schedule.encode.occupancy import Occupancy, RunningGang


@dataclass(frozen=True)
class Supply:
    """``[pools, buckets]`` in GPUs.

    Attributes
    ----------
    own, capacity
        What batch work may hold without and with loans.
    slow
        What batch work may hold that does not leave within the deadline.
    online
        Kept for online services, or held by pods that stay.
    """

    own: IntArray
    capacity: IntArray
    slow: IntArray
    online: IntArray


def supply(one: Occupancy) -> Supply:
    """GPUs per pool and bucket; a node in maintenance offers none."""
    buckets, pools = one.horizon.count, len(one.pools)
    total, staying = (np.zeros((pools, buckets), dtype=np.int64) for _ in range(2))
    offered, kept = one.gpus(one.allocatable), one.gpus(one.staying)
    leaving = one.gpus(one.leaving)
    for bucket in range(buckets):
        here = one.here(bucket)
        np.add.at(total[:, bucket], one.pool_of_node[here], offered[here])
        gone = kept + leaving if bucket == 0 else kept
        np.add.at(staying[:, bucket], one.pool_of_node[here], np.minimum(gone, offered)[here])
    own = total - staying
    capacity, slow, online = own.copy(), own.copy(), staying.copy()
    for limits in one.lending.pools if one.lending else ():
        if limits.pool not in one.pools:
            continue
        row = one.pools.index(limits.pool)
        lendable = np.array(limits.lendable_gpus, dtype=np.int64)
        held = limits.owned_gpus - lendable
        capacity[row] = np.maximum(own[row] - held, 0)
        own[row] = np.maximum(own[row] - limits.owned_gpus, 0)
        slow[row] = np.minimum(own[row] + np.array(limits.slow_gpus, np.int64), capacity[row])
        online[row] += held
    return Supply(own, capacity, slow, online)


def pool_gpus(one: Occupancy, gang: RunningGang, bucket: int) -> dict[int, int]:
    """GPUs that a running gang holds per pool, on nodes that are there in a bucket."""
    here = one.here(bucket)
    found: dict[int, int] = {}
    for node, vector in gang.held:
        if here[node]:
            pool = int(one.pool_of_node[node])
            found[pool] = found.get(pool, 0) + int(one.gpus(vector))
    return found


def used_by_running(one: Occupancy, *, slow_only: bool = False) -> IntArray:
    """``[pools, buckets]`` GPUs that running gangs hold."""
    found = np.zeros((len(one.pools), one.horizon.count), dtype=np.int64)
    steady = not one.away.any()
    for gang in one.running:
        if slow_only and not gang.slow:
            continue
        if steady:
            for pool, gpus in pool_gpus(one, gang, 0).items():
                found[pool, : gang.gone_bucket] += gpus
            continue
        for bucket in range(gang.gone_bucket):
            for pool, gpus in pool_gpus(one, gang, bucket).items():
                found[pool, bucket] += gpus
    return found


def leaving_for_maintenance(one: Occupancy) -> Occupancy:
    """Running gangs whose node goes into maintenance, or whose zone closes, leave then, whoever they are."""
    gangs = {gang.gang.full_name: gang for gang in one.running}
    for name, bucket in _away(one):
        text = local_text(one.horizon.edges[bucket], one.horizon.timezone)
        told = Reason(
            code="time_window",
            message=f"a node of it goes into maintenance, or its zone closes: it has to leave by {text}",
            data={"bucket": bucket},
        )
        gangs[name] = replace(gangs[name], stop_bucket=bucket, reasons=(told,))
    return replace(one, running=tuple(gangs.values()))


def _away(one: Occupancy) -> Iterator[tuple[str, int]]:
    """Running gangs whose node is away before they end, with the bucket; the first bucket is taken as given."""
    for gang in one.running:
        nodes = [node for node, _ in gang.held]
        away = np.flatnonzero(one.away[nodes].any(axis=0)) if nodes else np.array([])
        if away.size and max(int(away[0]), 1) < gang.end_bucket:
            yield gang.gang.full_name, max(int(away[0]), 1)
