from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from models.findings import NoPlanInTimeError
from planner.usecases.whatif import background as whatif_background
from ui.whatif.sharing import command_line, scenario_texts


@pytest.fixture
def what_if(start):
    dashboard = start()
    dashboard.open("whatif")
    return dashboard


def add_edit(dashboard, kind, **answers):
    """Fill in a form and add its edit."""
    app = dashboard.app
    if app.selectbox(key="edit-kind").value != kind:
        app.selectbox(key="edit-kind").set_value(kind).run()
    for name, value in answers.items():
        widget = next(
            one
            for element in ("selectbox", "text_input", "number_input")
            for one in getattr(app, element)
            if one.key == f"in-{kind}-{name}"
        )
        widget.set_value(value)
    next(one for one in app.button if one.label == "Add this edit").click().run()
    dashboard.checked()


def compare(dashboard, topic="scenarios"):
    dashboard.press(f"ask-{topic}")
    return answered(dashboard)


def answered(dashboard):
    while dashboard.state.whatif.job is not None:
        dashboard.state.whatif.job.wait(60)
        dashboard.run()
    return dashboard


def edits(dashboard):
    return [edit.text() for edit in dashboard.state.whatif.draft().edits]


def test_an_empty_page_says_what_to_do(what_if):
    assert "Write a scenario, and it is planned beside the cluster" in what_if.texts()
    assert "No scenario yet" in what_if.texts()
    assert what_if.app.button(key="ask-scenarios").disabled


def test_edits_are_added_reordered_removed_and_compared(what_if):
    add_edit(what_if, "add_nodes", nodes="model/NVIDIA-H100-80GB-HBM3", count=2)
    add_edit(what_if, "set_queue", queue="eval", field="capability.gpu", value="+16")
    assert edits(what_if) == [
        "add 2 nodes like model/NVIDIA-H100-80GB-HBM3",
        "queue eval: capability gpu +16",
    ]
    what_if.press("down-1-0")
    assert edits(what_if)[0] == "queue eval: capability gpu +16"
    what_if.press("up-1-1")
    compare(what_if)
    assert "Scenario A: better" in what_if.texts()
    assert what_if.metrics()["Base: allocated (GPUs)"] == "68"
    shown = what_if.app.dataframe[0].value
    assert list(shown["scenario"]) == ["base", "Scenario A"]
    assert shown["gpus_in_use"][1] > 68
    assert what_if.state.plan is not None, "the base's plan is that of the other pages"
    what_if.press("out-1-1")
    assert "kept, but stale" in what_if.texts()
    assert len(edits(what_if)) == 1


def test_scenarios_stand_side_by_side_and_only_new_ones_are_planned(planned, monkeypatch):
    planned.open("whatif")
    add_edit(planned, "drain", nodes="h100-1")
    compare(planned)
    planned.press("new-scenario")
    add_edit(planned, "scale_demand", queue="eval", factor="2")
    asked = []
    plan = whatif_background.plan_scenarios

    def counting(base, prepared, **options):
        asked.extend(one.name for one in prepared.scenarios)
        return plan(base, prepared, **options)

    monkeypatch.setattr(whatif_background, "plan_scenarios", counting)
    compare(planned)
    assert asked == ["Scenario B"]
    assert "2 scenarios:" in planned.texts()
    assert len(planned.app.dataframe[0].value) == 3
    planned.press("copy-scenario")
    assert [one.name for one in planned.state.whatif.drafts][-1] == "Scenario B, copy"
    planned.press("remove-scenario")
    assert planned.state.whatif.chosen == 2


def test_a_first_answer_is_shown_while_the_search_goes_on(planned, monkeypatch):
    go_on = threading.Event()
    plan = whatif_background.plan_scenarios

    def made_hasty(base):
        return replace(base, warm=replace(base.warm, effort_s=0.0))

    def watched(base, prepared, **options):
        assert not base.warm.effort_s or go_on.wait(60)
        return plan(base, prepared, **options)

    monkeypatch.setattr(whatif_background, "plan_scenarios", watched)
    monkeypatch.setattr(whatif_background, "is_open", lambda base, planned: True)
    monkeypatch.setattr(whatif_background, "hasty_base", made_hasty)
    planned.open("whatif")
    add_edit(planned, "add_nodes", nodes="model/NVIDIA-H100-80GB-HBM3", count=2)
    planned.press("ask-scenarios")
    job = planned.state.whatif.job
    assert job.await_news(None, 60)
    planned.run()
    assert "A first answer, verified" in planned.texts()
    assert "Scenario A: better" in planned.texts()
    assert planned.state.whatif.job is job
    assert planned.app.button(key="stop-whatif")
    kept = planned.state.whatif.answers["scenarios"]
    planned.run()
    assert planned.state.whatif.answers["scenarios"] is kept, "its tables are made once"
    go_on.set()
    answered(planned)
    assert "A first answer" not in planned.texts()
    assert "Scenario A: better" in planned.texts()


@pytest.mark.parametrize(
    ("kind", "answers", "message"),
    [
        ("set_queue", {"queue": "eval", "field": "weight", "value": ""}, "is empty"),
        ("set_queue", {"queue": "eval", "field": "weight", "value": "x"}, "no whole number"),
        ("drain", {"nodes": "h100-99"}, "no node, pool or GPU model"),
        ("set_policy", {"key": "evict", "value": "[preempt"}, "not valid YAML"),
        ("set_policy", {"key": "evict", "value": "[sometimes]"}, "evict"),
    ],
)
def test_a_wrong_edit_is_explained_and_not_added(what_if, kind, answers, message):
    if answers.get("nodes") == "h100-99":
        from ui.messages import Words
        from ui.whatif.drafts import add_edits, new_draft

        draft = new_draft(what_if.state, Words("en"))
        from models.edits.short import short_edits

        assert not add_edits(what_if.state, draft, short_edits("drain", "h100-99"))
        what_if.run()
    else:
        add_edit(what_if, kind, **answers)
    assert message in what_if.texts()
    draft = what_if.state.whatif.draft()
    assert draft is None or not draft.edits


def test_a_base_without_a_plan_in_time_is_told(what_if, monkeypatch):
    from planner.usecases.whatif import base

    def late(*args, **options):
        raise NoPlanInTimeError("late")

    add_edit(what_if, "drain", nodes="h100-1")
    monkeypatch.setattr(base, "make_plan", late)
    compare(what_if)
    assert "No plan was found within the limit" in what_if.texts()


def test_a_link_restores_scenarios_and_refuses_nonsense(start):
    first = start()
    first.open("whatif")
    add_edit(first, "drain", nodes="h100-1")
    (text,) = scenario_texts(first.state.whatif.drafts)
    assert first.app.query_params["scenario"] in (text, [text])
    second = type(first)()
    second.app.query_params["scenario"] = [text, "{broken", json.dumps({"edits": [{"x": {}}]})]
    second.run()
    second.open("whatif")
    assert [one.name for one in second.state.whatif.drafts] == ["Scenario A"]
    assert edits(second) == ["drain h100-1"]
    assert "kind of edit" in second.texts()


def test_the_command_line_repeats_the_comparison(what_if):
    add_edit(what_if, "drain", nodes="h100-1")
    state = what_if.state
    wanted = "gangplan whatif sample:demo --drain h100-1 --name 'Scenario A'"
    assert command_line(state, state.whatif.drafts) == wanted
    assert wanted in [one.value for one in what_if.app.code]
    add_edit(what_if, "uncordon", nodes="h100-1")
    assert "--scenario Scenario-A.yaml" in command_line(state, state.whatif.drafts)


def test_scenario_files_are_loaded(what_if):
    from ui.messages import Words
    from ui.whatif.drafts import load_scenario

    say = Words("en")
    assert load_scenario(
        what_if.state, say, "../x.scenario.yaml", b"edits:\n- drain: {nodes: h100-1}\n"
    )
    assert what_if.state.whatif.draft().name == "x"
    for data, message in (
        (b"edits: [{drain: {nodes: nowhere}}]", "no node"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b"edits: [", "not valid YAML"),
        (b" " * (1 << 21), "larger than 1 MiB"),
    ):
        assert not load_scenario(what_if.state, say, "y.yaml", data)
        assert message in str(what_if.state.whatif.fault)
    what_if.run()
    assert "larger than 1 MiB" in what_if.texts()


def test_read_only_visitors_write_scenarios_but_plan_none(start):
    dashboard = start(read_only=True)
    dashboard.finish()
    dashboard.open("whatif")
    add_edit(dashboard, "drain", nodes="h100-1")
    assert "This server only shows" in dashboard.texts()
    assert "ask-scenarios" not in {one.key for one in dashboard.app.button}


def test_the_page_speaks_chinese(what_if):
    what_if.app.session_state["language"] = "zh"
    what_if.run()
    assert what_if.app.title[0].value == "假设分析"


def test_a_sweep_over_two_parameters(what_if):
    what_if.app.session_state["what-if-topic"] = "sweep"
    what_if.run()
    assert what_if.app.button(key="ask-sweep").disabled
    what_if.app.selectbox(key="grid-key-0").set_value("add/model/NVIDIA-H100-80GB-HBM3")
    what_if.app.text_input(key="grid-values-0").set_value("0..1")
    what_if.app.selectbox(key="grid-key-1").set_value("queue/eval.capability.gpu")
    what_if.app.text_input(key="grid-values-1").set_value("[24, 48]")
    what_if.run()
    assert "Points to plan: 4" in what_if.texts()
    compare(what_if, "sweep")
    shown = what_if.app.dataframe[0].value
    assert len(shown) == 4
    assert 68 in set(shown["gpus_in_use"])
    assert shown["gpus_in_use"].max() > 68
    assert any("--sweep sweep.yaml" in one.value for one in what_if.app.code)
    most = shown["gpus_in_use"].max()
    assert (
        f"Most allocated at the 4 points planned: {most} GPUs, first at add/model"
        in what_if.texts()
    )


def test_a_link_restores_the_question_and_its_grid(what_if):
    what_if.app.session_state["what-if-topic"] = "sweep"
    what_if.run()
    what_if.app.selectbox(key="grid-key-0").set_value("queue/eval.weight")
    what_if.app.text_input(key="grid-values-0").set_value("[1, 2]")
    what_if.run()
    what_if.open("overview")
    what_if.open("whatif")
    assert "Points to plan: 2" in what_if.texts(), "kept while another page was shown"
    query = {name: what_if.app.query_params[name] for name in ("question", "grid")}
    assert query["grid"] in ("queue/eval.weight=[1, 2]", ["queue/eval.weight=[1, 2]"])
    second = type(what_if)()
    for name, value in query.items():
        second.app.query_params[name] = value
    second.run()
    second.open("whatif")
    assert second.app.text_input(key="grid-values-0").value == "[1, 2]"
    assert "Points to plan: 2" in second.texts()


@pytest.mark.parametrize(
    ("key", "values", "message"),
    [
        ("add/model/NVIDIA-H100-80GB-HBM3", "0..5000", "more than|at most 400"),
        ("add/model/NVIDIA-H100-80GB-HBM3", "{", "not valid YAML"),
        ("add/model/NVIDIA-H100-80GB-HBM3", "3..1", "no range"),
    ],
)
def test_a_wrong_grid_is_explained(what_if, key, values, message):
    what_if.app.session_state["what-if-topic"] = "sweep"
    what_if.run()
    what_if.app.selectbox(key="grid-key-0").set_value(key)
    what_if.app.text_input(key="grid-values-0").set_value(values).run()
    what_if.press("ask-sweep")
    assert what_if.state.whatif.job is None
    assert any(part in what_if.texts() for part in message.split("|")), what_if.texts()


def test_one_more_of_each_is_priced(planned):
    planned.open("whatif")
    planned.app.session_state["what-if-topic"] = "marginal"
    planned.run()
    compare(planned, "marginal")
    shown = planned.app.dataframe[0].value
    assert any("node of" in name for name in shown["name"])
    assert shown["gpus_gained"].max() > 0
    assert "Worth most: one node of NVIDIA-H100-80GB-HBM3 starts gangs of 8 GPUs more." in (
        planned.texts()
    )


def confirmed(dashboard):
    dashboard.press("confirm")
    while dashboard.state.whatif.confirm_job is not None:
        dashboard.state.whatif.confirm_job.wait(60)
        dashboard.run()


def test_a_change_is_confirmed_and_applied_and_the_gang_starts(planned):
    waits = [one.full_name for one in planned.state.plan.result.gangs if one.decision == "wait"]
    planned.open("waiting")
    names = list(planned.app.dataframe[0].value["gang"])
    assert set(names) == set(waits)
    planned.app.session_state["table-waiting-0"] = {"selection": {"rows": [1], "columns": []}}
    planned.run()
    assert "Not confirmed by planning yet." in planned.texts()
    confirmed(planned)
    assert "Confirmed: the gang starts after this change." in planned.texts()
    found = planned.state.whatif.confirmed[names[1]].explained.gangs[0]
    assert found.fixes
    planned.press("apply-0")
    assert planned.app.title[0].value == "What-if"
    planned.open("whatif")
    answered(planned)
    assert f"{names[1]} starts after this change." in "".join(
        one.value.replace("\\", "") for one in planned.app.success
    )


def test_a_gang_is_kept_away_from_its_nodes_and_solved_again(planned):
    planned.app.session_state["table-changes-0"] = {"selection": {"rows": [0], "columns": []}}
    planned.open("plan")
    assert any("Pin or forbid" in one.label for one in planned.app.multiselect)
    nodes = planned.app.multiselect[-1].value
    planned.press("forbid")
    assert planned.app.title[0].value == "What-if"
    planned.open("whatif")
    answered(planned)
    (answer,) = planned.state.whatif.answers["scenarios"].answer.planned
    edit = planned.state.whatif.draft().edits[0]
    gang = next(one for one in answer.plan.gangs if one.full_name == edit.gangs)
    placed = {pods.node for pods in gang.pods if pods.action == "place"}
    assert not placed & set(nodes)
    assert answer.plan.verification.violations == ()


def test_queues_are_edited_in_place_and_become_a_scenario(planned):
    planned.open("queues")
    digest = planned.state.opened.snapshot.digest
    key = f"queue-editor-{digest[:12]}-0"
    rows = list(planned.app.dataframe[-1].value["queue"])
    change = {
        "edited_rows": {rows.index("eval"): {"weight": 9}},
        "added_rows": [],
        "deleted_rows": [],
    }
    planned.app.session_state[key] = change
    planned.run()
    assert "queue eval: weight 9" in planned.texts()
    planned.app.session_state[key] = change
    planned.state.whatif.shown = "sweep"
    planned.press("apply-queues")
    planned.open("whatif")
    assert "Scenarios" in "".join(one.label for one in planned.app.segmented_control), (
        "the comparison is shown, whatever was before"
    )
    answered(planned)
    assert edits(planned) == ["queue eval: weight 9"]
    assert planned.state.plan.request.snapshot.queue_by_name["eval"].weight != 9
