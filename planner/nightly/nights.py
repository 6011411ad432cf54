"""Which night a moment belongs to."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from models.moments import zone_of

NIGHT_NAME = re.compile(r"\d{4}-\d{2}-\d{2}")


def night_of(second: int, timezone: str) -> str:
    """Day on which the night around a moment begins, ``2026-09-15``: nights last from noon to noon of local clocks.

    So a run at 23:50 and its repetition at 00:20 are the same night, and a clock change at night moves nothing.
    """
    local = datetime.fromtimestamp(second, zone_of(timezone) or UTC)
    day = local.date()
    return (day if local.hour >= 12 else day - timedelta(days=1)).isoformat()


def days_between(earlier: str, later: str) -> int:
    """Days from one night to another; negative where the first is later."""
    return (date.fromisoformat(later) - date.fromisoformat(earlier)).days


def is_night(name: str) -> bool:
    """Whether a folder's name is that of a night."""
    if not NIGHT_NAME.fullmatch(name):
        return False
    try:
        date.fromisoformat(name)
    except ValueError:
        return False
    return True
