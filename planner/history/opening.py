"""Opening a history by its URL."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from planner.history.errors import history_error, told
from planner.history.store import WAIT_S, History

if TYPE_CHECKING:
    from sqlalchemy import Engine


def open_history(url: str, *, create: bool = True, wait_s: float = WAIT_S) -> History:
    """Open a history; its tables are made or migrated first.

    Parameters
    ----------
    url
        ``sqlite:///PATH``, a plain path, or ``postgresql://USER@HOST/DATABASE``.
    create
        Make the database file and the tables where there are none; otherwise that is an error.
    wait_s
        Seconds to wait for another process that holds the database.

    Raises
    ------
    HistoryError
        Whatever is wrong, with a remedy; a password is never shown.
    """
    from planner.history.engine import make_engine
    from planner.history.urls import parse_url, sqlite_file

    parsed = parse_url(url)
    file = sqlite_file(parsed)
    if file is not None and not file.exists():
        if not create:
            raise _nothing(url)
        if not file.parent.is_dir():
            raise history_error(
                "history_cannot_open",
                url,
                f"its folder {file.parent} does not exist",
                "create the folder, or correct the path",
            )
        _make_private(file, url)
    engine = make_engine(parsed, wait_s)
    try:
        _prepare(engine, url, create=create)
    except BaseException:
        engine.dispose()
        raise
    return History(engine, url)


def _make_private(file: Path, url: str) -> None:
    """Make an empty file that its owner alone reads: SQLite would let everybody read it."""
    try:
        with suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise history_error(
            "history_cannot_open",
            url,
            f"the file cannot be made: {error.strerror or error}",
            "give the user of this run access to its folder, or correct the path",
        ) from error


def _prepare(engine: Engine, url: str, *, create: bool) -> None:
    """Bring the tables up to date; a database that is up to date is only read."""
    from planner.history.engine import WRITES
    from planner.history.schema import (
        bring_up_to_date,
        newest_version,
        refuse_newer,
        version_of,
    )

    with told(url), engine.connect() as connection, connection.begin():
        found = version_of(connection)
    refuse_newer(found, url)
    if found == newest_version():
        return
    if not found and not create:
        raise _nothing(url)
    with told(url), engine.connect() as connection:
        connection = connection.execution_options(**{WRITES: True})
        with connection.begin():
            bring_up_to_date(connection, url)


def _nothing(url: str) -> Exception:
    return history_error(
        "history_empty",
        url,
        "there is no history yet",
        "`gangplan nightly` keeps one; `gangplan history --import FOLDER` reads dated folders in",
    )
