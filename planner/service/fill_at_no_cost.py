"""The last pass under a policy's own list of tiers, which may want a gang to wait although it fits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planner.formulations.placement.build import BuiltModel
from planner.prepare.disaggregate import Assignment
from planner.prepare.fill import fill_elastic, fill_starts, room_after
from planner.prepare.gang_classes import GangClass
from planner.service.exact_fit import exact_fit
from planner.service.plan_values import plan_values, worse


def fill_at_no_cost(
    built: BuiltModel,
    classes: Sequence[GangClass],
    assignment: Assignment,
    stopped: Callable[[], bool],
) -> Assignment:
    """Start and grow class by class; what makes a tier of the list worse is left out."""
    problem = built.form.problem
    vector = _vector(built, assignment)
    for one in classes:
        candidate = assignment.copy()
        room = room_after(problem, candidate)
        started = fill_starts(problem, [one], candidate, room, exact_fit, stopped)
        added = fill_elastic(problem, [one], candidate, room, stopped)
        if started or added:
            other = _vector(built, candidate)
            if not worse(built.tiers, other, vector):
                assignment, vector = candidate, other
    return assignment


def _vector(built: BuiltModel, assignment: Assignment) -> list[int]:
    values = plan_values(built, assignment)
    return [goal.expression.value(values) for goal in built.tiers]
