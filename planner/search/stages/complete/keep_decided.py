"""What a solution has of ranks above a tier: the rest is taken away before what is left is filled."""

from __future__ import annotations

from planner.model.build import BuiltModel
from planner.model.rank_scope import RankScope
from planner.problem.linear import TierGoal
from planner.reduce.disaggregate import Assignment
from planner.reduce.elastic import needed


def keep_decided(built: BuiltModel, assignment: Assignment, goal: TierGoal, *, whole: bool) -> None:
    """Take away what is decided after a tier; ``whole``: what the tier itself counts stays.

    Started gangs whose elastic pods come later keep their minimum.
    """
    problem, scope = built.form.problem, RankScope(built)
    for k, one in enumerate(built.form.classes):
        starts, grows = scope.decided(k, goal, whole=whole)
        for demand in one.demands if not (starts and grows) else ():
            if starts and demand in assignment.pods:
                assignment.pods[demand] = needed(problem.demands[demand], assignment.pods[demand])
            else:
                assignment.pods.pop(demand, None)
