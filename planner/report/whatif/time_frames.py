"""Frames of schedules side by side, for pages; :mod:`planner.report.whatif.time_tables` has those of reports."""

from __future__ import annotations

from typing import Any

import pandas as pd

from planner.report.frames.build import frame_of
from planner.report.whatif.document import WhatIf
from planner.report.whatif.timing import GangTiming

HORIZON = {
    "scenario": "object",
    "work_gpu_hours": "Float64",
    "work_change_gpu_hours": "Float64",
    "bound_gpu_hours": "Float64",
    "starts": "Int64",
    "starts_change": "Int64",
    "delay_change_hours": "Float64",
    "lent_gpu_hours": "Float64",
}
MOVED = {
    "scenario": "object",
    "gang": "object",
    "queue": "object",
    "gpus": "Int64",
    "base_starts_at": "object",
    "starts_at": "object",
    "later_hours": "Float64",
}


def horizon_frame(document: WhatIf) -> pd.DataFrame:
    """The base's schedule, then one row per scenario; empty where the comparison is for now."""
    timed = [(one.name, one.schedule) for one in document.scenarios if one.schedule is not None]
    rows: list[dict[str, Any]] = []
    if timed:
        first = timed[0][1]
        rows.append(
            {
                "scenario": "base",
                "work_gpu_hours": _hours(first.base_work_gpu_seconds),
                "bound_gpu_hours": _hours(first.base_bound_gpu_seconds),
                "starts": first.base_starts,
                "lent_gpu_hours": _hours(first.base_lent_gpu_seconds),
            }
        )
    rows += [
        {
            "scenario": name,
            "work_gpu_hours": _hours(one.work_gpu_seconds),
            "work_change_gpu_hours": _hours(one.work_gpu_seconds - one.base_work_gpu_seconds),
            "bound_gpu_hours": _hours(one.bound_gpu_seconds),
            "starts": one.starts,
            "starts_change": one.starts - one.base_starts,
            "delay_change_hours": _hours(one.delay_s - one.base_delay_s),
            "lent_gpu_hours": _hours(one.lent_gpu_seconds),
        }
        for name, one in timed
    ]
    return frame_of(rows, HORIZON)


def moved_frame(document: WhatIf) -> pd.DataFrame:
    """Gangs that start at another time; a start that is missing says so in words."""
    rows = [
        {
            "scenario": one.name,
            "gang": gang.full_name,
            "queue": gang.queue,
            "gpus": gang.gpus,
            "base_starts_at": _clock(gang.base_starts_at) or "not",
            "starts_at": _start(gang),
            "later_hours": _hours(gang.change_s),
        }
        for one in document.scenarios
        if one.schedule is not None
        for gang in one.schedule.gangs
    ]
    return frame_of(rows, MOVED)


def _start(gang: GangTiming) -> str:
    return _clock(gang.starts_at) or ("runs on" if gang.runs_on else "not")


def _clock(text: str | None) -> str:
    """An RFC 3339 time as people read it; its offset stays."""
    return text.replace("T", " ") if text else ""


def _hours(seconds: int | None) -> float | None:
    return None if seconds is None else round(seconds / 3600, 2)
