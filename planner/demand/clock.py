"""The local clock of steps: the same time of day on other days, right across daylight-saving changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.demand import DAY_SECONDS
from models.moments import utc_offset_s

Ints = NDArray[np.int64]
_PROBE: Final = 3600


@dataclass(frozen=True)
class Clock:
    """Local time of step ``i``, which starts at ``start + i * step`` (epoch seconds)."""

    start: int
    step: int
    timezone: str

    def offsets(self, steps: Ints) -> Ints:
        """Seconds that the local clock is ahead of UTC at the start of each step."""
        seconds = self.start + steps * self.step
        hours, back = np.unique(seconds // _PROBE, return_inverse=True)
        # Clocks change on the hour or the half hour at most; the start of the hour decides for its steps unless both
        # ends differ, where every step is asked.
        found = np.array([utc_offset_s(int(h) * _PROBE, self.timezone) for h in hours], np.int64)
        later = np.array(
            [utc_offset_s(int(h + 1) * _PROBE - 1, self.timezone) for h in hours], np.int64
        )
        result = found[back]
        for place in np.flatnonzero((found != later)[back]):
            result[place] = utc_offset_s(int(seconds[place]), self.timezone)
        return result

    def days_before(self, steps: Ints, days: Ints) -> Ints:
        """Steps with the same local time of day so many calendar days before; shape (steps, days)."""
        naive = steps[:, None] - days[None, :] * (DAY_SECONDS // self.step)
        moved = self.offsets(naive.ravel()).reshape(naive.shape)
        return naive + (self.offsets(steps)[:, None] - moved) // self.step

    def weekdays(self, steps: Ints) -> Ints:
        """Local day of the week, Monday 0."""
        local = self.start + steps * self.step + self.offsets(steps)
        # 1 January 1970 was a Thursday.
        return (local // DAY_SECONDS + 3) % 7
