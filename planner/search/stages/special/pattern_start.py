"""First plans from node patterns where pods share cards; bounds for the first tier of GPUs and for empty nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planner.model.build import BuiltModel
from planner.problem.limits import Limits
from planner.problem.meter import Meter
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import NodeGroup
from planner.search.special.node_patterns.problem import pattern_problem
from planner.search.special.node_patterns.search import PatternPlan, pattern_plan
from planner.search.special.node_patterns.spots import Spot
from planner.search.stages.bound.tier_bounds import certified, sharpened
from planner.solve.tiers import TierResult

FEWEST_PODS = 200
"""Pods below which the usual model over node groups is as good and has more to it."""
PATTERN_SHARE = 0.6
"""Part of the time limit that patterns of nodes with shared cards may use."""
CLOSE_PATTERNS = 0.005
"""Relative distance to the bound at which a plan from patterns is not searched further."""


@dataclass(frozen=True)
class PatternStart:
    """Gangs of the first rank on nodes, and bounds.

    Attributes
    ----------
    plans
        Perhaps two, the one on fewest nodes last; tiers tell which is best once other pods are placed.
    bound
        On the GPUs of these gangs.
    used, placed
        Least GPUs of nodes that receive their first GPU pod in plans whose first tier of GPUs is ``placed`` or more.
    rounded
        There are too many kinds of pods for exact patterns, and for the rows of the usual search too.
    """

    plans: tuple[Assignment, ...]
    bound: int
    used: int
    placed: int
    rounded: bool = False

    def bounds(self, built: BuiltModel) -> dict[str, int]:
        """Tier to the bound that holds in every search."""
        return first_gpus(built, self.bound)

    def certified(
        self, built: BuiltModel, vector: Sequence[int], limits: Limits, seconds: float
    ) -> tuple[TierResult, ...]:
        """Tiers of a plan that is at least as good, with bounds."""
        seconds = math.inf if limits.deterministic else max(seconds / 2, 1.0)
        found = certified(built, (), vector, workers=limits.workers, seconds=seconds)
        return sharpened(found, {**self.bounds(built), **self._empty(built, vector)})

    def _empty(self, built: BuiltModel, vector: Sequence[int]) -> dict[str, int]:
        """GPUs on nodes without GPU pods, where the plan places enough for the bound to hold."""
        first = next(i for i, one in enumerate(built.tiers) if one.name.endswith(".gpus"))
        if vector[first] < self.placed:
            return {}
        return {one.name: one.ideal - self.used for one in built.tiers if one.name == "packing"}

    def enough(self, tiers: Sequence[TierResult], limits: Limits, left: float) -> bool:
        """Whether the first tier of GPUs is so close to its bound that the usual search is not needed, or no help."""
        first = next(one for one in tiers if one.goal.name.endswith(".gpus"))
        if self.rounded:
            return True
        return self.bound - first.value <= CLOSE_PATTERNS * max(first.value, 1)


def first_gpus(built: BuiltModel, bound: int) -> dict[str, int]:
    """The name of the first tier of GPUs to its bound."""
    return {next(one.name for one in built.tiers if one.name.endswith(".gpus")): bound}


def pattern_start(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    groups: Sequence[NodeGroup],
    seconds: float,
    stopped: Callable[[], bool],
    seed: int,
    meter: Meter | None = None,
    bounded: Callable[[int], None] = lambda bound: None,
) -> PatternStart | None:
    """Gangs of the first rank on nodes, and the bound on their GPUs; None where patterns do not apply.

    ``seconds`` are units of work where the meter counts them; ``bounded`` is called as soon as a bound is known.
    """
    if problem.domain_rooms or problem.spreads:
        return None
    first = [one for one in classes if not one.growing]
    first = [one for one in first if _kind(one) == _kind(first[0])]
    if sum(one.size * one.example.need for one in first) < FEWEST_PODS:
        return None
    patterns = pattern_problem(problem, first, groups)
    if patterns is None:
        return None
    below = pattern_problem(problem, first, groups, up=False) if patterns.rounded else None
    fixed = sum(one.example.gpus * one.size for one in first if not _counts(problem, one))
    plan: PatternPlan = pattern_plan(
        patterns,
        seconds,
        stopped,
        seed=seed,
        meter=meter,
        bounded=lambda bound: bounded(bound + fixed),
        below=below,
    )
    spots = [one for one in (plan.spots, plan.fewest.spots) if one]
    plans = tuple(_assignment(problem, first, one) for one in spots)
    few = plan.fewest
    return PatternStart(plans, plan.bound + fixed, few.gpus, few.placed + fixed, patterns.rounded)


def _kind(one: GangClass) -> tuple[str, int]:
    return one.tier_class, one.rank


def _counts(problem: PlacementProblem, one: GangClass) -> bool:
    return bool(problem.shape_gpus[one.example.items[0].shape])


def _assignment(
    problem: PlacementProblem, classes: Sequence[GangClass], spots: Sequence[Spot]
) -> Assignment:
    """Pods to gangs in their starting order; a gang that its pods do not make ready receives none."""
    places: dict[int, list[list[int]]] = {}
    for shape, node, pods in sorted(spots, key=lambda one: (one[0], one[1])):
        places.setdefault(shape, []).append([node, pods])
    found: dict[int, dict[int, list[tuple[int, int]]]] = {}
    for one in classes:
        own = places.get(one.example.items[0].shape, [])
        for demand in one.demands:
            need = problem.demands[demand].need
            if sum(pods for _, pods in own) < need:
                break
            found[demand] = {0: _take(own, need)}
    return Assignment(found)


def _take(places: list[list[int]], need: int) -> list[tuple[int, int]]:
    taken: list[tuple[int, int]] = []
    while need:
        place = places[-1]
        pods = min(need, place[1])
        taken.append((place[0], pods))
        place[1] -= pods
        need -= pods
        if not place[1]:
            places.pop()
    return taken
