"""A service's demand on a regular grid of steps, with what is not known marked as such."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.demand import DAY_SECONDS, DemandSamples
from planner.demand.clock import Clock

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

STEPS: Final = (300, 600, 900, 1800, 3600)
LONGEST_DAYS: Final = 56
"""Older samples are left out: eight weeks show every weekday often enough."""
LONGEST_HOLD_STEPS: Final = 12


@dataclass(frozen=True)
class DemandHistory:
    """Demand per step, oldest first.

    Attributes
    ----------
    start
        First second of the first step (epoch).
    step
        Seconds per step, a divisor of a day.
    gpus
        Highest demand in GPUs within each step; where it is not known, the last value before.
    known
        Steps of which something was measured.
    clock
        Local time of the steps.
    """

    service: str
    start: int
    step: int
    gpus: Ints
    known: Bools
    clock: Clock

    @property
    def count(self) -> int:
        """Number of steps."""
        return len(self.gpus)

    @property
    def end(self) -> int:
        """First second after the last step."""
        return self.start + self.count * self.step

    @property
    def per_day(self) -> int:
        """Steps of a day of 24 hours."""
        return DAY_SECONDS // self.step

    @property
    def days(self) -> float:
        """Days of which demand is known."""
        return float(self.known.sum()) / self.per_day

    def until(self, count: int) -> DemandHistory:
        """Its first so many steps."""
        return DemandHistory(
            self.service, self.start, self.step, self.gpus[:count], self.known[:count], self.clock
        )


def step_of(samples: DemandSamples) -> int:
    """Step that suits the samples: their most frequent distance, taken down to one of :data:`STEPS`."""
    gaps = Counter(np.diff(np.asarray(samples.seconds, dtype=np.int64)).tolist())
    if not gaps:
        return STEPS[-1]
    usual = max(gaps, key=lambda gap: (gaps[gap], -gap))
    return max((step for step in STEPS if step <= usual), default=STEPS[0])


def regular_history(
    samples: DemandSamples,
    *,
    timezone: str = "UTC",
    step: int | None = None,
    until: int | None = None,
) -> DemandHistory:
    """Samples on the grid: the highest value of each step, held for at most an hour or twelve steps.

    Longer gaps are not known; a forecast neither learns from them nor is judged on them.

    Parameters
    ----------
    step
        Seconds per step; None takes :func:`step_of`.
    until
        Samples at or after this second are left out.
    """
    size = step or step_of(samples)
    seconds = np.asarray(samples.seconds, dtype=np.int64)
    gpus = np.asarray(samples.gpus, dtype=np.int64)
    if until is not None:
        seconds, gpus = seconds[seconds < until], gpus[seconds < until]
    if len(seconds):
        recent = seconds >= seconds[-1] - LONGEST_DAYS * DAY_SECONDS
        seconds, gpus = seconds[recent], gpus[recent]
    if not len(seconds):
        empty = np.zeros(0, dtype=np.int64)
        return DemandHistory(
            samples.service, until or 0, size, empty, empty.astype(bool), Clock(0, size, timezone)
        )
    start = int(seconds[0]) // size * size
    place = (seconds - start) // size
    count = int(place[-1]) + 1
    most = np.full(count, -1, dtype=np.int64)
    np.maximum.at(most, place, gpus)
    last = np.maximum.accumulate(np.where(most >= 0, np.arange(count), 0))
    hold = max(LONGEST_HOLD_STEPS, DAY_SECONDS // 24 // size)
    known = np.arange(count) - last <= hold
    # What holds at the start of a step counts as well where the next sample is inside it: the last of the step before.
    final = np.full(count, -1, dtype=np.int64)
    final[place] = gpus
    carried = final[last]
    return DemandHistory(
        samples.service,
        start,
        size,
        np.where(most >= 0, most, carried),
        known,
        Clock(start, size, timezone),
    )
