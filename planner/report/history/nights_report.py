"""The list of nights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from models.history.documents import PastNights
from models.history.night import PastFigures, PastNight
from planner.report.history.words import (
    figure_text,
    maybe,
    outcome_text,
    time_text,
)
from planner.report.rows import rest_note
from planner.report.svg.curves import curves
from planner.report.tables import Column, Figure, KeyFigure, Place, Report, Section, Table
from planner.report.text import DASH, counted, gpu_hours, percent

if TYPE_CHECKING:
    import pandas as pd

_HOUR_S = 3_600
_ALL = "nights.csv (-o csv --out DIR) and -o json"


def nights_report(document: PastNights) -> Report:
    """Prepare the list."""

    def sections(place: Place, limit: int) -> Sequence[Section]:
        return (Section("nights", "Nights", tables=(_table(document, limit),)),)

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.history.frames import nights_frame

        return {"nights": nights_frame(document.nights)}

    return Report(
        name="history",
        title="Nights",
        sentence=document.sentence,
        document=document,
        sections=sections,
        frames=frames,
        key_figures=_key_figures(document.nights),
        figures=trend_figures(document.nights),
        footer=(f"From {document.database}; times in UTC.",),
        warnings=tuple(f"{one.night}: {one.error}" for one in document.nights if one.error),
    )


def trend_figures(nights: Sequence[PastNight]) -> tuple[Figure, ...]:
    """GPUs, gangs and GPU-hours over the nights; none below two nights."""
    if len(nights) < 2:
        return ()
    days = [f"{one.night:%m-%d}" for one in nights]

    def line(name: str, per: int = 1) -> list[int | None]:
        values = [None if one.figures is None else getattr(one.figures, name) for one in nights]
        return [None if value is None else value // per for value in values]

    def drawn(words: Mapping[str, str], unit: str, per: int = 1) -> str:
        return curves(
            "night", days, {label: line(name, per) for name, label in words.items()}, unit
        )

    return (
        Figure("GPUs by night", lambda: drawn(_GPUS, "GPUs")),
        Figure("Gangs by night", lambda: drawn(_GANGS, "gangs")),
        Figure("Work planned by night", lambda: drawn(_WORK, "GPU-hours", _HOUR_S)),
    )


_GPUS = {
    "gpus_allocatable": "allocatable",
    "gpus_before": "allocated before",
    "gpus_after": "allocated after the plan",
}
_GANGS = {
    "gangs_started": "start now",
    "gangs_started_later": "start later",
    "gangs_waiting": "wait",
    "long_waits": "wait a day or longer",
    "gangs_evicted": "given up",
}
_WORK = {"work_gpu_seconds": "work in the horizon", "lent_gpu_seconds": "on lent GPUs"}


def _key_figures(nights: Sequence[PastNight]) -> tuple[KeyFigure, ...]:
    last = next((one for one in reversed(nights) if one.figures is not None), None)
    if last is None or last.figures is None:
        return ()
    figures = last.figures
    used = percent(figures.gpus_after, figures.gpus_allocatable)
    return (
        KeyFigure("Last plan", str(last.night), outcome_text(last)),
        KeyFigure("Allocated after it", f"{figures.gpus_after:,} GPUs", used),
        KeyFigure("Wait", counted(figures.gangs_waiting, "gang"), _long(figures)),
        KeyFigure("Lent", gpu_hours(figures.lent_gpu_seconds or 0), _loans(figures)),
    )


def _long(figures: PastFigures) -> str:
    return f"{figures.long_waits:,} for a day or longer"


def _loans(figures: PastFigures) -> str:
    return counted(figures.loans or 0, "loan")


def _table(document: PastNights, limit: int) -> Table:
    shown = document.nights[-limit:]
    columns = (
        Column("NIGHT"),
        Column("RUN"),
        Column("AS OF", "UTC", needs_width=110),
        Column("GPUS", "before", numeric=True),
        Column("GPUS", "after", numeric=True),
        Column("OF", "GPUs", numeric=True),
        Column("START", "now", numeric=True),
        Column("START", "later", numeric=True, needs_width=84),
        Column("WAIT", "gangs", numeric=True),
        Column("LONG", "≥ 1 d", numeric=True, needs_width=92),
        Column("GIVEN UP", "gangs", numeric=True, needs_width=124),
        Column("WORK", "GPU-hours", numeric=True, needs_width=100),
        Column("LENT", "GPU-hours", numeric=True, needs_width=136),
        Column("PROOF", needs_width=150),
    )
    return Table(
        "Nights",
        columns,
        tuple(_row(one) for one in shown),
        empty="No night is kept yet; `gangplan nightly` keeps one, `--import FOLDER` reads dated folders in.",
        notes=rest_note(len(shown), len(document.nights), "nights", _ALL),
    )


_CELLS = (
    "gpus_before",
    "gpus_after",
    "gpus_allocatable",
    "gangs_started",
    "gangs_started_later",
    "gangs_waiting",
    "long_waits",
    "gangs_evicted",
)


def _row(night: PastNight) -> tuple[str, ...]:
    head = (str(night.night), outcome_text(night), time_text(night.as_of))
    if night.figures is None:
        return (*head, *[DASH] * 10, maybe(night.proof))
    cells = [figure_text(name, getattr(night.figures, name)) for name in _CELLS]
    work = [
        DASH if seconds is None else f"{seconds / _HOUR_S:,.1f}"
        for seconds in (night.figures.work_gpu_seconds, night.figures.lent_gpu_seconds)
    ]
    return (*head, *cells, *work, maybe(night.proof))
