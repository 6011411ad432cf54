"""Forecasts by the library statsmodels, as an option beside the built-in quantiles (extra ``forecast``).

Its Theta model (Assimakopoulos and Nikolopoulos 2000) with a daily season takes the place of the built-in seasonal
models; margins are chosen and judged in the same way. One fit per day keeps a replay affordable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from scipy.stats import norm

from models.findings import UsageError
from planner.demand.history import DemandHistory, Ints
from planner.demand.model import DemandModel
from planner.demand.quantiles import LEVELS, Floats
from planner.demand.recent import RecentLevel

_LONGEST_DAYS: Final = 14
"""Days of history that one fit uses."""


def library_models(history: DemandHistory) -> tuple[DemandModel, ...]:
    """The library's model for far leads and the built-in recent level for near ones.

    Raises
    ------
    UsageError
        The library is not installed.
    """
    found = (RecentLevel(history), LibraryModel(history))
    return tuple(one for one in found if one.days_needed() <= history.days)


@dataclass(frozen=True)
class LibraryModel:
    """Theta with a daily season, fitted on what was known at the last full day of history before each origin."""

    history: DemandHistory
    name: str = "statsmodels"
    _tables: dict[int, Floats] = field(default_factory=dict, compare=False, repr=False)

    def days_needed(self) -> float:
        """Three days: two seasons to fit and one to try."""
        return 3.0

    def levels_at(self, steps: Ints, origins: Ints, lead: int) -> Floats:
        """See :class:`~planner.demand.model.DemandModel`."""
        day = self.history.per_day
        found = np.full((len(steps), len(LEVELS)), np.inf)
        cuts = np.minimum((origins + 1) // day * day, self.history.count)
        # The newest forecast starts at the end of the history, not at the midnight before.
        cuts[origins + 1 == self.history.count] = self.history.count
        for cut in np.unique(cuts):
            chosen = cuts == cut
            if cut < 2 * day:
                continue
            ahead = steps[chosen] - cut
            found[chosen] = self._table(int(cut), int(ahead.max()) + 1)[ahead]
        return found

    def _table(self, cut: int, steps: int) -> Floats:
        """Levels of at least so many steps after a cut, fitted once."""
        if cut not in self._tables or len(self._tables[cut]) < steps:
            self._tables[cut] = self._fit(cut, max(steps, 2 * self.history.per_day))
        return self._tables[cut]

    def _fit(self, cut: int, steps: int) -> Floats:
        """Levels of the steps after a cut."""
        values = self.history.gpus[max(0, cut - _LONGEST_DAYS * self.history.per_day) : cut]
        fitted = _theta()(
            values.astype(np.float64),
            period=self.history.per_day,
            deseasonalize=True,
            use_test=False,
            method="additive",
        ).fit()
        mean = np.asarray(fitted.forecast(steps), dtype=np.float64)
        # The library's own intervals take a state-space fit of seconds; days differ from days as forecasts from them.
        deviation = float(np.std(values[self.history.per_day :] - values[: -self.history.per_day]))
        table = mean[:, None] + deviation * norm.ppf(LEVELS[:-1])[None, :]
        top = np.maximum(table[:, -1:], float(values.max(initial=0)))
        found: Floats = np.ceil(np.maximum(np.hstack([table, top]), 0.0) - 1e-9)
        return found


def _theta() -> Any:
    try:
        from statsmodels.tsa.forecasting.theta import ThetaModel
    except ImportError:
        raise UsageError(
            "policy key 'lending.forecast' is 'statsmodels', which is not installed; "
            "install gangplan[forecast] or set it to 'seasonal'"
        ) from None
    return ThetaModel
