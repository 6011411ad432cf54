from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from models.cluster import SchedulerConfig, SchedulerPlugin
from models.effective import EffectivePolicy, resolve_policy
from models.entries import gang_entries
from models.placement import Placement
from models.plan import PlanResult, Reason
from models.pod_terms import PodAffinityTerm
from models.policy import Policy
from models.queues import Queue
from models.resources import CPU, Resources
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import PodSpec, RoleTemplate, SubGroupPolicy
from planner.simulate.node_scores import NodeScores
from planner.simulate.node_weights import node_weights
from planner.simulate.volcano import VolcanoScheduler
from planner.testing.by_hand import (
    Work,
    gpu_node,
    gpu_queue,
    leaf,
    snapshot_of,
    together,
    work,
)
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import RandomCase
from planner.testing.strategies import cases
from planner.verify.check import verify

CAPACITY = Policy(queue_model="capacity")


def placed(snapshot: Snapshot, policy: Policy = CAPACITY) -> dict[str, int]:
    """Gang name to placed pods; the plan must pass the verifier."""
    effective = resolve_policy(snapshot, policy)
    placements = VolcanoScheduler(snapshot, effective).run()[0]
    assert violations(snapshot, effective, placements) == []
    found: dict[str, int] = {}
    for one in placements:
        name = one.gang.split("/")[1]
        found[name] = found.get(name, 0) + one.count
    return found


def violations(
    snapshot: Snapshot, policy: EffectivePolicy, placements: tuple[Placement, ...]
) -> list[str]:
    waits = (Reason(code="cluster_capacity", message="no room"),)
    reasons = dict.fromkeys((gang.full_name for gang in snapshot.gangs), waits)
    plan = PlanResult(gangs=gang_entries(snapshot, placements, reasons=reasons))
    return [
        f"{one.rule} {one.object}: {one.message}"
        for one in verify(snapshot, policy, plan).violations
    ]


def respecified(one: Work, **changes: object) -> Work:
    """The work with fields of its pods' specification changed."""
    pods = tuple(replace(pod, spec=replace(pod.spec, **changes)) for pod in one.pods)
    return Work(one.gang, pods)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases("tiny"))
def test_no_rule_is_ever_broken(case: RandomCase):
    placements = VolcanoScheduler(case.snapshot, case.policy).run()[0]
    assert violations(case.snapshot, case.policy, placements) == []


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases("tiny"))
def test_a_second_round_starts_no_plain_gang(case: RandomCase):
    """A gang of equal pods waits only where it does not fit beside everything else, also at the end."""
    placements = VolcanoScheduler(case.snapshot, case.policy).run()[0]
    if any(one.count > len(one.names) for one in placements):
        return
    after = applied(case.snapshot, placements)
    again = VolcanoScheduler(after, case.policy).run()[0]
    started = {one.gang for one in again} - {pod.gang for pod in after.pods if pod.running}
    assert not [name for name in started if is_plain(after, name)]


def applied(snapshot: Snapshot, placements: tuple[Placement, ...]) -> Snapshot:
    node_of = {name: one.node for one in placements for name in one.names}
    pods = tuple(
        replace(pod, node=node_of[pod.full_name], phase="Running")
        if pod.full_name in node_of
        else pod
        for pod in snapshot.pods
    )
    return replace(snapshot, pods=pods)


def is_plain(snapshot: Snapshot, name: str) -> bool:
    gang = snapshot.gang_by_name[name]
    specs = {pod.spec for pod in snapshot.pods_of(gang)} | {one.spec for one in gang.templates}
    return len(specs) == 1 and not gang.subgroups


def test_a_gang_gets_its_minimum_or_nothing():
    five = snapshot_of(gpu_node("n1", 4), gpu_queue("q"), work("a", 5))
    assert placed(five) == {}
    four = snapshot_of(gpu_node("n1", 4), gpu_queue("q"), work("a", 4))
    assert placed(four) == {"a": 4}


def test_a_failed_attempt_gives_everything_back():
    big = work("a", 5, created=1)
    small = work("b", 4, created=2)
    assert placed(snapshot_of(gpu_node("n1", 4), gpu_queue("q"), big, small)) == {"b": 4}


def test_priority_before_age_before_name():
    node, queue = gpu_node("n1", 2), gpu_queue("q")
    old, new = work("a", 2, created=1), work("b", 2, created=2)
    assert placed(snapshot_of(node, queue, old, new)) == {"a": 2}
    urgent = work("b", 2, created=2, priority=9)
    assert placed(snapshot_of(node, queue, old, urgent)) == {"b": 2}
    twin = work("b", 2, created=1)
    assert placed(snapshot_of(node, queue, twin, old)) == {"a": 2}


def test_with_sla_the_earlier_promise_goes_first():
    def promised(name: str, created: int, waiting: str) -> Work:
        one = work(name, 2, created=created)
        marks = {"volcano.sh/sla-waiting-time": waiting} if waiting else {}
        return Work(replace(one.gang, annotations=marks), one.pods)

    base = (gpu_node("n1", 2), gpu_queue("q"))
    sla = Policy(queue_model="capacity", sla=True)
    late, soon, never = promised("a", 1, "1h"), promised("b", 5, "30m"), promised("c", 0, "")
    snapshot = snapshot_of(*base, late, soon, never)
    assert placed(snapshot, sla) == {"b": 2}
    assert placed(snapshot) == {"c": 2}


def test_the_queue_with_the_smaller_share_goes_first_and_shares_move():
    queues = (gpu_queue("rich", deserved=8), gpu_queue("poor", deserved=2))
    gangs = [work(f"r{i}", 2, queue="rich", created=i) for i in range(3)]
    gangs += [work(f"p{i}", 2, queue="poor", created=i) for i in range(3)]
    found = placed(snapshot_of(gpu_node("n1", 8), *queues, *gangs))
    # rich 0/8 and poor 0/2 tie: poor first by name, then it stands at 1 while rich climbs to 6/8
    assert found == {"p0": 2, "r0": 2, "r1": 2, "r2": 2}


def test_a_queue_priority_beats_shares():
    queues = (gpu_queue("a", deserved=8), replace(gpu_queue("b", deserved=8), priority=5))
    gangs = (work("x", 2, queue="a"), work("y", 2, queue="b", nodes=()))
    assert placed(snapshot_of(gpu_node("n1", 2), *queues, *gangs)) == {"y": 2}


def test_limits_and_closed_queues_bind():
    gangs = [work(f"g{i}", 2, created=i) for i in range(3)]
    node = gpu_node("n1", 8)
    assert placed(snapshot_of(node, gpu_queue("q", capability=4), *gangs)) == {"g0": 2, "g1": 2}
    closed = replace(gpu_queue("q"), state="Closed")
    assert placed(snapshot_of(node, closed, *gangs)) == {}
    assert placed(snapshot_of(node, gpu_queue("other"), *gangs)) == {}


def test_ancestors_bind_with_hierarchy():
    parent = replace(gpu_queue("team", capability=3), parent="root")
    leaves = [Queue(name, parent="team") for name in ("a", "b")]
    gangs = (work("x", 2, queue="a"), work("y", 2, queue="b"), work("z", 1, queue="b", created=5))
    snapshot = snapshot_of(gpu_node("n1", 8), parent, *leaves, *gangs)
    tree = Policy(queue_model="capacity", hierarchy=True)
    assert placed(snapshot, tree) == {"x": 2, "z": 1}


def test_proportion_shares_by_weight():
    queues = (Queue("a", weight=1), Queue("b", weight=3))
    gangs = [work(f"a{i}", 1, queue="a", created=i) for i in range(8)]
    gangs += [work(f"b{i}", 1, queue="b", created=i) for i in range(8)]
    found = placed(
        snapshot_of(gpu_node("n1", 8), *queues, *gangs), Policy(queue_model="proportion")
    )
    assert sum(name.startswith("a") for name in found) == 2
    assert sum(name.startswith("b") for name in found) == 6


def weighing(snapshot: Snapshot, *plugins: SchedulerPlugin) -> Snapshot:
    return replace(snapshot, scheduler=SchedulerConfig("", ("allocate",), plugins))


def test_the_weights_of_the_config_map_choose_the_node():
    nodes = (gpu_node("n1", 8), gpu_node("n2", 2))
    small, whole = work("small", 2, created=1), work("whole", 1, 8, created=2)
    snapshot = snapshot_of(*nodes, gpu_queue("q"), small, whole)
    arguments = {"binpack.resources": GPU, f"binpack.resources.{GPU}": "10"}
    binpack = SchedulerPlugin("binpack", 1, arguments)
    assert placed(weighing(snapshot, binpack)) == {"small": 2, "whole": 1}
    assert placed(weighing(snapshot, SchedulerPlugin("nodeorder", 1))) == {"small": 2}


@pytest.mark.parametrize(
    ("cpu", "memory", "score"),
    [
        (2000, 2000, 80 + 75 + 20),  # least requested, no change in balance, binpack
        (2000, 0, 90 + 70 + 20),  # shares 0.2 and 0: balance falls by 10, of which half counts
        (10_000, 0, 50 + 50 + 100),
    ],
)
def test_scores_worked_by_hand(cpu: int, memory: int, score: int):
    node = replace(gpu_node("n1"), allocatable=Resources({CPU: 10_000, "memory": 10_000}))
    scores = NodeScores(snapshot_of(node), node_weights(None))
    found = scores.of(scores.amounts({CPU: cpu, "memory": memory}), np.array([0]))
    assert found.tolist() == pytest.approx([score])


def test_priority_is_asked_before_readiness():
    """Further pods of a high gang go before the minimum of a low one, as in a run of the scheduler."""
    high = work("high", 4, minimum=2, priority=10)
    low = work("low", 2)
    assert placed(snapshot_of(gpu_node("n1", 4), gpu_queue("q"), high, low)) == {"high": 4}


def test_elastic_pods_come_after_gangs_of_their_priority():
    elastic = work("a", 4, minimum=2, created=1)
    later = work("b", 2, created=2)
    assert placed(snapshot_of(gpu_node("n1", 4), gpu_queue("q"), elastic, later)) == {
        "a": 2,
        "b": 2,
    }
    assert placed(snapshot_of(gpu_node("n1", 5), gpu_queue("q"), elastic, later)) == {
        "a": 3,
        "b": 2,
    }


def test_a_running_gang_grows():
    running = work("a", 4, minimum=2, nodes=("n1", "n1"))
    assert placed(snapshot_of(gpu_node("n1", 3), gpu_queue("q"), running)) == {"a": 1}


def test_a_gang_with_pods_that_run_needs_only_the_rest():
    broken = work("a", 4, nodes=("n1", "n1"))
    assert placed(snapshot_of(gpu_node("n1", 4), gpu_queue("q"), broken)) == {"a": 2}
    assert placed(snapshot_of(gpu_node("n1", 3), gpu_queue("q"), broken)) == {}


def test_pods_that_do_not_exist_yet_are_counted_without_names():
    spec = PodSpec(request=Resources({CPU: 1000, GPU: 2}), scheduler_name="volcano")
    job = work("job", 0, minimum=3)
    gang = replace(job.gang, templates=(RoleTemplate("worker", spec, 3),))
    snapshot = snapshot_of(gpu_node("n1", 8), gpu_queue("q"), Work(gang, ()))
    found = VolcanoScheduler(snapshot, resolve_policy(snapshot)).run()[0]
    assert found == (Placement("ml/job", "worker", "n1", 3),)


def test_role_minima_are_kept():
    gang = work("a", 4, minimum=3)
    roles = ("master", "worker", "worker", "worker")
    pods = tuple(replace(pod, role=role) for pod, role in zip(gang.pods, roles, strict=True))
    minima = replace(gang.gang, role_minimum={"master": 1, "worker": 2})
    snapshot = snapshot_of(gpu_node("n1", 3), gpu_queue("q"), Work(minima, pods))
    found = VolcanoScheduler(snapshot, resolve_policy(snapshot)).run()[0]
    assert {one.role: one.count for one in found} == {"master": 1, "worker": 2}


def test_subgroups_are_whole_or_absent():
    gang = work("a", 6, minimum=4)
    policy = SubGroupPolicy("slices", LabelSelector(), ("slice",), size=2, min_subgroups=2)
    pods = tuple(
        replace(pod, labels={"slice": str(index // 2)}) for index, pod in enumerate(gang.pods)
    )
    sliced = Work(replace(gang.gang, subgroups=(policy,)), pods)
    assert placed(snapshot_of(gpu_node("n1", 5), gpu_queue("q"), sliced)) == {"a": 4}
    assert placed(snapshot_of(gpu_node("n1", 6), gpu_queue("q"), sliced)) == {"a": 6}
    assert placed(snapshot_of(gpu_node("n1", 3), gpu_queue("q"), sliced)) == {}


def test_partitions_of_a_job_without_pods_come_whole():
    spec = PodSpec(request=Resources({CPU: 1000, GPU: 1}), scheduler_name="volcano")
    policy = SubGroupPolicy(
        "worker", LabelSelector(), ("volcano.sh/partition-id",), size=3, min_subgroups=1
    )
    job = work("job", 0, minimum=3)
    gang = replace(
        job.gang,
        templates=(RoleTemplate("worker", spec, 6, partition_size=3),),
        subgroups=(policy,),
    )
    for gpus, expected in ((2, {}), (5, {"job": 3}), (8, {"job": 6})):
        snapshot = snapshot_of(gpu_node("n1", gpus), gpu_queue("q"), Work(gang, ()))
        assert placed(snapshot) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"special_rules": ("resourceClaims",)},
        {"pod_anti_affinity": (PodAffinityTerm("kubernetes.io/hostname", LabelSelector()),)},
        {"scheduling_gates": ("wait",)},
        {"scheduler_name": "default-scheduler"},
    ],
)
def test_pods_with_rules_that_are_not_modelled_wait(changes):
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"), respecified(work("a", 2), **changes))
    assert placed(snapshot) == {}


def test_a_hard_topology_is_kept_inside_the_tightest_leaf():
    nodes = [gpu_node(f"{name}{i}", 4) for name in "abc" for i in range(2)]
    leaves = (leaf("a", "a0", "a1"), leaf("b", "b0", "b1"))
    base = (*nodes, *leaves, gpu_queue("q"), work("runs", 1, 4, nodes=("a0",)))
    assert placed(snapshot_of(*base, together(work("x", 2, 4)))) == {"x": 2}
    assert placed(snapshot_of(*base, together(work("x", 3, 4)))) == {}
    assert placed(snapshot_of(*base, together(work("x", 3, 4), mode="soft"))) == {"x": 3}


def test_running_pods_pin_a_growing_gang_to_their_leaf():
    nodes = [gpu_node(name, 4) for name in ("a0", "b0")]
    base = (*nodes, leaf("a", "a0"), leaf("b", "b0"), gpu_queue("q"))
    grows = together(work("x", 3, 2, minimum=1, nodes=("a0",)))
    assert placed(snapshot_of(*base, grows)) == {"x": 1}


def test_anti_affinity_of_running_pods_keeps_others_away():
    term = PodAffinityTerm("kubernetes.io/hostname", LabelSelector((("app", "x"),)))
    guard = respecified(work("guard", 1, nodes=("n1",)), pod_anti_affinity=(term,))
    other = work("a", 1)
    named = Work(other.gang, tuple(replace(pod, labels={"app": "x"}) for pod in other.pods))
    nodes = (gpu_node("n1"), gpu_node("n2"), gpu_queue("q"))
    assert placed(snapshot_of(*nodes, guard, named)) == {}
    assert placed(snapshot_of(*nodes, guard, other)) == {"a": 1}


def test_terminating_pods_hold_their_node_but_not_their_quota():
    leaving = work("old", 1, 4, nodes=("n1",))
    leaving = Work(leaving.gang, tuple(replace(pod, terminating=True) for pod in leaving.pods))
    new = work("new", 1, 4)
    queue = gpu_queue("q", capability=4)
    assert placed(snapshot_of(gpu_node("n1", 8), queue, leaving, new)) == {"new": 1}
    assert placed(snapshot_of(gpu_node("n1", 7), queue, leaving, new)) == {}


def test_amounts_beyond_64_bits_fit_nowhere_and_break_nothing():
    huge = respecified(work("huge", 1), request=Resources({GPU: 10**30}))
    node = replace(gpu_node("n1"), allocatable=Resources({GPU: 10**40, "pods": 110, CPU: 8000}))
    assert placed(snapshot_of(node, gpu_queue("q"), huge, work("a", 1))) == {"a": 1}


def test_nothing_to_do_is_no_error():
    assert placed(snapshot_of()) == {}
    assert placed(snapshot_of(gpu_node("n1"))) == {}
    assert placed(snapshot_of(gpu_queue("q"), work("a", 1))) == {}
