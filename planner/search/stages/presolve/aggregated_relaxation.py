"""Models that decide between many domains, and what one that only counts over them tells in advance.

Counting takes a small part of the time: its plan is seldom far from the best, and its bounds hold for every plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planner.model.build import BuiltModel
from planner.problem.limits import Limits
from planner.problem.placement import PlacementProblem
from planner.reduce.partition import chooses_exactly, domain_choices
from planner.search.outcome import Outcome, SearchSettings
from planner.search.stages.bound.tier_bounds import certified, kept_bounds

COUNTED_FIRST = 1_500
"""Kinds of gangs times domains above which a model that only counts over domains is solved first."""


def counts_first(problem: PlacementProblem, settings: SearchSettings) -> bool:
    """Whether such a model is worth solving first: many choices, nothing to begin with, nobody to evict."""
    special = settings.start is not None or settings.tier_names or settings.victims
    decides = chooses_exactly(problem) and len(problem.demands) > 1
    return not special and decides and domain_choices(problem) > COUNTED_FIRST


def counted_bounds(
    built: BuiltModel,
    vector: Sequence[int],
    best: Outcome,
    limits: Limits,
    seconds: float,
) -> Outcome:
    """The plan (``vector`` are its values) with the bounds of a model that counts, where they are tighter."""
    tiers = certified(built, (), vector, workers=limits.workers, seconds=seconds)
    return replace(best, tiers=kept_bounds(tiers, best.tiers))
