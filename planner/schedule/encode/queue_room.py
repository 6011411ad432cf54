"""What queues may still use in every bucket beside their running gangs.

Under ``capacity`` a limit is the same at all times. Under ``proportion`` it is a share of what is asked for, so shares
are computed beforehand for every bucket: from all work released by then and not ended at its earliest possible end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from models.resources import Resources, total_of
from planner.encode.prepared import Prepared
from planner.encode.queue_limits import requested_by_queue
from planner.encode.water_filling import Claim, water_filling, whole_limit
from planner.problem.placement import IntArray
from planner.problem.timed import TimedRow
from planner.schedule.encode.occupancy import Occupancy
from planner.schedule.encode.work import WorkItem


def queue_limits(
    prepared: Prepared, one: Occupancy, items: Sequence[WorkItem]
) -> Mapping[tuple[str, str], IntArray]:
    """(queue, dimension) to its limit per bucket, for the queues and dimensions that have one."""
    limits, count = prepared.limits, one.horizon.count
    queues = sorted({queue for item in items for queue in item.queue_chain})
    names = [prepared.problem.queue_names[queue] for queue in queues]
    if limits.proportional:
        return _shares(prepared, one, items, names)
    found = {}
    for name in names:
        for dimension in one.names[:-1]:
            limit = limits.limit(name, dimension)
            if limit is not None:
                found[name, dimension] = np.full(count, limit, dtype=np.int64)
    return found


def queue_rooms(
    prepared: Prepared, one: Occupancy, items: Sequence[WorkItem]
) -> Mapping[TimedRow, IntArray]:
    """Room per queue, dimension and bucket; a queue above its limit has none."""
    found = {}
    use: dict[str, IntArray] = {}
    for (name, dimension), limit in queue_limits(prepared, one, items).items():
        if name not in use:
            use[name] = queue_use(prepared, one, name)
        column = one.names.index(dimension)
        room = np.maximum(limit - use[name][:, column], 0)
        found[TimedRow("queue", name, dimension)] = room
    return found


def queue_use(prepared: Prepared, one: Occupancy, queue: str) -> IntArray:
    """``[buckets, dimensions]`` what the running pods of a queue and those below it hold."""
    now = prepared.usage_below(queue)
    amounts = np.array([now.amount(name) for name in one.names], dtype=np.int64)
    found = np.tile(amounts, (one.horizon.count, 1))
    family = set(prepared.limits.below(queue))
    for running in one.running:
        if running.gang.queue in family:
            total = sum((vector for _, vector in running.held), np.zeros_like(amounts))
            found[running.gone_bucket :] -= total
    found[:, -1] = 0
    return np.maximum(found, 0)


def _shares(
    prepared: Prepared, one: Occupancy, items: Sequence[WorkItem], wanted: Sequence[str]
) -> Mapping[tuple[str, str], IntArray]:
    asked = _asked(prepared, one, items)
    found: dict[tuple[str, str], IntArray] = {}
    known: dict[bytes, dict[str, dict[str, int]]] = {}
    limits = prepared.limits
    listed = [n for n in sorted(asked) if n in limits.queues and not limits.queues[n].implicit]
    for bucket in range(one.horizon.count):
        key = np.concatenate([asked[name][bucket] for name in listed]).tobytes() if listed else b""
        if key not in known:
            known[key] = _fill(prepared, one, listed, asked, bucket)
        for name in wanted:
            for dimension, amount in known[key].get(name, {}).items():
                row = found.setdefault(
                    (name, dimension), np.zeros(one.horizon.count, dtype=np.int64)
                )
                row[bucket] = amount
    for (name, dimension), row in found.items():
        # The scheduler counts every pod that exists, so what starts now is held to its share of now.
        now = limits.limit(name, dimension)
        if now is not None and dimension in limits.total:
            row[0] = now
    return found


def _fill(
    prepared: Prepared,
    one: Occupancy,
    listed: Sequence[str],
    asked: Mapping[str, IntArray],
    bucket: int,
) -> dict[str, dict[str, int]]:
    limits, names = prepared.limits, one.names[:-1]
    claims = []
    for name in listed:
        queue = limits.queues[name]
        ceilings = {d: limits.ceiling(name, d) for d in names}
        claims.append(
            Claim(
                name=name,
                weight=queue.weight,
                request=Resources(
                    {d: int(asked[name][bucket, i]) for i, d in enumerate(names)}
                ).without_zeros(),
                ceiling={d: amount for d, amount in ceilings.items() if amount is not None},
                guarantee=queue.guarantee,
            )
        )
    total = {name: limits.total.amount(name) for name in names}
    shares = water_filling(total, claims)
    return {
        name: {dimension: whole_limit(amount) for dimension, amount in share.items()}
        for name, share in shares.items()
    }


def _asked(prepared: Prepared, one: Occupancy, items: Sequence[WorkItem]) -> dict[str, IntArray]:
    """Queue to ``[buckets, dimensions]`` of what it asks for over time.

    Gangs that cannot be planned ask for what they ask now, at all times.
    """
    found = {
        name: np.tile(
            np.array([asked.amount(d) for d in one.names], dtype=np.int64), (one.horizon.count, 1)
        )
        for name, asked in requested_by_queue(prepared.snapshot).items()
    }
    for running in one.running:
        total = sum((v for _, v in running.held), np.zeros(len(one.names), dtype=np.int64))
        found[running.gang.queue][running.gone_bucket :] -= total
    for item in items:
        if item.demand < 0:
            continue
        whole = _whole_request(prepared, one, item)
        first = one.horizon.first_from(item.earliest_s)
        end = one.horizon.end_bucket(item.earliest_s + item.work_s)
        found[item.gang.queue][:first] -= whole
        found[item.gang.queue][end:] -= whole
    for amounts in found.values():
        np.maximum(amounts, 0, out=amounts)
    return found


def _whole_request(prepared: Prepared, one: Occupancy, item: WorkItem) -> IntArray:
    """Everything that the gang's waiting and promised pods request, those that cannot be placed included."""
    pods = prepared.snapshot.pods_of(item.gang)
    vectors = [pod.spec.request for pod in pods if pod.pending]
    for template in item.gang.templates:
        missing = template.replicas - sum(pod.role == template.role for pod in pods)
        if missing > 0:
            vectors.append(template.spec.request.times(missing))
    total = total_of(vectors)
    return np.array([total.amount(name) for name in one.names], dtype=np.int64)
