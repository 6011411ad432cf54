"""A search in a child process: whatever ends it, the best plan so far is finished and verified."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from models.findings import BackendError, NoPlanInTimeError
from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.problem.progress import Progress
from planner.runtime import child_server
from planner.search import guarded_search
from planner.search.guarded_search import GuardedSearch
from planner.search.placement_search import PlacementSearch
from planner.solve import highs
from planner.solve.highs import HighsBackend
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.faulty_backends import FaultyBackend
from planner.testing.problems import policy_of
from planner.testing.random_snapshots import random_case
from planner.usecases.planning import make_plan

BRIEF = Limits(time_limit_s=0.3, guard_grace_s=0.2, workers=1)
LONG = Limits(time_limit_s=120.0, workers=1)


@pytest.fixture(autouse=True)
def forked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Children that inherit what the test patched; and no child outlives its test."""
    if "fork" not in multiprocessing.get_all_start_methods():
        pytest.skip("this platform does not fork")
    monkeypatch.setattr(guarded_search, "start_method", lambda: "fork")
    monkeypatch.setattr(guarded_search, "STOP_GRACE_S", 0.2)
    yield
    assert not multiprocessing.active_children()


def _with_backend(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setattr(PlacementSearch, "_backend", lambda self, built: FaultyBackend(fault))


def _plan(limits: Limits, seed: int = 0, **more: object) -> PlanResult:
    case = random_case(seed, "small")
    return make_plan(case.snapshot, case.policy, limits, **more)  # type: ignore[arg-type]


def _tiers(plan: PlanResult) -> list[tuple[str, int]]:
    return [(tier.name, tier.value) for tier in plan.certificate.tiers]


def test_the_child_finds_what_the_parent_would() -> None:
    limits = Limits(time_limit_s=20.0, workers=1, deterministic=True)
    guarded = _plan(limits, guard=True)
    assert guarded.certificate.reproducible
    assert _tiers(guarded) == _tiers(_plan(limits, guard=False))


def test_a_solver_that_hangs_is_ended_and_the_plan_before_it_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The plan at hand was the greedy one, which left gangs waiting that fit: it was withheld."""
    _with_backend(monkeypatch, "hang")
    # The hard limit passes with the first plan, however busy the machine is.
    monkeypatch.setattr(guarded_search.Deadline, "passed", lambda self, *, has_plan: has_plan)
    plan = _plan(LONG)
    assert plan.verification is not None
    assert plan.verification.violations == ()
    assert plan.summary.gangs_started > 0
    assert plan.certificate.properties == "maximal"
    assert not plan.certificate.reproducible


def test_the_hard_limit_is_the_limit_and_its_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(guarded_search.time, "monotonic", lambda: now[0])
    deadline = guarded_search.Deadline(Limits(time_limit_s=10.0, guard_grace_s=5.0))
    endless = guarded_search.Deadline(Limits(time_limit_s=10.0, deterministic=True))
    for moment, passed in ((114.9, False), (115.1, True)):
        now[0] = moment
        assert deadline.passed(has_plan=True) is passed
        assert not endless.passed(has_plan=True)
    endless.stop()
    now[0] += guarded_search.STOP_GRACE_S + 0.1
    assert endless.passed(has_plan=True)
    assert not endless.passed(has_plan=False)
    now[0] += 15.0
    assert endless.passed(has_plan=False)


def test_the_first_plan_has_twice_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """3,000 different nodes and gangs on a busy machine: the search was ended seconds before its first plan."""
    now = [100.0]
    monkeypatch.setattr(guarded_search.time, "monotonic", lambda: now[0])
    long = guarded_search.Deadline(Limits(time_limit_s=10.0, guard_grace_s=5.0))
    short = guarded_search.Deadline(Limits(time_limit_s=1.0, guard_grace_s=5.0))
    for moment, passed in ((105.9, (False, False)), (106.1, (False, True)), (119.9, (False, True))):
        now[0] = moment
        assert (long.passed(has_plan=False), short.passed(has_plan=False)) == passed
    now[0] = 120.1
    assert long.passed(has_plan=False)


def _first_plan_takes(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    original = PlacementSearch._greedy

    def slow(self: PlacementSearch, groups: object) -> object:
        time.sleep(seconds)
        return original(self, groups)  # type: ignore[arg-type]

    monkeypatch.setattr(PlacementSearch, "_greedy", slow)


def test_a_late_first_plan_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended as "no plan in time", however soon the plan would have come."""
    _first_plan_takes(2.5, monkeypatch)
    plan = _plan(Limits(time_limit_s=2.0, guard_grace_s=0.1, workers=1))
    assert plan.summary.gangs_started > 0
    assert plan.verification is not None
    assert plan.verification.violations == ()


def test_a_stop_ends_a_search_and_keeps_its_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    _with_backend(monkeypatch, "hang")
    stop = threading.Event()
    timer = threading.Timer(0.4, stop.set)
    timer.start()
    plan = _plan(LONG, stop=stop)
    timer.join()
    assert plan.summary.gangs_started > 0
    assert plan.verification is not None
    assert plan.verification.violations == ()
    assert not plan.certificate.reproducible


@pytest.mark.parametrize("guard", [True, False])
def test_a_stop_at_once_still_gives_a_verified_plan(guard: bool) -> None:
    """Without a child, too: the stopped last pass left gangs waiting that fit."""
    stop = threading.Event()
    stop.set()
    for seed in range(2):
        plan = _plan(LONG, seed, stop=stop, guard=guard)
        assert plan.verification is not None
        assert plan.verification.violations == ()
        assert not plan.certificate.reproducible


def test_an_exception_in_the_child_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    _with_backend(monkeypatch, "raise")
    with pytest.raises(BackendError, match="RuntimeError: the solver lost its way"):
        _plan(LONG)


def test_a_search_out_of_memory_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(self: PlacementSearch) -> None:
        raise MemoryError

    monkeypatch.setattr(PlacementSearch, "run", run)
    with pytest.raises(BackendError, match="ran out of memory; give the process more, or plan"):
        _plan(LONG)


def test_a_child_that_dies_leaves_the_plan_it_had(monkeypatch: pytest.MonkeyPatch) -> None:
    _with_backend(monkeypatch, "die")
    plan = _plan(LONG)
    assert plan.summary.gangs_started > 0
    assert plan.verification is not None
    assert plan.verification.violations == ()
    assert not plan.certificate.reproducible


def test_a_child_that_dies_without_a_plan_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlacementSearch, "_greedy", lambda self, groups: os._exit(9))
    with pytest.raises(BackendError, match="without a plan"):
        _plan(LONG)


def _sleeps(self: PlacementSearch, groups: object) -> None:
    time.sleep(60)


def test_no_plan_in_time_is_an_exit_code_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlacementSearch, "_greedy", _sleeps)
    with pytest.raises(NoPlanInTimeError, match="raise --time-limit") as caught:
        _plan(BRIEF, baseline=False)
    assert caught.value.exit_code == 5


def test_the_baseline_is_given_where_the_search_has_no_plan_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """3,000 nodes with a limit of 5 s ended as "no plan in time", though a greedy scheduler had one."""
    monkeypatch.setattr(PlacementSearch, "_greedy", _sleeps)
    plan = _plan(BRIEF)
    assert plan.summary.gangs_started > 0
    assert plan.violations == ()


@pytest.mark.parametrize("deterministic", [False, True])
def test_a_stop_before_the_first_plan_waits_for_it_but_not_for_ever(
    deterministic: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waited for ever where the child hung."""
    monkeypatch.setattr(PlacementSearch, "_greedy", _sleeps)
    stop = threading.Event()
    stop.set()
    limits = Limits(time_limit_s=0.3, guard_grace_s=0.2, deterministic=deterministic, workers=1)
    with pytest.raises(NoPlanInTimeError):
        _plan(limits, stop=stop, baseline=False)


def test_a_deterministic_search_has_no_limit_in_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    _first_plan_takes(0.4, monkeypatch)
    limits = Limits(time_limit_s=0.1, guard_grace_s=0.0, deterministic=True, workers=1)
    assert _plan(limits).certificate.tiers


def test_tiers_are_told_while_the_child_searches() -> None:
    told: list[Progress] = []
    plan = _plan(LONG, on_progress=told.append)
    tiers = [one for one in told if one.tier]
    assert {one.tier for one in tiers} <= {tier.name for tier in plan.certificate.tiers}
    assert tiers
    assert all(one.elapsed_s >= 0 for one in tiers)
    assert next(one.stage for one in told if not one.tier) == "prepare"


def test_a_child_forked_after_highs_ran_does_not_wait_for_its_parents_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It stood until the guard ended it: the pool it inherited had no threads."""
    monkeypatch.setattr(PlacementSearch, "_backend", lambda self, built: HighsBackend())
    limits = Limits(time_limit_s=60.0, workers=2)
    here = _plan(limits, guard=False)
    assert highs._POOL.threads == 2
    there = _plan(limits, guard=True)
    assert there.certificate.closed
    assert _tiers(there) == _tiers(here)


def test_the_child_comes_from_a_server_where_threads_make_forking_unsafe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    ready, done = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: (ready.set(), done.wait()))
    thread.start()
    ready.wait()
    assert child_server.start_method() == "forkserver"
    done.set()
    thread.join()


def test_what_a_child_sends_right_before_its_end_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent looked at the pipe a moment before the last message, and at the process a moment after it."""
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"), work("x", 1, 5))
    late: list[bool] = []

    class Late:
        def __init__(self, receiver: object) -> None:
            self.receiver: Any = receiver

        def poll(self, timeout: float = 0.0) -> bool:
            if timeout and not late:
                late.append(True)
                return False
            return bool(self.receiver.poll(timeout))

        def recv(self) -> object:
            return self.receiver.recv()

    listen = GuardedSearch._listen

    def after_its_end(self: GuardedSearch, receiver: Any, child: Any, stop: Any) -> Any:
        child.join()
        return listen(self, Late(receiver), child, stop)  # type: ignore[arg-type]

    monkeypatch.setattr(GuardedSearch, "_listen", after_its_end)
    plan = make_plan(snapshot, policy_of(snapshot), LONG, guard=True)
    assert late
    assert plan.certificate.status == "OPTIMAL"


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_child_of_another_kind_plans_too(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    if method == "forkserver":
        child_server.make_ready()
    monkeypatch.setattr(guarded_search, "start_method", lambda: method)
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"), work("x", 1, 5), work("y", 1, 4))
    plan = make_plan(snapshot, policy_of(snapshot), LONG, guard=True)
    assert plan.summary.gangs_started == 1
    assert plan.certificate.properties == "proved"


def test_interruption_is_reported_by_the_search_itself() -> None:
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"), work("x", 1, 5))
    from planner.search.outcome import SearchSettings
    from planner.testing.problems import classes_of, prepared_of

    prepared = prepared_of(snapshot)
    search = GuardedSearch(
        prepared.problem,
        classes_of(prepared),
        SearchSettings(limits=LONG),
        lambda name, value, bound: None,
        lambda: False,
    )
    outcome, interrupted = search.run(guard=False)
    assert (outcome.proved, interrupted, outcome.maximal) == (True, False, True)
