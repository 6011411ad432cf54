"""One row per gang that loses pods and rule by which it loses them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from models.plan import GangEntry, PlanResult, Reason
from planner.report.frames.build import frame_of
from planner.report.hostlist import hostlist

COLUMNS = {
    "gang": "object",
    "queue": "object",
    "priority": "Int64",
    "decision": "object",
    "rule": "object",
    "pods": "Int64",
    "gpus": "Int64",
    "lost_gpu_seconds": "Int64",
    "nodes": "object",
    "room_for": "object",
    "message": "object",
}
RULES = {"preempted": "preempt", "reclaimed": "reclaim"}


def evictions_frame(result: PlanResult) -> pd.DataFrame:
    """Losses in the order of the document, the most work lost first.

    ``room_for`` names the gangs that a loss makes room for, one per line; numbers that a document does not state are
    missing.
    """
    rows = [
        _row(gang, reason)
        for gang in result.gangs
        for reason in gang.reasons
        if reason.code in RULES
    ]
    frame = frame_of(rows, COLUMNS)
    keys = ["lost_gpu_seconds", "pods", "gang", "rule"]
    return frame.sort_values(
        keys, ascending=[False, False, True, True], kind="stable", na_position="last"
    ).reset_index(drop=True)


def _row(gang: GangEntry, reason: Reason) -> dict[str, Any]:
    nodes = {pod.node for pod in gang.pods if pod.action == "evict" and pod.node}
    data = reason.data
    return {
        "gang": gang.full_name,
        "queue": gang.queue,
        "priority": gang.priority,
        "decision": gang.decision,
        "rule": RULES[reason.code],
        "pods": data.get("pods"),
        "gpus": data.get("gpus"),
        "lost_gpu_seconds": data.get("lostGpuSeconds"),
        "nodes": hostlist(sorted(nodes)),
        "room_for": "\n".join(str(name) for name in data.get("gangs", ())),
        "message": reason.message,
    }
