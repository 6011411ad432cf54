"""Reading nights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from models.history.night import PastFigures, PastNight
from models.history.record import NightRecord
from models.history.rows import GangOutcome, GangSighting, PastFinding, PastLoan, PastQueue
from models.part import Part
from models.plan import PlanResult
from planner.history.observing import SeenRun
from planner.history.packing import unpack_plan

if TYPE_CHECKING:
    from sqlalchemy import Table
    from sqlalchemy.engine import Connection

Kept = TypeVar("Kept", bound=Part)


def read_nights(
    connection: Connection,
    *,
    since: date | None = None,
    until: date | None = None,
    last: int | None = None,
) -> tuple[PastNight, ...]:
    """Nights from ``since`` to ``until`` (both included), of these the ``last`` ones, oldest first."""
    from sqlalchemy import select

    from planner.history.tables import FIGURES, NIGHTS

    query = select(NIGHTS).order_by(NIGHTS.c.night.desc())
    if since is not None:
        query = query.where(NIGHTS.c.night >= since)
    if until is not None:
        query = query.where(NIGHTS.c.night <= until)
    rows = connection.execute(query.limit(last)).mappings().all()
    nights = [row["night"] for row in rows]
    figures = {
        row["night"]: _part(PastFigures, row)
        for row in connection.execute(select(FIGURES).where(FIGURES.c.night.in_(nights))).mappings()
    }
    return tuple(
        PastNight.model_validate({**row, "figures": figures.get(row["night"])})
        for row in reversed(rows)
    )


def read_record(connection: Connection, night: date, *, with_plan: bool) -> NightRecord | None:
    """One night with its details, None where it is not kept."""
    from planner.history import tables

    found = read_nights(connection, since=night, until=night)
    if not found:
        return None
    return NightRecord(
        night=found[0],
        gangs=named(read_rows(connection, tables.OUTCOMES, GangOutcome, night)),
        sightings=named(read_rows(connection, tables.SIGHTINGS, GangSighting, night)),
        queues=tuple(
            sorted(read_rows(connection, tables.QUEUES, PastQueue, night), key=lambda q: q.name)
        ),
        loans=read_rows(connection, tables.LOANS, PastLoan, night),
        findings=read_rows(connection, tables.FINDINGS, PastFinding, night),
        plan=read_plan(connection, night) if with_plan else None,
    )


def read_rows(
    connection: Connection, table: Table, kind: type[Kept], night: date
) -> tuple[Kept, ...]:
    """Rows of one night, in the order of their number where they have one."""
    from sqlalchemy import select

    query = select(table).where(table.c.night == night)
    if "number" in table.columns:
        query = query.order_by(table.c.number)
    return tuple(_part(kind, row) for row in connection.execute(query).mappings())


def read_plan(connection: Connection, night: date) -> PlanResult | None:
    """The plan document of a night, None where it left none."""
    from sqlalchemy import select

    from planner.history.tables import PLANS

    packed = connection.execute(
        select(PLANS.c.document).where(PLANS.c.night == night)
    ).scalar_one_or_none()
    return None if packed is None else unpack_plan(packed)


Named = TypeVar("Named", GangOutcome, GangSighting)


def named(rows: Sequence[Named]) -> tuple[Named, ...]:
    """Sorted by name here: databases sort text by rules of their own."""
    return tuple(sorted(rows, key=lambda one: (one.namespace, one.name)))


def _part(kind: type[Kept], row: Mapping[Any, Any]) -> Kept:
    names = kind.model_fields
    return kind.model_validate({key: value for key, value in row.items() if key in names})


@dataclass(frozen=True)
class Wanted:
    """Which rows of gangs are read; empty fields choose all. ``gangs`` are full names."""

    since: date | None = None
    until: date | None = None
    namespaces: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    gangs: tuple[str, ...] = ()


def read_gang_rows(
    connection: Connection, table: Table, kind: type[Named], wanted: Wanted
) -> tuple[tuple[date, Named], ...]:
    """Rows of gangs over the nights, oldest night first, then by name."""
    from sqlalchemy import select

    query = select(table)
    if wanted.since is not None:
        query = query.where(table.c.night >= wanted.since)
    if wanted.until is not None:
        query = query.where(table.c.night <= wanted.until)
    if wanted.namespaces:
        query = query.where(table.c.namespace.in_(wanted.namespaces))
    if wanted.queues:
        query = query.where(table.c.queue.in_(wanted.queues))
    if wanted.gangs:
        names = [name.partition("/")[2] for name in wanted.gangs]
        query = query.where(table.c.name.in_(names))
    rows = connection.execute(query).mappings()
    found = [(row["night"], _part(kind, row)) for row in rows]
    if wanted.gangs:
        found = [one for one in found if one[1].full_name in wanted.gangs]
    found.sort(key=lambda one: (one[0], one[1].namespace, one[1].name))
    return tuple(found)


def read_runs(
    connection: Connection, since: date | None = None, until: date | None = None
) -> Iterator[SeenRun]:
    """Sightings of gangs that run or have ended, oldest night first."""
    from sqlalchemy import select

    from planner.history.tables import NIGHTS, SIGHTINGS

    columns = [SIGHTINGS.c[name] for name in SeenRun._fields if name != "moment"]
    query = (
        select(NIGHTS.c.as_of, *columns)
        .join(SIGHTINGS, SIGHTINGS.c.night == NIGHTS.c.night)
        .where(SIGHTINGS.c.finished | (SIGHTINGS.c.started_at != ""))
        .order_by(NIGHTS.c.night)
    )
    if since is not None:
        query = query.where(NIGHTS.c.night >= since)
    if until is not None:
        query = query.where(NIGHTS.c.night <= until)
    return (SeenRun(*row) for row in connection.execute(query))


def read_times(connection: Connection) -> dict[date, str]:
    """Time of the snapshot of every night that kept one."""
    from sqlalchemy import select

    from planner.history.tables import NIGHTS

    query = select(NIGHTS.c.night, NIGHTS.c.as_of).where(NIGHTS.c.seen)
    return {row.night: row.as_of for row in connection.execute(query)}


def next_seen(connection: Connection, night: date) -> date | None:
    """The first later night that kept what its snapshot showed."""
    from sqlalchemy import func, select

    from planner.history.tables import NIGHTS

    query = select(func.min(NIGHTS.c.night)).where(NIGHTS.c.night > night, NIGHTS.c.seen)
    found: date | None = connection.execute(query).scalar_one()
    return found
