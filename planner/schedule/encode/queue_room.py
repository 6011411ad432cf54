"""What queues may still use in every bucket beside their running gangs.

Under ``capacity`` a limit is the same at all times. Under ``proportion`` it is a share of what is asked for in the
bucket: see :mod:`planner.schedule.encode.shares`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from models.extremes import MOST_IN_ALL, clipped
from planner.encode.prepared import Prepared
from planner.problem.placement import IntArray
from planner.problem.timed import TimedRow
from planner.schedule.encode.occupancy import Occupancy
from planner.schedule.encode.requests import services_over_time
from planner.schedule.encode.work import WorkItem


def queue_rooms(
    prepared: Prepared, one: Occupancy, items: Sequence[WorkItem]
) -> Mapping[TimedRow, IntArray]:
    """Room per queue, dimension and bucket under ``capacity``; a queue above its limit has none."""
    found = {}
    for number in sorted({queue for item in items for queue in item.queue_chain}):
        name = prepared.problem.queue_names[number]
        use = queue_use(prepared, one, name)
        for column, dimension in enumerate(one.names[:-1]):
            limit = prepared.limits.limit(name, dimension)
            if limit is not None:
                room = np.maximum(min(limit, MOST_IN_ALL) - use[:, column], 0)
                found[TimedRow("queue", name, dimension)] = room
    return found


def queue_use(prepared: Prepared, one: Occupancy, queue: str) -> IntArray:
    """``[buckets, dimensions]`` what running pods of a queue and those below it hold; services follow their demand."""
    now = prepared.usage_below(queue)
    amounts = np.array(clipped(now.amount(name) for name in one.names), dtype=np.int64)
    found = np.tile(amounts, (one.horizon.count, 1))
    family = set(prepared.limits.below(queue))
    for running in one.running:
        if running.gang.queue in family:
            total = sum((vector for _, vector in running.held), np.zeros_like(amounts))
            found[running.gone_bucket :] -= total
    for name, amounts in services_over_time(prepared, one).items():
        if name in family:
            found += amounts - amounts[0]
    found[:, -1] = 0
    return np.maximum(found, 0)
