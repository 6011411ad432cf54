"""Tables of gangs, one row each, or one row per class where there are too many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from planner.report.frames import gang_classes
from planner.report.frames.gangs import lacking_frame
from planner.report.rows import ALL_ROWS, records, rest_note, span, whole
from planner.report.tables import Column, Place, Table
from planner.report.text import DASH, counted, gpus_text

Kind = Literal["starts", "waits", "both"]
LACKING_TITLE = "Running gangs with pods that wait"
_LONG_LIST = 48


@dataclass(frozen=True, slots=True)
class _Cell:
    """A column, how its cell is made from a row, and which kinds of table have it."""

    column: Column
    make: Callable[[Mapping[str, Any], Place], str]
    kinds: tuple[Kind, ...] = ("starts", "waits", "both")


def _field(name: str) -> Callable[[Mapping[str, Any], Place], str]:
    return lambda row, place: row[name] or DASH


def _whole(name: str) -> Callable[[Mapping[str, Any], Place], str]:
    return lambda row, place: whole(row[name])


def _gpus(name: str) -> Callable[[Mapping[str, Any], Place], str]:
    return lambda row, place: gpus_text(int(row[name]))


def _span(name: str) -> Callable[[Mapping[str, Any], Place], str]:
    return lambda row, place: span(row[name])


def _nodes(row: Mapping[str, Any], place: Place) -> str:
    if row["decision"] == "wait" or not row["node_count"]:
        return DASH
    models = f" of {row['gpu_models']}" if row["gpu_models"] else ""
    count = counted(row["node_count"], "node")
    if place == "table":
        short = len(row["nodes"]) <= _LONG_LIST
        return str(row["nodes"]) if short else f"{count}{models} (-o wide names them)"
    domains = f"; domains: {row['domains']}" if row["domains"] else ""
    return f"{row['nodes']} ({count}{models}{domains})"


def _why(row: Mapping[str, Any], place: Place) -> str:
    """All reasons, one per line; behind their code where there is room."""
    lines = (row["why"] or DASH).split("\n")
    codes = row["reason_codes"].split(", ")
    if place == "table" or not row["reason_codes"] or len(codes) != len(lines):
        return "\n".join(lines)
    return "\n".join(f"{code}: {line}" for code, line in zip(codes, lines, strict=True))


def _class_why(row: Mapping[str, Any], place: Place) -> str:
    why = _why(row, place)
    return why if row["same_why"] else f"For the example: {why}"


def _idle(row: Mapping[str, Any], place: Place) -> str:
    """For how long no GPU of a running gang has worked, as measured."""
    if row["idle_seconds"] is None:
        return DASH
    return span(row["idle_seconds"]) if row["idle_seconds"] else "works"


_QUEUE = _Cell(Column("QUEUE"), _field("queue"))
_PRIORITY = _Cell(Column("PRIORITY", numeric=True, needs_width=110), _whole("priority"))
_DECISION = _Cell(Column("DECISION"), _field("decision"), ("both",))
_IDLE = _Cell(Column("IDLE FOR", "measured"), _idle, ("both",))
"""Only where one of the gangs was measured."""
_SINGLE = (
    _Cell(Column("GANG"), _field("gang")),
    _QUEUE,
    _PRIORITY,
    _Cell(
        Column("MEMBERS", "pods", numeric=True, needs_width=100),
        lambda row, place: f"{whole(row['pods_before'])} → {whole(row['pods_after'])}",
    ),
    _Cell(Column("MIN", "pods", numeric=True, needs_width=100), _whole("min_member_pods")),
    _Cell(Column("GPUS", "GPUs", numeric=True), _gpus("milli_gpus")),
    _DECISION,
    _IDLE,
    _Cell(Column("ON", "nodes", grows=True), _nodes, ("starts", "both")),
    _Cell(Column("WAITED"), _span("waited_seconds"), ("waits",)),
    _Cell(Column("WHY", grows=True), _why, ("waits", "both")),
)
_CLASS = (
    _QUEUE,
    _PRIORITY,
    _Cell(Column("GANGS", "gangs", numeric=True), _whole("gangs")),
    _Cell(Column("MIN", "pods each", numeric=True, needs_width=100), _whole("min_member_pods")),
    _Cell(Column("GPUS", "GPUs each", numeric=True), _gpus("milli_gpus")),
    _Cell(Column("GPUS", "GPUs in all", numeric=True, needs_width=90), _gpus("milli_gpus_total")),
    _DECISION,
    _Cell(
        Column("ON", "GPU models", needs_width=90, grows=True),
        _field("gpu_models"),
        ("starts", "both"),
    ),
    _Cell(Column("WAITED", "longest"), _span("longest_wait_seconds"), ("waits",)),
    _Cell(Column("EXAMPLE"), _field("example")),
    _Cell(Column("WHY", grows=True), _class_why, ("waits", "both")),
)


def gang_table(
    gangs: pd.DataFrame, place: Place, limit: int, *, kind: Kind, title: str, empty: str
) -> Table:
    """A table of gangs; more than ``limit`` rows are grouped by class, and more classes than that are counted.

    Kind ``starts`` shows where, ``waits`` shows since when and why, ``both`` shows the decision, where and why.
    """
    if len(gangs) <= limit:
        return _table(_SINGLE, records(gangs), place, kind, title=title, empty=empty)
    classes = gang_classes(gangs)
    shown = records(classes.head(limit))
    hidden = len(gangs) - sum(row["gangs"] for row in shown)
    notes = (
        f"Grouped: {counted(len(gangs), 'gang')} in {counted(len(classes), 'class', 'classes')} of the same queue, "
        f"priority, size, decision and reasons. Every single gang is in {ALL_ROWS}.",
        *rest_note(len(shown), len(classes), f"classes ({counted(hidden, 'gang')})", ALL_ROWS),
    )
    return _table(_CLASS, shown, place, kind, title=title, empty=empty, notes=notes)


def lacking_tables(gangs: pd.DataFrame, place: Place, limit: int) -> tuple[Table, ...]:
    """Running gangs with pods that wait, and why; no table where there is none."""
    rows = lacking_frame(gangs)
    if not len(rows):
        return ()
    measured = bool(rows["idle_seconds"].notna().any())
    columns = (
        Column("GANG"),
        Column("QUEUE"),
        Column("PRIORITY", numeric=True, needs_width=110),
        Column("RUN", "pods", numeric=True),
        Column("WAIT", "pods", numeric=True),
        *((_IDLE.column,) if measured else ()),
        Column("WHY", grows=True),
    )
    texts = tuple(
        (
            row["gang"],
            row["queue"],
            whole(row["priority"]),
            whole(row["pods_after"]),
            whole(row["pods_pending"]),
            *((_idle(row, place),) if measured else ()),
            _why(row, place),
        )
        for row in records(rows.head(limit))
    )
    notes = rest_note(len(texts), len(rows), "gangs", ALL_ROWS)
    return (Table(LACKING_TITLE, columns, texts, "None.", notes),)


def _table(
    cells: tuple[_Cell, ...],
    rows: list[dict[str, Any]],
    place: Place,
    kind: Kind,
    *,
    title: str,
    empty: str,
    notes: tuple[str, ...] = (),
) -> Table:
    measured = any(row.get("idle_seconds") is not None for row in rows)
    used = [cell for cell in cells if kind in cell.kinds and (cell is not _IDLE or measured)]
    texts = tuple(tuple(cell.make(row, place) for cell in used) for row in rows)
    return Table(title, tuple(cell.column for cell in used), texts, empty, notes)
