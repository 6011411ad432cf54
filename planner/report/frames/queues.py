"""One row per queue: what it may have, has, gets, borrows and lends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from models.plan import PlanResult, QueueEntry
from planner.report.frames.build import frame_of
from planner.report.gpus import gpu_names, listed_gpus

COLUMNS = {
    "queue": "object",
    "parent": "object",
    "state": "object",
    "weight": "Int64",
    "gangs_started": "Int64",
    "gangs_waiting": "Int64",
}
AMOUNTS = (
    "guarantee",
    "deserved",
    "capability",
    "limit",
    "requested",
    "before",
    "after",
    "borrowed",
    "lent",
    "fair_share",
)
_SUMS = ("requested", "before", "after", "borrowed", "lent")


def queues_frame(result: PlanResult) -> pd.DataFrame:
    """All queues in the order of the document.

    Columns ``<amount>_gpus``, ``<amount>_cpu_milli``, ``<amount>_memory_bytes`` and ``<amount>_<other resource>`` for
    every amount of :data:`AMOUNTS`. A bound that is not listed is missing (no limit), a sum that is not listed is 0.
    Fair shares are missing where the document holds none.
    """
    gpus = gpu_names(result)
    others = _other_names(result.queues, gpus)
    sums = (*_SUMS, "fair_share") if result.fair_share_rule else _SUMS
    rows = [_row(queue, gpus, others, sums) for queue in result.queues]
    dimensions = ("gpus", "cpu_milli", "memory_bytes", *others)
    extra = [f"{amount}_{dimension}" for dimension in dimensions for amount in AMOUNTS]
    return frame_of(rows, COLUMNS, extra)


def _other_names(queues: Iterable[QueueEntry], gpus: tuple[str, ...]) -> tuple[str, ...]:
    names = {name for queue in queues for amount in AMOUNTS for name in getattr(queue, amount)}
    return tuple(sorted(names - {"cpu", "memory", "pods", *gpus}))


def _row(
    queue: QueueEntry, gpus: tuple[str, ...], others: tuple[str, ...], sums: tuple[str, ...]
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "queue": queue.name,
        "parent": queue.parent,
        "state": queue.state,
        "weight": queue.weight,
        "gangs_started": queue.gangs_started,
        "gangs_waiting": queue.gangs_waiting,
    }
    for amount in AMOUNTS:
        resources: Mapping[str, int] = getattr(queue, amount)
        missing = 0 if amount in sums else None
        count = listed_gpus(resources, gpus)
        row[f"{amount}_gpus"] = missing if count is None else count
        row[f"{amount}_cpu_milli"] = resources.get("cpu", missing)
        row[f"{amount}_memory_bytes"] = resources.get("memory", missing)
        row.update({f"{amount}_{name}": resources.get(name, missing) for name in others})
    return row
