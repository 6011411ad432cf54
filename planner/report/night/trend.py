"""Tonight against earlier nights."""

from __future__ import annotations

from models.history.night import PastFigures
from models.history.trend import Trend
from planner.report.night.subject import NightSubject
from planner.report.svg.curves import curves
from planner.report.tables import Column, Figure, Section, Table
from planner.report.text import DASH, counted

_HOUR = 3600
FIGURES: tuple[tuple[str, str, str], ...] = (
    ("gpus_after", "GPUs allocated after the plan", "GPUs"),
    ("gangs_waiting", "Gangs that do not start", "gangs"),
    ("gangs_started", "Gangs that start now", "gangs"),
    ("gangs_started_later", "Gangs that start later in the horizon", "gangs"),
    ("work_gpu_seconds", "Work in the horizon", "GPU-hours"),
    ("lent_gpu_seconds", "Lent", "GPU-hours"),
    ("lost_gpu_seconds", "Lost by restarts", "GPU-hours"),
    ("long_waits", "Long waits", "gangs"),
    ("gangs_retried", "Gangs with retries", "gangs"),
    ("pod_restarts", "Restarts of containers", "restarts"),
)
_COLUMNS = (
    Column("FIGURE", grows=True),
    Column("UNIT"),
    Column("TONIGHT", numeric=True),
    Column("NIGHT BEFORE", numeric=True),
    Column("CHANGE", numeric=True),
    Column("MEDIAN", "of earlier nights", numeric=True),
)


def trend_section(subject: NightSubject) -> Section:
    """Figures against the night before and the median, and curves; a sentence where there is no earlier night."""
    trend = subject.trend
    known = [one for one in trend.points if one.figures is not None] if trend is not None else []
    if trend is None or len(known) < 2:
        return Section(
            "trend", "Trend", lead="There is no earlier night with a plan to compare with."
        )
    rows = tuple(_row(trend, name, title, unit) for name, title, unit in FIGURES)
    failed = sum(one.figures is None for one in trend.points)
    lead = f"{counted(len(known), 'night')} from {known[0].night} to {known[-1].night}" + (
        f", {counted(failed, 'night')} without a plan." if failed else "."
    )
    return Section(
        "trend",
        "Trend",
        lead=lead,
        figures=(
            Figure("GPU-hours by night", lambda: _curves(trend, _HOURS, "GPU-hours")),
            Figure("Gangs by night", lambda: _curves(trend, _GANGS, "gangs")),
        ),
        tables=(Table("Tonight against earlier nights", _COLUMNS, rows),),
    )


_HOURS = {"Work": "work_gpu_seconds", "Lent": "lent_gpu_seconds", "Lost": "lost_gpu_seconds"}
_GANGS = {
    "Start now": "gangs_started",
    "Start later": "gangs_started_later",
    "Do not start": "gangs_waiting",
    "Long waits": "long_waits",
}


def _row(trend: Trend, name: str, title: str, unit: str) -> tuple[str, ...]:
    values = [_value(one.figures, name) for one in trend.points]
    now, before = values[-1], values[-2] if len(values) > 1 else None
    known = sorted(value for value in values[:-1] if value is not None)
    median = known[(len(known) - 1) // 2] if known else None
    change = DASH if now is None or before is None else f"{now - before:+,}"
    return title, unit, _shown(now), _shown(before), change, _shown(median)


def _value(figures: PastFigures | None, name: str) -> int | None:
    found: int | None = None if figures is None else getattr(figures, name)
    hours = name.endswith("_gpu_seconds")
    return None if found is None else round(found / _HOUR) if hours else found


def _shown(value: int | None) -> str:
    return DASH if value is None else f"{value:,}"


def _curves(trend: Trend, named: dict[str, str], unit: str) -> str:
    nights = [f"{one.night:%m-%d}" for one in trend.points]
    lines = {
        title: [_value(one.figures, name) for one in trend.points] for title, name in named.items()
    }
    return curves("night", nights, lines, unit)
