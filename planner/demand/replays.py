"""What every model would have said before each step of the history, computed once per lead."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np

from planner.demand.history import Bools, DemandHistory, Ints
from planner.demand.model import DemandModel
from planner.demand.quantiles import LEVELS, Floats, with_beyond
from planner.demand.widest import WidestOf, widest_of

Replay = tuple[DemandModel, Floats]


class Replays:
    """Rolling replays of models over one history; nothing in them looks ahead, so their beginning is a replay too.

    Parameters
    ----------
    most
        Steps that are replayed at most, spread evenly over history and times of day; None replays all.
    """

    def __init__(
        self, history: DemandHistory, models: Sequence[DemandModel], *, most: int | None = None
    ) -> None:
        self.history, self.models = history, tuple(models)
        self._by_lead: dict[int, list[Replay]] = {}
        self._every = _stride(history, most)

    def at(self, lead: int) -> list[Replay]:
        """Levels (steps × levels, with those beyond) of every model, so many steps ahead.

        Infinite where a step is not replayed or the model had nothing to say.
        """
        if lead not in self._by_lead:
            found: dict[str, Floats] = {}
            for one in self.models:
                found[one.name] = self._replay(one, lead, found)
            self._by_lead[lead] = [(one, with_beyond(found[one.name])) for one in self.models]
        return self._by_lead[lead]

    def first(self, lead: int, count: int) -> list[Replay]:
        """The first steps only, without models that need more history than these."""
        days = self.history.until(count).days
        return [(one, levels[:count]) for one, levels in self.at(lead) if one.days_needed() <= days]

    def levels(self, name: str, lead: int) -> Floats:
        """Levels of one model by its name."""
        return next(levels for one, levels in self.at(lead) if one.name == name)

    def replayed(self, lead: int) -> Bools:
        """Steps that are replayed."""
        found = np.zeros(self.history.count, dtype=np.bool_)
        found[self._steps(lead)] = True
        return found

    def _steps(self, lead: int) -> Ints:
        return np.arange(lead, self.history.count, self._every, dtype=np.int64)

    def _replay(self, model: DemandModel, lead: int, known: dict[str, Floats]) -> Floats:
        if isinstance(model, WidestOf) and all(part.name in known for part in model.parts):
            return widest_of([known[part.name] for part in model.parts])
        steps = self._steps(lead)
        found = np.full((self.history.count, len(LEVELS)), np.inf)
        if len(steps):
            found[steps] = model.levels_at(steps, steps - lead, lead)
        return found


def _stride(history: DemandHistory, most: int | None) -> int:
    """Distance of replayed steps; it shares no factor with the day, so that every time of day has its turn."""
    if most is None or history.count <= most:
        return 1
    every = -(-history.count // most)
    while gcd(every, history.per_day) != 1:
        every += 1
    return every
