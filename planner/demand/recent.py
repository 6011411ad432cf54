"""Demand from its recent level: what it was, moved by how much such levels have moved before.

Four simple ways to take the level and to measure the movement are averaged: the last step; the last step on a
square-root scale, on which the spread of request-driven load hardly depends on its level (Anscombe 1948); a weighted
mean of three steps on that scale; and the highest of three steps. The average of simple models is more robust than the
best of them. ``SeasonShift`` is "yesterday's value at this time, plus a margin".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from planner.demand.history import DemandHistory, Ints
from planner.demand.quantiles import LEVELS, Floats, weighted_quantiles

MEMORY_DAYS: Final = 7.0
"""Days after which an observed movement counts 1/e."""
_LEAST_MOVES: Final = 8
_MOST_RENEWALS: Final = 400
Level = Callable[[Floats], Floats]
Way = tuple[bool, Level]
"""Whether on the square-root scale, and how the level is taken."""


def _last(values: Floats) -> Floats:
    return values


def _mean_of_three(values: Floats) -> Floats:
    return 0.5 * values + 0.3 * _shifted(values, 1) + 0.2 * _shifted(values, 2)


def _most_of_three(values: Floats) -> Floats:
    return np.maximum(np.maximum(values, _shifted(values, 1)), _shifted(values, 2))


def _shifted(values: Floats, steps: int) -> Floats:
    return np.concatenate([np.repeat(values[:1], steps), values[: len(values) - steps]])


_WAYS: Final[tuple[Way, ...]] = (
    (False, _last),
    (True, _last),
    (True, _mean_of_three),
    (False, _most_of_three),
)


@dataclass(frozen=True)
class RecentLevel:
    """The level at the origin, moved by quantiles of past movements over the lead."""

    history: DemandHistory
    name: str = "recent"

    def days_needed(self) -> float:
        """An hour at the least; less than a day of history is enough."""
        return 1 / 24

    def levels_at(self, steps: Ints, origins: Ints, lead: int) -> Floats:
        """See :class:`~planner.demand.model.DemandModel`."""
        return _moved(self.history, origins, origins, lead, ways=_WAYS)


@dataclass(frozen=True)
class SeasonShift:
    """The level of the same local time on the last known day, moved by quantiles of such movements."""

    history: DemandHistory
    name: str = "yesterday"

    def days_needed(self) -> float:
        """Two days: one to start from, one to learn the movement."""
        return 2.0

    def levels_at(self, steps: Ints, origins: Ints, lead: int) -> Floats:
        """See :class:`~planner.demand.model.DemandModel`."""
        day = self.history.per_day
        days = -(-np.maximum(steps - origins, 1) // day)
        bases = np.empty_like(steps)
        for count in np.unique(days):
            chosen = days == count
            before = np.array([count], dtype=np.int64)
            bases[chosen] = self.history.clock.days_before(steps[chosen], before)[:, 0]
        # Where a clock went back in between, the same local time may not have come yet.
        bases = np.minimum(bases, origins)
        return _moved(self.history, bases, origins, day * -(-lead // day), ways=_WAYS[:1])


def _moved(
    history: DemandHistory,
    bases: Ints,
    origins: Ints,
    lag: int,
    *,
    ways: Sequence[tuple[bool, Level]],
) -> Floats:
    parts = [_one_way(history, bases, origins, lag, root=root, level=level) for root, level in ways]
    found: Floats = np.ceil(np.mean(parts, axis=0) - 1e-9)
    return found


def _one_way(
    history: DemandHistory, bases: Ints, origins: Ints, lag: int, *, root: bool, level: Level
) -> Floats:
    if lag >= history.count:
        return np.full((len(bases), len(LEVELS)), np.inf)
    demand = history.gpus.astype(np.float64)
    values = np.sqrt(demand) if root else demand
    taken = level(values)
    moves = values[lag:] - taken[: len(values) - lag]
    usable = history.known[lag:] & history.known[: len(values) - lag]
    ends = np.arange(lag, len(values))
    spread = _spreads(moves[usable], ends[usable], origins, history)
    start = np.where(bases >= 0, taken[np.maximum(bases, 0)], np.inf)
    found: Floats = np.maximum(start[:, None] + spread, 0.0)
    return np.square(found) if root else found


def _spreads(moves: Floats, ends: Ints, origins: Ints, history: DemandHistory) -> Floats:
    """Quantiles of the movements that had ended at each origin; renewed once an hour, in long histories more rarely."""
    stride = max(1, history.per_day // 24, history.count // _MOST_RENEWALS)
    blocks, back = np.unique(origins // stride, return_inverse=True)
    found = np.full((len(blocks), len(LEVELS)), np.inf)
    for place, block in enumerate(blocks):
        count = int(np.searchsorted(ends, block * stride, side="right"))
        if count >= _LEAST_MOVES:
            age = (block * stride - ends[:count]) / (MEMORY_DAYS * history.per_day)
            found[place] = weighted_quantiles(moves[:count], np.exp(-age))
    return found[back]
