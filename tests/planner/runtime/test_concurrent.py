"""Work beside a search: begun once, done in any case, its error told where its result is asked for."""

from __future__ import annotations

import threading

import pytest

from planner.problem.limits import Limits
from planner.runtime import concurrent as meanwhile
from planner.runtime.concurrent import Meanwhile
from planner.testing.random_snapshots import random_case
from planner.usecases import precomputed as ahead
from planner.usecases.planning import make_plan


def _counted(threads: list[str]) -> Meanwhile[int]:
    def work() -> int:
        threads.append(threading.current_thread().name)
        return len(threads)

    return Meanwhile(work)


def test_it_is_done_once_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanwhile, "usable_cores", lambda: 2)
    threads: list[str] = []
    work = _counted(threads)
    work.begin()
    work.begin()
    work.finish()
    assert threads == ["meanwhile"]
    assert (work.result(), work.result()) == (1, 1)


def test_one_core_does_it_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanwhile, "usable_cores", lambda: 1)
    threads: list[str] = []
    work = _counted(threads)
    work.begin()
    assert not threads
    assert work.result() == 1
    assert threads == [threading.current_thread().name]


def test_its_error_is_raised_by_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanwhile, "usable_cores", lambda: 2)
    work: Meanwhile[int] = Meanwhile(lambda: 1 // 0)
    work.begin()
    work.finish()
    with pytest.raises(ZeroDivisionError):
        work.result()


def test_the_greedy_plan_is_made_while_a_child_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meanwhile, "usable_cores", lambda: 2)
    names: list[str] = []
    greedy = ahead.verified_run

    def watched(*args: object) -> object:
        names.append(threading.current_thread().name)
        return greedy(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(ahead, "verified_run", watched)
    case = random_case(7300, "tiny")
    beside = make_plan(case.snapshot, case.policy, Limits(time_limit_s=20.0))
    alone = make_plan(case.snapshot, case.policy, Limits(time_limit_s=20.0), guard=False)
    assert names[0] == "meanwhile"
    assert names[1] == threading.current_thread().name
    assert beside.baseline == alone.baseline
    assert beside.baseline is not None
