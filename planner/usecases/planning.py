"""One planning round for "now": prepare, search, place, explain, verify."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from models.checks.wording import counted
from models.effective import EffectivePolicy
from models.findings import Finding
from models.plan import PlanResult, Verification
from models.policy import Policy
from models.snapshot import Snapshot
from planner.documents.assemble import assemble
from planner.documents.departures import beside_evictions, eviction_reasons
from planner.documents.headline import headline
from planner.documents.objectives import absent_tiers, tier_names
from planner.documents.plan_findings import with_plan_findings
from planner.documents.waiting_reasons import waiting_told
from planner.documents.withheld import PlanningError
from planner.encode.eligibility import one_class, standings
from planner.encode.prepared import Prepared, prepare
from planner.encode.victims.victims import possible_victims
from planner.explain.waiting import Evictions
from planner.problem.limits import Limits
from planner.problem.placement import Standing
from planner.problem.progress import ProgressSink
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import gang_classes
from planner.reduce.pod_placements import placements
from planner.runtime.concurrent import Meanwhile
from planner.runtime.stage_clock import StageClock
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.find_plan import PlanFinder
from planner.search.guarded_search import GuardedSearch
from planner.search.outcome import Outcome, SearchSettings
from planner.search.replan_search import effort_after
from planner.search.stages.complete.baseline_guard import offer_baseline
from planner.search.stages.evict.legal_start import LegalStarts
from planner.search.stages.improve.preference_tier import preferring
from planner.search.stages.presolve.startable import startable_demands
from planner.search.stages.reoptimise.warm_start import EVICTION_EFFORT_S, Warm, WarmStart
from planner.search.state import SearchState
from planner.simulate.baseline import with_trade
from planner.usecases.inputs.earlier_plan import unrelated, with_earlier
from planner.usecases.precomputed import look_ahead
from planner.verify.check import verify


def make_plan(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    limits: Limits,
    *,
    findings: Sequence[Finding] | Callable[[], Sequence[Finding]] = (),
    on_progress: ProgressSink | None = None,
    stop: threading.Event | None = None,
    guard: bool = True,
    warm: Warm | None = None,
    previous: PlanResult | None = None,
    effort_s: float | None = None,
    baseline: bool = True,
    fixes: bool | Collection[str] | None = None,
    on_planned: Callable[[WarmStart], None] | None = None,
) -> PlanResult:
    """Plan, explain and verify.

    Parameters
    ----------
    findings
        About the input, or what finds them while the search is on.
    stop
        When set, the search ends and the best plan so far is finished and verified.
    guard
        Search in a child process that can be ended from outside; tests of small snapshots do without.
    warm
        A plan of another situation to begin with.
    previous
        The document of an earlier plan to begin with; what a change does not touch stays on its nodes.
    effort_s
        With ``previous``: seconds (with deterministic limits work) of the search in all; as
        :func:`planner.search.replan_search.effort_after` says where it is not given.
    baseline
        Ask a greedy scheduler too.
    fixes
        Try what would start the waiting gangs, or those of these names; as ``baseline`` where it is not said.
    on_planned
        Called with the verified plan as a beginning for others.

    Raises
    ------
    VerificationError
        The plan failed the independent check; the error's ``result`` holds it.
    InputError
        The policy lists an unknown tier, one twice, or none.
    NoPlanInTimeError, BackendError
        The search ended without any plan.
    """
    settings = search_settings(policy.policy, limits)
    clock = StageClock(on_progress)
    clock.stage("prepare")
    prepared = prepare(snapshot, policy, exact_least)
    stopped = stop.is_set if stop is not None else _never
    victims = possible_victims(prepared)
    startable = startable_demands(prepared.problem, exact_fit, victims)
    placed_in = standings(prepared, startable, victims)
    throughput = policy.policy.objective == "throughput"
    classes = gang_classes(
        prepared.problem,
        one_class(placed_in) if throughput else placed_in,
        apart={gang.demand for gang in victims.gangs} if victims else (),
    )
    settings = replace(settings, victims=victims)
    strange = unrelated(previous, snapshot) if previous is not None else ()
    changes_only = effort_s is None and victims is None
    if previous is not None and not strange:
        if effort_s is None and victims is not None:
            effort_s = limits.time_limit_s
        elif effort_s is None:
            effort_s = effort_after(previous.certificate, deterministic=limits.deterministic)
        warm = WarmStart.from_document(previous, prepared, policy, effort_s)
    if warm is not None and warm.suits(prepared):
        settings = replace(
            settings,
            start=warm.beginning(prepared, placed_in),
            stays=warm.documented,
            changes_only=changes_only,
            known=warm.bounds(prepared, placed_in),
            effort_s=warm.effort_s if victims is None else max(warm.effort_s, EVICTION_EFFORT_S),
        )
    meanwhile = Meanwhile(lambda: look_ahead(prepared, findings, baseline=baseline))
    clock.stage("solve")
    finder = PlanFinder(prepared, victims, classes, settings, stopped)

    def searched(chosen: SearchSettings, state: SearchState) -> tuple[Outcome, bool]:
        given = (prepared.problem, classes, chosen, clock.tier, stopped, meanwhile, state)
        return GuardedSearch(*given).run(guard=guard)

    interrupted = finder.run(searched)
    clock.stage("baseline")
    ahead = meanwhile.result()
    clock.stage("solve")
    offer_baseline(finder, placed_in, ahead.greedy)
    finder.finish(interrupted=interrupted)
    finder.oldest_first(interrupted=interrupted)
    outcome, cycle = finder.incumbent(), finder.cycle
    outcome = preferring(prepared, placed_in, outcome, finder.search, finder.admits)
    clock.stage("explain")
    beside = beside_evictions(prepared, victims, outcome.assignment)
    evictions = None
    if policy.evict:
        starts = LegalStarts(prepared.problem, victims, stopped) if victims is not None else None
        evictions = Evictions(
            prepared.problem,
            victims,
            starts,
            lambda names: beside_evictions(prepared, victims, Assignment({}, tuple(names))),
        )
    told = waiting_told(
        beside,
        outcome.assignment,
        startable,
        placed_in,
        evictions,
        stopped,
        limits,
        fixes=baseline if fixes is None else fixes,
    )
    reasons = told.reasons
    cycles: tuple[Finding, ...] = ()
    if victims is not None:
        reasons = {name: cycle.with_reason(name, others) for name, others in reasons.items()}
        cycles = cycle.findings(set(reasons))
        reasons |= eviction_reasons(snapshot, prepared.problem, victims, outcome.assignment)
    left_out = absent_tiers(settings.tier_names, (one.goal.name for one in outcome.tiers))
    clock.stage("verify")
    result = assemble(
        prepared,
        outcome,
        placed_in,
        reasons=reasons,
        findings=(*ahead.findings, *strange, *left_out, *cycles, *told.findings),
        limits=limits,
        baseline=ahead.baseline,
        stages={},
        reproducible=limits.deterministic and not interrupted,
        gang_classes=len(classes),
    )
    begun = [one.full_name for one in result.gangs if one.decision == "start"]
    placed = placements(prepared.problem, outcome.assignment)
    trade = with_trade(ahead.baseline, ahead.greedy, snapshot, policy, placed, begun)
    result = result.model_copy(update={"waiting": told.classes, "baseline": trade})
    result = with_plan_findings(result, prepared)
    if previous is not None and not strange:
        result = with_earlier(result, previous, outcome, taken=settings.stays)
    verification = verify(snapshot, policy, result, ahead.beforehand)
    clock.stage("")
    result = _finished(result, verification, prepared, outcome, placed_in, clock)
    if on_planned is not None:
        on_planned(WarmStart.made(result, prepared, placed_in, victims))
    return result


def search_settings(policy: Policy, limits: Limits) -> SearchSettings:
    """What the policy says about the search; raises InputError if it names an unknown tier."""
    return SearchSettings(
        limits=limits,
        cluster_scope=policy.priority_scope == "cluster",
        fair=policy.objective == "fair",
        tier_names=tier_names(policy),
    )


def _finished(
    result: PlanResult,
    verification: Verification,
    prepared: Prepared,
    outcome: Outcome,
    placed_in: Sequence[Standing],
    clock: StageClock,
) -> PlanResult:
    stages = {**clock.stages, **{f"solve.{name}": s for name, s in outcome.stages.items()}}
    certificate = result.certificate.model_copy(
        update={
            "stages": {}
            if result.certificate.deterministic
            else {name: round(seconds, 3) for name, seconds in stages.items()},
            "seconds": round(sum(clock.stages.values()), 3),
        }
    )
    result = result.model_copy(update={"verification": verification, "certificate": certificate})
    result = result.model_copy(
        update={
            "summary": result.summary.model_copy(
                update={"sentence": headline(result, prepared, placed_in)}
            )
        }
    )
    if verification.violations:
        first = verification.violations[0]
        raise PlanningError(
            f"the plan failed verification ({counted(len(verification.violations), 'violation')}; "
            f"first: {first.rule} {first.object}: {first.message})",
            result,
        )
    return result


def _never() -> bool:
    return False
