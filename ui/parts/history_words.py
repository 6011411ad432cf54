"""Key figures of a night in words, with their units."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from ui.messages import Words
from ui.parts.text import moment

FIGURE_WORDS: Mapping[str, str] = {
    "gpus_allocatable": "GPUs allocatable",
    "gpus_before": "GPUs allocated",
    "gpus_after": "GPUs planned",
    "gpus_after_baseline": "GPUs allocated with the greedy baseline",
    "gangs": "Gangs",
    "gangs_started": "Gangs started",
    "gangs_started_later": "Gangs that start later",
    "gangs_grown": "Gangs that grow",
    "gangs_waiting": "Gangs waiting",
    "gangs_evicted": "Gangs evicted",
    "gangs_unsupported": "Gangs not modelled",
    "pods_placed": "Pods placed",
    "pods_evicted": "Pods evicted",
    "work_gpu_seconds": "Work (GPU-hours)",
    "running_gpu_seconds": "Work of running gangs (GPU-hours)",
    "lost_gpu_seconds": "Lost work (GPU-hours)",
    "fill_bound_gpu_seconds": "Most work that fits (GPU-hours)",
    "loans": "Loans",
    "lent_gpu_seconds": "Lent (GPU-hours)",
    "lent_gpus_most": "Most lent at once (GPUs)",
    "long_waits": "Gangs waiting a day or more",
    "longest_wait_s": "Longest wait (h)",
    "gangs_retried": "Gangs retried",
    "pod_restarts": "Restarts of containers",
    "findings_errors": "Findings: errors",
    "findings_warnings": "Findings: warnings",
}
SECONDS = ("_seconds", "_s")
"""Ends of the names of figures in seconds, which are shown in hours."""


def figures_in_words(say: Words, figures: pd.DataFrame) -> pd.DataFrame:
    """A frame of key figures with their names in words; seconds become hours."""
    shown = figures.copy()
    hours = shown["name"].str.endswith(SECONDS)
    for column in ("earlier", "later", "change"):
        values = shown[column].astype("Float64")
        shown[column] = values.where(~hours, (values / 3600).round(2))
    shown["name"] = [say(FIGURE_WORDS.get(name, name)) for name in shown["name"]]
    return shown


def times_in_zone(frame: pd.DataFrame, timezone: str, *columns: str) -> pd.DataFrame:
    """RFC 3339 times of these columns as ``2026-09-15 21:00`` in the zone that the page names."""
    return frame.assign(
        **{
            column: [moment(str(text), timezone)[:16] if text else "" for text in frame[column]]
            for column in columns
        }
    )
