"""The promise that no plan is worth less than what a greedy scheduler would do, tier by tier from the top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planner.capacity.cards.card_room import CardRoom
from planner.encode.prepared import Prepared
from planner.problem.placement import Standing
from planner.reduce.disaggregate import Assignment
from planner.search.find_plan import PlanFinder
from planner.search.stages.reoptimise.warm_start import WarmStart
from planner.simulate.baseline import GreedyRun
from planner.solve.tiers import TierResult


def offer_baseline(
    finder: PlanFinder, standings: Sequence[Standing], greedy: GreedyRun | None
) -> None:
    """Offer the plan of a greedy scheduler, so that no plan is worth less.

    Parameters
    ----------
    greedy
        A verified run with the values of its tiers; None offers nothing. It keeps only some of the rules on victims:
        the owner of the incumbent asks for all.
    """
    best = finder.state.best
    if greedy is None or (best is not None and not is_better(greedy.tiers, best.tiers)):
        return
    plan = _plan_of(finder.prepared, standings, greedy)
    if plan.pods:
        finder.offer(plan, "baseline")


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
