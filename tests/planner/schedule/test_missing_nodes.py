"""Schedules of exports that lack nodes on which gangs run: a deleted node, or an export taken in between."""

from __future__ import annotations

import dataclasses

from models.plan import PlanResult
from models.queues import Queue
from models.resources import Resources
from models.schedule import ScheduledGang
from models.workloads import Gang, Pod
from planner.problem.limits import Limits
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.timed import GPU, cluster, node, running, waiting

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)


def _gang_of_two() -> tuple[tuple[Gang, Pod], ...]:
    """A gang with 4 GPUs on ``n0`` and 4 on ``gone``."""
    gang, first = running("r", 4, "2h", "n0")
    second = dataclasses.replace(first, name="r-1", node="gone")
    return ((gang, first), (dataclasses.replace(gang, name="other"), second))


def _world(nodes, gangs=(), queues=None, policy=None):
    (gang, first), (_, second) = _gang_of_two()
    snapshot, effective = cluster(nodes, gangs, ((gang, first),), queues or (Queue("q"),), policy)
    return dataclasses.replace(snapshot, pods=(first, second)), effective


def _make(world) -> PlanResult:
    options = ScheduleOptions(horizon_s=3600 * 6, bucket_s=3600, exact_buckets=2, limits=LIMITS)
    result = make_schedule(*world, None, options, guard=False)
    assert result.verification is not None
    assert not result.verification.violations
    return result


def _entries(result: PlanResult) -> dict[str, ScheduledGang]:
    assert result.schedule is not None
    return {one.name: one for one in result.schedule.gangs}


def test_a_gang_holds_what_its_pods_hold_on_known_nodes() -> None:
    gangs = (waiting("a", 8, "1h", queue="w"), waiting("b", 4, "1h", queue="w"))
    found = _entries(_make(_world((node("n0"),), gangs, (Queue("q"), Queue("w")))))
    assert found["r"].gpus == 4
    assert [(run.pool, run.pods, run.gpus) for run in found["r"].runs] == [("p", 1, 4)]
    assert found["b"].runs[0].start_bucket == 0
    assert found["a"].runs[0].start_bucket == 2


def test_a_gang_on_missing_nodes_alone_has_no_entry() -> None:
    gangs = (waiting("a", 8, "1h", queue="w"),)
    found = _entries(_make(_world((node("n1"),), gangs, (Queue("q"), Queue("w")))))
    assert "r" not in found
    assert found["a"].runs[0].start_bucket == 0


def test_a_snapshot_without_nodes_has_a_schedule_without_runs() -> None:
    result = _make(_world((), (waiting("a", 8, "1h"),)))
    found = _entries(result)
    assert [(one.name, one.status) for one in found.values()] == [("a", "waits")]
    assert result.schedule is not None
    assert not result.schedule.pools


def test_shares_count_pods_on_missing_nodes_on_both_sides() -> None:
    world = _world((node("n0"),), (waiting("a", 4, "4h"),), None, {"queue_model": "proportion"})
    found = _entries(_make(world))
    assert (found["r"].status, found["r"].gpus) == ("running", 4)


def test_pods_on_missing_nodes_count_against_their_queue_throughout() -> None:
    """11 GPUs may be held: 8 are now, 4 of them for good."""
    queues = (Queue("q", capability=Resources({GPU: 11})),)
    gangs = (waiting("a", 8, "1h"), waiting("b", 7, "1h"))
    world = _world((node("n0"), node("n1")), gangs, queues)
    found = _entries(_make(world))
    assert found["a"].status == "waits"
    assert (found["b"].status, found["b"].runs[0].start_bucket) == ("starts", 2)


def test_a_gang_whose_node_offers_no_gpus_any_more_holds_them() -> None:
    bare = dataclasses.replace(node("n0"), allocatable=Resources({"cpu": 64_000, "pods": 110}))
    (gang, pod), _ = _gang_of_two()
    found = _entries(_make(cluster((bare,), (), ((gang, pod),))))
    assert found["r"].gpus == 4
