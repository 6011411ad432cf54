"""The last pass under a policy's own list of tiers, which may want a gang to wait although it fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy

from planner.model.build import BuiltModel
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.construct.fill import fill_elastic, fill_starts, room_after
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.plan_values import plan_values, worse

Spots = dict[int, list[tuple[int, int]]]
"""Pods of one gang, as an assignment holds them."""


def fill_at_no_cost(
    built: BuiltModel,
    classes: Sequence[GangClass],
    assignment: Assignment,
    stopped: Callable[[], bool],
) -> Assignment:
    """Start and grow class by class in the assignment given; what makes a tier of the list worse is taken back."""
    problem = built.form.problem
    vector = _vector(built, assignment)
    room = room_after(problem, assignment)
    for one in classes:
        before = {demand: deepcopy(assignment.pods.get(demand)) for demand in one.demands}
        started = fill_starts(problem, [one], assignment, room, exact_fit, stopped)
        added = fill_elastic(problem, [one], assignment, room, stopped)
        if not (started or added):
            continue
        other = _vector(built, assignment)
        if worse(built.tiers, other, vector):
            _take_back(assignment, before)
            room = room_after(problem, assignment)
        else:
            vector = other
    return assignment


def _take_back(assignment: Assignment, before: Mapping[int, Spots | None]) -> None:
    for demand, spots in before.items():
        if spots is None:
            assignment.pods.pop(demand, None)
        else:
            assignment.pods[demand] = spots


def _vector(built: BuiltModel, assignment: Assignment) -> list[int]:
    values = plan_values(built, assignment)
    return [goal.expression.value(values) for goal in built.tiers]
