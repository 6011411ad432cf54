"""Seasonal quantiles: demand at about the same local time of day on earlier days, recent days counting more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from planner.demand.history import DemandHistory, Ints
from planner.demand.quantiles import LEVELS, Floats, weighted_quantiles

MEMORY_DAYS: Final = 7.0
WEEKS_REMEMBERED: Final = 8
_HALF_WIDTH_S: Final = 45 * 60
"""Standard deviation of the time-of-day kernel, in seconds; neighbours up to twice that count."""
_OTHER_WEEKDAY: Final = 0.1
_LEAST_NEIGHBOURS: Final = 4


@dataclass(frozen=True)
class SeasonalQuantiles:
    """Weighted quantiles over neighbours in time of day; with ``weekly``, other weekdays count a tenth."""

    history: DemandHistory
    weekly: bool = False

    @property
    def name(self) -> str:
        """``weekly`` or ``daily``."""
        return "weekly" if self.weekly else "daily"

    def days_needed(self) -> float:
        """Two days of history, or three weeks where weekdays are told apart."""
        return 21.0 if self.weekly else 2.0

    def levels_at(self, steps: Ints, origins: Ints, lead: int) -> Floats:
        """See :class:`~planner.demand.model.DemandModel`; the lead does not matter beyond the origins."""
        days = self._days(steps, origins)
        same_time = self.history.clock.days_before(steps, days)
        around, near = self._around()
        aged = np.exp(-days / (MEMORY_DAYS * (4 if self.weekly else 1)))
        found = np.full((len(steps), len(LEVELS)), np.inf)
        demand, known = self.history.gpus.astype(np.float64), self.history.known
        for row in range(len(steps)):
            places = (same_time[row][:, None] + around[None, :]).ravel()
            weights = (aged * self._weekday(days))[:, None] * near[None, :]
            usable = (places >= 0) & (places <= origins[row]) & (places < len(demand))
            usable[usable] = known[places[usable]]
            if usable.sum() >= _LEAST_NEIGHBOURS:
                found[row] = weighted_quantiles(demand[places[usable]], weights.ravel()[usable])
        return found

    def _days(self, steps: Ints, origins: Ints) -> Ints:
        """Days back that may hold history for some of the steps."""
        day = self.history.per_day
        ahead = int(np.max(steps - origins, initial=0)) // day
        behind = -(-int(np.max(steps, initial=0)) // day) + 1
        return np.arange(0, min(behind, ahead + 7 * WEEKS_REMEMBERED) + 1, dtype=np.int64)

    def _around(self) -> tuple[Ints, Floats]:
        """Neighbouring steps and their weights; an hourly grid has the step itself and one on each side."""
        width = max(_HALF_WIDTH_S / self.history.step, 0.5)
        reach = max(1, int(2 * width))
        around = np.arange(-reach, reach + 1, dtype=np.int64)
        return around, np.exp(-0.5 * (around / width) ** 2)

    def _weekday(self, days: Ints) -> Floats:
        if not self.weekly:
            return np.ones(len(days))
        return np.where(days % 7 == 0, 1.0, _OTHER_WEEKDAY)
