"""The last pass over a plan that a stop, a limit or a crash cut short."""

from __future__ import annotations

from dataclasses import replace

from planner.prepare.fill import fill_elastic, fill_starts, room_after
from planner.service.exact_fit import exact_fit
from planner.service.outcome import Outcome
from planner.service.placement_search import PlacementSearch
from planner.service.plan_values import plan_values, revalued


def last_pass(search: PlacementSearch, outcome: Outcome) -> Outcome:
    """The plan with everything started that still fits beside it, so that P3 holds.

    A plan may come from the greedy walk, or from a search whose own last pass was stopped. The bounds stay valid:
    each holds for all plans whose tiers above are at least as good.
    """
    if outcome.maximal or search.settings.tier_names is not None:
        return outcome  # a policy's own list of tiers may want a gang to wait
    assignment = outcome.assignment.copy()
    problem, classes = search.after(assignment), search.receivers(assignment)
    room = room_after(problem, assignment)
    started = fill_starts(problem, classes, assignment, room, exact_fit)
    added = fill_elastic(problem, classes, assignment, room)
    if not started and not added:
        return replace(outcome, maximal=True)
    if not search.legal(assignment):
        return (
            outcome  # a gang that fits would take the entitlement for which others had pods evicted
        )
    values = plan_values(search.model(), assignment)
    tiers = tuple(revalued(one, one.goal.expression.value(values)) for one in outcome.tiers)
    return replace(outcome, assignment=assignment, tiers=tiers, maximal=True)
