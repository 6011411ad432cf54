"""Tables of gangs, one row each, or one row per class where there are too many."""

from __future__ import annotations

from typing import Any

import pandas as pd

from planner.report.frames import gang_classes
from planner.report.sections.rows import ALL_ROWS, records, rest_note, span, whole
from planner.report.tables import Column, Place, Table
from planner.report.text import DASH, counted

_LONG_LIST = 48
_HEAD = (
    Column("GANG"),
    Column("QUEUE"),
    Column("PRIORITY", numeric=True, needs_width=110),
)
_SIZE = (
    Column("MEMBERS", "pods now → plan", numeric=True, needs_width=90),
    Column("MIN", "pods", numeric=True, needs_width=100),
    Column("GPUS", "GPUs", numeric=True),
)
_CLASS_SIZE = (
    Column("GANGS", "gangs", numeric=True),
    Column("MIN", "pods each", numeric=True, needs_width=100),
    Column("GPUS", "GPUs each", numeric=True),
    Column("GPUS", "GPUs in all", numeric=True, needs_width=90),
)
_DECISION, _ON = Column("DECISION"), Column("ON", "nodes", grows=True)
_WHY = Column("WHY", grows=True)


def gang_table(
    gangs: pd.DataFrame, place: Place, limit: int, *, title: str, empty: str, waiting: bool | None
) -> Table:
    """A table of gangs; more than ``limit`` rows are grouped by class, and more classes than that are counted.

    ``waiting`` True shows waits (how long, why), False shows changes (where), None shows both.
    """
    if len(gangs) > limit:
        return _class_table(gangs, limit, title=title, empty=empty, waiting=waiting)
    columns: list[Column] = [*_HEAD, *_SIZE]
    if waiting is not True:
        columns += [_DECISION, _ON]
    if waiting is True:
        columns.append(Column("WAITED"))
    if waiting is not False:
        columns.append(_WHY)
    rows = tuple(_row(row, place, waiting=waiting) for row in records(gangs))
    return Table(title, tuple(columns), rows, empty=empty)


def _row(row: dict[str, Any], place: Place, *, waiting: bool | None) -> tuple[str, ...]:
    cells = [
        row["gang"],
        row["queue"],
        whole(row["priority"]),
        f"{whole(row['pods_before'])} → {whole(row['pods_after'])}",
        whole(row["min_member_pods"]),
        whole(row["gpus"]),
    ]
    if waiting is not True:
        cells += [row["decision"], _nodes(row, place)]
    if waiting is True:
        cells.append(span(row["waited_seconds"]))
    if waiting is not False:
        cells.append(row["why"] or DASH)
    return tuple(cells)


def _nodes(row: dict[str, Any], place: Place) -> str:
    if row["decision"] == "wait" or not row["node_count"]:
        return DASH
    models = f" of {row['gpu_models']}" if row["gpu_models"] else ""
    count = counted(row["node_count"], "node")
    if place == "table" and len(row["nodes"]) > _LONG_LIST:
        return f"{count}{models} (-o wide names them)"
    return f"{row['nodes']} ({count}{models})" if models else f"{row['nodes']} ({count})"


def _class_table(
    gangs: pd.DataFrame, limit: int, *, title: str, empty: str, waiting: bool | None
) -> Table:
    classes = gang_classes(gangs)
    shown = records(classes.head(limit))
    columns: list[Column] = [Column("QUEUE"), _HEAD[2], *_CLASS_SIZE]
    if waiting is not True:
        columns += [_DECISION, Column("ON", "GPU models", needs_width=90)]
    if waiting is True:
        columns.append(Column("WAITED", "longest"))
    columns.append(Column("EXAMPLE"))
    if waiting is not False:
        columns.append(_WHY)
    rows = tuple(_class_row(row, waiting=waiting) for row in shown)
    covered = sum(row["gangs"] for row in shown)
    notes = (
        f"Grouped: {counted(len(gangs), 'gang')} in {counted(len(classes), 'class', 'classes')} of the same queue, "
        f"priority, size, decision and reasons. Every single gang is in {ALL_ROWS}.",
        *rest_note(len(shown), len(classes), f"classes ({len(gangs) - covered:,} gangs)", ALL_ROWS),
    )
    return Table(title, tuple(columns), rows, empty=empty, notes=notes)


def _class_row(row: dict[str, Any], *, waiting: bool | None) -> tuple[str, ...]:
    cells = [
        row["queue"],
        whole(row["priority"]),
        whole(row["gangs"]),
        whole(row["min_member_pods"]),
        whole(row["gpus"]),
        whole(row["gpus_total"]),
    ]
    if waiting is not True:
        cells += [row["decision"], row["gpu_models"] or DASH]
    if waiting is True:
        cells.append(span(row["longest_wait_seconds"]))
    cells.append(row["example"])
    if waiting is not False:
        why = row["why"] or DASH
        cells.append(why if row["same_why"] else f"For the example: {why}")
    return tuple(cells)
