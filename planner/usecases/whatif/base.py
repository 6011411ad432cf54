"""The base that scenarios are planned from and compared with."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from models.checks import check_snapshot
from models.edits.edit import Situation
from models.edits.scenario import Scenario
from models.effective import EffectivePolicy
from models.findings import InputError, PlannerError
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.problem.progress import ProgressSink
from planner.report.whatif.document import ScenarioOutcome, Verdict
from planner.report.whatif.outcome import queue_gpus, scenario_outcome, sentence_of
from planner.search.stages.reoptimise.warm_start import WarmStart
from planner.search.stages.reoptimise.warm_start_pool import WarmFamily
from planner.usecases.inputs.checked_input import CheckedInput
from planner.usecases.inputs.plan_documents import read_plan
from planner.usecases.planning import make_plan
from planner.usecases.whatif.timed import OverTime, check_services
from planner.verify.check import verify

EFFORT_S = 3.0
"""Seconds of integer search that a scenario may use beyond the relaxations."""


@dataclass(frozen=True)
class Base:
    """A planned snapshot, ready to be varied; can be pickled for workers.

    Attributes
    ----------
    guard
        Search in a child process that can be ended from outside.
    over_time
        Plans are schedules; None for plans for now.
    """

    snapshot: Snapshot
    policy: EffectivePolicy
    plan: PlanResult
    warm: WarmStart
    limits: Limits
    guard: bool = True
    over_time: OverTime | None = None

    @classmethod
    def of(
        cls,
        given: CheckedInput,
        limits: Limits,
        *,
        plan: PlanResult | None = None,
        effort_s: float = EFFORT_S,
        on_progress: ProgressSink | None = None,
        stop: threading.Event | None = None,
        guard: bool = True,
        over_time: OverTime | None = None,
    ) -> Base:
        """Plan the base, or take a plan of it that is there.

        Raises
        ------
        PlannerError
            As :func:`planner.usecases.planning.make_plan`.
        """
        made: list[WarmStart] = []
        if plan is None and over_time is not None:
            plan = over_time.plan(
                Situation(given.snapshot, given.policy),
                limits,
                findings=given.findings,
                on_progress=on_progress,
                stop=stop,
                guard=guard,
            )
        elif plan is None:
            plan = make_plan(
                given.snapshot,
                given.policy,
                limits,
                findings=given.findings,
                on_progress=on_progress,
                stop=stop,
                guard=guard,
                on_planned=made.append,
            )
        known = made[0] if made else WarmStart.of(given.snapshot, given.policy, plan)
        warm = replace(known, effort_s=effort_s)
        return cls(given.snapshot, given.policy, plan, warm, limits, guard, over_time)

    def plan_queues(self) -> dict[str, int]:
        """GPUs allocated after the base's plan, by queue."""
        return queue_gpus(self.plan)

    def plan_of(
        self,
        situation: Situation,
        *,
        beside: Sequence[WarmStart] = (),
        on_progress: ProgressSink | None = None,
        stop: threading.Event | None = None,
    ) -> tuple[PlanResult, WarmStart | None]:
        """The verified plan of a varied situation, that of the base where nothing varies; and what it tells others.

        ``beside`` are plans of situations near this one, which the search may begin with as well.
        """
        same_policy = situation.policy.policy == self.policy.policy
        if situation.snapshot is self.snapshot and same_policy and not situation.online:
            return self.plan, self.warm
        if self.over_time is not None:
            schedule = self.over_time.plan(
                situation,
                self.limits,
                findings=check_snapshot(situation.snapshot, situation.policy),
                previous=self.plan,
                on_progress=on_progress,
                stop=stop,
                guard=self.guard,
            )
            return schedule, None
        made: list[WarmStart] = []
        plan = make_plan(
            situation.snapshot,
            situation.policy,
            self.limits,
            findings=lambda: check_snapshot(situation.snapshot, situation.policy),
            on_progress=on_progress,
            stop=stop,
            guard=self.guard,
            warm=WarmFamily((self.warm, *beside)) if beside else self.warm,
            baseline=False,
            on_planned=made.append,
        )
        return plan, made[0]


@dataclass(frozen=True)
class Planned:
    """A scenario's outcome with the situation and plan behind it.

    Attributes
    ----------
    code
        Exit code of a failure.
    warm
        What the plan tells others; None for schedules.
    """

    scenario: Scenario
    outcome: ScenarioOutcome
    situation: Situation
    plan: PlanResult | None = None
    code: int = 0
    failure: PlannerError | None = None
    warm: WarmStart | None = None


def plan_scenario(
    base: Base,
    scenario: Scenario,
    *,
    situation: Situation | None = None,
    beside: Sequence[WarmStart] = (),
    on_progress: ProgressSink | None = None,
    stop: threading.Event | None = None,
) -> Planned:
    """Plan one scenario and set it beside the base; a plan that cannot be made becomes an outcome with an error.

    Raises
    ------
    InputError
        An edit does not suit the base; nothing was planned.
    """
    if situation is None:
        situation = scenario.applied(base.snapshot, base.policy)
    check_services(situation, base.over_time, source=scenario.source or scenario.name)
    words: dict[str, Any] = {
        "name": scenario.name,
        "scenario": scenario.document(),
        "edits": tuple(edit.text() for edit in scenario.edits),
        "notes": situation.notes,
    }
    try:
        plan, warm = base.plan_of(situation, beside=beside, on_progress=on_progress, stop=stop)
    except PlannerError as error:
        outcome = ScenarioOutcome(**words, error=str(error))
        return Planned(scenario, outcome, situation, code=error.exit_code, failure=error)
    outcome = scenario_outcome(base.plan, plan, **words)
    return Planned(scenario, _settled(base, warm, outcome), situation, plan, warm=warm)


def _settled(base: Base, warm: WarmStart | None, outcome: ScenarioOutcome) -> ScenarioOutcome:
    """Plans of one and the same problem are worth the same, however wide their gaps are."""
    judged = outcome.verdict
    alike = all(
        pair.value == pair.base_value and pair.bound == pair.base_bound for pair in outcome.tiers
    )
    settled = judged is None or judged.judgement != "undecided"
    if settled or not alike or warm is None or not base.warm.same_problem(warm):
        return outcome
    message = "nothing that a plan depends on differs"
    verdict = Verdict(judgement="same", by="tiers", message=message)
    return outcome.model_copy(
        update={
            "verdict": verdict,
            "sentence": sentence_of(outcome.figures, outcome.gangs, verdict),
        }
    )


def read_base_plan(path: str | Path, given: CheckedInput) -> PlanResult:
    """A stored plan of this very snapshot under this policy, verified again.

    Raises
    ------
    InputError
        It cannot be read, is of another snapshot or policy, or breaks a rule.
    """
    plan = read_plan(path)
    if plan.snapshot.digest != given.snapshot.digest:
        raise InputError(f"{path}: is a plan of another snapshot; leave --base out to plan anew")
    if dict(plan.policy) != given.policy.document():
        raise InputError(f"{path}: was made under another policy; leave --base out to plan anew")
    broken = verify(given.snapshot, given.policy, plan).violations
    if broken:
        first = f"{broken[0].rule} {broken[0].object}: {broken[0].message}"
        raise InputError(f"{path}: is no correct plan of this snapshot ({first})")
    return plan
