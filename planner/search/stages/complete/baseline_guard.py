"""The promise that no plan is worth less than what a greedy scheduler would do, tier by tier from the top."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from planner.capacity.cards.card_room import CardRoom
from planner.encode.prepared import Prepared
from planner.problem.placement import Standing
from planner.reduce.disaggregate import Assignment
from planner.search.outcome import Outcome
from planner.search.placement_search import PlacementSearch
from planner.search.plan_values import plan_values, worse
from planner.search.stages.bound.tier_bounds import certified
from planner.search.stages.complete.maximal_fill import last_pass
from planner.search.stages.reoptimise.warm_start import WarmStart
from planner.simulate.baseline import GreedyRun
from planner.solve.tiers import TierResult

SECONDS = 5.0
"""Seconds for the bounds of a greedy plan that is used."""

Legal = Callable[[Assignment], bool]


def not_below_greedy(
    prepared: Prepared,
    standings: Sequence[Standing],
    outcome: Outcome,
    greedy: GreedyRun | None,
    search: Callable[[], PlacementSearch],
    legal: Legal,
) -> Outcome:
    """The outcome, or the plan of a greedy run where that is better in the order of the tiers, with honest bounds.

    Parameters
    ----------
    greedy
        A verified run with the values of its tiers; None compares nothing.
    search
        A search that the outcome may have come from, made only where the greedy run is better.
    legal
        Whether a plan obeys the rules on victims, of which a greedy run keeps only some.
    """
    if greedy is None or not is_better(greedy.tiers, outcome.tiers):
        return outcome
    made = search()
    plan = _plan_of(prepared, standings, greedy)
    if not plan.pods or not legal(plan) or (plan.evicted and not made.legal(plan)):
        return outcome
    built = made.model()
    old = [one.value for one in outcome.tiers]
    values = plan_values(built, plan)
    vector = [goal.expression.value(values) for goal in built.tiers]
    if not worse(built.tiers, old, vector):
        return outcome  # what of it is possible for the planner is no better
    limits = made.settings.limits
    seconds = math.inf if limits.deterministic else SECONDS
    tiers = certified(built, outcome.tiers, vector, workers=limits.workers, seconds=seconds)
    return last_pass(made, replace(outcome, assignment=plan, tiers=tiers, maximal=False))


def is_better(values: Mapping[str, int], tiers: Sequence[TierResult]) -> bool:
    """Whether a plan with these values (tier name to value) is better than one with these tiers.

    Tiers that are proved cannot be surpassed while those above are equal.
    """
    for tier in tiers:
        value = values.get(tier.goal.name)
        if value is None:
            return False
        if value != tier.value:
            return tier.goal.is_worse(tier.value, value)
    return False


def _plan_of(prepared: Prepared, standings: Sequence[Standing], run: GreedyRun) -> Assignment:
    """What of the run is possible in the planner's terms: nothing where cards are not found for all pods."""
    problem = prepared.problem
    known = WarmStart(
        placements=run.placements,
        evicted=tuple(sorted(pod.full_name for pod in run.victims)),
        tiers=(),
        policy=prepared.policy,
        problem=problem,
        standings=tuple(standings),
        evicting=bool(run.victims),
    )
    plan = known.beginning(prepared, standings)
    if problem.cards is None:
        return plan
    placed = [(one.shape, one.node, one.count) for one in plan.placed(problem)]
    whole = not plan.evicted and CardRoom(problem.cards).put_all(placed)
    return plan if whole else Assignment({})
