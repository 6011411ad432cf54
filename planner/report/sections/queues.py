"""Who deserves, has, gets, borrows and lends how many GPUs."""

from __future__ import annotations

from typing import Any

from planner.report.plan_view import PlanView
from planner.report.rows import records, rest_note, whole
from planner.report.svg.queue_bars import queue_bars
from planner.report.tables import Column, Figure, Place, Section, Table
from planner.report.text import DASH, counted, cpu_text, gibibytes_text

_GPUS = (
    Column("DESERVED", "GPUs", numeric=True),
    Column("ALLOCATED", "GPUs", numeric=True),
    Column("PLANNED", "GPUs", numeric=True),
    Column("BORROWS", "GPUs", numeric=True, needs_width=72),
    Column("LENDS", "GPUs", numeric=True, needs_width=72),
    Column("WAITING", "gangs", numeric=True),
)
_LIMITS = (
    Column("GUARANTEE", "GPUs", numeric=True),
    Column("CAPABILITY", "GPUs", numeric=True),
    Column("LIMIT", "GPUs", numeric=True),
    Column("REQUESTED", "GPUs", numeric=True),
)
_OTHER = (
    Column("CPU", "deserved", numeric=True),
    Column("CPU", "CPUs planned", numeric=True),
    Column("MEMORY", "GiB deserved", numeric=True),
    Column("MEMORY", "GiB planned", numeric=True),
)


def queues_section(view: PlanView, place: Place, limit: int) -> Section:
    """The queue table; wide and page outputs add limits, wide adds CPU and memory."""
    rows = records(view.queues)
    shown = rows[:limit]
    columns: tuple[Column, ...] = (Column("QUEUE"), Column("WEIGHT", numeric=True), *_GPUS)
    if place != "table":
        columns = (Column("QUEUE"), Column("PARENT"), Column("STATE"), *columns[1:], *_LIMITS)
    if place == "wide":
        columns = (*columns, *_OTHER)
    table = Table(
        title="Queues",
        columns=columns,
        rows=tuple(_row(row, place) for row in shown),
        empty="The snapshot has no queue.",
        notes=(
            *_legend(place),
            *rest_note(len(shown), len(rows), "queues", "queues.csv (-o csv --out DIR)"),
        ),
    )
    figures = (Figure("Deserved, allocated and planned GPUs", lambda: queue_bars(view.queues)),)
    return Section(
        "queues", "Queues", lead=_lead(rows), figures=figures if rows else (), tables=(table,)
    )


def _row(row: dict[str, Any], place: Place) -> tuple[str, ...]:
    weight = whole(row["weight"])
    gpus = [
        whole(row[f"{amount}_gpus"])
        for amount in ("deserved", "before", "after", "borrowed", "lent")
    ]
    cells = (row["queue"], weight, *gpus, whole(row["gangs_waiting"]))
    if place == "table":
        return cells
    limits = [
        whole(row[f"{amount}_gpus"]) for amount in ("guarantee", "capability", "limit", "requested")
    ]
    cells = (row["queue"], row["parent"] or DASH, row["state"], *cells[1:], *limits)
    return (*cells, *_cpu_and_memory(row)) if place == "wide" else cells


def _cpu_and_memory(row: dict[str, Any]) -> tuple[str, ...]:
    cpu = [row["deserved_cpu_milli"], row["after_cpu_milli"]]
    memory = [row["deserved_memory_bytes"], row["after_memory_bytes"]]
    return (
        *(DASH if value is None else cpu_text(value) for value in cpu),
        *(DASH if value is None else gibibytes_text(value) for value in memory),
    )


def _legend(place: Place) -> tuple[str, ...]:
    if place == "table":
        return ()
    return (
        "Allocated: GPUs of running pods before the plan. Planned: after it. Borrows: planned above deserved. "
        "Lends: deserved and left to others. A dash: no such bound.",
    )


def _lead(rows: list[dict[str, Any]]) -> str:
    borrowing = [row for row in rows if (row["borrowed_gpus"] or 0) > 0]
    lending = [row for row in rows if (row["lent_gpus"] or 0) > 0]
    if not rows:
        return ""
    if not borrowing and not lending:
        return "No queue borrows or lends GPUs."
    borrowed = sum(row["borrowed_gpus"] for row in borrowing)
    lent = sum(row["lent_gpus"] for row in lending)
    return (
        f"After the plan, of {counted(len(rows), 'queue')}: {len(borrowing):,} borrowing {counted(borrowed, 'GPU')}, "
        f"{len(lending):,} lending {counted(lent, 'GPU')}."
    )
