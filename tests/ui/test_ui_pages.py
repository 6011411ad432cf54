from __future__ import annotations

import io
import json
import zipfile

import pytest

VIEWS = ("overview", "inventory", "queues", "waiting", "plan", "whatif", "proof")
OTHERS = ("night", "drill")


@pytest.mark.parametrize("view", [*VIEWS, *OTHERS])
def test_every_page_opens_on_the_demo_before_a_plan(start, view):
    dashboard = start()
    app = dashboard.open(view)
    assert len(app.title) == 1
    assert "As of 2026-09-14 08:58:00 UTC" in dashboard.texts()
    assert "not planned yet" in dashboard.texts()
    assert 0 <= len(app.metric) <= 5


def test_every_page_shows_the_plan_of_the_demo(planned):
    for view in VIEWS:
        app = planned.open(view)
        assert 3 <= len(app.metric) <= 5, view
        assert "verified, proved optimal" in planned.texts()
    assert planned.state.plan.result.verification.violations == ()


def test_overview_says_what_starts_and_what_it_gains(planned):
    planned.open("overview")
    assert (
        "**5 of 10 waiting gangs can start now; 68 of 80 GPUs would be allocated" in planned.texts()
    )
    assert planned.metrics()["Planned (GPUs)"] == "68"
    assert planned.metrics()["Gap to the best"] == "0 %"


def test_numbers_of_pages_are_those_of_the_document(planned):
    result = planned.state.plan.result
    planned.open("plan")
    assert planned.metrics()["Placed (pods)"] == str(result.summary.pods_placed)
    placed = planned.app.dataframe[2].value
    assert placed["pods"].sum() == result.summary.pods_placed
    planned.open("waiting")
    assert planned.metrics()["Wait (gangs)"] == str(result.summary.gangs_waiting)
    assert len(planned.app.dataframe[0].value) == result.summary.gangs_waiting
    planned.open("queues")
    shown = planned.app.dataframe[0].value.set_index("queue")
    for queue in result.queues:
        assert shown.loc[queue.name, "after"] == queue.after.get("nvidia.com/gpu", 0)


def test_a_selected_gang_tells_why_it_waits(planned):
    planned.app.session_state["table-waiting-0"] = {"selection": {"rows": [0], "columns": []}}
    app = planned.open("waiting")
    assert "Why serving/speech" in "\n".join(one.value for one in app.subheader).replace("\\", "")
    assert any("what helps" in one.value for one in app.code)
    assert any("Code" not in one.value for one in app.code)


def test_a_selected_node_shows_its_pods(planned):
    planned.app.session_state["table-nodes-0"] = {"selection": {"rows": [0], "columns": []}}
    app = planned.open("inventory")
    pods = app.dataframe[-1].value
    assert {"keep", "place"} == set(pods["action"])


def test_queues_in_memory_have_gibibytes(planned):
    planned.open("queues")
    planned.app.session_state["queue-resource"] = "memory"
    planned.run()
    shown = planned.app.dataframe[0].value
    exact = {
        queue.name: queue.before.get("memory", 0) for queue in planned.state.plan.result.queues
    }
    for _, row in shown.iterrows():
        assert row["before"] == round(exact[row["queue"]] / 2**30, 2)


def test_proof_lists_every_tier_and_rule(planned):
    planned.open("proof")
    tables = [one.value for one in planned.app.dataframe]
    tiers = next(table for table in tables if "tier" in table)
    rules = next(table for table in tables if "rule" in table)
    assert list(tiers["tier"]) == [t.name for t in planned.state.plan.result.certificate.tiers]
    assert set(rules["violations"]) == {0}


def test_filters_cut_the_lists_and_say_so(planned):
    planned.app.multiselect(key="filter-queues").set_value(["eval"])
    planned.open("waiting")
    assert set(planned.app.dataframe[0].value["queue"]) == {"eval"}
    assert "Lists show only eval" in planned.texts()


def test_chinese_is_spoken_everywhere(start):
    dashboard = start()
    dashboard.app.session_state["language"] = "zh"
    dashboard.run()
    assert dashboard.app.title[0].value == "总览"
    dashboard.plan()
    for view in VIEWS:
        app = dashboard.open(view)
        assert any("\u4e00" <= letter <= "\u9fff" for letter in app.title[0].value)


def test_downloads_hold_what_they_say(planned):
    from planner.report.downloads import csv_archive, report_bytes
    from planner.report.plan_report import plan_report

    report = plan_report(planned.state.plan.result)
    document = json.loads(report_bytes(report, "json"))
    assert document["kind"] == "PlanResult"
    assert report_bytes(report, "html").lstrip().lower().startswith(b"<!doctype html>")
    assert csv_archive(report.frames()).startswith(b"PK")


def test_the_plan_can_be_taken_away_as_manifests_and_as_a_command(planned):
    from planner.usecases.jobs.night_jobs import manifests_bytes

    planned.open("plan")
    assert "Manifests" in [one.label for one in planned.app.get("download_button")]
    assert any(one.value.startswith("gangplan plan sample:demo") for one in planned.app.code)
    plan = planned.state.plan
    archive = zipfile.ZipFile(io.BytesIO(manifests_bytes(plan.request, plan.result)))
    assert archive.read("manifests/README.md").startswith(b"# Manifests for the plan")
