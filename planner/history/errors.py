"""What can go wrong with a database, as one clear message each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from models.findings import Finding, InputError
from planner.history.redact import redact_url, without_secrets


class HistoryError(InputError):
    """The history cannot be opened, read or written; the message never holds a password."""


def history_error(code: str, url: str, message: str, remedy: str) -> HistoryError:
    """The error of one fault of the database at ``url``."""
    shown = redact_url(url)
    finding = Finding(code, "error", shown, message, remedy)
    return HistoryError(f"history {shown}: {message}", [finding])


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault by what drivers say: SQLSTATE prefixes, or words of the message (lower case)."""

    code: str
    words: tuple[str, ...]
    message: str
    remedy: str
    states: tuple[str, ...] = ()


_FAULTS = (
    _Fault(
        "history_locked",
        ("database is locked", "database table is locked", "lock timeout", "lock not available"),
        "another process holds the database",
        "wait until the other run has ended and try again; `gangplan history --import FOLDER` brings a night in later",
        ("55P03", "40P01"),
    ),
    _Fault(
        "history_read_only",
        ("readonly database", "read-only transaction"),
        "the database cannot be written",
        "give the user of this run write access to the file and its folder (or to the database)",
        ("25006",),
    ),
    _Fault(
        "history_full",
        ("database or disk is full", "no space left"),
        "the disk is full",
        "free space on the disk of the database; `gangplan history --import FOLDER` brings the night in later",
        ("53100",),
    ),
    _Fault(
        "history_corrupt",
        ("file is not a database", "malformed", "file is encrypted", "malformed database schema"),
        "the file is no SQLite database, or it is damaged",
        "restore it from a copy, or move it away and rebuild it with `gangplan history --import FOLDER...`",
        ("XX001", "XX002"),
    ),
    _Fault(
        "history_password",
        ("password authentication failed", "no password supplied", "no pg_hba.conf entry"),
        "the server refuses the user or the password",
        "correct the URL; a password with @, : or / is written percent-encoded, and PGPASSWORD or ~/.pgpass keep it "
        "out of the file",
        ("28",),
    ),
    _Fault(
        "history_foreign",
        ("no such table", "no such column", "already exists"),
        "its tables are not those of a history",
        "name a database, a file or a schema that nothing else uses",
        ("42P01", "42P07", "42703"),
    ),
    _Fault(
        "history_no_database",
        ("does not exist",),
        "the server has no such database or role",
        "create it (`createdb NAME`) or correct the URL",
        ("3D000",),
    ),
    _Fault(
        "history_no_schema",
        ("no schema has been selected",),
        "the schema that the URL names does not exist",
        "create it (CREATE SCHEMA NAME) or correct the URL",
        ("3F000",),
    ),
    _Fault(
        "history_no_right",
        ("permission denied",),
        "the user may not create or use the tables",
        "grant the user of the URL the rights to create, read and write tables in the schema",
        ("42501",),
    ),
    _Fault(
        "history_server_down",
        (
            "connection refused",
            "could not connect",
            "connection failed",
            "could not translate host",
            "failed to resolve",
            "name or service not known",
            "timeout expired",
            "connection timeout",
            "server closed the connection",
            "terminating connection",
            "the database system is",
            "too many clients",
            "no such file or directory",
            "network is unreachable",
        ),
        "the server cannot be reached",
        "start it, or correct host and port in the URL",
        ("08", "57P", "53300"),
    ),
    _Fault(
        "history_cannot_open",
        ("unable to open database file",),
        "the file cannot be opened or created",
        "create its folder and give the user of this run access, or correct the path",
    ),
    _Fault(
        "history_disk",
        ("disk i/o error",),
        "the disk failed while the file was read or written",
        "check the disk and its mount; copy the file elsewhere before anything else",
    ),
)


@contextmanager
def told(url: str) -> Iterator[None]:
    """Turn whatever SQLAlchemy or the driver raises inside into one :class:`HistoryError`."""
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except DBAPIError as error:
        raise _of_driver(url, error.orig or error) from error
    except SQLAlchemyError as error:
        raise history_error(
            "history_failed",
            url,
            _short(str(error), url) or "the database failed",
            "correct the URL",
        ) from error


def _of_driver(url: str, error: BaseException) -> HistoryError:
    state = str(getattr(error, "sqlstate", None) or "")
    said = str(error).lower()
    for fault in _FAULTS:
        by_state = any(state.startswith(one) for one in fault.states) if state else False
        if by_state or any(word in said for word in fault.words):
            detail = _short(str(error), url)
            return history_error(
                fault.code,
                url,
                f"{fault.message} ({detail})" if detail else fault.message,
                fault.remedy,
            )
    detail = _short(str(error), url) or type(error).__name__
    return history_error("history_failed", url, detail, "check the database and its log")


def _short(message: str, url: str) -> str:
    """The first line that says something, without secrets."""
    lines = [line.strip() for line in without_secrets(message, url).splitlines() if line.strip()]
    return lines[0][:200] if lines else ""
