from __future__ import annotations

import functools
import io
import threading

import pytest

from models.findings import NoPlanInTimeError
from models.plan import RuleViolation, Verification
from planner.documents.withheld import PlanningError
from planner.schedule.make import make_schedule, schedule_horizon
from planner.usecases.cluster_session import open_sample
from planner.usecases.inputs.lending import LendingSource
from planner.usecases.jobs import night_jobs

DEMAND = b"time,service,gpus\n2026-09-15T00:00:00Z,chat,20\n2026-09-15T19:00:00Z,chat,30\n"


@functools.cache
def night_of_the_sample():
    """The schedule of the sample, searched once by each test process."""
    source = LendingSource(*_given(), ())
    return make_schedule(open_sample("evening").snapshot, _policy(), source, guard=False)


def _policy():
    return open_sample("evening").under({}).policy


def _given():
    return open_sample("evening").snapshot, _policy().policy


@pytest.fixture
def at_once(monkeypatch):
    """Whatever is asked, the answer is the night of the sample."""

    def answer(snapshot, policy, source, options, **more):
        source(schedule_horizon(policy, options))
        return night_of_the_sample()

    monkeypatch.setattr(night_jobs, "make_schedule", answer)


def evening(start, **options):
    dashboard = start(**options)
    dashboard.app.selectbox(key="source").set_value("sample:evening")
    dashboard.run()
    dashboard.open("night")
    return dashboard


def schedule(dashboard):
    dashboard.press("night-run")
    dashboard.finish_run("schedule")
    return dashboard


def parquet():
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet as files

    table = pyarrow.table({"time": ["2026-09-15T19:00:00Z"], "service": ["chat"], "gpus": [30]})
    data = io.BytesIO()
    files.write_table(table, data)
    return data.getvalue()


def test_before_a_schedule_the_page_says_what_one_tells(start):
    dashboard = evening(start)
    assert "There is no schedule yet" in dashboard.texts()
    assert "As of 2026-09-15 21:00:00 Europe/Berlin" in dashboard.texts()
    assert not dashboard.app.metric


def test_the_night_of_the_sample_is_scheduled_and_its_loans_are_back(start, at_once):
    dashboard = schedule(evening(start))
    result = dashboard.state.night.schedule.done.result.result
    assert result.verification.violations == ()
    assert "11 of 11 waiting gangs start within 24 hours, 1 of them now" in dashboard.texts()
    assert "online services lend up to 40 GPUs" in dashboard.texts()
    assert "all back by 2026-09-16 10:00" in dashboard.texts()
    metrics = dashboard.metrics()
    assert (metrics["Start now (gangs)"], metrics["Start later (gangs)"]) == ("1", "10")
    tables = [one.value for one in dashboard.app.dataframe]
    starts = next(one for one in tables if "duration_source" in one)
    loans = next(one for one in tables if "worst_return_s" in one)
    assert len(starts) == 11
    assert loans["gpus"].tolist() == [one.gpus for one in result.schedule.loans]
    assert (loans["slack_s"] >= 0).all()
    assert "gangplan schedule sample:evening --policy sample:evening --horizon 24h" in (
        dashboard.app.code[0].value
    )


def test_filters_cut_the_lists_of_gangs(start, at_once):
    dashboard = schedule(evening(start))
    dashboard.app.multiselect(key="filter-queues").set_value(["research"])
    dashboard.run()
    starts = next(one.value for one in dashboard.app.dataframe if "duration_source" in one.value)
    assert set(starts["queue"]) == {"research"}


def test_changed_inputs_keep_the_schedule_and_call_it_stale(start, at_once):
    dashboard = schedule(evening(start))
    dashboard.app.selectbox(key="night-horizon").set_value(12)
    dashboard.run()
    assert "The inputs have changed since this was made" in dashboard.texts()
    assert dashboard.metrics()["Start later (gangs)"] == "10"
    dashboard.open("overview")
    dashboard.open("night")
    assert dashboard.state.night.settings.horizon_h == 12
    assert dashboard.app.selectbox(key="night-horizon").value == 12
    dashboard.press("night-again")
    dashboard.finish_run("schedule")
    assert dashboard.state.night.schedule.done.request.horizon_s == 12 * 3600
    assert "The inputs have changed" not in dashboard.texts()


def test_another_deadline_is_another_question(start, at_once):
    dashboard = evening(start)
    dashboard.app.number_input(key="night-deadline-30").set_value(31)
    schedule(dashboard)
    asked = dashboard.state.night.schedule.done.request
    assert asked.policy.policy.lending.deadline_seconds == 31
    assert asked.policy.policy.lending.service_level == open_level()
    assert '"deadline_seconds": 31' in dashboard.app.code[0].value


def open_level():
    return _policy().policy.lending.service_level


def test_another_snapshot_keeps_the_schedule_aside(start, at_once):
    dashboard = schedule(evening(start))
    dashboard.app.selectbox(key="source").set_value("sample:demo")
    dashboard.run()
    assert "the cluster chosen now has none yet" in dashboard.texts()
    assert not dashboard.app.metric
    dashboard.press("night-switch")
    assert "Shown is the result of snapshot" in dashboard.texts()
    assert "As of 2026-09-15 21:00:00 Europe/Berlin" in dashboard.texts()


@pytest.mark.parametrize(("name", "data"), [("d.csv", DEMAND), ("d.parquet", parquet)])
def test_demand_is_uploaded_and_used(start, at_once, name, data):
    dashboard = evening(start)
    content = data() if callable(data) else data
    dashboard.app.file_uploader[0].upload(name, content, "application/octet-stream")
    key = next(str(one.key) for one in dashboard.app.button if "demand-form" in str(one.key))
    dashboard.app.button(key=key).click().run()
    dashboard.checked()
    assert f"Read: {name}" in dashboard.texts()
    assert dashboard.app.selectbox(key="night-demand").value == "upload"
    schedule(dashboard)
    assert dashboard.state.night.schedule.done.request.demand.name == name
    assert f"--demand {name}" in dashboard.app.code[0].value


def test_demand_that_cannot_be_read_is_explained_and_the_old_one_kept(start):
    dashboard = evening(start)
    dashboard.app.file_uploader[0].upload("bad.csv", b"when,what\n1,2\n", "text/csv")
    key = next(str(one.key) for one in dashboard.app.button if "demand-form" in str(one.key))
    dashboard.app.button(key=key).click().run()
    dashboard.checked()
    assert "bad.csv" in "".join(one.value for one in dashboard.app.error).replace("\\", "")
    assert dashboard.state.night.uploaded is None


def test_demand_that_is_too_large_is_refused_with_the_limit(start):
    from ui.night import take_demand
    from ui.state import PlannerState

    start(max_upload_mb=1)
    state = PlannerState()
    assert not take_demand(state, [("big.csv", b" " * ((1 << 20) + 1))])
    assert "at most 1 MiB" in str(state.night.upload_fault)
    assert "eight weeks" in state.night.upload_fault.findings[0].remedy


def test_the_demand_of_the_night_sample_is_its_own(start):
    dashboard = start()
    dashboard.app.selectbox(key="source").set_value("sample:night")
    dashboard.run()
    dashboard.open("night")
    assert dashboard.app.selectbox(key="night-demand").value == "sample"
    from ui.night import demand

    assert demand(dashboard.state).name == "night-demand.csv"


def test_a_cluster_without_services_lends_nothing(start):
    dashboard = start()
    dashboard.open("night")
    schedule(dashboard)
    assert "no GPUs are lent." in dashboard.texts()
    assert "No online service with GPUs is known" in dashboard.texts()


@pytest.mark.parametrize("kind", ["time", "check"])
def test_why_there_is_no_schedule_is_told(start, monkeypatch, kind):
    def fail(*args, **options):
        if kind == "time":
            raise NoPlanInTimeError("late")
        found = (RuleViolation(rule="gang_ready", object="a/b", message="m"),)
        from models.plan import PlanResult

        raise PlanningError("failed", PlanResult(verification=Verification(violations=found)))

    monkeypatch.setattr(night_jobs, "make_schedule", fail)
    dashboard = schedule(evening(start))
    words = {"time": "Nothing was found within the limit", "check": "failed the independent check"}
    assert words[kind] in dashboard.texts()
    assert "There is no schedule yet" in dashboard.texts()


def test_a_running_search_shows_where_it_is_and_stops_with_the_best(start, monkeypatch):
    from planner.problem.progress import Progress

    def slow(snapshot, policy, source, options, *, on_progress, stop, **more):
        on_progress(Progress("solve", 1.0, "rest.1.gpu_hours", 10, 20, 1.0))
        while not stop.is_set():
            threading.Event().wait(0.01)
        return night_of_the_sample()

    monkeypatch.setattr(night_jobs, "make_schedule", slow)
    dashboard = evening(start)
    dashboard.press("night-run")
    assert "The search runs" in dashboard.texts()
    assert "best 10, bound 20" in dashboard.texts()
    dashboard.open("queues")
    dashboard.press("stop-schedule")
    dashboard.finish_run("schedule")
    dashboard.open("night")
    assert "this is the best found until then, verified" in dashboard.texts()


def test_read_only_visitors_share_one_schedule(start, at_once):
    from planner.samples import sample_path, sample_policy
    from planner.usecases.inputs.policies import read_policy

    options = {
        "paths": (str(sample_path("evening")),),
        "policy": read_policy(sample_policy("evening")),
        "read_only": True,
    }
    dashboard = start(**options)
    dashboard.finish()
    dashboard.open("night")
    dashboard.finish_run("schedule")
    assert "11 of 11 waiting gangs start" in dashboard.texts()
    assert not [one for one in dashboard.app.button if one.key == "night-run"]


def test_chinese(start, at_once):
    dashboard = evening(start)
    dashboard.app.session_state["language"] = "zh"
    dashboard.run()
    schedule(dashboard)
    assert dashboard.app.title[0].value == "夜间"
    assert "11 个等待的任务组" in dashboard.texts()


def test_a_link_restores_what_is_scheduled_and_drilled(start):
    fresh = type(start())()
    asked = {"sample": "night", "horizon": "36", "steps": "30", "returns": "45"}
    asked |= {"need": "online=24,per-pod=4", "within": "90"}
    for name, value in asked.items():
        fresh.app.query_params[name] = value
    fresh.run()
    fresh.open("night")
    assert fresh.app.selectbox(key="night-horizon").value == 36
    assert fresh.app.selectbox(key="night-bucket").value == 30
    assert fresh.app.number_input(key="night-deadline-30").value == 45
    fresh.open("drill")
    assert fresh.app.selectbox(key="drill-claimant").value == "online"
    assert fresh.app.number_input(key="drill-gpus").value == 24
    assert fresh.app.number_input(key="drill-per-pod").value == 4
    assert fresh.app.number_input(key="drill-deadline").value == 90
    kept = {name: fresh.app.query_params[name] for name in ("horizon", "steps", "returns")}
    assert {
        name: value[0] if isinstance(value, list) else value for name, value in kept.items()
    } == {
        "horizon": "36",
        "steps": "30",
        "returns": "45",
    }


@pytest.mark.parametrize(
    "query",
    [
        {"horizon": "9", "steps": "-1", "returns": "0", "need": "x", "within": "abc"},
        {"horizon": "24h", "steps": "٣", "returns": "99999", "need": "online=0", "within": "0"},
    ],
)
def test_a_link_with_nonsense_changes_nothing(query):
    from ui.night_links import night_link, read_night
    from ui.night_state import NightState

    night = NightState()
    read_night(night, query)
    assert (night.settings, night.drill_settings) == (
        NightState().settings,
        NightState().drill_settings,
    )
    assert night_link(night) == {}
