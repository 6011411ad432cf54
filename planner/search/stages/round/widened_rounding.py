"""A rounding in which other gangs take what those that the relaxation starts in part leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from planner.model.build import BuiltModel
from planner.problem.placement import BoolArray
from planner.reduce.cheapest_nodes import FloatArray
from planner.search.stages.relax.relax_and_round import (
    VertexStart,
    few_lowered,
    narrowed,
    opened_columns,
)
from planner.solve.backend import SolveLimits
from planner.solve.rounding import FRACTION, fractional, rounded, window
from planner.solve.tiers import TierResult


def wider_start(
    built: BuiltModel,
    start: VertexStart,
    tiers: Sequence[TierResult],
    limits: SolveLimits,
    stopped: Callable[[], bool],
) -> VertexStart | None:
    """A solution that may also start gangs which the relaxation leaves out; None where there is nothing to gain.

    Gangs that the relaxation starts in part, and that do not start, leave GPUs; a vertex has no other gangs for
    them. ``tiers`` is what the plan of ``start`` reaches: those before the first rank that leaves GPUs open stay as
    they are in the start. Without any all are open.
    """
    open_gpus = [t.goal.name for t in tiers if t.goal.name.endswith(".gpus") and t.bound != t.value]
    if start.guide is None or (tiers and not open_gpus):
        return None
    ranks = [_rank(goal.name) for goal in built.tiers]
    decided = ranks.index(_rank(open_gpus[0])) if open_gpus else 0
    split = fractional(start.guide)
    more = _left_out(built, split, start.guide, set(ranks[decided:]))
    opened, lowered = opened_columns(built, split) | more, few_lowered(built, split)
    low, high = narrowed(built, *window(built.model, start.guide, opened, lowered))
    known = start.values
    if np.any((known < low) | (known > high)):
        return None
    found = rounded(
        built.model, built.tiers, low, high, limits, stopped, start=known, decided=decided
    )
    values = None if found is None else built.tight(found)
    return None if values is None or values == known else replace(start, values=values)


def _left_out(built: BuiltModel, split: BoolArray, guide: FloatArray, ranks: set[str]) -> BoolArray:
    """Starts that are not all of their class, of those ranks in which the relaxation starts a gang in part."""
    form = built.form
    starts = [
        (f"{one.tier_class}.{one.rank}", column)
        for one, column in zip(form.classes, form.variables.starts, strict=True)
        if column is not None
    ]
    parted = {rank for rank, column in starts if split[column]} & ranks
    found = np.zeros(built.model.size, dtype=bool)
    upper = built.model.upper
    found[[c for rank, c in starts if rank in parted and guide[c] < upper[c] - FRACTION]] = True
    return found


def _rank(name: str) -> str:
    """Class and rank of a start tier; the name of any other."""
    return name.rpartition(".")[0] or name
