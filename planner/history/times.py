"""Times as the history keeps them: whole seconds, RFC 3339 in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from models.moments import epoch_seconds, local_text, zone_of
from models.nightly.run import NightRun

HALF_DAY = timedelta(hours=12)


def utc_text(text: str | None) -> str:
    """The same moment in UTC, to the second; "" where the text is no time."""
    second = epoch_seconds(text) if text else None
    return "" if second is None else local_text(second)


def seconds_from(earlier: str, later: str) -> int | None:
    """Seconds between two times, None where one is missing."""
    start, end = epoch_seconds(earlier), epoch_seconds(later)
    return None if start is None or end is None else end - start


def night_of(run: NightRun) -> date:
    """The night of a run; one that ended before it knew its night belongs to the noon before its start."""
    if run.night:
        return date.fromisoformat(run.night)
    second = epoch_seconds(run.started_at)
    moment = datetime.now(UTC) if second is None else datetime.fromtimestamp(second, UTC)
    return (moment.astimezone(zone_of(run.timezone) or UTC).replace(tzinfo=None) - HALF_DAY).date()
