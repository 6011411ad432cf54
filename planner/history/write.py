"""Writing one night: all of it or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from models.history.record import NightRecord
from models.part import Part
from planner.history.packing import pack_plan

if TYPE_CHECKING:
    from sqlalchemy import Table
    from sqlalchemy.engine import Connection


def write_record(connection: Connection, record: NightRecord) -> None:
    """Replace whatever is kept of the night; the caller's transaction makes it one step."""
    from planner.history import tables

    night = record.night.night
    connection.execute(tables.NIGHTS.delete().where(tables.NIGHTS.c.night == night))
    _insert(connection, tables.NIGHTS, night, [record.night])
    if record.night.figures is not None:
        _insert(connection, tables.FIGURES, night, [record.night.figures])
    if record.plan is not None:
        packed, size = pack_plan(record.plan)
        values = {"night": night, "document": packed, "unpacked_bytes": size}
        connection.execute(tables.PLANS.insert(), values)
    _insert(connection, tables.OUTCOMES, night, record.gangs)
    _insert(connection, tables.SIGHTINGS, night, record.sightings)
    _insert(connection, tables.QUEUES, night, record.queues)
    _insert(connection, tables.LOANS, night, record.loans)
    _insert(connection, tables.FINDINGS, night, record.findings)


def _insert(connection: Connection, table: Table, night: date, parts: Sequence[Part]) -> None:
    if parts:
        connection.execute(table.insert(), list(_values(table, night, parts)))


def _values(table: Table, night: date, parts: Iterable[Part]) -> Iterable[dict[str, Any]]:
    names = {column.name for column in table.columns} - {"night", "number"}
    numbered = "number" in table.columns
    for number, part in enumerate(parts):
        found = {"night": night, **part.model_dump(mode="json", include=names, by_alias=False)}
        yield {**found, "number": number} if numbered else found
