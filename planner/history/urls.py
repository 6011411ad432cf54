"""From what a person writes to a database URL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from planner.history.errors import history_error

if TYPE_CHECKING:
    from sqlalchemy import URL

_EXAMPLES = (
    "write a path such as history.db, sqlite:///history.db or postgresql://user@host/database"
)
_POSTGRES = ("postgresql", "postgres")


def parse_url(text: str) -> URL:
    """The URL with the driver that is used for it; a plain path is a SQLite file.

    Raises
    ------
    HistoryError
        No URL, or a database that is neither SQLite nor PostgreSQL.
    """
    from sqlalchemy import URL, make_url
    from sqlalchemy.exc import ArgumentError

    if not text.strip():
        raise history_error("history_url", text, "the database URL is empty", _EXAMPLES)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise history_error("history_url", text, "this is no database URL", _EXAMPLES) from error
    backend, _, driver = url.drivername.partition("+")
    if backend in _POSTGRES:
        return url.set(drivername=f"postgresql+{driver or 'psycopg'}")
    if backend == "sqlite":
        return url.set(drivername="sqlite")
    raise history_error(
        "history_url", text, f"{backend} is neither SQLite nor PostgreSQL", _EXAMPLES
    )


def sqlite_file(url: URL) -> Path | None:
    """The file of a SQLite URL; None for a server, a database in memory, or SQLite's own ``file:`` form."""
    name = url.database or ""
    if url.get_backend_name() != "sqlite" or name in ("", ":memory:") or name.startswith("file:"):
        return None
    return Path(name)
