"""The version of a database's tables: read it, and bring it up to date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planner.history.errors import history_error

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy.engine import Connection

_FOLDER = Path(__file__).resolve().parent / "migrations"
_MIGRATION_LOCK = 7_301_224_011
"""Advisory lock of PostgreSQL under which one process at a time changes tables."""


def bring_up_to_date(connection: Connection, url: str) -> None:
    """Make or migrate the tables inside the caller's writing transaction.

    Raises
    ------
    HistoryError
        The tables are of a newer release.
    """
    from alembic import command
    from sqlalchemy import text

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
    found = version_of(connection)
    refuse_newer(found, url)
    if found != newest_version():
        command.upgrade(_config(connection), "head")


def version_of(connection: Connection) -> str:
    """Version of the tables, "" where there are none."""
    from alembic.runtime.migration import MigrationContext

    from planner.history.tables import VERSION_TABLE

    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    heads = context.get_current_heads()
    return heads[0] if heads else ""


def newest_version() -> str:
    """The version that this release knows best."""
    return known_versions()[-1]


def known_versions() -> tuple[str, ...]:
    """All versions, oldest first."""
    from alembic.script import ScriptDirectory

    steps = ScriptDirectory(str(_FOLDER)).walk_revisions()
    return tuple(reversed([step.revision for step in steps]))


def refuse_newer(found: str, url: str) -> None:
    """Stop where another release made the tables and this one does not know them.

    Raises
    ------
    HistoryError
        Always then.
    """
    if found and found not in known_versions():
        raise history_error(
            "history_newer",
            url,
            f"its tables have version {found}, this release knows up to {newest_version()}",
            "upgrade gangplan, or name another database",
        )


def _config(connection: Connection) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
