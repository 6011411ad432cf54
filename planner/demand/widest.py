"""The most careful of several models: the highest of their quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.demand.history import Ints
from planner.demand.model import DemandModel
from planner.demand.quantiles import Floats


@dataclass(frozen=True)
class WidestOf:
    """Per step and level the highest value of its parts."""

    parts: Sequence[DemandModel]
    name: str = "widest"

    def days_needed(self) -> float:
        """As much as its most demanding part."""
        return max(part.days_needed() for part in self.parts)

    def levels_at(self, steps: Ints, origins: Ints, lead: int) -> Floats:
        """See :class:`~planner.demand.model.DemandModel`; parts that say nothing are left out."""
        return widest_of([part.levels_at(steps, origins, lead) for part in self.parts])


def widest_of(levels: Sequence[Floats]) -> Floats:
    """Highest of several levels, those left out that say nothing."""
    found = np.stack(levels)
    best: Floats = np.where(np.isfinite(found), found, -np.inf).max(axis=0)
    return np.where(best < 0, np.inf, best)
