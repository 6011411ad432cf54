"""Admission, broken queue trees and the pre-filter of domains: small clusters whose right plan can be told by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.checks.run import check_snapshot
from models.cluster import SchedulerConfig, SchedulerPlugin
from models.effective import resolve_policy
from models.plan import PlanResult
from models.policy import Policy
from models.queues import Queue
from models.readers import read_snapshot
from models.resources import Resources
from planner.documents.plan_findings import delete_command
from planner.problem.limits import Limits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, leaf, snapshot_of, together, work
from planner.testing.random_nodes import GPU
from planner.usecases.planning import make_plan

LIVE = {"admission": "live", "queue_model": "capacity"}
TREE = {**LIVE, "hierarchy": True}


def _in(one: Work, phase: str, gpus: int | None) -> Work:
    least = None if gpus is None else Resources({GPU: gpus})
    return replace(one, gang=replace(one.gang, phase=phase, min_resources=least))


def _plan(*parts: Any, **keys: Any) -> PlanResult:
    snapshot = snapshot_of(*parts)
    policy = resolve_policy(snapshot, Policy(**keys))
    limits, found = Limits(workers=1, deterministic=True), check_snapshot(snapshot, policy)
    return make_plan(snapshot, policy, limits, findings=found, guard=False)


def _started(plan: PlanResult) -> set[str]:
    return {one.name for one in plan.gangs if any(pod.action == "place" for pod in one.pods)}


def _codes(plan: PlanResult, name: str) -> set[str]:
    entry = next(one for one in plan.gangs if one.name == name)
    return {one.code for one in entry.reasons}


def _finding(plan: PlanResult, code: str) -> Any:
    return next(one for one in plan.snapshot.findings if one.code == code)


def test_a_gang_that_asks_admission_for_more_than_there_is_waits() -> None:
    """8 GPUs, 5 in use: 9.6 - 5 = 4.6 are left, 5 are asked for. Let in already, or with 4, it starts."""
    runs = _in(work("r", 1, 5, nodes=("n1",)), "Running", 5)
    base = (gpu_node("n1", 8), gpu_queue("q"), gpu_queue("p"), runs)
    x = work("x", 1, 2, queue="p")
    refused = _plan(*base, _in(x, "Pending", 5), **LIVE)
    assert _started(refused) == set()
    reason = next(one for one in refused.gangs if one.name == "x").reasons[0]
    assert (reason.code, reason.data["asked"], reason.data["left"]) == ("admission_gate", 5, 4)
    assert "overcommit leaves 4.6 GPUs (9.6 GPUs less 5 GPUs in use)" in reason.message
    assert _started(_plan(*base, _in(x, "Pending", 4), **LIVE)) == {"x"}
    assert _started(_plan(*base, _in(x, "Inqueue", 5), **LIVE)) == {"x"}
    assert _started(_plan(*base, _in(x, "Pending", None), **LIVE)) == {"x"}
    assert _started(_plan(*base, _in(x, "Pending", 5), queue_model="capacity")) == {"x"}


def test_gangs_pass_together() -> None:
    """9.6 GPUs may be let in: two of 4 pass, three do not, though there is room for eight pods."""
    works = [_in(work(name, 1, 1, queue=name), "Pending", 4) for name in "xyz"]
    queues = [gpu_queue(name) for name in "xyz"]
    plan = _plan(gpu_node("n1", 8), *queues, *works, **LIVE)
    assert len(_started(plan)) == 2
    waiting = next(one for one in plan.gangs if one.decision == "wait")
    reason = next(one for one in waiting.reasons if one.code == "admission_gate")
    assert (reason.data["left"], reason.data["starting"]) == (1, 8)
    assert (
        len(_started(_plan(gpu_node("n1", 8), *queues, *works, overcommit_factor=1.5, **LIVE))) == 3
    )


def test_a_level_of_the_tree_refuses() -> None:
    """Queue p above both may use 6: what its children ask for in minResources counts together."""
    queues = (
        Queue("p", capability=Resources({GPU: 6})),
        Queue("a", parent="p"),
        Queue("b", parent="p"),
    )
    works = [_in(work(name, 1, 1, queue=name), "Pending", 4) for name in "ab"]
    plan = _plan(gpu_node("n1", 8), *queues, *works, **TREE)
    assert len(_started(plan)) == 1
    waiting = next(one for one in plan.gangs if one.decision == "wait")
    assert {one.data.get("limit") for one in waiting.reasons} >= {"p"}


def test_who_is_refused_evicts_nobody() -> None:
    """A full cluster: 9.6 - 8 = 1.6 GPUs are left to admission, so nobody goes for a gang that asks for 4."""
    runs = _in(work("r", 2, 4, nodes=("n1", "n1")), "Running", 8)
    x = work("x", 1, 4, priority=9)
    base = (gpu_node("n1", 8), gpu_queue("q"), runs)
    keys = {**LIVE, "evict": ["preempt"], "overcommit_factor": 1.2}
    refused = _plan(*base, _in(x, "Pending", 4), **keys)
    assert refused.summary.pods_evicted == 0
    assert "admission_gate" in _codes(refused, "x")
    assert _plan(*base, _in(x, "Inqueue", 4), **keys).summary.pods_evicted > 0


def test_a_gang_that_can_never_run_holds_admission_and_the_finding_frees_it() -> None:
    big = _in(work("big", 9, 1), "Inqueue", 9)
    small = _in(work("s", 2, 1, queue="p"), "Pending", 2)
    plan = _plan(gpu_node("n1", 8), gpu_queue("q"), gpu_queue("p"), big, small, **LIVE)
    assert _started(plan) == set()
    found = _finding(plan, "admission_held")
    assert found.object == "gang/ml/big"
    assert "ml/s waits for that" in found.message
    assert "kubectl -n ml delete podgroups.scheduling.volcano.sh big" in found.remedy
    job = replace(big.gang, kind="Job")
    assert delete_command(job) == "kubectl -n ml delete jobs.batch.volcano.sh big"


def test_admission_is_asked_where_the_export_holds_the_configuration() -> None:
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"))
    listed = (SchedulerPlugin("gang", 1),)
    enqueues = SchedulerConfig("c", ("enqueue", "allocate"), listed)
    allocates = SchedulerConfig("c", ("allocate",), listed)
    without = resolve_policy(snapshot)
    assert (without.admits_first, without.prefilters_pending) == (False, False)
    live = resolve_policy(replace(snapshot, scheduler=enqueues))
    assert (live.admits_first, live.prefilters_pending) == (True, True)
    assert live.origins["admission"] == "scheduler ConfigMap"
    promoted = resolve_policy(replace(snapshot, scheduler=allocates))
    assert (promoted.admits_first, promoted.prefilters_pending) == (False, True)


def test_without_the_plugin_overcommit_only_queues_refuse() -> None:
    plugins = (SchedulerPlugin("capacity", 1),)
    scheduler = SchedulerConfig("c", ("enqueue", "allocate"), plugins)
    queues = (gpu_queue("q"), gpu_queue("p"))
    works = [_in(work(name, 1, 1, queue=name), "Pending", 6) for name in "pq"]
    snapshot = replace(snapshot_of(gpu_node("n1", 8), *queues, *works), scheduler=scheduler)
    limits = Limits(workers=1, deterministic=True)
    assert len(_started(make_plan(snapshot, resolve_policy(snapshot), limits, guard=False))) == 2


BROKEN = {
    "inner": (
        (Queue("p"), Queue("a", parent="p")),
        "p",
        "move gang ml/x to a queue without children",
    ),
    "missing": ((Queue("a", parent="gone"),), "b", "create queue gone"),
    "circle": (
        (Queue("a", parent="c"), Queue("c", parent="a")),
        "b",
        "give queue a another parent",
    ),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_tree_stops_every_queue(kind: str) -> None:
    queues, where, remedy = BROKEN[kind]
    runs = work("r", 1, 8, queue="b", nodes=("n1",))
    parts = (gpu_node("n1", 8), gpu_node("n2", 8), Queue("b"), *queues, runs)
    works = (work("x", 1, 8, queue=where, priority=5), work("y", 1, 8, queue="b", priority=9))
    plan = _plan(*parts, *works, evict=["preempt"], **TREE)
    assert (_started(plan), plan.summary.pods_evicted) == (set(), 0)
    assert plan.summary.sentence.startswith("Nothing can start: ")
    assert remedy in plan.summary.sentence
    found = _finding(plan, "queue_tree_stops")
    assert found.severity == "error"
    assert remedy in found.remedy
    assert _codes(plan, "y") == {"queue_closed"}
    assert "y" in _started(_plan(*parts, *works, queue_model="capacity", hierarchy=True))


def test_a_ready_gang_in_an_inner_queue_stops_nobody() -> None:
    runs = work("r", 1, 1, queue="p", nodes=("n1",))
    plan = _plan(
        gpu_node("n1"), Queue("p"), Queue("a", parent="p"), runs, work("x", queue="a"), **TREE
    )
    assert _started(plan) == {"x"}


def test_a_root_that_lists_only_gpus_leaves_no_cpu() -> None:
    works = (work("x", 1, 1, queue="a"),)
    gpus = Queue("root", capability=Resources({GPU: 8}))
    plan = _plan(gpu_node("n1", 8), gpus, Queue("a"), *works, **TREE)
    assert _started(plan) == set()
    assert plan.summary.sentence.startswith(
        "Nothing can start: the capability of queue root lists no cpu"
    )
    assert _finding(plan, "root_without_cpu").severity == "error"
    whole = Queue("root", capability=Resources({GPU: 8, "cpu": 9000, "memory": 2**40}))
    assert _started(_plan(gpu_node("n1", 8), whole, Queue("a"), *works, **TREE)) == {"x"}


def test_a_root_with_a_capability_binds_its_children_together() -> None:
    root = Queue("root", capability=Resources({GPU: 6, "cpu": 9000, "memory": 2**40}))
    works = (work("x", 1, 4, queue="a"), work("y", 1, 4, queue="b"))
    plan = _plan(gpu_node("n1", 8), root, Queue("a"), Queue("b"), *works, **TREE)
    assert len(_started(plan)) == 1


def test_an_elastic_gang_needs_a_domain_for_all_its_pods() -> None:
    """Minimum 6 of 12 pods, leaves of 8 GPUs: none is looked at; with a leaf of 12 it starts there."""
    elastic = together(work("x", 12, 1, minimum=6))
    leaves = (
        gpu_node("n1", 8),
        gpu_node("n2", 8),
        leaf("a", "n1"),
        leaf("b", "n2"),
        gpu_queue("q"),
    )
    plan = _plan(*leaves, elastic, topology_prefilter="pending")
    assert _started(plan) == set()
    reason = next(one for one in plan.gangs if one.name == "x").reasons[0]
    assert (reason.code, reason.data["pods"], reason.data["need"]) == ("topology", 12, 6)
    assert _started(_plan(*leaves, elastic, topology_prefilter="minimum")) == {"x"}
    wide = (*leaves, gpu_node("n3", 12), leaf("c", "n3"))
    entry = next(
        one for one in _plan(*wide, elastic, topology_prefilter="pending").gangs if one.name == "x"
    )
    assert {pod.node for pod in entry.pods} == {"n3"}
    rigid = together(work("x", 6, 1))
    assert _started(_plan(*leaves, rigid, topology_prefilter="pending")) == {"x"}


@pytest.mark.shared
def test_a_ray_cluster_with_two_worker_groups(shared: Path) -> None:
    snapshot = read_snapshot([shared / "cases/reports/d-ray-two-worker-groups/snap"])
    limits = Limits(workers=1, deterministic=True)
    plan = make_plan(snapshot, resolve_policy(snapshot), limits, guard=False)
    assert _started(plan) == {"eval-nightly"}
    entry = next(one for one in plan.gangs if one.name.startswith("ray-rollout"))
    reason = next(one for one in entry.reasons if one.data.get("limit") == "overcommit")
    assert (reason.code, reason.data["asked"]) == ("admission_gate", 32)
    assert "38.4 GPUs less 16 GPUs in use are 22.4 GPUs" in reason.message
