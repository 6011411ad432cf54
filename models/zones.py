"""When revocable zones are open: daily windows in UTC laid out over a horizon (Volcano's tdm plugin)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from models.windows import DailyWindow, parse_window

ZONE_LABEL = "volcano.sh/revocable-zone"
ALWAYS = "00:00-24:00"
DAY = 86_400


def openings(window: str, start: int, end: int) -> list[tuple[int, int]]:
    """Seconds ``[from, to)`` in which a window is open within ``[start, end)``, in order, those that touch joined.

    A window that crosses midnight is one stretch; one that cannot be read is never open. All of UTC, which knows no
    change of clocks.
    """
    found: list[tuple[int, int]] = []
    daily = parse_window(window)
    if daily is None:
        return found
    for first, last in _days(daily, start, end):
        first, last = max(first, start), min(last, end)
        if first >= last:
            continue
        if found and found[-1][1] >= first:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


def _days(daily: DailyWindow, start: int, end: int) -> Iterator[tuple[int, int]]:
    midnight = datetime.fromtimestamp(start, UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    day = int((midnight - timedelta(days=1)).timestamp())
    length = (daily.end - daily.start) % (24 * 60) or 24 * 60
    while day < end:
        first = day + 60 * daily.start
        yield first, first + 60 * length
        day += DAY


def zone_edges(zones: Mapping[str, str] | None, start: int, end: int) -> list[int]:
    """Moments at which some zone opens or closes."""
    spans = (span for window in (zones or {}).values() for span in openings(window, start, end))
    return sorted({moment for span in spans for moment in span if start < moment < end})


def ever_open(zones: Mapping[str, str] | None) -> dict[str, str] | None:
    """The zones with windows that can be read, open all day: what may be used at some time."""
    if zones is None:
        return None
    return {zone: ALWAYS for zone, window in zones.items() if parse_window(window) is not None}
