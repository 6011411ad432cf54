"""Holes by pool: free GPUs on whole nodes and in fragments, and how many pods of a size fit by their GPUs."""

from __future__ import annotations

import pandas as pd

POD_SIZES = (1, 2, 4, 8)
"""GPUs of a pod for which room is counted."""


def fragments_frame(nodes: pd.DataFrame) -> pd.DataFrame:
    """One row per pool with GPUs on nodes that take pods; ``fit_K`` counts pods of K GPUs, each on one node.

    CPUs, memory and the rules of a queue may leave less room.
    """
    open_nodes = nodes[(nodes["gpus_allocatable"] > 0) & nodes["open"].astype(bool)]
    free = open_nodes["gpus_free_whole"] + open_nodes["gpus_free_fragment"]
    columns = {
        "nodes": pd.Series(1, index=open_nodes.index, dtype="Int64"),
        "nodes_whole": (open_nodes["gpus_free_whole"] > 0).astype("Int64"),
        "nodes_fragment": (open_nodes["gpus_free_fragment"] > 0).astype("Int64"),
        "gpus_free_whole": open_nodes["gpus_free_whole"],
        "gpus_free_fragment": open_nodes["gpus_free_fragment"],
        **{f"fit_{size}": free // size for size in POD_SIZES},
    }
    frame = pd.DataFrame(columns)
    found = frame.groupby(open_nodes["pool"], sort=True).sum()
    found.insert(5, "largest_free_gpus", free.groupby(open_nodes["pool"]).max())
    return found.reset_index()
