from __future__ import annotations

import json

import pytest

from models.findings import NoPlanInTimeError
from planner.usecases.jobs import night_jobs


def night(start, **options):
    dashboard = start(**options)
    dashboard.app.selectbox(key="source").set_value("sample:night")
    dashboard.run()
    dashboard.open("drill")
    return dashboard


def drill(dashboard, gpus=24, claimant="online"):
    dashboard.app.selectbox(key="drill-claimant").set_value(claimant)
    dashboard.app.number_input(key="drill-gpus").set_value(gpus)
    dashboard.press("drill-run")
    dashboard.finish_run("drill")
    return dashboard


def test_the_drill_of_the_sample_says_who_leaves_and_what_would_help(start):
    dashboard = drill(night(start))
    result = dashboard.state.night.drill.done.result
    assert result.verification.violations == ()
    assert f"Not in time: {result.summary.gpus_in_time} of 24 GPUs" in dashboard.texts()
    assert dashboard.metrics()["Back in time (GPUs)"] == str(result.summary.gpus_in_time)
    tables = [one.value for one in dashboard.app.dataframe]
    gangs = next(one for one in tables if "pods_left" in one)
    changes = next(one for one in tables if "gain" in one)
    assert gangs["gpus"].sum() == sum(one.gpus for one in result.gangs)
    assert list(changes["gain"]) == [one.gain for one in result.changes]
    command = dashboard.app.code[0].value
    assert "gangplan reclaim sample:night --need online=24 --deadline 30s" in command


def test_changed_inputs_call_the_drill_stale_and_another_cluster_puts_it_aside(start):
    dashboard = drill(night(start), gpus=2)
    assert "In time: online has 2 GPUs" in dashboard.texts()
    dashboard.app.number_input(key="drill-deadline").set_value(60)
    dashboard.run()
    assert "The inputs have changed since this was made" in dashboard.texts()
    dashboard.open("plan")
    dashboard.open("drill")
    assert dashboard.app.number_input(key="drill-deadline").value == 60
    dashboard.app.selectbox(key="source").set_value("sample:demo")
    dashboard.run()
    assert "the cluster chosen now has none yet" in dashboard.texts()


def test_further_needs_are_read_as_on_the_command_line(start):
    dashboard = night(start)
    dashboard.app.text_area(key="drill-more").set_value("eval=4,per-pod=2")
    drill(dashboard, gpus=2)
    assert [one.service for one in dashboard.state.night.drill.done.result.needs] == [
        "online",
        "eval",
    ]
    assert "--need eval=4,per-pod=2" in dashboard.app.code[0].value


@pytest.mark.parametrize(
    ("line", "words"), [("eval", "write it like"), ("online=24", "is there twice")]
)
def test_a_need_that_is_written_wrong_is_explained(start, line, words):
    dashboard = night(start)
    dashboard.app.text_area(key="drill-more").set_value(line)
    dashboard.app.number_input(key="drill-gpus").set_value(24)
    dashboard.app.selectbox(key="drill-claimant").set_value("online")
    dashboard.press("drill-run")
    assert words in dashboard.texts()
    assert dashboard.state.night.drill.job is None


def test_a_drill_that_finds_nothing_in_time_says_so(start, monkeypatch):
    def late(*args, **options):
        raise NoPlanInTimeError("late")

    monkeypatch.setattr(night_jobs, "make_drill", late)
    dashboard = drill(night(start))
    assert "Nothing was found within the limit" in dashboard.texts()


def test_a_cluster_where_nobody_can_ask_says_so(start, tmp_path):
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {}}
    path = tmp_path / "bare.json"
    path.write_text(json.dumps(node))
    dashboard = start(paths=(str(path),))
    dashboard.open("drill")
    assert dashboard.app.title[0].value == "Drill"
    known = night_jobs.known_claimants(dashboard.state.opened.under({"queue_model": "proportion"}))
    shown = "no service and no queue" in dashboard.texts()
    assert shown == (not known)


def test_a_read_only_server_starts_no_drills(start):
    from planner.samples import sample_path

    dashboard = start(paths=(str(sample_path("night")),), read_only=True)
    dashboard.finish()
    dashboard.open("drill")
    assert "it starts no drills" in dashboard.texts()
    assert "drill-run" not in {one.key for one in dashboard.app.button}


def test_chinese(start):
    dashboard = night(start)
    dashboard.app.session_state["language"] = "zh"
    drill(dashboard, gpus=2)
    assert dashboard.app.title[0].value == "演练"
    assert "按时：online" in dashboard.texts()
