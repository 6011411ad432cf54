"""The document of one plan: explained, put together and verified."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from models.checks.wording import counted
from models.findings import Finding
from models.plan import PlanResult, Reason, StageEntry, stage_entries
from planner.documents.assemble import assemble
from planner.documents.departures import beside_evictions, eviction_reasons
from planner.documents.headline import headline
from planner.documents.objectives import absent_tiers
from planner.documents.plan_findings import with_plan_findings
from planner.documents.waiting_reasons import WaitingTold, waiting_told
from planner.documents.withheld import PlanningError
from planner.explain.waiting import Evictions
from planner.reduce.disaggregate import Assignment
from planner.reduce.pod_placements import placements
from planner.runtime.stage_clock import StageClock
from planner.search.outcome import Outcome
from planner.search.stages.evict.legal_start import LegalStarts
from planner.search.stages.evict.stability_cuts import Cycle
from planner.search.state import Step
from planner.simulate.baseline import with_trade
from planner.usecases.inputs.earlier_plan import with_earlier
from planner.usecases.plan_case import PlanCase
from planner.usecases.precomputed import Ahead
from planner.verify.check import verify


@dataclass(frozen=True)
class ResultMaker:
    """Makes documents of the plans of one case.

    Attributes
    ----------
    steps
        What the search did.
    fixes
        Try what would start the waiting gangs, or those of these names.
    stopped
        Whether no more changes may be tried.
    """

    case: PlanCase
    ahead: Ahead
    cycle: Cycle
    clock: StageClock
    steps: Sequence[Step]
    tier_names: tuple[str, ...] | None
    taken: bool
    interrupted: bool
    fixes: bool | Collection[str]
    stopped: Callable[[], bool]

    def result(self, outcome: Outcome, findings: Sequence[Finding] = ()) -> PlanResult:
        """The verified document; its violations are in it."""
        case, assignment = self.case, outcome.assignment
        self.clock.stage("explain")
        told = self._waiting(assignment)
        reasons, cycles = self._reasons(told, assignment)
        names = (one.goal.name for one in outcome.tiers)
        left_out = absent_tiers(self.tier_names, names)
        self.clock.stage("verify")
        result = assemble(
            case.prepared,
            outcome,
            case.standings,
            reasons=reasons,
            findings=(
                *self.ahead.findings,
                *case.strange,
                *left_out,
                *cycles,
                *told.findings,
                *findings,
            ),
            limits=case.limits,
            baseline=self.ahead.baseline,
            reproducible=case.limits.deterministic and not self.interrupted,
            gang_classes=len(case.classes),
        )
        begun = [one.full_name for one in result.gangs if one.decision == "start"]
        placed = placements(case.prepared.problem, assignment)
        given = (self.ahead.baseline, self.ahead.greedy, case.snapshot, case.policy)
        trade = with_trade(*given, placed, begun)
        result = result.model_copy(update={"waiting": told.classes, "baseline": trade})
        result = with_plan_findings(result, case.prepared)
        if case.previous is not None:
            result = with_earlier(result, case.previous, outcome, taken=self.taken)
        verification = verify(case.snapshot, case.policy, result, self.ahead.beforehand)
        self.clock.stage("")
        result = result.model_copy(update={"verification": verification})
        return self._finished(result, outcome)

    def _waiting(self, assignment: Assignment) -> WaitingTold:
        case = self.case
        prepared, victims = case.prepared, case.victims
        beside = beside_evictions(prepared, victims, assignment)
        evictions = None
        if case.policy.evict:
            starts = None
            if victims is not None:
                starts = LegalStarts(prepared.problem, victims, self.stopped)
            evictions = Evictions(
                prepared.problem,
                victims,
                starts,
                lambda names: beside_evictions(prepared, victims, Assignment({}, tuple(names))),
            )
        return waiting_told(
            beside,
            assignment,
            case.startable,
            case.standings,
            evictions,
            self.stopped,
            fixes=self.fixes,
        )

    def _reasons(
        self, told: WaitingTold, assignment: Assignment
    ) -> tuple[dict[str, tuple[Reason, ...]], tuple[Finding, ...]]:
        case, reasons = self.case, told.reasons
        if case.victims is None:
            return reasons, ()
        reasons = {name: self.cycle.with_reason(name, some) for name, some in reasons.items()}
        cycles = self.cycle.findings(set(reasons))
        problem = case.prepared.problem
        reasons |= eviction_reasons(case.snapshot, problem, case.victims, assignment)
        return reasons, cycles

    def _finished(self, result: PlanResult, outcome: Outcome) -> PlanResult:
        """With what the run took, what the search did, and the headline."""
        seconds = round(sum(self.clock.stages.values()), 3)
        update = {"stages": self._stages(outcome), "seconds": seconds}
        certificate = result.certificate.model_copy(update=update)
        result = result.model_copy(update={"certificate": certificate})
        sentence = headline(result, self.case.prepared, self.case.standings)
        summary = result.summary.model_copy(update={"sentence": sentence})
        return result.model_copy(update={"summary": summary})

    def _stages(self, outcome: Outcome) -> tuple[StageEntry, ...]:
        """Stages of the run, those inside the search, and its steps; deterministic documents have no seconds."""
        timed = not self.case.limits.deterministic
        stages = {
            **self.clock.stages,
            **{f"solve.{name}": seconds for name, seconds in outcome.stages.items()},
        }
        steps = [
            StageEntry(
                stage=one.stage,
                work=one.work,
                seconds=round(one.seconds, 3) if timed else 0.0,
                tier=one.tier,
                value_before=one.value_before,
                value_after=one.value_after,
                bound_before=one.bound_before,
                bound_after=one.bound_after,
            )
            for one in self.steps
        ]
        return (*(stage_entries(stages) if timed else ()), *steps)


def first_accepted(
    maker: ResultMaker,
    candidates: Iterable[Outcome],
    on_refused: Callable[[PlanResult], object] | None,
) -> tuple[PlanResult, Outcome]:
    """The first plan that the independent check accepts, the best in front; raises PlanningError where none is.

    Where it refuses the best plan, an error finding of the one that is given says so.
    """
    refused: PlanResult | None = None
    findings: tuple[Finding, ...] = ()
    for outcome in candidates:
        result = maker.result(outcome, findings)
        if not result.violations:
            return result, outcome
        if refused is None:
            refused = result
            findings = (_refused(result),)
            if on_refused is not None:
                on_refused(result)
    assert refused is not None
    violations = refused.violations
    first = violations[0]
    raise PlanningError(
        f"the plan failed verification ({counted(len(violations), 'violation')}; "
        f"first: {first.rule} {first.object}: {first.message})",
        refused,
    )


def _refused(result: PlanResult) -> Finding:
    first = result.violations[0]
    return Finding(
        "plan_refused",
        "error",
        first.object,
        f"the independent check refused the best plan: {first.rule}: {first.message}; "
        "this is the next best plan, which keeps every rule",
        "send the bundle with everything to repeat the run to the developers",
    )
