"""Shares of queues in one resource, in the unit in which people speak of it."""

from __future__ import annotations

import pandas as pd

from planner.report.frames.queues import AMOUNTS

RESOURCES = ("gpus", "cpu", "memory")
_COLUMN = {"gpus": "gpus", "cpu": "cpu_milli", "memory": "memory_bytes"}
_SIZE = {"gpus": 1, "cpu": 1000, "memory": 1 << 30}
UNITS = {"gpus": "GPUs", "cpu": "CPUs", "memory": "GiB"}


def shares_frame(queues: pd.DataFrame, resource: str) -> pd.DataFrame:
    """One row per queue: every amount of it in GPUs, CPUs or GiB.

    Exact whole GPUs; CPUs and GiB are for display (milli-CPU and bytes are in the frame ``queues``).
    """
    shown = queues[["queue", "parent", "state", "weight", "gangs_started", "gangs_waiting"]].copy()
    for amount in AMOUNTS:
        exact = queues[f"{amount}_{_COLUMN[resource]}"]
        size = _SIZE[resource]
        shown[amount] = exact if size == 1 else (exact.astype("Float64") / size).round(2)
    return shown
