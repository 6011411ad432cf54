"""What gangs and queues hold, and what of it works, as monitoring measured it."""

from __future__ import annotations

import pandas as pd

from models.use import MeasuredUse
from planner.report.frames.build import frame_of

GANGS = {
    "gang": "object",
    "queue": "object",
    "gpus_allocated": "Int64",
    "idle_seconds": "Int64",
    "worked_percent": "Float64",
}
QUEUES = {
    "queue": "object",
    "gpus_allocated": "Int64",
    "gpus_idle": "Int64",
    "gpus_unmeasured": "Int64",
    "allocated_gpu_seconds": "Int64",
    "worked_gpu_seconds": "Int64",
    "idle_gpu_seconds": "Int64",
}


def idle_frame(use: MeasuredUse) -> pd.DataFrame:
    """Gangs of which no GPU works now, most idle GPU-time first; ``worked_percent`` is that of the last week."""
    rows = [
        {
            "gang": one.gang,
            "queue": one.queue,
            "gpus_allocated": one.gpus,
            "idle_seconds": one.idle_s,
            "worked_percent": None if one.worked_permille is None else one.worked_permille / 10,
        }
        for one in use.gangs
        if one.idle_s
    ]
    return frame_of(rows, GANGS)


def queue_use_frame(use: MeasuredUse) -> pd.DataFrame:
    """GPUs of queues now, and GPU-seconds of the last week as far as they were measured."""
    rows = [
        {
            "queue": one.queue,
            "gpus_allocated": one.allocated_gpus,
            "gpus_idle": one.idle_gpus,
            "gpus_unmeasured": one.unmeasured_gpus,
            "allocated_gpu_seconds": one.allocated_gpu_s,
            "worked_gpu_seconds": one.worked_gpu_s,
            "idle_gpu_seconds": one.idle_gpu_s,
        }
        for one in use.queues
    ]
    return frame_of(rows, QUEUES)
