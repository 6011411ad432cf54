"""One row per pod, or per group of pods that their controller has not created yet."""

from __future__ import annotations

from typing import Any

import pandas as pd

from models.plan import GangEntry, PlanResult, PodGroupEntry
from planner.report.frames.build import frame_of

COLUMNS = {
    "namespace": "object",
    "gang": "object",
    "queue": "object",
    "role": "object",
    "action": "object",
    "pod": "object",
    "pods": "Int64",
    "node": "object",
    "from_node": "object",
}


def pods_frame(result: PlanResult) -> pd.DataFrame:
    """All pods that the document speaks of; ``pod`` is empty where only a number of pods is known (``pods``)."""
    rows = [
        {**_common(gang, entry), "pod": name, "pods": count}
        for gang in result.gangs
        for entry in gang.pods
        for name, count in _pods(entry)
    ]
    return frame_of(rows, COLUMNS)


def _common(gang: GangEntry, entry: PodGroupEntry) -> dict[str, Any]:
    return {
        "namespace": gang.namespace,
        "gang": gang.full_name,
        "queue": gang.queue,
        "role": entry.role,
        "action": entry.action,
        "node": entry.node or "",
        "from_node": entry.from_node or "",
    }


def _pods(entry: PodGroupEntry) -> list[tuple[str, int]]:
    named = [(name, 1) for name in entry.names]
    unnamed = entry.count - len(entry.names)
    return [*named, ("", unnamed)] if unnamed > 0 else named
