"""Moments and durations as whole seconds; times of day in any time zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h|d)", re.ASCII)
_UNIT_S = {
    **dict.fromkeys(("ns",), 1e-9),
    **dict.fromkeys(("us", "µs", "μs"), 1e-6),
    **{"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0},
}
_LONGEST_S = 100 * 366 * 86_400


def seconds_of_duration(value: object) -> int | None:
    """Whole seconds of ``4h30m``, ``2d``, ``90`` or a number, rounded up; None where it is no duration above 0."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    text = str(value).strip().removeprefix("+")
    if re.fullmatch(r"\d{1,12}(\.\d+)?", text):
        found = float(text)
    else:
        parts = _PART.findall(text)
        if not parts or "".join(number + unit for number, unit in parts) != text:
            return None
        found = sum(float(number) * _UNIT_S[unit] for number, unit in parts)
    if not 0 < found <= _LONGEST_S:
        return None
    return int(-(-found // 1))


def epoch_seconds(text: str) -> int | None:
    """Seconds since the epoch of an RFC 3339 time (without zone: UTC), None where it is none."""
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(moment.timestamp())


def zone_of(name: str) -> ZoneInfo | None:
    """Time zone by its IANA name, None where it is unknown."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def local_text(second: int, timezone: str = "UTC") -> str:
    """RFC 3339 text of a moment in a time zone, ``2026-08-20T22:00:00+02:00``; UTC as ``Z``."""
    zone = zone_of(timezone) or UTC
    text = datetime.fromtimestamp(second, zone).isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def utc_offset_s(second: int, timezone: str) -> int:
    """Seconds that local clocks are ahead of UTC at a moment (daylight saving included)."""
    offset = datetime.fromtimestamp(second, zone_of(timezone) or UTC).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0
