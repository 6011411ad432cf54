"""Choosing the model and its quantile so that history would have kept the service level, with room to spare.

A margin is chosen on a rolling replay: every step is forecast from what was known before it. Below the level it goes on
growing as long as one percentage point fewer short steps costs less than ``exchange`` points of lent GPU-hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np

from planner.demand.history import Bools, DemandHistory
from planner.demand.intervals import most_likely_above
from planner.demand.model import DemandModel
from planner.demand.quantiles import LEVELS, Floats
from planner.demand.score import Score, score, scores_by_level

CLEARLY_BETTER: Final = 0.01
"""By so much (in lent share) a later model must beat the earlier ones, which are simpler or closer to now."""
MARGIN_DAYS: Final = 28
"""Days of history, up to the newest, on which margins are chosen."""


@dataclass(frozen=True, slots=True)
class MarginRules:
    """What a margin must keep.

    Attributes
    ----------
    service_level
        Share of steps in which demand must not exceed what is held.
    spare
        Part of the allowed short steps that the replay may use up; the days ahead differ from those behind.
    confidence
        With which the true rate must lie below the allowed one (one-sided, Clopper-Pearson).
    exchange
        Points of lent share that one point of short steps is worth.
    """

    service_level: float = 0.95
    spare: float = 0.7
    confidence: float = 0.8
    exchange: float = 2.0

    @property
    def allowed(self) -> float:
        """Share of steps that may be short."""
        return 1.0 - self.service_level


@dataclass(frozen=True, slots=True)
class Margin:
    """The chosen model and quantile for one lead.

    Attributes
    ----------
    lead
        Steps ahead for which it was chosen; it serves shorter leads too.
    level
        Index into :data:`~planner.demand.quantiles.LEVELS`.
    replay
        Its score on the days that it was chosen on.
    reached
        Whether the replay kept the rules; otherwise it is the widest margin there is.
    """

    model: str
    lead: int
    level: int
    replay: Score
    reached: bool

    @property
    def quantile(self) -> float:
        """The quantile of demand that is held."""
        return float(LEVELS[self.level])


def choose_from(
    replays: Sequence[tuple[DemandModel, Floats]],
    history: DemandHistory,
    rules: MarginRules,
    *,
    lead: int,
    owned: int,
) -> Margin | None:
    """The best margin for a lead, from what each model would have said so long before; None where none said anything.

    Models are asked in order; a later one must be clearly better.
    """
    judged = judged_steps([levels for _, levels in replays], history)
    if not judged.any():
        return None
    best: tuple[tuple[bool, float], Margin] | None = None
    for model, levels in replays:
        cost, place = _best_level(levels, history, judged, rules, owned)
        if best is None or _beats(cost, best[0]):
            held = np.minimum(levels[:, place], owned).astype(np.int64)
            kept = score(held, history.gpus, judged, owned)
            best = cost, Margin(model.name, lead, place, kept, not cost[0])
    return best[1] if best is not None else None


def judged_steps(levels: Sequence[Floats], history: DemandHistory) -> Bools:
    """Known steps of the last weeks at which every model said something, without the first quarter of the history."""
    found = history.known.copy()
    found[: max(0, history.count - MARGIN_DAYS * history.per_day)] = False
    found[: min(history.per_day, history.count // 4)] = False
    for one in levels:
        found &= np.isfinite(one[:, -1])
    return found


def _best_level(
    levels: Floats, history: DemandHistory, judged: Bools, rules: MarginRules, owned: int
) -> tuple[tuple[bool, float], int]:
    """(whether the rules are broken, cost), and the level; the widest where all of them break the rules."""
    short, lent = scores_by_level(levels, history.gpus, judged, owned)
    steps = int(judged.sum())
    weight = independent_part(history.gpus[judged] - levels[judged, 0])
    kept = [_keeps(int(count), steps, weight, rules) for count in short]
    if not any(kept):
        return (True, float(short[-1])), len(LEVELS) - 1
    cost = 1.0 - lent + rules.exchange * short / steps
    cost[~np.array(kept)] = np.inf
    place = int(np.argmin(cost))
    return (False, float(cost[place])), place


def independent_part(errors: Floats) -> float:
    """Part of the steps that tell something of their own, (1 - r) / (1 + r) with the correlation r of neighbours.

    An error that lasts all day is one observation, not 288 (effective sample size of a first-order autoregression).
    """
    centred = errors - errors.mean() if len(errors) else errors
    power = float((centred**2).sum())
    if power <= 0.0:
        return 1.0
    r = float((centred[1:] * centred[:-1]).sum()) / power
    return (1 - r) / (1 + r) if r > 0 else 1.0


def _keeps(short: int, steps: int, weight: float, rules: MarginRules) -> bool:
    if short > rules.allowed * rules.spare * steps:
        return False
    trials = max(1, round(steps * weight))
    hits = min(trials, ceil(short * weight))
    return most_likely_above(hits, trials, rules.confidence) <= rules.allowed


def _beats(new: tuple[bool, float], best: tuple[bool, float]) -> bool:
    if new[0] != best[0]:
        return best[0]
    return new[1] < best[1] - (CLEARLY_BETTER if not new[0] else 0.0)
