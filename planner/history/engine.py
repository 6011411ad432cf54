"""How a database is reached: drivers, time limits, transactions.

SQLite keeps its rollback journal: the write-ahead log needs shared memory, which network file systems do not have, and
there is one writer a night. A run that is killed leaves a journal that the next one rolls back. Python's own handling
of transactions is switched off and every one begins explicitly (a writer at once with its lock), as SQLAlchemy's manual
advises for SQLite; only so are changes of the schema transactional, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.history.errors import history_error

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine
    from sqlalchemy.engine import Connection

WRITES = "gangplan_writes"
"""Execution option of connections that write."""
_CONNECT_S = 10
_MILLI = 1000


def make_engine(url: URL, wait_s: float) -> Engine:
    """An engine for a URL; it connects at its first use.

    Parameters
    ----------
    wait_s
        Seconds to wait for a lock that another process holds.

    Raises
    ------
    HistoryError
        The driver is not installed.
    """
    from sqlalchemy import create_engine
    from sqlalchemy.exc import NoSuchModuleError

    try:
        if url.get_backend_name() == "sqlite":
            engine = create_engine(url, connect_args={"timeout": wait_s})
            _begin_explicitly(engine)
            return engine
        return create_engine(url, pool_size=1, connect_args=_server_arguments(url, wait_s))
    except (ImportError, NoSuchModuleError) as error:
        raise history_error(
            "history_no_driver",
            url.render_as_string(hide_password=True),
            f"the driver for {url.drivername} is not installed",
            'install it: pip install "gangplan[postgres]"',
        ) from error


def _server_arguments(url: URL, wait_s: float) -> dict[str, Any]:
    given = url.query.get("options", "")
    options = given if isinstance(given, str) else " ".join(given)
    ours = f"-c lock_timeout={max(int(wait_s * _MILLI), 1)} -c client_encoding=UTF8"
    found: dict[str, Any] = {"options": f"{ours} {options}".strip()}
    if "connect_timeout" not in url.query:
        found["connect_timeout"] = _CONNECT_S
    if "application_name" not in url.query:
        found["application_name"] = "gangplan"
    return found


def _begin_explicitly(engine: Engine) -> None:
    from sqlalchemy import event

    def connected(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    def begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)
