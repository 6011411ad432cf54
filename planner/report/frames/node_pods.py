"""What one node holds now and gets by the plan."""

from __future__ import annotations

from typing import Any

import pandas as pd

from models.gpu import gpus_in
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.report.frames.build import frame_of
from planner.report.gpus import gpu_names

_COLUMNS = {
    "action": "object",
    "pod": "object",
    "pods": "Int64",
    "gang": "object",
    "gpus": "Int64",
    "cpu_milli": "Int64",
    "memory_bytes": "Int64",
}


def node_pods_frame(snapshot: Snapshot, result: PlanResult, node: str) -> pd.DataFrame:
    """Pods that hold room on a node, then those that the plan places there (amounts of these are not listed)."""
    names = gpu_names(result)
    rows: list[dict[str, Any]] = [
        {
            "action": "keep",
            "pod": pod.full_name,
            "pods": 1,
            "gang": pod.gang or "",
            "gpus": gpus_in(pod.spec.request, names),
            "cpu_milli": pod.spec.request.amount("cpu"),
            "memory_bytes": pod.spec.request.amount("memory"),
        }
        for pod in snapshot.pods_by_node.get(node, ())
    ]
    rows += [
        {
            "action": entry.action,
            "pod": ", ".join(entry.names),
            "pods": entry.count,
            "gang": gang.full_name,
        }
        for gang in result.gangs
        for entry in gang.pods
        if entry.node == node and entry.action != "keep"
    ]
    return frame_of(rows, _COLUMNS)
