"""What a forecasting model of demand is: quantiles of the demand of a step from what was known some steps before."""

from __future__ import annotations

from typing import Protocol

from planner.demand.history import Ints
from planner.demand.quantiles import Floats


class DemandModel(Protocol):
    """A model that knows nothing but the history before the moment it is asked."""

    @property
    def name(self) -> str:
        """Stable name, e.g. ``recent``."""

    def days_needed(self) -> float:
        """Days of history below which it is not used."""

    def levels_at(self, steps: Ints, origins: Ints, lead: int) -> Floats:
        """Demand in GPUs per step and level of :data:`~planner.demand.quantiles.LEVELS`.

        Parameters
        ----------
        steps
            Steps asked for, possibly beyond the end of the history.
        origins
            Per step the last step of which demand is known; nothing after it may be used.
        lead
            Steps between both for which the spread is taken.
        """
