"""Small clusters with leaves and spines whose right plan can be told by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from models.effective import resolve_policy
from models.plan import GangEntry, PlanResult
from models.policy import Policy
from models.resources import Resources
from models.selectors import LabelSelector
from models.workloads import NetworkTopology, PodSpec, RoleTemplate, SubGroupPolicy
from planner.problem.limits import Limits
from planner.testing.by_hand import (
    Work,
    gpu_node,
    gpu_queue,
    leaf,
    snapshot_of,
    spine,
    together,
    work,
)
from planner.usecases.planning import make_plan

LEAVES = (
    leaf("a", "a0", "a1"),
    leaf("b", "b0", "b1"),
    leaf("c", "c0", "c1"),
    spine("s", "a", "b"),
    spine("t", "c"),
)
NODES = tuple(gpu_node(f"{name}{i}") for name in "abc" for i in range(2))
BASE = (*NODES, *LEAVES, gpu_queue("q"))


def _plan(*parts: Any, **keys: Any) -> PlanResult:
    snapshot = snapshot_of(*parts)
    policy = resolve_policy(snapshot, Policy(**{"queue_model": "capacity", **keys}))
    limits = Limits(workers=1, deterministic=True)
    plan = make_plan(snapshot, policy, limits, guard=False)
    assert plan.verification is not None
    assert plan.verification.violations == ()
    return plan


def _entry(plan: PlanResult, name: str) -> GangEntry:
    return next(one for one in plan.gangs if one.name == name)


def _nodes(plan: PlanResult, name: str) -> set[str]:
    pods = _entry(plan, name).pods
    return {pod.node or "" for pod in pods if pod.action in ("place", "keep")}


def _leaves(plan: PlanResult, name: str) -> set[str]:
    return {node[0] for node in _nodes(plan, name)}


def _value(plan: PlanResult, level: str) -> tuple[int, int | None]:
    tier = next(one for one in plan.certificate.tiers if one.name == f"domains.{level}")
    return tier.value, tier.bound


def test_the_higher_priority_gets_the_only_leaf() -> None:
    runs = [work(f"r{i}", 1, 8, nodes=(node,)) for i, node in enumerate(("b0", "c0"))]
    low, high = together(work("low", 2, 8)), together(work("high", 2, 8, priority=5))
    plan = _plan(*BASE, *runs, low, high)
    assert _leaves(plan, "high") == {"a"}
    assert _entry(plan, "low").decision == "wait"
    codes = {reason.code for reason in _entry(plan, "low").reasons}
    assert {"topology", "lower_priority"} <= codes


def test_a_gang_without_a_rule_leaves_the_leaf_to_the_one_that_needs_it() -> None:
    plan = _plan(*BASE, together(work("tied", 2, 8)), work("loose", 4, 8))
    assert len(_leaves(plan, "tied")) == 1
    assert _entry(plan, "loose").decision == "start"


def test_soft_prefers_one_leaf_then_one_spine() -> None:
    plan = _plan(*BASE, together(work("x", 2, 8), mode="soft"))
    assert _entry(plan, "x").domains == {"tier1": 1, "tier2": 1}
    wide = _plan(*BASE, together(work("x", 4, 8), mode="soft"))
    assert _leaves(wide, "x") == {"a", "b"}, "two leaves of one spine"
    assert _value(wide, "tier1") == (8, 8)
    assert _value(wide, "tier2") == (4, 4)
    widest = _plan(*BASE, together(work("x", 6, 8), mode="soft"))
    assert _entry(widest, "x").decision == "start", "soft never blocks"


def test_a_higher_tier_spans_leaves_but_not_spines() -> None:
    plan = _plan(*BASE, together(work("x", 4, 8), 2))
    assert _leaves(plan, "x") == {"a", "b"}
    wide = _plan(*BASE, together(work("x", 5, 8), 2))
    assert {one.code for one in _entry(wide, "x").reasons} == {"topology_never"}
    assert _entry(_plan(*BASE, together(work("x", 5, 8), 3)), "x").decision == "start"


def test_elastic_pods_stay_in_the_leaf_of_the_gang() -> None:
    plan = _plan(*BASE, together(work("x", 6, 4, minimum=2)))
    assert len(_leaves(plan, "x")) == 1
    assert _entry(plan, "x").pods_after == 4


def test_running_pods_pin_what_follows() -> None:
    grows = together(work("x", 3, 8, minimum=1, nodes=("b0",)))
    plan = _plan(*BASE, grows)
    assert _nodes(plan, "x") == {"b0", "b1"}
    full = _plan(*BASE, work("r", 1, 1, nodes=("b1",)), grows)
    assert _nodes(full, "x") == {"b0"}


def test_every_subgroup_has_a_leaf_of_its_own() -> None:
    policy = SubGroupPolicy(
        match_label_keys=("ring",), size=2, min_subgroups=2, topology=NetworkTopology("hard", 1)
    )
    one = work("x", 4, 8)
    pods = tuple(replace(pod, labels={"ring": str(i % 2)}) for i, pod in enumerate(one.pods))
    plan = _plan(*BASE, Work(replace(one.gang, subgroups=(policy,)), pods))
    places: dict[str, set[str]] = {}
    for entry in _entry(plan, "x").pods:
        for name in entry.names:
            places.setdefault(str(int(name[-1]) % 2), set()).add((entry.node or "")[0])
    assert [len(found) for found in places.values()] == [1, 1]


def test_partitions_that_do_not_exist_yet_are_placed_whole() -> None:
    policy = SubGroupPolicy(
        selector=LabelSelector((("volcano.sh/task-spec", "w"),)),
        match_label_keys=("volcano.sh/partition-id",),
        size=2,
        min_subgroups=3,
        topology=NetworkTopology("hard", 1),
    )
    spec = PodSpec(Resources({"cpu": 1000, "nvidia.com/gpu": 8}), scheduler_name="volcano")
    template = RoleTemplate("w", spec, 6, partition_size=2)
    gang = replace(
        work("x", 6).gang,
        kind="Job",
        subgroups=(policy,),
        templates=(template,),
        role_minimum={"w": 6},
    )
    plan = _plan(*BASE, Work(gang, ()))
    pods: dict[str, int] = {}
    for entry in _entry(plan, "x").pods:
        leaf_name = (entry.node or "")[0]
        pods[leaf_name] = pods.get(leaf_name, 0) + entry.count
    assert pods == {"a": 2, "b": 2, "c": 2}


def test_victims_are_taken_inside_one_leaf() -> None:
    """Every node holds one low gang; the high one needs two nodes of one leaf."""
    low = [work(f"low{node.name}", 1, 8, nodes=(node.name,)) for node in NODES]
    plan = _plan(*BASE, *low, together(work("high", 2, 8, priority=9)), evict=("preempt",))
    assert len(_leaves(plan, "high")) == 1
    gone = [one.name for one in plan.gangs if one.decision == "evict"]
    assert {name[3] for name in gone} == _leaves(plan, "high")
    assert len(gone) == 2


def test_reclaim_takes_one_leaf_of_the_borrower() -> None:
    queues = (gpu_queue("q", deserved=16), gpu_queue("p", deserved=0))
    low = [work(f"low{n.name}", 1, 8, queue="p", nodes=(n.name,)) for n in NODES]
    plan = _plan(*NODES, *LEAVES, *queues, *low, together(work("new", 2, 8)), evict=("reclaim",))
    assert len(_leaves(plan, "new")) == 1
    assert plan.summary.pods_evicted == 2


def test_labels_make_the_domains_where_there_are_no_hyper_nodes() -> None:
    nodes = [replace(node, labels={"net/leaf": node.name[0]}) for node in NODES]
    keys: dict[str, Any] = {"topology_labels": ("net/leaf",)}
    plan = _plan(*nodes, gpu_queue("q"), work("x", 2, 8), **keys)
    assert _value(plan, "leaf") == (2, 2)
    tied = _plan(*nodes, gpu_queue("q"), together(work("x", 3, 8)), **keys)
    assert _entry(tied, "x").decision == "wait"
    assert {node.name: node.domain for node in tied.nodes}["b1"] == "b"


def test_a_gang_that_its_finished_pods_made_ready_grows_in_one_domain() -> None:
    """Nothing of it runs: it may choose. Two pods fit anywhere, the third on b1 only, so all belong into b."""
    one = work("more", 4, 8, minimum=1)
    only = replace(one.pods[3].spec, node_selector=(("disk", "fast"),))
    pods = (
        replace(one.pods[0], phase="Succeeded"),
        *one.pods[1:3],
        replace(one.pods[3], spec=only),
    )
    roomy = replace(gpu_node("b1", 16), labels={"disk": "fast"})
    others = [node for node in BASE if getattr(node, "name", "") != "b1"]
    plan = _plan(*others, roomy, together(replace(one, pods=pods)))
    tier = next(one for one in plan.certificate.tiers if one.name == "rest.1.elastic")
    assert (tier.value, tier.bound) == (3, 3)
    assert _leaves(plan, "more") == {"b"}
    assert plan.certificate.status == "OPTIMAL"


@pytest.mark.parametrize("mode", ["soft", "hard"])
def test_partitions_to_come_are_put_into_leaves_whole(mode: str) -> None:
    """One node of leaf a is taken: the other two leaves hold a partition each."""
    runs = [work("run", 1, 8, nodes=("a0",))]
    spec = PodSpec(Resources({"cpu": 1000, "nvidia.com/gpu": 8}), scheduler_name="volcano")
    policy = SubGroupPolicy(
        "w",
        LabelSelector((("volcano.sh/task-spec", "w"),)),
        ("volcano.sh/partition-id",),
        2,
        2,
        NetworkTopology(mode, 1 if mode == "hard" else None),
    )
    job = work("job", 0, minimum=4)
    gang = replace(
        job.gang,
        kind="Job",
        templates=(RoleTemplate("w", spec, 4, partition_size=2),),
        role_minimum={"w": 4},
        subgroups=(policy,),
    )
    plan = _plan(*BASE, *runs, replace(job, gang=gang))
    assert _leaves(plan, "job") == {"b", "c"}
    assert _value(plan, "tier1") == (4, 4)
