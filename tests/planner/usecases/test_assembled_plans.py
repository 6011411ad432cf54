"""The plan document: names handed out, promised pods, figures of summary, queues and nodes."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from models.plan import PlanResult
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Pod, PodSpec, RoleTemplate
from planner.documents.assemble import certificate_tiers
from planner.problem.limits import Limits
from planner.problem.linear import Expression, TierGoal
from planner.solve.tiers import TierResult
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import policy_of
from planner.testing.random_snapshots import random_case
from planner.usecases.inputs.inputs import read_inputs
from planner.usecases.planning import make_plan

GPU = "nvidia.com/gpu"
LIMITS = Limits(time_limit_s=30.0, workers=1, deterministic=True)


def _plan(snapshot: Snapshot, **policy: object) -> PlanResult:
    return make_plan(snapshot, policy_of(snapshot, **policy), LIMITS, guard=False)


def _job(name: str, replicas: int, exist: int, minimum: int, gpus: int = 2) -> Work:
    """A job whose controller has created ``exist`` of its pods."""
    one = work(name, exist, gpus, minimum=minimum)
    pods = tuple(replace(pod, role="worker") for pod in one.pods)
    spec = PodSpec(Resources({"cpu": 1000, GPU: gpus}), scheduler_name="volcano")
    gang = replace(one.gang, kind="Job", templates=(RoleTemplate("worker", spec, replicas),))
    return Work(gang, pods)


def test_names_are_handed_out_in_order_each_once() -> None:
    plan = _plan(snapshot_of(gpu_node("n1", 4), gpu_node("n2", 4), gpu_queue("q"), work("x", 4, 2)))
    placed = [one for one in plan.gangs[0].pods if one.action == "place"]
    names = [name for one in placed for name in one.names]
    assert sorted(names) == [f"ml/x-{i}" for i in range(4)]
    assert all(len(one.names) == one.count for one in placed)
    assert Counter(one.node for one in placed) == {"n1": 1, "n2": 1}


def test_an_elastic_gang_gives_away_its_first_names() -> None:
    plan = _plan(snapshot_of(gpu_node("n1", 5), gpu_queue("q"), work("x", 9, 2, minimum=1)))
    names = [name for one in plan.gangs[0].pods for name in one.names]
    assert names == ["ml/x-0", "ml/x-1"]
    assert (plan.gangs[0].pods_before, plan.gangs[0].pods_after) == (0, 2)


def test_promised_pods_are_counted_without_names() -> None:
    plan = _plan(snapshot_of(gpu_node("n1", 8), gpu_queue("q"), _job("x", 4, 1, 4)))
    placed = [one for one in plan.gangs[0].pods if one.action == "place"]
    assert sum(one.count for one in placed) == 4
    assert [name for one in placed for name in one.names] == ["ml/x-0"]
    assert {one.role for one in placed} == {"worker"}
    assert plan.summary.gpus_after == 8
    assert plan.nodes[0].after.amount(GPU) == 8
    assert plan.queues[0].after.amount(GPU) == 8


def test_a_job_without_pods_is_planned_from_its_template() -> None:
    plan = _plan(snapshot_of(gpu_node("n1", 8), gpu_queue("q"), _job("x", 3, 0, 3)))
    (placed,) = plan.gangs[0].pods
    assert (placed.count, placed.names, placed.node) == (3, (), "n1")


def _story() -> Snapshot:
    web = PodSpec(Resources({"cpu": 500, GPU: 1}), scheduler_name="default-scheduler")
    base = snapshot_of(
        gpu_node("n1", 8),
        gpu_node("n2", 8),
        gpu_queue("q", deserved=4),
        gpu_queue("p", deserved=12),
        work("runs", 3, 2, minimum=1, nodes=("n1",)),
        work("starts", 2, 4, priority=2),
        work("waits", 1, 9),
    )
    pods = (Pod("web", "w-0", web, node="n2", phase="Running"), *base.pods)
    return replace(base, pods=tuple(sorted(pods, key=lambda pod: pod.full_name)))


def test_the_summary_counts_every_scheduler_and_every_decision() -> None:
    plan = _plan(_story())
    summary = plan.summary
    assert (summary.gpus_allocatable, summary.gpus_before) == (16, 2 + 1)
    assert summary.gpus_after == 3 + 8 + 4
    assert (summary.gangs_started, summary.gangs_grown, summary.gangs_waiting) == (1, 1, 1)
    assert summary.pods_placed == 2 + 2
    assert (summary.gangs_evicted, summary.pods_evicted, summary.gangs_unsupported) == (0, 0, 0)
    assert summary.sentence.startswith("1 of 2 waiting gangs can start now")


def test_decisions_follow_the_pods() -> None:
    decisions = {entry.name: entry.decision for entry in _plan(_story()).gangs}
    assert decisions == {"runs": "grow", "starts": "start", "waits": "wait"}


def test_queues_show_use_loans_and_requests() -> None:
    queues = {queue.name: queue for queue in _plan(_story()).queues}
    q, p = queues["q"], queues["p"]
    assert (q.before.amount(GPU), q.after.amount(GPU)) == (2, 14)
    assert q.requested.amount(GPU) == 6 + 8 + 9
    assert (q.borrowed.amount(GPU), p.lent.amount(GPU)) == (10, 10)
    assert (q.gangs_started, q.gangs_waiting) == (1, 1)
    assert (p.after.amount(GPU), p.borrowed.amount(GPU), q.lent.amount(GPU)) == (0, 0, 0)


def test_nodes_show_what_they_hold_before_and_after() -> None:
    nodes = {node.name: node for node in _plan(_story()).nodes}
    assert nodes["n2"].before.as_dict() == {"cpu": 500, "pods": 1, GPU: 1}
    assert sum(node.after.amount(GPU) for node in nodes.values()) == 15
    assert sum(node.after.amount("pods") for node in nodes.values()) == 2 + 4


def test_an_unlisted_default_queue_is_shown_only_where_it_is_used() -> None:
    unused = _plan(snapshot_of(gpu_node("n1"), gpu_queue("q"), work("x", 1)))
    assert [queue.name for queue in unused.queues] == ["q"]
    used = _plan(snapshot_of(gpu_node("n1"), gpu_queue("q"), work("x", 1, queue="default")))
    assert [queue.name for queue in used.queues] == ["default", "q"]


def test_parents_of_a_tree_sum_up_their_children() -> None:
    queues = (Queue("p"), Queue("a", parent="p"), Queue("b", parent="p"))
    works = (work("x", 1, 3, queue="a"), work("y", 1, 2, queue="b"))
    plan = _plan(snapshot_of(gpu_node("n1"), *queues, *works), hierarchy=True)
    after = {queue.name: queue.after.amount(GPU) for queue in plan.queues}
    assert after == {"a": 3, "b": 2, "p": 5}


def test_unsupported_gangs_are_counted_in_the_headline() -> None:
    one = work("x", 1)
    odd = tuple(replace(p, spec=replace(p.spec, special_rules=("gpuShare",))) for p in one.pods)
    plan = _plan(snapshot_of(gpu_node("n1"), gpu_queue("q"), replace(one, pods=odd)))
    assert plan.summary.gangs_unsupported == 1
    assert "not modelled yet" in plan.summary.sentence
    assert plan.gangs[0].reasons[0].data["rules"] == ["gpuShare"]


def _result(name: str, value: int, bound: int | None) -> TierResult:
    goal = TierGoal(name, "max", "GPU", Expression(), 99)
    return TierResult(goal, value, bound, 0.12345, "cp-sat")


def test_a_gap_is_relative_and_an_unknown_bound_stays_unknown() -> None:
    tiers = certificate_tiers([_result("a", 8, 10), _result("b", 0, 3), _result("c", 5, None)])
    assert [tier.gap for tier in tiers] == [0.25, 3.0, None]
    assert [tier.bound for tier in tiers] == [10, 3, None]
    assert tiers[0].seconds == 0.123


def test_bounds_below_an_open_tier_are_conditional() -> None:
    tiers = certificate_tiers([_result("a", 8, 8), _result("b", 8, 9), _result("c", 5, 5)])
    assert [tier.conditional for tier in tiers] == [False, False, True]


@pytest.mark.parametrize("seed", range(4))
def test_figures_of_random_plans_add_up(seed: int) -> None:
    case = random_case(9000 + seed, "small")
    plan = make_plan(case.snapshot, case.policy, LIMITS, guard=False)
    placed = [one for entry in plan.gangs for one in entry.pods if one.action == "place"]
    names = [name for one in placed for name in one.names]
    assert len(names) == len(set(names))
    assert plan.summary.pods_placed == sum(one.count for one in placed)
    gained = Counter({str(one.node): 0 for one in placed})
    for one in placed:
        gained[str(one.node)] += one.count
    for node in plan.nodes:
        assert node.after.amount("pods") - node.before.amount("pods") == gained[node.name]
    decided = Counter(entry.decision for entry in plan.gangs)
    assert plan.summary.gangs_started == decided["start"]
    assert plan.summary.gangs_waiting == decided["wait"]
    assert all(entry.reasons for entry in plan.gangs if entry.decision == "wait")


def test_the_demo_is_planned_end_to_end() -> None:
    from planner.samples import sample_path

    snapshot = read_inputs([sample_path("demo")])
    plan = _plan(snapshot)
    assert plan.certificate.status == "OPTIMAL"
    assert plan.certificate.properties == "proved"
    assert plan.summary.gangs_started > 0
    assert plan.summary.gangs_waiting > 0
    assert plan.baseline is not None
    assert plan.summary.gpus_after >= plan.baseline.gpus_after
