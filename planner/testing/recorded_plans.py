"""Plans on the way: all that a search offers to the owner of the incumbent, judged by the verifier afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from models.effective import EffectivePolicy
from models.entries import gang_entries
from models.plan import PlanResult, Tier
from models.rules import RuleId
from models.snapshot import Snapshot
from planner.encode.prepared import Prepared
from planner.problem.limits import Limits
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.pod_placements import placements
from planner.search.find_plan import PlanFinder
from planner.search.outcome import Outcome
from planner.search.stages.reoptimise.warm_start import placements_of
from planner.search.state import SearchState
from planner.usecases.planning import make_plan
from planner.verify.check import verify
from planner.verify.tiers import recompute_tiers


@contextmanager
def recorded(problem_of: list[PlanFinder], offers: list[Assignment]) -> Iterator[None]:
    """Within the block every plan that is offered to a finder's state is kept; searches run in this process."""
    offer, begin = SearchState.offer, PlanFinder.__init__

    def kept(self: SearchState, found: Outcome, stage: str, *, ties: bool = True) -> bool:
        if any(self is finder.state for finder in problem_of):
            offers.append(found.assignment.copy())
        return offer(self, found, stage, ties=ties)

    def begun(self: PlanFinder, *given: object, **named: object) -> None:
        begin(self, *given, **named)  # type: ignore[arg-type]
        problem_of.append(self)

    SearchState.offer = kept  # type: ignore[method-assign]
    PlanFinder.__init__ = begun  # type: ignore[method-assign]
    try:
        yield
    finally:
        SearchState.offer = offer  # type: ignore[method-assign]
        PlanFinder.__init__ = begin  # type: ignore[method-assign]


def plan_and_offers(
    snapshot: Snapshot, policy: EffectivePolicy, limits: Limits
) -> tuple[PlanResult, list[Mapping[str, int]]]:
    """The plan, and the tier values of every plan on the way that the verifier accepts."""
    finders: list[PlanFinder] = []
    offers: list[Assignment] = []
    with recorded(finders, offers):
        plan = make_plan(snapshot, policy, limits, guard=False, fixes=False)
    problem = finders[0].prepared.problem
    values = (values_of(snapshot, policy, problem, one) for one in _distinct(offers))
    return plan, [one for one in values if one is not None]


def values_of(
    snapshot: Snapshot, policy: EffectivePolicy, problem: PlacementProblem, plan: Assignment
) -> Mapping[str, int] | None:
    """The verifier's own values of a plan's tiers; None where it breaks a rule other than those on documents."""
    entries = gang_entries(snapshot, placements(problem, plan), evicted=plan.evicted)
    bare = PlanResult(gangs=entries)
    broken = [
        one for one in verify(snapshot, policy, bare).violations if one.rule != RuleId.DOCUMENT
    ]
    return None if broken else recompute_tiers(snapshot, policy, bare)


def is_worse(tiers: Sequence[Tier], values: Mapping[str, int]) -> str:
    """The first tier in which a plan with these tiers is worse than these values; "" where it is not."""
    for tier in tiers:
        other = values.get(tier.name)
        if other is None:
            return ""
        if other != tier.value:
            worse = tier.value < other if tier.sense == "max" else tier.value > other
            return f"{tier.name}: {tier.value} for {other}" if worse else ""
    return ""


def started_again(prepared: Prepared, plan: PlanResult) -> Assignment:
    """The new pods of a document in the terms of a problem."""
    problem = prepared.problem
    gangs = {problem.gang_names[one.gang]: at for at, one in enumerate(problem.demands)}
    nodes = {name: at for at, name in enumerate(problem.node_names)}
    found = Assignment({})
    for one in placements_of(plan):
        index = gangs[one.gang]
        roles = [item.role for item in problem.demands[index].items]
        for item, role in enumerate(roles):
            names = problem.demands[index].items[item].names
            mine = sum(name in names for name in one.names) if one.names else one.count
            if role == one.role and mine:
                spots = found.pods.setdefault(index, {}).setdefault(item, [])
                spots.append((nodes[one.node], mine))
                if not one.names:
                    break
    return found


def without_evictions(policy: EffectivePolicy) -> EffectivePolicy:
    """The policy under which nobody leaves."""
    merged = policy.policy.model_copy(update={"evict": ()})
    return replace(policy, evict=(), policy=merged)


def _distinct(offers: Sequence[Assignment]) -> list[Assignment]:
    found: list[Assignment] = []
    for one in offers:
        if one not in found:
            found.append(one)
    return found
