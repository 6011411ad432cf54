"""Clusters of one run as a tidy frame."""

from __future__ import annotations

import pandas as pd

from planner.report.clusters.document import FIGURES, Clusters
from planner.report.frames.build import frame_of

COLUMNS = {
    "cluster": "object",
    **dict.fromkeys(FIGURES, "Int64"),
    "gap_gpus": "Int64",
    "status": "object",
    "seconds": "Float64",
    "plan": "object",
    "error": "object",
}


def clusters_frame(result: Clusters) -> pd.DataFrame:
    """One row per cluster."""
    rows = [
        {"cluster": one.name, **{key: getattr(one, key) for key in COLUMNS if key != "cluster"}}
        for one in result.clusters
    ]
    return frame_of(rows, COLUMNS)
