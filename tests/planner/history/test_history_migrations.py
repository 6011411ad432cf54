"""The steps lead to the tables that the code reads, in both databases."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from models.history.night import PastFigures, PastNight
from models.history.rows import GangOutcome, GangSighting, PastFinding, PastLoan, PastQueue
from planner.history.engine import make_engine
from planner.history.extract.record import record_of
from planner.history.opening import open_history
from planner.history.schema import _config, known_versions, newest_version, version_of
from planner.history.urls import parse_url
from planner.history.write import write_record


def test_the_steps_make_exactly_the_tables_of_the_code(url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    from planner.history.tables import METADATA, VERSION_TABLE

    open_history(url).close()
    engine = make_engine(parse_url(url), 1.0)
    with engine.connect() as connection:
        options = {"version_table": VERSION_TABLE, "compare_type": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, METADATA) == []
        assert version_of(connection) == newest_version()
    engine.dispose()


def test_versions_are_numbered_without_gaps() -> None:
    assert known_versions() == tuple(f"{n:04d}" for n in range(1, len(known_versions()) + 1))


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        ("NIGHTS", PastNight),
        ("FIGURES", PastFigures),
        ("OUTCOMES", GangOutcome),
        ("SIGHTINGS", GangSighting),
        ("QUEUES", PastQueue),
        ("LOANS", PastLoan),
        ("FINDINGS", PastFinding),
    ],
)
def test_every_field_of_a_record_has_a_column(table: str, kind: type) -> None:
    from planner.history import tables

    columns = {column.name for column in getattr(tables, table).columns}
    assert columns - {"night", "number"} == set(kind.model_fields) - {"night", "figures"}


def test_two_processes_that_make_the_same_tables_both_succeed(tmp_path: Path) -> None:
    code = (
        "import sys; from planner.history.opening import open_history; "
        "open_history(sys.argv[1]).close(); print('ok')"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "history.db")]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60) for process in running]
    assert [out for out, _ in said] == ["ok\n", "ok\n"], said


def test_a_database_of_the_first_version_is_brought_up_to_date_with_its_nights(
    url: str, nights: Callable
) -> None:
    from alembic import command

    from planner.history.engine import WRITES

    engine = make_engine(parse_url(url), 1.0)
    with engine.connect() as connection:
        connection = connection.execution_options(**{WRITES: True})
        with connection.begin():
            command.upgrade(_config(connection), "0001")
    with engine.connect() as connection, connection.begin():
        write_record(connection, record_of(*nights(10)))
    engine.dispose()
    with open_history(url) as history:
        history.record(*nights(11))
        found = history.nights()
    assert [one.night.day for one in found] == [10, 11]
    assert all(one.figures and one.figures.work_gpu_seconds == 5_000_000_000 for one in found)
