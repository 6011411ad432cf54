"""Asking what-if questions in the background and taking their answers over. No widget is drawn here."""

from __future__ import annotations

from dataclasses import replace

from models.edits.sweep import Sweep, parse_sweep
from models.findings import Finding, InputError, PlannerError
from planner.execute.engines import executor_named
from planner.execute.jobs import Executor
from planner.runtime.machine import usable_cores
from planner.usecases.inputs.policies import load_yaml
from planner.usecases.jobs.background import PlanJobView
from planner.usecases.whatif.background import Answer, Question, WhatIfJob
from ui.launch import launch
from ui.session import freshness, ground, request
from ui.state import Finished, PlannerState
from ui.whatif.over_time import question_over_time
from ui.whatif.state import Answered, Topic, Unanswered

MOST_POINTS = 400
"""Points of a grid that the page plans; larger ones are for ``gangplan whatif --sweep``, which keeps a journal."""


def question_of(state: PlannerState, topic: Topic) -> Question | None:
    """What the button of a topic would ask now; None where nothing is open.

    Raises
    ------
    InputError
        The grid of a sweep is faulty, or a schedule was asked for and its demand cannot be used.
    """
    found = state.whatif
    if topic == "marginal":
        now = _question_for_now(state)
        return None if now is None else replace(now, marginal=True)
    base = question_over_time(state) if found.timed else _question_for_now(state)
    if base is None:
        return None
    if topic == "sweep":
        return replace(base, sweep=sweep_of(state))
    return replace(base, scenarios=tuple(one.scenario() for one in found.drafts))


def _question_for_now(state: PlannerState) -> Question | None:
    wanted = request(state)
    if wanted is None:
        return None
    plan = state.plan.result if state.plan is not None and freshness(state) == "fresh" else None
    return Question(wanted, plan)


def sweep_of(state: PlannerState) -> Sweep:
    """The grid on the page, above the edits of the scenario that is shown.

    Raises
    ------
    InputError
        No key, one twice, no YAML, an unknown key, or more points than the page plans.
    """
    found = state.whatif
    keys = [key for key, _ in found.grid]
    if len(set(keys)) < len(keys):
        raise _fault("both parameters are the same key", "choose two different ones")
    raw = {key: load_yaml(values, key, changes=True) for key, values in found.grid}
    draft = found.draft()
    common = draft.scenario().document() if draft is not None else {}
    name = draft.name if draft is not None else "sweep"
    sweep = parse_sweep({"name": name, "scenario": common, "grid": raw}, source="grid")
    if sweep.size > MOST_POINTS:
        raise _fault(
            f"the grid has {sweep.size:,} points, the page plans at most {MOST_POINTS:,}",
            "give fewer values, or run the command below, which can be interrupted and resumed",
        )
    return sweep


def _fault(what: str, remedy: str) -> InputError:
    return InputError(what, (Finding("sweep_invalid", "error", "grid", what, remedy),))


def ask(state: PlannerState, topic: Topic) -> None:
    """Let the next run of the script begin, once it has read what was typed before the click."""
    state.whatif.asked = topic


def begin_asked(state: PlannerState) -> None:
    """Begin what was asked for; why it cannot begin is kept for the page."""
    found = state.whatif
    topic, found.asked = found.asked, None
    if topic is None or found.job is not None or launch().read_only:
        return
    found.fault = found.sweep_fault = None
    base = ground(state)
    try:
        if base is None:
            return
        if not (state.settings.allow_incomplete or launch().allow_incomplete):
            base.given.refuse_incomplete()
        question = question_of(state, topic)
        if question is None:
            return
        found.job = WhatIfJob(question, found.known, _executor).start()
    except PlannerError as error:
        if topic == "sweep":
            found.sweep_fault = error
        else:
            found.fault = error
        return
    found.question, found.topic = question, topic
    found.failures.pop(topic, None)


def _executor() -> Executor:
    return executor_named("local", workers=usable_cores())


def take_over_answer(state: PlannerState) -> None:
    """Attend the running question; keep its first answer, and once it has ended its last, or why there is none."""
    found = state.whatif
    job, question = found.job, found.question
    if job is None or question is None:
        return
    job.attend()
    view = job.view()
    if not view.going_on:
        found.job = None
    kept = found.answers.get(found.topic)
    if view.result is not None:
        if not view.going_on or kept is None or kept.answer is not view.result:
            found.answers[found.topic] = Answered(
                view.result, view.stop_reason, view.elapsed_s, view.going_on
            )
        _keep_base(state, view.result)
    elif view.error is not None:
        found.failures[found.topic] = Unanswered(question, view.error)
        if kept is not None and kept.first:
            found.answers[found.topic] = replace(kept, first=False)


def _keep_base(state: PlannerState, answer: Answer) -> None:
    """The base's plan is the plan of the other pages too, where these have none of their own."""
    asked = answer.question.request
    if answer.question.over_time is not None:
        return
    if state.plan is not None and state.plan.request.key == asked.key:
        return
    wanted = request(state)
    if wanted is None or wanted.key != asked.key:
        return
    seconds = answer.base_plan.certificate.seconds
    view = PlanJobView("done", seconds, "", None, (), answer.base_plan, None)
    state.plan, state.failure, state.keep_old = Finished(asked, answer.base_plan, view), None, False


def answered(state: PlannerState, topic: Topic) -> tuple[Answered | None, bool]:
    """The last answer of a topic that belongs to the open snapshot, and whether it is stale."""
    found = state.whatif.answers.get(topic)
    wanted = request(state)
    if found is None or wanted is None:
        return None, False
    asked = found.answer.question
    if asked.request.snapshot.digest != wanted.snapshot.digest:
        return None, False
    try:
        now = question_of(state, topic)
    except InputError:
        return found, True
    return found, now is not None and now.key != asked.key
