"""What queues ask for in every bucket, as ``proportion`` counts it: what runs or waits in it in a schedule.

A gang asks for all its pods from its submission (``earliest-start`` where it has one) until its own planned end. So
what is asked for in a bucket depends on the gangs that have ended before it, and on nothing that starts in it or later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from models.extremes import MOST_OF_A_POD, clipped
from models.online import service_of
from models.resources import total_of
from models.workloads import Gang
from planner.encode.prepared import Prepared
from planner.problem.placement import IntArray
from planner.schedule.encode.occupancy import Occupancy
from planner.schedule.encode.work import CARRIED, WorkItem


@dataclass(frozen=True)
class QueueRequests:
    """Requests over time.

    Attributes
    ----------
    steady
        Queue to ``[buckets, dimensions]`` of what is asked for whatever starts: running gangs until they end or leave,
        services as their demand goes.
    whole
        Per work item everything that its pods ask for, elastic ones included.
    first, earliest_end
        Per work item the first bucket in which it asks, and the first one in which it can have ended.
    """

    steady: Mapping[str, IntArray]
    whole: tuple[IntArray, ...]
    first: tuple[int, ...]
    earliest_end: tuple[int, ...]


def queue_requests(prepared: Prepared, one: Occupancy, items: Sequence[WorkItem]) -> QueueRequests:
    """Who asks for what from when on; gangs that no cluster state lets start ask for nothing."""
    count, size = one.horizon.count, len(one.names)
    steady: dict[str, IntArray] = {}
    here = {node.name for node in prepared.snapshot.nodes}
    whole_gangs = (running for running in one.running if not running.shed)
    gone = {running.gang.full_name: running.gone_bucket for running in whole_gangs}
    for case in prepared.cases:
        gang = case.gang
        if gang.not_admitted:
            continue
        total = steady.setdefault(gang.queue, np.zeros((count, size), dtype=np.int64))
        running = [pod for pod in prepared.snapshot.pods_of(gang) if pod.running]
        until = gone.get(gang.full_name, count)
        for pod in running:
            if service_of(prepared.policy.policy.services, pod, gang):
                continue
            total[: until if pod.node in here else count] += _vector(one, [pod.spec.request])
        if case.ready and running:
            total[:until] += _waiting(prepared, one, gang)
    for queue, amounts in services_over_time(prepared, one).items():
        total = steady.setdefault(queue, np.zeros((count, size), dtype=np.int64))
        total += amounts
    whole = tuple(
        item.vector if item.demand == CARRIED else _waiting(prepared, one, item.gang)
        for item in items
    )
    first = tuple(one.horizon.first_from(item.earliest_s) for item in items)
    ends = tuple(one.horizon.end_bucket(item.earliest_s + item.work_s) for item in items)
    return QueueRequests(steady, whole, first, ends)


def services_over_time(prepared: Prepared, one: Occupancy) -> dict[str, IntArray]:
    """Queue to ``[buckets, dimensions]`` of its online pods: those in pools with loan limits follow the demand."""
    found: dict[str, IntArray] = {}
    lent = {limits.pool: limits for limits in one.lending.pools} if one.lending else {}
    pool_of_node = {
        node.name: one.pools[int(pool)]
        for node, pool in zip(prepared.snapshot.nodes, one.pool_of_node, strict=True)
    }
    by_place: dict[tuple[str, str], IntArray] = {}
    for pod in prepared.ruled.pods:
        gang = prepared.ruled.gang_by_name.get(pod.gang)
        if not pod.running or gang is None or gang.not_admitted:
            continue
        if service_of(prepared.policy.policy.services, pod, gang):
            place = (gang.queue, pool_of_node.get(pod.node or "", ""))
            total = by_place.setdefault(place, np.zeros(len(one.names), dtype=np.int64))
            total += _vector(one, [pod.spec.request])
    gpus: dict[str, int] = {}
    for (_, pool), vector in by_place.items():
        gpus[pool] = gpus.get(pool, 0) + int(one.gpus(vector))
    for (queue, pool), vector in by_place.items():
        amounts = np.tile(vector, (one.horizon.count, 1))
        if pool in lent and gpus[pool]:
            kept = lent[pool].owned_gpus - np.array(lent[pool].lendable_gpus, dtype=np.int64)
            amounts = -(-vector[np.newaxis, :] * kept[:, np.newaxis] // gpus[pool])
            amounts[0] = vector  # they are where they are now
        old = found.get(queue)
        found[queue] = amounts if old is None else old + amounts
    return found


def _waiting(prepared: Prepared, one: Occupancy, gang: Gang) -> IntArray:
    """Everything that the gang's waiting and promised pods request, those that cannot be placed included."""
    pods = prepared.snapshot.pods_of(gang)
    vectors = [pod.spec.request for pod in pods if pod.pending]
    for template in () if gang.finished else gang.templates:
        missing = template.replicas - sum(pod.role == template.role for pod in pods)
        if missing > 0:
            vectors.append(template.spec.request.times(missing))
    return _vector(one, vectors)


def _vector(one: Occupancy, requests: Sequence[Mapping[str, int]]) -> IntArray:
    total = total_of(requests)
    return np.array(
        clipped((total.amount(name) for name in one.names), MOST_OF_A_POD), dtype=np.int64
    )
