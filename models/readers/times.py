"""Time stamps of an export, in one form: RFC 3339, UTC, whole seconds."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from models.readers.fields import BadObject, shown


@lru_cache(maxsize=65_536)
def read_time(text: str) -> str:
    """``2026-08-20T08:01:00Z`` for any RFC 3339 time; a time without zone counts as UTC.

    Raises
    ------
    BadObject
        The text is no time.
    """
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadObject(f"{shown(text)} is not a time (RFC 3339)") from None
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}Z"


def lenient_time(value: object) -> str:
    """The same for a time that nothing depends on: "" where there is none, or none that can be read."""
    try:
        return read_time(value) if isinstance(value, str) and value else ""
    except BadObject:
        return ""


class Clock:
    """Remembers the newest time stamp that it was shown, per kind of object.

    Attributes
    ----------
    kind
        Kind of the object that is being read; whoever starts one sets it.
    """

    def __init__(self) -> None:
        self.kind = ""
        self.by_kind: dict[str, str] = {}

    @property
    def newest(self) -> str:
        """Newest time of all kinds, "" for none."""
        return max(self.by_kind.values(), default="")

    def read(self, value: object) -> str:
        """The time in the usual form, "" for none; remembered if it is the newest of its kind so far."""
        if not value:
            return ""
        moment = read_time(value) if isinstance(value, str) else read_time(str(value)[:40])
        if moment > self.by_kind.get(self.kind, ""):
            self.by_kind[self.kind] = moment
        return moment
