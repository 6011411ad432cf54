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
from planner.demand.quantiles import BEYOND, LEVELS, Floats
from planner.demand.score import Score, score, scores_by_level

CLEARLY_BETTER: Final = 0.01
"""By so much (in lent share) a later model must beat the earlier ones, which are simpler or closer to now."""
_KEPT, _LIKELY, _UNKEPT = range(3)
_TOP: Final = len(LEVELS) - 1
_ENOUGH: Final = 8
"""Short steps from which on their own correlation can be told."""
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
    careful
        Where the rules cannot be kept: hold the highest value of the most careful model. Otherwise what left the fewest
        steps short in the replay, and of that what lends most.
    """

    service_level: float = 0.95
    spare: float = 0.7
    confidence: float = 0.8
    exchange: float = 2.0
    careful: bool = True

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
        Index into :data:`~planner.demand.quantiles.LEVELS`, after its end into ``BEYOND``.
    replay
        Its score on the days that it was chosen on.
    reached
        Whether the replay kept the rules; otherwise it is the highest value of the most careful model.
    """

    model: str
    lead: int
    level: int
    replay: Score
    reached: bool

    @property
    def quantile(self) -> float:
        """The quantile of demand that is held."""
        return float(LEVELS[min(self.level, _TOP)])

    @property
    def beyond(self) -> float:
        """Part by which more than the highest value is held."""
        return BEYOND[self.level - _TOP - 1] if self.level > _TOP else 0.0


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
    best: tuple[tuple[int, float], Margin] | None = None
    for model, levels in replays:
        cost, place = _best_level(levels, history, judged, rules, owned)
        if best is None or _beats(cost, best[0]):
            held = np.minimum(levels[:, place], owned).astype(np.int64)
            kept = score(held, history.gpus, judged, owned)
            best = cost, Margin(model.name, lead, place, kept, cost[0] == _KEPT)
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
) -> tuple[tuple[int, float], int]:
    """(how the rules are kept, cost), and the level; the highest value where none is even likely to keep them."""
    short, lent = scores_by_level(levels, history.gpus, judged, owned)
    steps = int(judged.sum())
    demand = np.minimum(history.gpus[judged], owned)
    errors = independent_part(demand - levels[judged, 0])
    missed = np.minimum(levels[judged], owned) < demand[:, None]
    weights = [_weight(missed[:, place], errors) for place in range(len(short))]
    counts = list(zip(short.tolist(), weights, strict=True))
    kept = np.array([_keeps(count, steps, weight, rules) for count, weight in counts])
    likely = np.array([_likely(count, steps, weight, rules) for count, weight in counts])
    if not kept.any() and not likely.any():
        fallback = short + 1.0 - lent
        place = _TOP if rules.careful else int(np.argmin(fallback))
        return (_UNKEPT, float(short[_TOP] if rules.careful else fallback[place])), place
    cost = 1.0 - lent + rules.exchange * short / steps
    cost[~(kept if kept.any() else likely)] = np.inf
    place = int(np.argmin(cost))
    return (_KEPT if kept.any() else _LIKELY, float(cost[place])), place


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


def _weight(missed: Bools, errors: float) -> float:
    """Independent part of short steps: from how they follow each other, or from the errors where they are few."""
    return independent_part(missed.astype(np.float64)) if missed.sum() >= _ENOUGH else errors


def _keeps(short: int, steps: int, weight: float, rules: MarginRules) -> bool:
    if short > rules.allowed * rules.spare * steps:
        return False
    trials = max(1, round(steps * weight))
    hits = min(trials, ceil(short * weight))
    return most_likely_above(hits, trials, rules.confidence) <= rules.allowed


def _likely(short: int, steps: int, weight: float, rules: MarginRules) -> bool:
    """No short step at all, and as likely as not that the true rate is below the allowed one."""
    return short == 0 and most_likely_above(0, max(1, round(steps * weight)), 0.5) <= rules.allowed


def _beats(new: tuple[int, float], best: tuple[int, float]) -> bool:
    if new[0] != best[0]:
        return new[0] < best[0]
    return new[1] < best[1] - (CLEARLY_BETTER if new[0] != _UNKEPT else 0.0)
