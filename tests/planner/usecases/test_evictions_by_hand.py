"""Evictions worked out by hand: who leaves, for whom, and what is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.cluster import Node
from models.plan import PlanResult
from models.policy import OnlineService
from models.queues import Queue
from models.resources import CPU, PODS, Resources
from models.snapshot import Snapshot
from models.workloads import PodSpec
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import policy_for
from planner.usecases.planning import make_plan


def cluster(
    nodes: tuple[Node, ...], queues: tuple[Queue, ...], works: tuple[Work, ...]
) -> Snapshot:
    return snapshot_of(*nodes, *queues, *works)


def plan(snapshot: Snapshot, *evict: str, **keys: object) -> PlanResult:
    policy = policy_for(snapshot, "capacity", evict=evict, **keys)
    return make_plan(snapshot, policy, Limits(time_limit_s=20), guard=False)


def decisions(result: PlanResult) -> dict[str, str]:
    return {entry.name: entry.decision for entry in result.gangs}


def evicted(result: PlanResult) -> set[str]:
    return {
        name
        for entry in result.gangs
        for pods in entry.pods
        if pods.action == "evict"
        for name in pods.names
    }


def tier(result: PlanResult, name: str) -> int:
    return next(one.value for one in result.certificate.tiers if one.name == name)


def test_surplus_leaves_before_a_gang_is_given_up() -> None:
    bulk = work("bulk", 4, 1, minimum=2, nodes=("n1",) * 4)
    small = work("small", 2, 1, nodes=("n2",) * 2)
    urgent = work("urgent", 2, 1, priority=100)
    nodes = (gpu_node("n1", 4), gpu_node("n2", 2))
    result = plan(cluster(nodes, (gpu_queue("q"),), (bulk, small, urgent)), "preempt")
    assert decisions(result) == {"bulk": "shrink", "small": "keep", "urgent": "start"}
    assert len(evicted(result)) == 2
    assert tier(result, "gangs_given_up") == 0
    reason = next(one for entry in result.gangs if entry.name == "bulk" for one in entry.reasons)
    assert reason.code == "preempted"
    assert [name.split("/")[1] for name in reason.data["gangs"]] == ["urgent"]


def test_nothing_is_evicted_for_equal_priority_or_without_permission() -> None:
    held = work("held", 2, 1, nodes=("n1",) * 2)
    other = work("other", 2, 1)
    snapshot = cluster((gpu_node("n1", 2),), (gpu_queue("q"),), (held, other))
    assert evicted(plan(snapshot, "preempt")) == set()
    higher = cluster(
        (gpu_node("n1", 2),), (gpu_queue("q"),), (held, work("other", 2, 1, priority=5))
    )
    assert evicted(plan(higher)) == set()
    assert len(evicted(plan(higher, "preempt"))) == 2


def test_reclaim_takes_what_was_lent_and_no_more() -> None:
    queues = (gpu_queue("a", deserved=2), gpu_queue("b", deserved=2))
    jobs = tuple(work(f"job{i}", queue="b", nodes=("n1",)) for i in range(4))
    owner = work("owner", 2, 1, queue="a")
    result = plan(cluster((gpu_node("n1", 4),), queues, (*jobs, owner)), "reclaim")
    assert decisions(result)["owner"] == "start"
    assert len(evicted(result)) == 2
    assert result.summary.gangs_evicted == 2
    assert result.summary.gpus_after == 4
    queue = {one.name: one.after[GPU] for one in result.queues}
    assert queue == {"a": 2, "b": 2}
    codes = {one.code for entry in result.gangs for one in entry.reasons}
    assert codes == {"reclaimed"}


def test_a_queue_within_its_share_or_closed_to_reclaim_keeps_its_pods() -> None:
    owner = work("owner", 2, 1, queue="a")
    jobs = tuple(work(f"job{i}", queue="b", nodes=("n1",)) for i in range(4))
    closed = replace(gpu_queue("b", deserved=2), reclaimable=False)
    for queue in (gpu_queue("b", deserved=4), closed):
        queues = (gpu_queue("a", deserved=2), queue)
        result = plan(cluster((gpu_node("n1", 4),), queues, (*jobs, owner)), "reclaim")
        assert decisions(result)["owner"] == "wait"
        assert evicted(result) == set()


def test_the_guarantee_of_a_queue_stays() -> None:
    owner = work("owner", 3, 1, minimum=1, queue="a")
    jobs = tuple(work(f"job{i}", queue="b", nodes=("n1",)) for i in range(3))
    lender = gpu_queue("a", deserved=3)
    borrower = replace(gpu_queue("b"), guarantee=Resources({GPU: 2}))
    snapshot = cluster((gpu_node("n1", 3),), (lender, borrower), (*jobs, owner))
    result = plan(snapshot, "reclaim")
    assert len(evicted(result)) == 1
    assert decisions(result)["owner"] == "start"


def test_whole_nodes_are_freed_for_large_pods() -> None:
    nodes = tuple(gpu_node(f"n{i}", 8, cpu_milli=640_000) for i in range(10))
    jobs = tuple(
        work(f"job-{i}-{j}", queue="a", nodes=(f"n{i}",)) for i in range(10) for j in range(8)
    )
    gang = work("big", 2, 8, queue="b")
    queues = (gpu_queue("a", deserved=0), gpu_queue("b", deserved=80))
    result = plan(cluster(nodes, queues, (*jobs, gang)), "reclaim")
    assert len(evicted(result)) == 16
    assert all(one.value == one.bound for one in result.certificate.tiers)
    assert tier(result, "eviction_domains") == 2


def test_lost_work_decides_between_equal_victims() -> None:
    old, young = work("old", nodes=("n1",)), work("young", nodes=("n2",))
    old = _started(old, "2026-11-01T01:00:00Z")
    young = _started(young, "2026-11-01T11:30:00Z")
    urgent = work("urgent", priority=9)
    nodes = (gpu_node("n1", 1), gpu_node("n2", 1))
    snapshot = cluster(nodes, (gpu_queue("q"),), (old, young, urgent))
    result = plan(snapshot, "preempt", now="2026-11-01T12:00:00Z")
    assert decisions(result) == {"old": "keep", "young": "evict", "urgent": "start"}
    assert tier(result, "lost_work") == 1800


def _started(one: Work, moment: str) -> Work:
    return replace(one, pods=tuple(replace(pod, started=moment) for pod in one.pods))


def test_the_order_of_harm_is_the_policy_s() -> None:
    """Two one-pod gangs that began just now, or one gang of two pods that ran for long."""
    pair = _started(work("pair", 2, 1, nodes=("n1",) * 2), "2026-11-01T01:00:00Z")
    singles = tuple(
        _started(work(f"single{i}", nodes=("n2",)), "2026-11-01T11:59:00Z") for i in range(2)
    )
    urgent = work("urgent", 1, 2, priority=9)
    nodes = (gpu_node("n1", 2), gpu_node("n2", 2))
    snapshot = cluster(nodes, (gpu_queue("q"),), (pair, *singles, urgent))
    keys = {"now": "2026-11-01T12:00:00Z"}
    assert decisions(plan(snapshot, "preempt", **keys))["pair"] == "evict"
    result = plan(snapshot, "preempt", harm=("lost_work", "gangs"), **keys)
    assert decisions(result)["pair"] == "keep"
    assert [
        one.name for one in result.certificate.tiers if one.name in ("lost_work", "gangs_given_up")
    ] == [
        "lost_work",
        "gangs_given_up",
    ]


def test_a_victim_that_only_others_need_stays() -> None:
    """Two GPUs; preempt only: p takes one victim, q of another queue gets nothing."""
    low = tuple(work(f"v{i}", queue="a", nodes=("n1",)) for i in (1, 2))
    p, q = work("p", queue="a", priority=9), work("q", queue="b")
    queues = (gpu_queue("a"), gpu_queue("b"))
    result = plan(cluster((gpu_node("n1", 2),), queues, (*low, p, q)), "preempt")
    assert decisions(result)["p"] == "start"
    assert decisions(result)["q"] == "wait"
    assert len(evicted(result)) == 1


def test_evictions_that_would_be_undone_are_not_planned() -> None:
    """Deserved (4, 4) each: a gang of (5, 3) runs, one of (4, 5) waits; each could reclaim from the other."""
    queues = tuple(Queue(name, deserved=Resources({GPU: 4, CPU: 4000})) for name in ("a", "b"))
    amounts = Resources({GPU: 8, CPU: 8000, PODS: 110})
    one = _asking(work("one", queue="a", nodes=("n1",)), gpus=5, cpus=3)
    two = _asking(work("two", queue="b"), gpus=4, cpus=5)
    snapshot = cluster((Node("n1", amounts, amounts),), queues, (one, two))
    result = plan(snapshot, "reclaim")
    assert decisions(result) == {"one": "keep", "two": "wait"}
    waiting = next(entry for entry in result.gangs if entry.name == "two")
    assert "protected_victims" in {reason.code for reason in waiting.reasons}
    assert [one.object for one in result.snapshot.findings] == [f"gang/{waiting.full_name}"]
    assert [one.code for one in result.snapshot.findings] == ["reclaim_cycle"]


def _asking(one: Work, *, gpus: int, cpus: int) -> Work:
    spec = PodSpec(request=Resources({GPU: gpus, CPU: 1000 * cpus}), scheduler_name="volcano")
    return replace(one, pods=tuple(replace(pod, spec=spec) for pod in one.pods))


@pytest.mark.parametrize("allowed", [False, True])
def test_online_services_are_victims_only_where_the_policy_says_so(allowed: bool) -> None:
    serving, urgent = work("serving", nodes=("n1",)), work("urgent", priority=9)
    snapshot = cluster((gpu_node("n1", 1),), (gpu_queue("q"),), (serving, urgent))
    service = OnlineService(name="serving", may_be_evicted=allowed)
    result = plan(snapshot, "preempt", services=(service,))
    assert bool(evicted(result)) is allowed


def test_a_gang_that_restarts_as_a_whole_loses_all_or_nothing() -> None:
    job = work("job", 3, 1, minimum=1, nodes=("n1",) * 3)
    job = replace(job, gang=replace(job.gang, restarts_on_eviction=True))
    urgent = work("urgent", priority=9)
    snapshot = cluster((gpu_node("n1", 3),), (gpu_queue("q"),), (job, urgent))
    result = plan(snapshot, "preempt")
    assert decisions(result) == {"job": "evict", "urgent": "start"}


def test_pods_leave_to_make_room_in_the_queue() -> None:
    """The node has room; the queue's capability has none."""
    low, urgent = work("low", nodes=("n1",)), work("urgent", priority=9)
    queue = gpu_queue("q", capability=1)
    snapshot = cluster((gpu_node("n1", 8),), (queue,), (low, urgent))
    assert decisions(plan(snapshot, "preempt")) == {"low": "evict", "urgent": "start"}


def test_a_gang_that_restarts_as_a_whole_costs_all_its_work() -> None:
    """Two jobs, each with one pod where room is needed: one loses a pod of ten hours, the other all of its three."""
    hours = {"wide": "2026-11-01T11:00:00Z", "single": "2026-11-01T02:00:00Z"}
    wide = work("wide", 3, 1, minimum=1, nodes=("n1", "n2", "n2"))
    wide = replace(wide, gang=replace(wide.gang, restarts_on_eviction=True))
    single = work("single", 2, 1, minimum=1, nodes=("n1", "n3"))
    works = tuple(
        replace(
            one,
            pods=tuple(replace(pod, started=hours[one.gang.name]) for pod in one.pods),
        )
        for one in (wide, single)
    )
    nodes = (gpu_node("n1", 2), gpu_node("n2", 2), gpu_node("n3", 1))
    snapshot = replace(
        cluster(nodes, (gpu_queue("q"),), (*works, work("urgent", priority=9))),
        as_of="2026-11-01T12:00:00Z",
    )
    kept = plan(snapshot, "preempt")
    assert evicted(kept) == {"ml/single-0"} or evicted(kept) == {"ml/single-1"}
    assert (tier(kept, "gangs_given_up"), tier(kept, "lost_work")) == (0, 10 * 3600)
    by_work = plan(snapshot, "preempt", harm=("lost_work", "gangs", "pods", "moves", "domains"))
    assert evicted(by_work) == {"ml/wide-0", "ml/wide-1", "ml/wide-2"}
    assert (tier(by_work, "lost_work"), tier(by_work, "gangs_given_up")) == (3 * 3600, 1)
