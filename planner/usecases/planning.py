"""One planning round for "now": prepare, search, place, explain, verify."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence

from models.effective import EffectivePolicy
from models.findings import Finding, NoPlanInTimeError
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.problem.budget import Budget
from planner.problem.limits import Limits
from planner.problem.progress import ProgressSink
from planner.runtime.concurrent import Meanwhile
from planner.runtime.stage_clock import StageClock
from planner.search.find_plan import PlanFinder
from planner.search.guarded_search import GuardedSearch
from planner.search.outcome import Outcome, SearchSettings
from planner.search.stages.complete.baseline_guard import offer_baseline
from planner.search.stages.improve.preference_tier import preferring
from planner.search.stages.reoptimise.warm_start import Warm, WarmStart
from planner.search.state import SearchState
from planner.usecases.plan_case import PlanCase
from planner.usecases.plan_result import ResultMaker, first_accepted
from planner.usecases.precomputed import look_ahead


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
    on_refused: Callable[[PlanResult], object] | None = None,
    began: float | None = None,
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
    on_refused
        Called with the document of the best plan where the check refuses it and the next best one is given.
    began
        When the command began (``time.perf_counter``): the time limit runs from there; from now where it is not said.

    Raises
    ------
    VerificationError
        The plan failed the independent check; the error's ``result`` holds it.
    InputError
        The policy lists an unknown tier, one twice, or none.
    NoPlanInTimeError, BackendError
        The search ended without any plan.
    """
    budget = Budget(limits, began)
    clock = StageClock(on_progress)
    clock.stage("prepare")
    case = PlanCase.of(snapshot, policy, limits, previous)
    stopped = stop.is_set if stop is not None else _never
    budget.prepared()
    tries = baseline if fixes is None else fixes
    settings = case.settings(budget.for_search(explaining=bool(tries)), warm, effort_s)
    prepared = case.prepared
    background = Meanwhile(lambda: look_ahead(prepared, findings, baseline=baseline))
    clock.stage("solve")
    finder = PlanFinder(prepared, case.victims, case.classes, settings, stopped)

    def searched(chosen: SearchSettings, state: SearchState) -> tuple[Outcome, bool]:
        given = (prepared.problem, case.classes, chosen, clock.tier, stopped, background, state)
        return GuardedSearch(*given).run(guard=guard)

    late: NoPlanInTimeError | None = None
    try:
        interrupted = finder.run(searched)
    except NoPlanInTimeError as error:  # a greedy scheduler may have one
        late, interrupted = error, True
    clock.stage("baseline")
    ahead = background.result()
    clock.stage("solve")
    offer_baseline(finder, case.standings, ahead.greedy)
    if late is not None and finder.state.best is None:
        raise late
    finder.finish(interrupted=interrupted)
    finder.oldest_first(interrupted=interrupted)
    maker = ResultMaker(
        case,
        ahead,
        finder.cycle,
        clock,
        finder.state.log,
        settings.tier_names,
        taken=settings.stays,
        interrupted=interrupted,
        fixes=tries,
        stopped=lambda: stopped() or budget.explaining_over(),
    )
    result, _ = first_accepted(maker, _candidates(finder, case), on_refused)
    if on_planned is not None:
        on_planned(WarmStart.made(result, prepared, case.standings, case.victims))
    return result


def _candidates(finder: PlanFinder, case: PlanCase) -> Iterator[Outcome]:
    """The incumbent with the tier of preferences, then those before it, each filled up."""
    given = (finder.search, finder.admits)
    for outcome in finder.candidates():
        yield preferring(case.prepared, case.standings, outcome, *given)


def _never() -> bool:
    return False
