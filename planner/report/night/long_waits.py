"""Gangs that have waited long."""

from __future__ import annotations

from models.history.night import LONG_WAIT_S
from models.schedule import ScheduledGang
from planner.report.night.subject import NightSubject
from planner.report.rows import rest_note
from planner.report.sections.schedule import clock
from planner.report.tables import Column, Section, Table
from planner.report.text import counted, duration, gpu_hours

_COLUMNS = (
    Column("GANG", grows=True),
    Column("QUEUE"),
    Column("GPUS", "GPUs", numeric=True),
    Column("WAITED", numeric=True),
    Column("STARTS"),
    Column("WHY", grows=True),
)


def long_waits(subject: NightSubject) -> tuple[tuple[ScheduledGang, int], ...]:
    """Waiting gangs of the schedule that were created at least a day ago, with seconds; the longest first."""
    waited = subject.waited_s
    found = [
        (gang, waited[gang.full_name])
        for gang in (*subject.starts, *subject.waits)
        if waited.get(gang.full_name, 0) >= LONG_WAIT_S
    ]
    return tuple(sorted(found, key=lambda pair: (-pair[1], pair[0].full_name)))


def long_waits_section(subject: NightSubject, limit: int) -> Section:
    """The longest waits, and the sum over all."""
    found = long_waits(subject)
    waited = subject.waited_s
    days = duration(LONG_WAIT_S)
    if not found:
        most = max(waited.values(), default=0)
        lead = f"No gang has waited for {days} or more" + (
            f"; the longest wait is {duration(most)}." if most else "."
        )
        return Section("long-waits", "Long waits", lead=lead)
    total = sum(gang.gpus * seconds for gang, seconds in found)
    rows = tuple(_row(subject, gang, seconds) for gang, seconds in found[:limit])
    return Section(
        "long-waits",
        "Long waits",
        lead=f"{counted(len(found), 'gang')} waited for {days} or more, together {gpu_hours(total)} of waiting.",
        tables=(
            Table(
                "Longest waits first",
                _COLUMNS,
                rows,
                notes=rest_note(len(rows), len(found), "gangs", "tables/schedule_gangs.csv"),
            ),
        ),
    )


def _row(subject: NightSubject, gang: ScheduledGang, seconds: int) -> tuple[str, ...]:
    starts = clock(gang.starts_at, subject.schedule.timezone, subject.now)
    return (
        gang.full_name,
        gang.queue,
        f"{gang.gpus:,}",
        duration(seconds),
        starts if gang.status == "starts" else "not within the horizon",
        "; ".join(reason.message for reason in gang.reasons) or "starts in this schedule",
    )
