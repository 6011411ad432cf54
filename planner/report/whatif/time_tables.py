"""Tables of schedules side by side."""

from __future__ import annotations

from planner.report.rows import rest_note
from planner.report.tables import Column, Table
from planner.report.text import DASH, duration
from planner.report.whatif.document import WhatIf
from planner.report.whatif.tables import WHERE
from planner.report.whatif.timing import GangTiming


def schedule_table(document: WhatIf) -> Table | None:
    """Figures of the schedules; None where the comparison is for now."""
    timed = [(one.name, one.schedule) for one in document.scenarios if one.schedule is not None]
    if not timed:
        return None
    first = timed[0][1]
    base = (
        "base",
        _gpu_hours(first.base_work_gpu_seconds),
        DASH,
        _most(first.base_bound_gpu_seconds),
        f"{first.base_starts:,}",
        DASH,
        _gpu_hours(first.base_lent_gpu_seconds),
    )
    rows = tuple(
        (
            name,
            _gpu_hours(one.work_gpu_seconds),
            _gpu_hours(one.work_gpu_seconds - one.base_work_gpu_seconds, signed=True),
            _most(one.bound_gpu_seconds),
            f"{one.starts:,}",
            _later(one.delay_s - one.base_delay_s),
            _gpu_hours(one.lent_gpu_seconds),
        )
        for name, one in timed
    )
    columns = (
        Column("SCENARIO", grows=True),
        Column("WORK", "GPU-hours", numeric=True),
        Column("CHANGE", "GPU-hours", numeric=True),
        Column("AT MOST", "GPU-hours", numeric=True),
        Column("START", "gangs", numeric=True),
        Column("WAITS", "in sum", numeric=True),
        Column("LENT", "GPU-hours", numeric=True),
    )
    stopped = any(one.sooner or one.later for _, one in timed)
    words = "Work of gangs that start within the horizon, with those that run now, are stopped and start again."
    notes = (words,) if stopped else ()
    return Table("Over the horizon", columns, (base, *rows), notes=notes)


def timing_table(document: WhatIf, limit: int) -> Table:
    """Gangs that start at another time."""
    every = [
        (one.name, gang)
        for one in document.scenarios
        if one.schedule is not None
        for gang in one.schedule.gangs
    ]
    rows = tuple(
        (
            name,
            gang.full_name,
            gang.queue,
            f"{gang.gpus:,}",
            gang.base_starts_at or "not",
            gang.starts_at or ("runs on" if gang.runs_on else "not"),
            _moved(gang),
        )
        for name, gang in every[:limit]
    )
    columns = (
        Column("SCENARIO"),
        Column("GANG"),
        Column("QUEUE", needs_width=110),
        Column("GPUS", numeric=True),
        Column("STARTS", "base"),
        Column("STARTS", "scenario"),
        Column("CHANGE", numeric=True),
    )
    notes = rest_note(len(rows), len(every), "gangs", WHERE)
    empty = "Every gang starts when it does in the base."
    return Table("Start times", columns, rows, empty=empty, notes=notes)


def _moved(gang: GangTiming) -> str:
    if gang.change_s is not None:
        return _later(gang.change_s)
    if gang.runs_on:
        return "is not stopped"
    return "starts" if gang.starts_at is not None else "does not start"


def _gpu_hours(gpu_seconds: int, *, signed: bool = False) -> str:
    hours = gpu_seconds / 3600
    return f"{hours:+,.1f}" if signed else f"{hours:,.1f}"


def _most(gpu_seconds: int | None) -> str:
    return "not proved" if gpu_seconds is None else _gpu_hours(gpu_seconds)


def _later(seconds: int) -> str:
    if not seconds:
        return "0"
    return f"{duration(abs(seconds))} {'later' if seconds > 0 else 'earlier'}"
