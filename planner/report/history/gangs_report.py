"""Gangs over the nights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from models.history.documents import GangHistory, GangStory
from planner.report.history.words import day_time, late_text, maybe
from planner.report.rows import rest_note
from planner.report.tables import Column, Place, Report, Section, Table
from planner.report.text import DASH, duration

if TYPE_CHECKING:
    import pandas as pd


def gangs_report(document: GangHistory) -> Report:
    """Prepare the gangs."""

    def sections(place: Place, limit: int) -> Sequence[Section]:
        return (Section("gangs", "Gangs", tables=(_table(document, limit),)),)

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.history.frames import typed_frame

        return {"gangs": typed_frame(document.gangs, GangStory)}

    return Report(
        name="gangs",
        title="Gangs over the nights",
        sentence=document.sentence,
        document=document,
        sections=sections,
        frames=frames,
        footer=(
            f"From {document.database}; times in UTC. A gang that the newest snapshot does not show is gone: ended or "
            "deleted, nobody saw which.",
        ),
    )


def _table(document: GangHistory, limit: int) -> Table:
    shown = document.gangs[:limit]
    retried = any(one.retries for one in shown)
    columns = (
        Column("GANG"),
        Column("QUEUE", needs_width=90),
        Column("GPUS", numeric=True),
        Column("NOW"),
        Column("CREATED", "UTC", needs_width=120),
        Column("RECOMMENDED", "night"),
        Column("START", "planned, UTC", needs_width=104),
        Column("STARTED", "UTC"),
        Column("AGAINST PLAN", needs_width=130),
        Column("WAITED", numeric=True),
        Column("NIGHTS", "waiting", numeric=True, needs_width=96),
        Column("ENDED", "UTC", needs_width=150),
        *([Column("RETRIES", numeric=True, needs_width=120)] if retried else []),
        Column("WHY IT WAITED", grows=True, needs_width=112),
    )
    return Table(
        "Gangs",
        columns,
        tuple(_row(one, retried=retried) for one in shown),
        empty="No gang of this kind was seen.",
        notes=rest_note(len(shown), len(document.gangs), "gangs", "gangs.csv and -o json"),
    )


def _row(one: GangStory, *, retried: bool) -> tuple[str, ...]:
    return (
        one.full_name,
        one.queue,
        f"{one.gpus:,}",
        one.now,
        day_time(one.created),
        DASH if one.recommended_on is None else f"{one.recommended_on:%m-%d}",
        day_time(one.planned_start),
        day_time(one.started_at),
        late_text(one.late_s),
        DASH if one.waited_s is None else duration(one.waited_s),
        f"{one.nights_waited:,}",
        day_time(one.ended_at),
        *([f"{one.retries:,}"] if retried else []),
        maybe(", ".join(one.reasons)),
    )
