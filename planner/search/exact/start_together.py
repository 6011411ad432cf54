"""Whether several gangs can all start in the room that is free."""

from __future__ import annotations

from collections.abc import Sequence

from planner.model.build import build
from planner.problem.linear import Expression, TierGoal
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import Grouping
from planner.search.construct.fill import fill_starts, room_after
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend

WORK = 2.0
"""Deterministic work units for one question."""


def start_together(problem: PlacementProblem, demands: Sequence[int]) -> bool | None:
    """Whether the minima of these gangs fit at once; None where the search gave no answer in its limit.

    Gang after gang first; where that fails the placement model over single nodes decides. It says nothing of cards.
    """
    classes = [GangClass((one,), problem.demands[one], "all", 1) for one in demands]
    found = Assignment({})
    if fill_starts(problem, classes, found, room_after(problem, found), exact_fit) == len(demands):
        return True
    built = build(problem, classes, Grouping(problem).singles())
    for columns in (built.form.variables.starts[k] for k in range(len(classes))):
        if columns is None:
            return False
        built.model.lower[columns] = 1
        if built.model.upper[columns] < 1:
            return False
    goal = TierGoal("together", "max", "", Expression(), 0)
    limits = SolveLimits(seconds=WORK, deterministic=True, workers=1)
    answer = CpSatBackend().solve(built.model, goal, pins=(), limits=limits)
    if answer.values is None:
        return False if answer.proved_infeasible else None
    return None if problem.cards is not None else True
