"""The first sentence of a schedule."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from models.plan import Summary
from models.queues import Queue
from models.resources import Resources
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.schedule.sentence import schedule_sentence
from planner.testing.timed import GPU, cluster, node, running, waiting
from planner.usecases.inputs.checked_input import read_checked

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)


def test_loans_are_not_told_as_a_part_of_the_work_that_starts() -> None:
    gang: Any = SimpleNamespace(status="starts", runs=[SimpleNamespace(start_bucket=3)])
    loan = SimpleNamespace(
        gpus=34, gpu_seconds=110 * 3600, end_bucket=9, returned_by="2026-09-16T02:00:00Z"
    )
    schedule: Any = SimpleNamespace(
        gangs=[gang], edges=(0, 86_400), work_gpu_seconds=73 * 3600, loans=[loan], missed_returns=()
    )
    result: Any = SimpleNamespace(summary=Summary(), baseline=None)
    assert schedule_sentence(result, schedule) == (
        "1 gang of 1 that wait starts within 24 hours, 0 of them now, and does 73 GPU-hours of work; online services "
        "lend up to 34 GPUs for 110 GPU-hours, running work included, all back by 2026-09-16T02:00:00Z."
    )


def _said(result) -> str:
    return result.summary.sentence


def test_what_a_plan_for_now_evicts_for_is_told(shared: Path) -> None:
    """``plan`` evicts now and starts the owner; ``schedule`` started it 13 hours later without a word."""
    given = read_checked([str(shared / "cases" / "faults" / "z6.json")])
    options = ScheduleOptions(horizon_s=86_400, limits=LIMITS)
    told = _said(make_schedule(given.snapshot, given.policy, None, options, guard=False))
    assert "A plan for now may evict running gangs (preempt, reclaim) and start" in told
    assert (
        "/owner at once; a schedule evicts nobody for what waits, so it starts at 2026-11-21"
        in told
    )


def _owner_waits(evict: list[str]) -> str:
    queues = (
        Queue("lend", deserved=Resources({GPU: 0})),
        Queue("own", deserved=Resources({GPU: 8})),
    )
    runs = (running("long", 8, "4h", "n0", queue="lend"),)
    gangs = (waiting("owner", 8, "1h", queue="own"),)
    world = cluster((node("n0"),), gangs, runs, queues, {"evict": evict})
    options = ScheduleOptions(horizon_s=6 * 3600, bucket_s=3600, limits=LIMITS)
    return _said(make_schedule(*world, None, options, guard=False))


def test_nothing_is_told_of_evictions_that_no_policy_allows() -> None:
    assert "evict" not in _owner_waits([])
    assert "a schedule evicts nobody" in _owner_waits(["reclaim"])


def test_less_than_greedy_now_is_told_with_its_reason() -> None:
    """Room is kept for a large gang of higher rank: the first sentence says so."""
    gangs = (
        waiting("large", 16, "2h", pods=1, priority=10, marks={}),
        waiting("small", 8, "9h"),
    )
    nodes = (node("n0", 16),)
    runs = (running("r", 8, "1h", "n0"),)
    options = ScheduleOptions(horizon_s=6 * 3600, bucket_s=3600, limits=LIMITS)
    world = cluster(nodes, gangs, runs)
    told = _said(make_schedule(*world, None, options, guard=False))
    assert "A greedy scheduler would start 1 gang now in place of 0 and use 8 GPUs more" in told
    assert "ns/large (16 GPUs) at 2026-09-15T21:00:00Z" in told
    alone = cluster(nodes, gangs[1:], runs)
    assert "greedy" not in _said(make_schedule(*alone, None, options, guard=False))
