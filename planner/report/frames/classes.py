"""Gangs that look alike to a reader, in one row with their number."""

from __future__ import annotations

import pandas as pd

KEYS = ["queue", "priority", "decision", "min_member_pods", "gpus", "milli_gpus", "reason_codes"]


def gang_classes(gangs: pd.DataFrame) -> pd.DataFrame:
    """One row per class: same queue, priority, decision, minimum, GPUs and reasons.

    ``gangs`` counts the class, ``gpus_total`` and ``milli_gpus_total`` sum its GPUs, ``example`` names its first gang,
    ``why`` is the text of that gang and ``same_why`` tells whether all have the same one. The order is that in which
    classes first appear.
    """
    grouped = gangs.groupby(KEYS, sort=False, dropna=False)
    found = grouped.agg(
        gangs=("gang", "size"),
        gpus_total=("gpus", "sum"),
        milli_gpus_total=("milli_gpus", "sum"),
        pods_after=("pods_after", "sum"),
        node_count=("node_count", "sum"),
        longest_wait_seconds=("waited_seconds", "max"),
        example=("gang", "first"),
        gpu_models=("gpu_models", _union),
        why=("why", "first"),
        texts=("why", "nunique"),
    ).reset_index()
    found["same_why"] = found.pop("texts") <= 1
    return found


def _union(values: pd.Series) -> str:
    names = {name for value in values.unique() for name in str(value).split(", ")}
    return ", ".join(sorted(names - {""}))
