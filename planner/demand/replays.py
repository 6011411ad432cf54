"""What every model would have said before each step of the history, computed once per lead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.demand.history import DemandHistory
from planner.demand.model import DemandModel
from planner.demand.quantiles import LEVELS, Floats, with_beyond

Replay = tuple[DemandModel, Floats]


class Replays:
    """Rolling replays of models over one history; nothing in them looks ahead, so their beginning is a replay too."""

    def __init__(self, history: DemandHistory, models: Sequence[DemandModel]) -> None:
        self.history, self.models = history, tuple(models)
        self._by_lead: dict[int, list[Replay]] = {}

    def at(self, lead: int) -> list[Replay]:
        """Levels (steps × levels, with those beyond) of every model, so many steps ahead."""
        if lead not in self._by_lead:
            self._by_lead[lead] = [(one, self._replay(one, lead)) for one in self.models]
        return self._by_lead[lead]

    def first(self, lead: int, count: int) -> list[Replay]:
        """The first steps only, without models that need more history than these."""
        days = self.history.until(count).days
        return [(one, levels[:count]) for one, levels in self.at(lead) if one.days_needed() <= days]

    def levels(self, name: str, lead: int) -> Floats:
        """Levels of one model by its name."""
        return next(levels for one, levels in self.at(lead) if one.name == name)

    def _replay(self, model: DemandModel, lead: int) -> Floats:
        """Infinite where the model could not say anything."""
        steps = np.arange(self.history.count, dtype=np.int64)
        found = np.full((self.history.count, len(LEVELS)), np.inf)
        possible = steps >= lead
        found[possible] = model.levels_at(steps[possible], steps[possible] - lead, lead)
        return with_beyond(found)
