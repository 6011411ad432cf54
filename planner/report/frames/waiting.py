"""Waiting gangs and queues of a snapshot without a plan, in the columns of a plan's frames."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from planner.report.frames.build import frame_of
from planner.report.frames.gangs import COLUMNS
from planner.report.frames.queues import COLUMNS as QUEUE_COLUMNS
from planner.report.gpus import listed_gpus
from planner.report.inspect_document import InspectResult


def waiting_frame(
    inventory: InspectResult, *, namespaces: Sequence[str] = (), queues: Sequence[str] = ()
) -> pd.DataFrame:
    """Rows like those of the gangs frame; reasons, nodes and classification are missing."""
    rows = [
        {
            "namespace": gang.namespace,
            "gang": gang.full_name,
            "kind": gang.kind,
            "queue": gang.queue,
            "priority": gang.priority,
            "decision": "wait",
            "min_member_pods": gang.min_member,
            "pods_before": gang.running,
            "gpus": gang.gpus,
            "waited_seconds": gang.waited_seconds,
            "created": gang.created,
        }
        for gang in inventory.waiting
        if (not namespaces or gang.namespace in namespaces) and (not queues or gang.queue in queues)
    ]
    return frame_of(rows, COLUMNS)


def standing_frame(inventory: InspectResult, *, queues: Sequence[str] = ()) -> pd.DataFrame:
    """Queues with their settings and what their running pods hold (``before``), like the queues frame of a plan."""
    amounts = ("guarantee", "deserved", "capability", "allocated")
    rows = []
    for queue in inventory.queues:
        if queues and queue.name not in queues:
            continue
        row: dict[str, object] = {
            "queue": queue.name,
            "parent": queue.parent,
            "state": queue.state,
            "weight": queue.weight,
            "gangs_waiting": queue.gangs_waiting,
            "gangs_running": queue.gangs_running,
        }
        for amount in amounts:
            resources = getattr(queue, amount)
            name = "before" if amount == "allocated" else amount
            missing = 0 if amount == "allocated" else None
            gpus = listed_gpus(resources, inventory.gpu_resources)
            row[f"{name}_gpus"] = missing if gpus is None else gpus
            row[f"{name}_cpu_milli"] = resources.get("cpu", missing)
            row[f"{name}_memory_bytes"] = resources.get("memory", missing)
        rows.append(row)
    extra = [
        f"{name}_{dimension}"
        for dimension in ("gpus", "cpu_milli", "memory_bytes")
        for name in ("guarantee", "deserved", "capability", "before")
    ]
    return frame_of(rows, {**QUEUE_COLUMNS, "gangs_running": "Int64"}, extra)
