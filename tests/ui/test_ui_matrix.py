"""Every page in every state of the cluster's plan; those that ask themselves have tests of their own too."""

from __future__ import annotations

import json
import threading

import pytest

from models.edits.catalogue import edit_from
from models.findings import InfeasibleError, NoPlanInTimeError
from planner.problem.progress import Progress
from planner.usecases.jobs import background, night_jobs
from planner.usecases.whatif import base as whatif_base
from ui.messages import Words
from ui.own_policy import take_policy
from ui.screenshots import PAGES
from ui.whatif.drafts import new_draft

OF_THE_PLAN = ("overview", "inventory", "queues", "waiting", "plan", "proof")
"""Pages that show the plan of the side bar; the others show their own answers."""
BARE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {"conditions": [{"type": "Ready", "status": "True"}]},
}


def visited(dashboard, words="", pages=PAGES):
    """Open pages; each has one title, at most five numbers, and says these words."""
    for page in pages:
        app = dashboard.open(page)
        assert len(app.title) == 1, page
        assert len(app.metric) <= 5, page
        assert words in dashboard.texts(), page


def test_a_cluster_without_anything(start, tmp_path):
    path = tmp_path / "bare.json"
    path.write_text(json.dumps(BARE))
    dashboard = start(paths=(str(path),))
    visited(dashboard, "not planned yet")
    visited(dashboard.plan(), "verified")


def test_while_a_plan_is_searched(start, monkeypatch):
    plan = background.make_plan

    def slow(snapshot, policy, limits, *, on_progress, stop, **options):
        on_progress(Progress("solve", 1.0, "covered.1.gpus", 24, 32, 0.33))
        while not stop.is_set():
            threading.Event().wait(0.01)
        return plan(snapshot, policy, limits, stop=stop, on_progress=on_progress, **options)

    monkeypatch.setattr(background, "make_plan", slow)
    dashboard = start()
    dashboard.press("run")
    dashboard.run()
    visited(dashboard, "best 24, bound 32")
    visited(dashboard, "Planning runs", OF_THE_PLAN)
    dashboard.press("stop")
    dashboard.finish()
    visited(dashboard, "this is the best plan found until then, verified", OF_THE_PLAN)


def test_with_a_stale_plan(planned):
    planned.app.number_input(key="gap").set_value(5.0)
    planned.run()
    visited(planned, "stale: inputs changed")
    visited(planned, "it is kept, but stale", OF_THE_PLAN)
    for page in ("overview", "plan"):
        planned.open(page)
        assert planned.metrics()["Gap to the best"] == "0 %"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NoPlanInTimeError("late"), "Raise the time limit and plan again"),
        (InfeasibleError("guarantees exceed the cluster"), "guarantees exceed the cluster"),
    ],
)
def test_without_a_plan(start, monkeypatch, error, words):
    def fail(*given, **options):
        raise error

    monkeypatch.setattr(background, "make_plan", fail)
    dashboard = start().plan()
    visited(dashboard, "no plan")
    visited(dashboard, words, OF_THE_PLAN)


@pytest.mark.parametrize("page", ["night", "drill", "whatif"])
def test_the_own_answer_of_a_page_cannot_be_had(start, monkeypatch, page):
    def fail(*given, **options):
        raise InfeasibleError("two rules contradict each other")

    monkeypatch.setattr(night_jobs, "make_schedule", fail)
    monkeypatch.setattr(night_jobs, "make_drill", fail)
    monkeypatch.setattr(whatif_base, "make_plan", fail)
    dashboard = start()
    dashboard.open(page)
    if page == "whatif":
        new_draft(dashboard.state, Words("en"), [edit_from({"drain": {"nodes": "h100-1"}})])
        dashboard.run()
        dashboard.press("ask-scenarios")
        while dashboard.state.whatif.job is not None:
            dashboard.state.whatif.job.wait(5)
            dashboard.run()
    else:
        dashboard.press({"night": "night-run", "drill": "drill-run"}[page])
        dashboard.finish_run({"night": "schedule", "drill": "drill"}[page])
    assert "two rules contradict each other" in dashboard.texts()


def test_a_comparison_is_stopped_and_keeps_what_was_planned(planned, monkeypatch):
    plan = whatif_base.make_plan

    def slow(*given, stop, on_progress, **options):
        on_progress(Progress("solve", 1.0, "rest.1.gpus", 4, 8, 1.0))
        while not stop.is_set():
            threading.Event().wait(0.01)
        return plan(*given, stop=stop, on_progress=on_progress, **options)

    monkeypatch.setattr(whatif_base, "make_plan", slow)
    for node in ("h100-1", "h100-2"):
        new_draft(planned.state, Words("en"), [edit_from({"drain": {"nodes": node}})])
    planned.open("whatif")
    planned.press("ask-scenarios")
    planned.run()
    assert "best 4, bound 8" in planned.texts()
    assert "scenario Scenario A" in planned.texts()
    visited(planned)
    planned.open("whatif")
    planned.press("stop-whatif")
    while planned.state.whatif.job is not None:
        planned.state.whatif.job.wait(5)
        planned.run()
    assert "what was planned until then is shown, verified" in planned.texts()
    answer = planned.state.whatif.answers["scenarios"].answer
    assert [one.name for one in answer.document.scenarios] == ["Scenario A"]


def test_who_lends_to_whom_and_who_leaves(start):
    """The pages Queues and Plan of a cluster in which queues borrow and the plan evicts."""
    dashboard = start()
    dashboard.app.selectbox(key="source").set_value("sample:night")
    dashboard.run()
    assert take_policy(dashboard.state, "p.yaml", b"evict: [preempt, reclaim]\n")
    dashboard.run()
    result = dashboard.plan().state.plan.result
    dashboard.open("plan")
    left = next(one.value for one in dashboard.app.dataframe if "rule" in one.value)
    assert left["pods"].sum() == result.summary.pods_evicted > 0
    dashboard.open("queues")
    lent = next(one.value for one in dashboard.app.dataframe if "lender" in one.value)
    loans = [loan for queue in result.queues for loan in queue.loans]
    gpus = sum(one.amount for one in loans if one.resource == "nvidia.com/gpu")
    assert lent["amount"].sum() == gpus > 0
