"""Daily time windows of revocable zones (``HH:MM-HH:MM``)."""

from __future__ import annotations

import re
from dataclasses import dataclass

MINUTES_PER_DAY = 24 * 60
_WINDOW = re.compile(r"\s*([0-9]{1,2}):([0-9]{2})\s*-\s*([0-9]{1,2}):([0-9]{2})\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class DailyWindow:
    """A window of every day; ``start`` and ``end`` are minutes after midnight, the end is excluded."""

    start: int
    end: int

    @property
    def crosses_midnight(self) -> bool:
        """It ends on the next day."""
        return self.start > self.end

    def contains(self, minute: int) -> bool:
        """Whether a minute of the day (0…1439) is inside."""
        if self.crosses_midnight:
            return minute >= self.start or minute < self.end
        return self.start <= minute < self.end


def parse_window(text: str) -> DailyWindow | None:
    """Read ``HH:MM-HH:MM``; None where it is malformed or has no length, so that the zone is never open."""
    found = _WINDOW.fullmatch(text)
    if found is None:
        return None
    start_hour, start_minute, end_hour, end_minute = (int(part) for part in found.groups())
    start, end = 60 * start_hour + start_minute, 60 * end_hour + end_minute
    valid = start_minute < 60 and end_minute < 60 and start < MINUTES_PER_DAY
    if not valid or end > MINUTES_PER_DAY or start == end:
        return None
    return DailyWindow(start, end)
