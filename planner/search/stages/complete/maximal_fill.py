"""The last pass over a plan that a stop, a limit or a crash cut short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from planner.reduce.disaggregate import Assignment
from planner.search.construct.fill import fill_in_turn, fill_starts, room_after
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.outcome import Outcome
from planner.search.placement_search import PlacementSearch
from planner.search.plan_values import plan_values, revalued

Legal = Callable[[Assignment], bool]
MayWait = Callable[[Assignment], frozenset[int]]


def last_pass(
    search: PlacementSearch,
    outcome: Outcome,
    allowed: Legal | None = None,
    may_wait: MayWait | None = None,
) -> Outcome:
    """The plan with everything started that still fits beside it, so that P3 holds.

    A plan may come from the greedy walk, or from a search whose own last pass was stopped. The bounds stay valid:
    each holds for all plans whose tiers above are at least as good. Where not everything may start together (a gang
    that fits may take the entitlement for which others had pods evicted), what may is found part by part.

    Parameters
    ----------
    allowed
        What is asked of a plan besides being legal for the search.
    may_wait
        Demands that may wait beside a plan although they fit; they are not tried one by one.
    """
    if outcome.maximal or search.settings.tier_names is not None:
        return outcome  # a policy's own list of tiers may want a gang to wait

    def legal(plan: Assignment) -> bool:
        return search.legal(plan) and (allowed is None or allowed(plan))

    filled = _filled(search, outcome.assignment, frozenset())
    if filled.pods != outcome.assignment.pods and not legal(filled):
        passed_over = may_wait(outcome.assignment) if may_wait is not None else frozenset()
        filled = _filled_in_parts(search, outcome.assignment, legal, passed_over)
    if filled.pods == outcome.assignment.pods:
        return replace(outcome, maximal=True)
    built = search.model()
    values = plan_values(built, filled)
    # The outcome may come from a model with other columns.
    goals = {goal.name: goal for goal in built.tiers}
    here = (replace(one, goal=goals.get(one.goal.name, one.goal)) for one in outcome.tiers)
    tiers = tuple(revalued(one, one.goal.expression.value(values)) for one in here)
    return replace(outcome, assignment=filled, tiers=tiers, maximal=True)


def _filled(
    search: PlacementSearch,
    plan: Assignment,
    refused: frozenset[int],
    *,
    elastic: bool = True,
) -> Assignment:
    """The plan with all gangs that fit beside it, in the order of the classes, and what they can grow by."""
    filled = plan.copy()
    problem = search.after(filled)
    classes = [
        replace(one, demands=kept) if len(kept) < len(one.demands) else one
        for one in search.receivers(filled)
        if (kept := tuple(demand for demand in one.demands if demand not in refused))
    ]
    room = room_after(problem, filled)
    if elastic:
        # A stop does not end it: what it leaves out would be a gang that waits although it fits.
        scope = search.settings.cluster_scope
        fill_in_turn(problem, classes, filled, room, exact_fit, cluster_scope=scope)
    else:
        fill_starts(problem, classes, filled, room, exact_fit)
    return filled


def _filled_in_parts(
    search: PlacementSearch, plan: Assignment, legal: Legal, passed_over: frozenset[int]
) -> Assignment:
    """The plan with as many of the gangs that fit beside it as may start together; none grows."""
    refused = set(passed_over)
    while True:
        filled = _filled(search, plan, frozenset(refused), elastic=False)
        fitting = [demand for demand in filled.pods if demand not in plan.pods]
        if not fitting:
            return plan
        before = len(refused)
        plan = _accepted(plan, filled, fitting, legal, refused)
        if len(refused) == before:
            return plan  # all that fit have started


def _accepted(
    plan: Assignment, filled: Assignment, gangs: Sequence[int], legal: Legal, refused: set[int]
) -> Assignment:
    """The plan with those of the gangs that may start; halves are tried apart where not all may."""
    pods = plan.pods | {gang: filled.pods[gang] for gang in gangs}
    together = Assignment(pods, plan.evicted)
    if legal(together):
        return together
    if len(gangs) == 1:
        refused.add(gangs[0])
        return plan
    middle = len(gangs) // 2
    plan = _accepted(plan, filled, gangs[:middle], legal, refused)
    return _accepted(plan, filled, gangs[middle:], legal, refused)
