"""Two nights beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from models.history.difference import (
    FigureDifference,
    GangDifference,
    NightDifference,
    QueueDifference,
)
from planner.report.history.words import FIGURES, change_text, figure_text, outcome_text
from planner.report.rows import rest_note
from planner.report.tables import Column, Place, Report, Section, Table
from planner.report.text import DASH, duration, number

if TYPE_CHECKING:
    import pandas as pd


def difference_report(document: NightDifference, database: str) -> Report:
    """Prepare the comparison."""

    def sections(place: Place, limit: int) -> Sequence[Section]:
        return (
            Section("figures", "Key figures", tables=(_figures(document),)),
            Section("gangs", "Gangs", tables=(_gangs(document, limit),)),
            Section("queues", "Queues", tables=(_queues(document, limit),)),
        )

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.history.frames import typed_frame

        return {
            "figures": typed_frame(document.figures, FigureDifference),
            "gangs": typed_frame(document.gangs, GangDifference),
            "queues": typed_frame(document.queues, QueueDifference),
        }

    nights = (document.before, document.after)
    return Report(
        name="nights",
        title=f"Nights of {document.before.night} and {document.after.night}",
        sentence=document.sentence,
        document=document,
        sections=sections,
        frames=frames,
        footer=(
            *(f"{one.night}: {outcome_text(one)}. {one.sentence}".rstrip() for one in nights),
            f"From {database}; queues show what ran when each snapshot was taken.",
        ),
        warnings=tuple(f"{one.night}: {one.error}" for one in nights if one.error),
    )


def _figures(document: NightDifference) -> Table:
    before, after = str(document.before.night), str(document.after.night)
    rows = tuple(
        (
            FIGURES[one.name][0] if one.name in FIGURES else one.name,
            figure_text(one.name, one.before),
            figure_text(one.name, one.after),
            change_text(one.name, one.change),
        )
        for one in document.figures
        if one.before != one.after
    )
    columns = (
        Column("FIGURE"),
        Column(before, numeric=True),
        Column(after, numeric=True),
        Column("CHANGE", numeric=True),
    )
    return Table("Key figures", columns, rows, empty="Every key figure agrees.")


def _gangs(document: NightDifference, limit: int) -> Table:
    shown = document.gangs[:limit]
    rows = tuple(
        (
            one.full_name,
            one.queue,
            f"{one.gpus:,}",
            one.became,
            DASH if one.waited_s is None else duration(one.waited_s),
        )
        for one in shown
    )
    columns = (
        Column("GANG"),
        Column("QUEUE"),
        Column("GPUS", numeric=True),
        Column("BECAME"),
        Column("WAITED", "so far", numeric=True),
    )
    notes = rest_note(len(shown), len(document.gangs), "gangs", "gangs.csv and -o json")
    return Table("Gangs", columns, rows, empty="No gang changed, none waits.", notes=notes)


def _queues(document: NightDifference, limit: int) -> Table:
    rows = tuple(
        (
            one.name,
            _both(one.deserved_before, one.deserved_after),
            _both(one.gpus_before, one.gpus_after),
            _both(one.waiting_before, one.waiting_after),
        )
        for one in document.queues[:limit]
    )
    columns = (
        Column("QUEUE"),
        Column("DESERVED", "GPUs", numeric=True),
        Column("IN USE", "GPUs", numeric=True),
        Column("WAIT", "gangs", numeric=True),
    )
    notes = rest_note(len(rows), len(document.queues), "queues", "queues.csv and -o json")
    return Table("Queues", columns, rows, empty="No queue is kept.", notes=notes)


def _both(before: int | None, after: int | None) -> str:
    return number(before) if before == after else f"{number(before)} → {number(after)}"
