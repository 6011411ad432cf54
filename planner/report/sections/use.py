"""Allocated but idle: what gangs and queues hold, and what of it works, as monitoring measured it."""

from __future__ import annotations

from models.use import MeasuredUse
from planner.report.rows import rest_note, whole
from planner.report.tables import Column, Section, Table
from planner.report.text import DASH, duration, percent

TITLE = "Allocated but idle"
_HOUR = 3600


def use_section(use: MeasuredUse, limit: int) -> Section:
    """Gangs that hold idle GPUs, and GPU-hours of the last week per queue."""
    return Section("use", TITLE, tables=(_gangs(use, limit), _queues(use)))


def _gangs(use: MeasuredUse, limit: int) -> Table:
    idle = [one for one in use.gangs if one.idle_s]
    columns = (
        Column("GANG"),
        Column("QUEUE"),
        Column("ALLOCATED", "GPUs", numeric=True),
        Column("IDLE FOR", "measured"),
        Column("WORKED", "of allocated, last week, measured", numeric=True),
    )
    rows = tuple(
        (
            one.gang,
            one.queue,
            whole(one.gpus),
            duration(one.idle_s or 0),
            DASH if one.worked_permille is None else percent(one.worked_permille, 1000),
        )
        for one in idle[:limit]
    )
    empty = "No gang holds GPUs that are all idle (measured)."
    notes = rest_note(len(rows), len(idle), "gangs", "use.gangs in the document (-o json)")
    return Table("Gangs whose GPUs are all idle", columns, rows, empty, notes)


def _queues(use: MeasuredUse) -> Table:
    columns = (
        Column("QUEUE"),
        Column("ALLOCATED", "GPUs now", numeric=True),
        Column("IDLE", "GPUs now, measured", numeric=True),
        Column("UNMEASURED", "GPUs now", numeric=True),
        Column("ALLOCATED", "GPU-hours, last week", numeric=True),
        Column("WORKED", "GPU-hours, measured", numeric=True),
        Column("IDLE", "GPU-hours, measured", numeric=True),
        Column("WORKED", "of allocated, measured", numeric=True),
    )
    rows = tuple(
        (
            one.queue,
            whole(one.allocated_gpus),
            whole(one.idle_gpus),
            whole(one.unmeasured_gpus),
            *(
                whole(amount // _HOUR)
                for amount in (one.allocated_gpu_s, one.worked_gpu_s, one.idle_gpu_s)
            ),
            percent(one.worked_gpu_s, one.allocated_gpu_s) if one.allocated_gpu_s else DASH,
        )
        for one in use.queues
    )
    notes = (
        f"Of the gangs that run now. Idle GPUs are held by gangs of which no GPU has worked for "
        f"{duration(use.idle_after_s)}; GPU-hours are those of the last week, as far as it was measured.",
    )
    return Table("Use by queue", columns, rows, "No running gang holds whole GPUs.", notes)
