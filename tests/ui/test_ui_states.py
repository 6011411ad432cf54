from __future__ import annotations

import gzip
import json
import threading

import pytest

from models.findings import BackendError, InputError, NoPlanInTimeError
from models.plan import PlanResult, RuleViolation, Verification
from planner.documents.withheld import PlanningError
from planner.usecases.jobs import background
from ui.launch import parse_launch

VIEWS = ("overview", "inventory", "queues", "waiting", "plan", "whatif", "proof")
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {
        "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}


@pytest.fixture
def bare(tmp_path):
    path = tmp_path / "bare.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [NODE]}))
    return str(path)


def test_a_cluster_without_gpus_or_gangs_has_its_own_words(start, bare):
    dashboard = start(paths=(bare,))
    assert "No node of this cluster has GPUs." in dashboard.texts()
    dashboard.plan()
    for view in VIEWS:
        dashboard.open(view)
    dashboard.open("plan")
    assert "The plan starts nothing" in dashboard.texts()
    dashboard.open("waiting")
    assert "No gang waits." in dashboard.texts()


@pytest.mark.parametrize("view", [*VIEWS, "night", "drill"])
def test_a_file_that_cannot_be_read_is_explained_on_every_page(start, tmp_path, view):
    path = tmp_path / "broken.json"
    path.write_text('{"apiVersion": "v1", "kind": "List", "items": [')
    dashboard = start(paths=(str(path),))
    app = dashboard.open(view)
    assert app.title[0].value == "No cluster is open"
    assert "broken" in app.error[0].value
    assert "What helps" in dashboard.texts()


def test_changed_settings_keep_the_plan_and_call_it_stale(planned):
    planned.app.number_input(key="gap").set_value(5.0)
    planned.run()
    assert "stale: inputs changed" in planned.texts()
    assert "The inputs have changed since this plan was made" in planned.texts()
    assert planned.metrics()["Planned (GPUs)"] == "68"
    planned.app.number_input(key="gap").set_value(0.0)
    planned.run()
    assert "stale" not in planned.texts()


def test_another_snapshot_keeps_the_plan_aside(start, bare):
    dashboard = start(paths=(bare,)).plan()
    dashboard.app.selectbox(key="source").set_value("sample:demo")
    dashboard.run()
    assert "is kept; the cluster chosen now has no plan yet" in dashboard.texts()
    assert "36 of 80 GPUs allocated" in dashboard.texts()
    dashboard.press("switch-plan")
    assert "Shown is the plan of snapshot" in dashboard.texts()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NoPlanInTimeError("late"), "No plan was found within the limit"),
        (BackendError("the search process ended"), "the search process ended"),
        (
            PlanningError(
                "the plan failed verification",
                PlanResult(
                    verification=Verification(
                        violations=(RuleViolation(rule="gang_ready", object="a/b", message="m"),)
                    )
                ),
            ),
            "failed the independent check and is withheld",
        ),
    ],
)
def test_every_failure_is_told_on_every_page(start, monkeypatch, error, words):
    def fail(*args, **options):
        raise error

    monkeypatch.setattr(background, "make_plan", fail)
    dashboard = start().plan()
    for view in VIEWS:
        dashboard.open(view)
        assert words in dashboard.texts(), view
        assert "no plan" in dashboard.texts()


def test_a_running_search_shows_where_it_is_and_can_be_stopped(start, monkeypatch):
    from planner.problem.progress import Progress

    going, plan = threading.Event(), background.make_plan

    def slow(snapshot, policy, limits, *, on_progress, stop, **options):
        on_progress(Progress("solve", 1.0, "covered.1.gpus", 24, 32, 0.33))
        while not stop.is_set():
            going.wait(0.01)
        return plan(snapshot, policy, limits, stop=stop, on_progress=on_progress, **options)

    monkeypatch.setattr(background, "make_plan", slow)
    dashboard = start()
    dashboard.press("run")
    dashboard.run()
    assert "best 24, bound 32" in dashboard.texts()
    assert "Planning runs" in dashboard.texts()
    for view in VIEWS:
        dashboard.open(view)
    dashboard.press("stop")
    dashboard.finish()
    assert "this is the best plan found until then" in dashboard.texts()


def test_the_shown_old_plan_comes_with_its_own_cluster(start, bare):
    dashboard = start(paths=(bare,)).plan()
    dashboard.app.selectbox(key="source").set_value("sample:demo")
    dashboard.run()
    dashboard.press("switch-plan")
    dashboard.open("inventory")
    assert dashboard.metrics()["Nodes"] == "1"
    dashboard.press("switch-plan")
    assert dashboard.metrics()["Nodes"] == "10"


def test_files_that_were_written_again_are_read_again(start, bare, tmp_path):
    dashboard = start(paths=(bare,))
    before = dashboard.state.opened.snapshot.digest
    dashboard.press("read-again")
    assert dashboard.state.opened.snapshot.digest == before
    other = json.loads((tmp_path / "bare.json").read_text())
    other["items"].append({**NODE, "metadata": {"name": "n2"}})
    (tmp_path / "bare.json").write_text(json.dumps(other))
    dashboard.press("read-again")
    assert len(dashboard.state.opened.snapshot.nodes) == 2


def test_a_number_typed_just_before_the_click_counts(start):
    dashboard = start()
    dashboard.app.number_input(key="gap").set_value(3.0)
    dashboard.plan()
    assert dashboard.state.plan.request.limits.gap == 0.03
    assert "stale" not in dashboard.texts()


def test_settings_survive_a_change_of_page_and_language(start):
    dashboard = start()
    dashboard.app.number_input(key="gap").set_value(2.5)
    dashboard.run()
    dashboard.open("plan")
    dashboard.app.session_state["language"] = "zh"
    dashboard.run()
    assert dashboard.state.settings.gap_percent == 2.5
    assert dashboard.app.number_input(key="gap").value == 2.5


def test_an_incomplete_export_is_planned_only_when_allowed(start, tmp_path):
    queue = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": "q"},
        "spec": {"weight": 1},
        "status": {"state": "Open", "allocated": {"cpu": "4"}},
    }
    path = tmp_path / "part.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [NODE, queue]}))
    dashboard = start(paths=(str(path),))
    dashboard.press("run")
    assert "incomplete" in dashboard.texts()
    assert dashboard.state.job is None
    dashboard.app.checkbox(key="allow-incomplete").check()
    dashboard.plan()
    assert dashboard.state.plan is not None


def test_read_only_visitors_share_one_plan(start, bare):
    first = start(paths=(bare,), read_only=True)
    first.finish()
    assert first.state.plan is not None
    keys = {one.key for one in first.app.button}
    assert "run" not in keys
    assert not first.app.number_input


def test_links_restore_sample_filters_and_language(start):
    dashboard = start()
    fresh = type(dashboard)()
    fresh.app.query_params["queue"] = ["eval", "no-such-queue"]
    fresh.app.query_params["lang"] = "zh"
    fresh.app.query_params["sample"] = "no-such-sample"
    fresh.run()
    assert fresh.state.filters.queues == ("eval",)
    assert fresh.app.title[0].value == "总览"
    assert fresh.state.source == "sample:demo"
    assert fresh.app.query_params["queue"] in ("eval", ["eval"])


def test_the_command_line_of_the_server_is_read_or_its_fault_shown(start, tmp_path):
    assert parse_launch(["--read-only", "--max-upload=5", "--", "a.json"]).paths == ("a.json",)
    assert parse_launch(["--set-policy=queue_model=capacity"]).flags == {"queue_model": "capacity"}
    assert "queue_modl" in parse_launch(["--set-policy=queue_modl=capacity"]).fault
    assert "unknown argument" in parse_launch(["--what"]).fault
    assert parse_launch([f"--policy={tmp_path / 'none.yaml'}"]).fault
    dashboard = start(fault="unknown argument '--what'")
    assert dashboard.app.error[0].value == "unknown argument '--what'"


def test_uploads_are_opened_from_memory_and_refused_when_too_large(start):
    from ui.session import take_upload
    from ui.state import PlannerState

    start()
    data = gzip.compress(json.dumps({"apiVersion": "v1", "kind": "List", "items": [NODE]}).encode())
    state = PlannerState()
    assert take_upload(state, [("../../etc/nodes.json.gz", data)])
    assert state.uploaded is not None
    assert state.uploaded.name == "nodes.json.gz"
    assert [node.name for node in state.uploaded.snapshot.nodes] == ["n1"]
    start(max_upload_mb=1)
    assert not take_upload(state, [("big.json", b" " * (1 << 20)), ("more.json", b" ")])
    assert isinstance(state.upload_fault, InputError)
    assert "at most 1 MiB" in str(state.upload_fault)
    assert state.uploaded.name == "nodes.json.gz"


def test_uploads_through_the_widget(start):
    dashboard = start()
    dashboard.app.file_uploader[0].upload(
        "nodes.json", json.dumps(NODE).encode(), "application/json"
    )
    dashboard.app.button(key=_submit(dashboard)).click().run()
    dashboard.checked()
    assert dashboard.state.source == "upload"
    assert dashboard.metrics()["Wait (gangs)"] == "0"


def _submit(dashboard):
    return next(one.key for one in dashboard.app.button if "upload-form" in str(one.key))


def test_a_file_that_the_browser_refused_is_told_with_the_limit(start):
    """The uploader itself only marks a file that is too large."""
    dashboard = start(max_upload_mb=7)
    key = next(one.key for one in dashboard.app.button if one.label == "Open the files")
    dashboard.press(key)
    assert "No file was taken: choose one of up to 7 MB." in dashboard.texts()
