"""The plan of a small cluster whose gangs are pods without GPUs: packed exactly, with a bound for every rank."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from planner.model.build import BuiltModel
from planner.problem.limits import Limits
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.special.vector_packing.problem import packing_problem
from planner.search.special.vector_packing.search import Limit, Packed, PackingSearch
from planner.solve.tiers import TierResult

PACKING_SHARE = 0.85
"""Part of the time limit that exact packing may use."""
MOST_S = 20.0
"""Seconds after which more of them are hardly ever worth waiting for."""


@dataclass(frozen=True)
class PackedStart:
    """A plan, and (value, bound) per tier of started gangs; a bound holds for the values before it."""

    assignment: Assignment
    gangs: Mapping[str, tuple[int, int]]

    @property
    def plans(self) -> tuple[Assignment, ...]:
        """The only one."""
        return (self.assignment,)

    def bounds(self, built: BuiltModel) -> dict[str, int]:
        """The bound of the first rank that is not closed: it holds in every search."""
        for name, (value, bound) in self.gangs.items():
            if value != bound:
                return {name: bound}
        return {}

    def certified(
        self, built: BuiltModel, vector: Sequence[int], limits: Limits, seconds: float
    ) -> tuple[TierResult, ...]:
        """Tiers of a plan that is at least as good as this one, with the bounds that hold for it."""
        found: list[TierResult] = []
        holds = True
        for goal, value in zip(built.tiers, vector, strict=True):
            mine, bound = self.gangs.get(goal.name, (value, None))
            if bound is None or not holds:
                bound = goal.ideal if goal.ideal == value else None
            holds = holds and not goal.is_worse(value, mine)
            if bound is not None and goal.is_worse(bound, value):
                bound = value
            found.append(TierResult(goal, value, bound, 0.0, "packing"))
        return tuple(found)

    def enough(self, tiers: Sequence[TierResult], limits: Limits, left: float) -> bool:
        """Whether no other tier is open: then the usual search has nothing to add."""
        return all(tier.closed or tier.goal.name in self.gangs for tier in tiers)


def packing_start(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    limits: Limits,
    seconds: float,
    stopped: Callable[[], bool],
) -> PackedStart | None:
    """Pack the gangs of these classes, given in tier order, within a time; None where packing is not all there is."""
    packing = packing_problem(problem, classes)
    if packing is None:
        return None
    seconds = min(seconds, MOST_S)
    limit = Limit(time.perf_counter() + seconds, limits.seed, stopped, limits.deterministic)
    packed = PackingSearch(packing, limit).run()
    assignment = Assignment({})
    for one, row in zip(packing.classes, packed.pods, strict=True):
        spots = [packing.nodes[b] for b, count in enumerate(row) for _ in range(int(count))]
        need = one.example.need
        for begin, demand in zip(range(0, len(spots), need), one.demands, strict=False):
            assignment.pods[demand] = {0: _counted(spots[begin : begin + need])}
    return PackedStart(assignment, _named(packing.ranks, packed))


def _counted(nodes: Sequence[int]) -> list[tuple[int, int]]:
    return [(node, nodes.count(node)) for node in dict.fromkeys(nodes)]


def _named(ranks: Sequence[tuple[str, int]], packed: Packed) -> dict[str, tuple[int, int]]:
    pairs = zip(packed.gangs, packed.bounds, strict=True)
    return {f"{name}.{rank}.gangs": pair for (name, rank), pair in zip(ranks, pairs, strict=True)}
