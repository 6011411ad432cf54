"""Edits by small forms, names that are suggested, and questions in the background."""

from __future__ import annotations

import pytest

from models.edits.catalogue import EDITS, edit_from
from models.edits.edit import EditError
from models.edits.scenario import Scenario
from models.edits.sweep import parse_sweep
from models.findings import InputError
from planner.testing.here import Here
from planner.usecases.inputs.checked_input import CheckedInput
from planner.usecases.jobs.background import PlanRequest
from planner.usecases.jobs.confirm_fixes import ConfirmingJob
from planner.usecases.whatif import suggestions as suggesting
from planner.usecases.whatif.background import Answer, Known, Question, WhatIfJob
from planner.usecases.whatif.base import Base
from planner.usecases.whatif.edit_forms import FORM_BY_KEY, FORMS
from planner.usecases.whatif.suggestions import suggestions

ANSWERS = {
    "nodes": "n-0",
    "gangs": "ml/t1",
    "queue": "eval",
    "field": "weight",
    "value": "2",
    "factor": "2",
    "key": "evict",
    "service": "chat",
}


@pytest.mark.parametrize("form", FORMS, ids=lambda one: one.key)
def test_every_form_makes_edits_that_apply(form: object, given: CheckedInput) -> None:
    assert form in FORMS
    one = FORM_BY_KEY[form.key]  # type: ignore[attr-defined]
    answers = {each.key: each.start or ANSWERS.get(each.key, "") for each in one.inputs}
    if one.key == "move_gang":
        answers["value"] = "train"
    if one.key == "delete_queue":
        answers["target"] = "train"
    edits = one.edits(answers)
    assert edits
    assert all(edit.kind in EDITS for edit in edits)
    Scenario("s", edits).applied(given.snapshot, given.policy)


def test_what_is_needed_and_missing_is_named() -> None:
    with pytest.raises(EditError, match=r"Change a queue: New value.* is empty"):
        FORM_BY_KEY["set_queue"].edits({"queue": "eval", "field": "weight", "value": " "})
    with pytest.raises(EditError, match="not valid YAML"):
        FORM_BY_KEY["set_policy"].edits({"key": "evict", "value": "["})


def test_names_are_suggested_and_those_left_out_counted(
    given: CheckedInput, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = suggestions(given.snapshot, given.policy)
    assert {"n-0", "n-1", "n-2"} <= set(found.of("nodes"))
    assert found.of("queue") == ("default", "eval", "root", "train") or "eval" in found.of("queue")
    assert "queue/eval.weight" in found.of("grid_key")
    assert not found.left_out
    monkeypatch.setattr(suggesting, "MOST", 2)
    few = suggestions(given.snapshot, given.policy)
    assert len(few.of("gangs")) == 2
    assert few.left_out["gangs"] == 2


def ask(question: Question, known: Known | None = None) -> Answer:
    job = WhatIfJob(question, known or Known(), Here, guard=False).start()
    assert job.wait(60)
    view = job.view()
    assert view.error is None, view.error
    assert view.result is not None
    return view.result


@pytest.fixture
def request_of(given: CheckedInput, base: Base) -> PlanRequest:
    return PlanRequest(given.snapshot, given.policy, base.limits, given.findings)


def test_the_base_is_planned_once_and_known_scenarios_are_not_planned_again(
    request_of: PlanRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planner.usecases.whatif import background

    known = Known()
    one = Scenario("more", (edit_from({"add_nodes": {"like": "n-0"}}),))
    two = Scenario("less", (edit_from({"remove_nodes": {"nodes": "n-0"}}),))
    first = ask(Question(request_of, scenarios=(one,)), known)
    assert first.document.scenarios[0].verdict is not None
    assert first.document.scenarios[0].verdict.judgement == "better"
    asked: list[str] = []
    plan = background.plan_scenarios

    def counting(base: Base, prepared: object, **options: object) -> object:
        asked.extend(each.name for each in prepared.scenarios)  # type: ignore[attr-defined]
        return plan(base, prepared, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(background, "plan_scenarios", counting)
    second = ask(Question(request_of, first.base_plan, (one, two)), known)
    assert asked == ["less"]
    assert [each.name for each in second.document.scenarios] == ["more", "less"]
    assert second.base_plan is first.base_plan


def test_sweeps_and_marginal_values_are_questions_too(request_of: PlanRequest, base: Base) -> None:
    sweep = parse_sweep({"grid": {"add/n-0": [0, 1]}}, source="s")
    answer = ask(Question(request_of, base.plan, sweep=sweep))
    assert answer.sweep is not None
    assert [row.error for row in answer.sweep.rows] == ["", ""]
    assert ask(Question(request_of, base.plan, marginal=True)).document.marginal
    keys = {
        Question(request_of).key,
        Question(request_of, sweep=sweep).key,
        Question(request_of, marginal=True).key,
    }
    assert len(keys) == 3


def test_a_wrong_edit_is_told_before_anything_runs(request_of: PlanRequest) -> None:
    wrong = Scenario("x", (edit_from({"drain": {"nodes": "nowhere"}}),))
    with pytest.raises(InputError, match="nowhere"):
        WhatIfJob(Question(request_of, scenarios=(wrong,)), Known(), Here, guard=False).start()


def test_changes_for_a_gang_of_a_plan_that_is_there_are_confirmed(
    request_of: PlanRequest, base: Base
) -> None:
    job = ConfirmingJob(request_of, base.plan, "ml/e2", guard=False).start()
    assert job.wait(60)
    found = job.view().result
    assert found is not None, job.view().error
    (gang,) = found.gangs
    assert gang.full_name == "ml/e2"
    assert gang.fixes
    assert found.plans == gang.tried or found.plans >= len(gang.fixes)
