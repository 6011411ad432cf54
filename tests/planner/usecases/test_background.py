from __future__ import annotations

import threading

import pytest

from models.findings import NoPlanInTimeError, PlannerError
from planner.problem.progress import Progress
from planner.usecases.cluster_session import open_sample
from planner.usecases.jobs import background
from planner.usecases.jobs.background import PlanningJob, plan_request


@pytest.fixture(scope="module")
def request_of_demo():
    return plan_request(open_sample("demo").under({}), time_limit_s=30, gap=0)


def test_a_job_plans_in_the_background(request_of_demo):
    job = PlanningJob(request_of_demo, guard=False).start()
    assert job.wait(60)
    view = job.view()
    assert view.state == "done"
    assert view.result.summary.gangs_started == 5
    assert view.latest.stage == "verify"
    assert {point.tier for point in view.points} >= {"covered.1.gpus"}


def test_a_job_in_a_child_process_gives_the_same_plan(request_of_demo):
    job = PlanningJob(request_of_demo, guard=True).start()
    assert job.wait(60)
    assert job.view().result.summary.gangs_started == 5


def until_stopped(monkeypatch):
    began = threading.Event()

    def search(snapshot, policy, limits, *, stop, **options):
        began.set()
        while not stop.is_set():
            threading.Event().wait(0.005)
        raise NoPlanInTimeError("stopped")

    monkeypatch.setattr(background, "make_plan", search)
    return began


def test_stop_ends_a_job(request_of_demo, monkeypatch):
    began = until_stopped(monkeypatch)
    job = PlanningJob(request_of_demo).start()
    assert began.wait(10)
    assert job.view().going_on
    job.stop()
    assert job.wait(10)
    assert job.view().state == "failed"
    assert job.view().stop_reason == "asked"


def test_a_job_that_nobody_attends_stops_itself(request_of_demo, monkeypatch):
    began = until_stopped(monkeypatch)
    now = [0.0]
    job = PlanningJob(request_of_demo, absent_after_s=90, clock=lambda: now[0]).start()
    assert began.wait(10)
    now[0] = 80.0
    job.attend()
    now[0] = 160.0
    assert not job.wait(0.1)
    now[0] = 171.0
    assert job.wait(10)
    assert job.view().stop_reason == "absent"


def test_a_shared_job_does_not_care_who_watches(request_of_demo, monkeypatch):
    began = until_stopped(monkeypatch)
    now = [0.0]
    job = PlanningJob(request_of_demo, absent_after_s=None, clock=lambda: now[0]).start()
    assert began.wait(10)
    now[0] = 1e6
    assert not job.wait(0.1)
    job.stop()
    assert job.wait(10)


def test_an_unexpected_error_is_told(request_of_demo, monkeypatch):
    def fail(*args, **options):
        raise KeyError("x")

    monkeypatch.setattr(background, "make_plan", fail)
    job = PlanningJob(request_of_demo).start()
    assert job.wait(10)
    assert isinstance(job.view().error, PlannerError)
    assert "KeyError" in str(job.view().error)


def test_keys_tell_requests_apart(request_of_demo):
    given = open_sample("demo").under({})
    assert plan_request(given, time_limit_s=30, gap=0).key == request_of_demo.key
    assert plan_request(given, time_limit_s=31, gap=0).key != request_of_demo.key
    other = open_sample("demo").under({"objective": "throughput"})
    assert plan_request(other, time_limit_s=30, gap=0).key != request_of_demo.key


def test_history_keeps_tiers_with_several_incumbents(request_of_demo):
    job = PlanningJob(request_of_demo)
    for value, tier in ((1, "a"), (2, "a"), (3, "b"), (None, "c")):
        job._progress(Progress("solve", 1.0, tier, value, 9))
    assert list(job.view().history()) == ["a"]
    assert list(job.view().history(1)) == ["a", "b"]
