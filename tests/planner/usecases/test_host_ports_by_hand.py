"""Host ports: plans, reasons and evictions of clusters made by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from models.host_ports import HostPort
from models.snapshot import Snapshot
from planner.problem.rule_names import is_port_room
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.planned_by_hand import LIMITS, entry_of, nodes_of, planned
from planner.testing.problems import policy_of, prepared_of
from planner.testing.random_pod_rules import host_ports, random_pod_rules
from planner.usecases.planning import make_plan

SSH = HostPort(22)


def _on(one: Work, *ports: HostPort, terminating: bool = False) -> Work:
    spec = replace(one.pods[0].spec, host_ports=ports)
    pods = tuple(replace(pod, spec=spec, terminating=terminating) for pod in one.pods)
    return Work(one.gang, pods)


def _parts(nodes: int) -> list[object]:
    return [*(gpu_node(f"n{i}") for i in range(nodes)), gpu_queue("q")]


def test_a_gang_with_a_host_port_has_a_node_per_pod_and_others_count_nodes_in_their_reason() -> (
    None
):
    plan = planned(*_parts(3), _on(work("a", 2), SSH), _on(work("b", 2), SSH))
    assert len(set(nodes_of(plan, "a"))) == 2
    reason = entry_of(plan, "b").reasons[0]
    assert reason.code == "cluster_capacity"
    assert "needs 2 nodes without a pod on host port 22/TCP" in reason.message
    assert plan.baseline is not None
    assert plan.baseline.gangs_started == 1


@pytest.mark.parametrize("terminating", [False, True])
def test_a_port_that_a_pod_holds_is_not_free(terminating: bool) -> None:
    there = _on(work("there", 1, nodes=("n0",)), SSH, terminating=terminating)
    plan = planned(*_parts(2), there, _on(work("a", 1), SSH, HostPort(80)))
    assert nodes_of(plan, "a") == ["n1"]
    plan = planned(*_parts(1), there, _on(work("a", 1), SSH, HostPort(80)))
    assert entry_of(plan, "a").decision == "wait"


def test_ports_of_other_protocols_and_addresses_are_others() -> None:
    others = (HostPort(22, "UDP"), HostPort(22, ip="10.0.0.1"), HostPort(22, ip="10.0.0.2"))
    works = [_on(work(f"w{i}", 1), port) for i, port in enumerate(others)]
    plan = planned(*_parts(1), *works)
    assert plan.summary.gangs_started == 3
    plan = planned(*_parts(1), *works, _on(work("any", 1, priority=9), SSH))
    assert {one.name for one in plan.gangs if one.decision == "start"} == {"any", "w0"}


def test_a_victim_gives_its_port_back_unless_another_pod_has_it_too() -> None:
    low = _on(work("low", 1, priority=0, nodes=("n0",)), SSH)
    high = _on(work("high", 1, priority=9), HostPort(22, ip="10.0.0.1"))
    assert entry_of(planned(*_parts(1), low, high), "high").decision == "wait"
    plan = planned(*_parts(1), low, high, evict=("preempt",))
    assert entry_of(plan, "high").decision == "start"
    assert entry_of(plan, "low").decision == "evict"
    kept = _on(work("kept", 1, priority=99, nodes=("n0",)), SSH)
    plan = planned(*_parts(1), low, kept, high, evict=("preempt",))
    assert entry_of(plan, "high").decision == "wait"
    assert entry_of(plan, "low").decision != "evict"


def test_only_ports_for_which_pods_can_meet_are_modelled_those_of_the_same_pods_as_one() -> None:
    def rooms(*works: Work) -> int:
        names = prepared_of(snapshot_of(*_parts(2), *works)).problem.dimensions
        return sum(map(is_port_room, names))

    many = (SSH, HostPort(80), HostPort(443))
    assert rooms(_on(work("a", 1), *many)) == 0  # a pod is no trouble to itself
    assert rooms(_on(work("a", 2, 8), *many)) == 0  # no node has room for two of them
    assert rooms(_on(work("a", 1), SSH), _on(work("b", 1), HostPort(80))) == 0
    assert rooms(_on(work("a", 1, nodes=("n0",)), SSH), _on(work("b", 1, nodes=("n0",)), SSH)) == 0
    assert rooms(_on(work("a", 2), *many)) == 1
    assert rooms(_on(work("a", 2), *many), _on(work("b", 2), SSH)) == 1
    crossed = (_on(work(n, 2), SSH, HostPort(p)) for n, p in (("a", 80), ("b", 80), ("c", 81)))
    assert rooms(*crossed) == 1
    ring = ((SSH, HostPort(80)), (HostPort(80), HostPort(443)), (SSH, HostPort(443)))
    assert rooms(*(_on(work(f"w{i}", 1), *ports) for i, ports in enumerate(ring))) == 3


@pytest.mark.parametrize("seed", range(12))
def test_evictions_for_host_ports_keep_every_rule(seed: int) -> None:
    snapshot = _with_victims(seed)
    policy = policy_of(snapshot, evict=("preempt",))
    plan = make_plan(snapshot, policy, LIMITS, guard=False, baseline=False)
    assert plan.verification is not None
    assert plan.verification.violations == ()
    assert plan.certificate is not None
    assert plan.certificate.status == "OPTIMAL"


def _with_victims(seed: int) -> Snapshot:
    rnd = random.Random(seed)
    found = random_pod_rules(seed, host_ports, nodes=4)
    node = rnd.choice(found.nodes).name
    low = _on(work("low", 1, priority=-5, nodes=(node,)), *host_ports(rnd).host_ports)
    pods = sorted((*found.pods, *low.pods), key=lambda pod: pod.full_name)
    gangs = sorted((*found.gangs, low.gang), key=lambda gang: gang.full_name)
    return replace(found, pods=tuple(pods), gangs=tuple(gangs))
