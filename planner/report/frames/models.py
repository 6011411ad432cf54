"""GPU states of an inventory summed per GPU model, in the shape of the pools frame of a plan."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from planner.report.frames.build import frame_of
from planner.report.frames.nodes import GPU_STATES
from planner.report.inspect_document import NodeClassEntry


def model_frame(classes: Iterable[NodeClassEntry]) -> pd.DataFrame:
    """One row per GPU model; nothing is planned, so ``gpus_planned`` is 0. Classes without GPUs are left out."""
    rows = [
        {
            "pool": entry.gpu_model or "not labelled",
            "nodes": entry.nodes,
            "gpus_allocatable": entry.gpus_each * entry.nodes,
            "gpus_used": entry.gpus_used,
            "gpus_planned": 0,
            "gpus_free_whole": entry.gpus_free_whole,
            "gpus_free_fragment": entry.gpus_free_fragment,
            "gpus_unavailable": entry.gpus_unavailable,
        }
        for entry in classes
        if entry.gpus_each
    ]
    frame = frame_of(rows, {"pool": "object"}, ("nodes", "gpus_allocatable", *GPU_STATES))
    return frame.groupby("pool", sort=True).sum().reset_index()
