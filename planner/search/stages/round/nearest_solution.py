"""A search for the solution that is nearest to an earlier plan."""

from __future__ import annotations

from dataclasses import replace

from planner.model.build import BuiltModel
from planner.model.nearest import nearest_goal
from planner.solve.backend import Pin, SolveLimits
from planner.solve.highs import HighsBackend
from planner.solve.tiers import Lexicographic

GAP = 0.01
"""Relative gap at which such a solution is near enough."""
SECONDS = 5.0
"""Seconds of the search at most."""


def nearest_solution(
    built: BuiltModel, found: Lexicographic, earlier: tuple[int, ...], limits: SolveLimits
) -> Lexicographic:
    """As good a solution in which more pods stay in the node groups where the earlier one has them."""
    if found.values is None or found.values == earlier:
        return found
    model, goal, hint = nearest_goal(built, earlier, found.values)
    pins = [Pin(one.goal, one.value) for one in found.tiers]
    limits = replace(limits, gap=GAP)
    if not limits.deterministic:
        limits = replace(limits, seconds=min(limits.seconds, SECONDS))
    near = HighsBackend().solve(model, goal, pins=pins, limits=limits, hint=hint).values
    return found if near is None else replace(found, values=built.tight(near[: built.model.size]))
