"""The reclaim drill: a service or queue needs GPUs back within seconds; who leaves, is it enough, what would help."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from models.drill import CurvePoint, DrillQuestion, DrillResult, Need
from models.effective import EffectivePolicy
from models.findings import Finding, UsageError
from models.plan import stage_entries
from models.snapshot import Snapshot
from planner.drill.changes import Trial, drill_changes
from planner.drill.document import drill_document
from planner.drill.findings import drill_findings
from planner.drill.holders import holders, totals
from planner.drill.run import built_drill, verified_drill
from planner.drill.search import DrillSearch, MostBy
from planner.drill.sentence import drill_sentence
from planner.problem.limits import Limits
from planner.problem.progress import ProgressSink
from planner.runtime.stage_clock import StageClock

DEFAULT_OVERHEAD_S = 1


def drill_question(
    needs: Sequence[Need],
    *,
    deadline_seconds: int,
    policy: EffectivePolicy,
    overhead_seconds: int | None = None,
    by_hand: bool = False,
) -> DrillQuestion:
    """The question with its overhead filled in: given, else the longest of the services', else one cycle of 1 s.

    Raises
    ------
    UsageError
        No need, or one written twice.
    """
    if not needs:
        raise UsageError("name at least one need, like --need chat=8")
    for place, one in enumerate(needs):
        if any(other.model_copy(update={"gpus": one.gpus}) == one for other in needs[:place]):
            raise UsageError(f"--need {one.service!r} is there twice; add the GPUs up in one")
    wanted = {one.service for one in needs}
    services = [s.overhead_seconds for s in policy.policy.services if s.name in wanted]
    return DrillQuestion(
        needs=tuple(needs),
        deadline_seconds=deadline_seconds,
        overhead_seconds=max(services, default=DEFAULT_OVERHEAD_S)
        if overhead_seconds is None
        else overhead_seconds,
        by_hand=by_hand,
    )


def make_drill(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    question: DrillQuestion,
    limits: Limits,
    *,
    findings: Sequence[Finding] = (),
    on_progress: ProgressSink | None = None,
    stop: threading.Event | None = None,
    changes: bool = True,
) -> DrillResult:
    """Drill, verify, and say what blocks the rest and what would help.

    Parameters
    ----------
    stop
        When set, the search ends; the best drill so far is finished and verified.
    changes
        Try what would help where not everything is back in time.

    Raises
    ------
    UsageError
        A need names nothing of the snapshot.
    DrillError
        The drill failed the independent check.
    """
    clock = StageClock(on_progress)
    stopped = stop.is_set if stop is not None else _never
    clock.stage("prepare")
    drill, built = built_drill(snapshot, policy, question)
    clock.stage("solve")
    search = DrillSearch(
        built,
        limits,
        report=lambda goal, v, bound: clock.tier(goal.name, v, bound),
        stopped=stopped,
    )
    outcome = search.run()
    curve = search.curve(outcome.values)
    clock.stage("verify")
    leaves = bool(built.leaving(outcome.values))
    found = (*findings, *drill_findings(drill, leaves=leaves))
    result = drill_document(drill, built, outcome, limits, findings=found, interrupted=stopped())
    result = result.model_copy(update={"curve": _curve(result, curve)})
    held = holders(drill, result)
    result = result.model_copy(update={"holders": held, "causes": totals(held)})
    result = verified_drill(snapshot, policy, result)
    clock.stage("explain")
    if changes and not result.summary.in_time:
        trial = Trial(snapshot, policy, result, limits, search.left_s, stopped, clock.message)
        result = result.model_copy(update=drill_changes(drill, trial))
    return _finished(result, clock, limits)


def _curve(result: DrillResult, most: Sequence[MostBy]) -> tuple[CurvePoint, ...]:
    """The seconds at which one of the two curves changes, and the deadline."""
    bounds = {one.second: one for one in most}
    places = [(place.second, place.gpus) for place in result.places]
    points = [
        CurvePoint(
            second=second,
            gpus_planned=sum(gpus for when, gpus in places if when <= second),
            gpus_most=one.gpus,
            bound=one.bound,
        )
        for second, one in sorted(bounds.items())
    ]
    deadline = result.question.deadline_seconds
    return tuple(
        point
        for before, point in zip([None, *points], points, strict=False)
        if before is None
        or point.second == deadline
        or (point.gpus_planned, point.gpus_most) != (before.gpus_planned, before.gpus_most)
    )


def _finished(result: DrillResult, clock: StageClock, limits: Limits) -> DrillResult:
    """With stages and the sentence."""
    clock.stage("")
    stages = () if limits.deterministic else stage_entries(clock.stages)
    seconds = round(sum(clock.stages.values()), 3)
    certificate = result.certificate.model_copy(update={"stages": stages, "seconds": seconds})
    result = result.model_copy(update={"certificate": certificate})
    summary = result.summary.model_copy(update={"sentence": drill_sentence(result)})
    return result.model_copy(update={"summary": summary})


def _never() -> bool:
    return False
