from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from benchmarks.generate import as_list, generate
from benchmarks.spec import ClusterSpec
from models.effective import resolve_policy
from models.placement import Placement
from models.plan import PlanResult, TradedGang
from models.pod_terms import SpreadConstraint
from models.readers import read_snapshot
from models.selectors import LabelSelector
from planner.documents.headline import trade_words
from planner.problem.limits import Limits
from planner.report.sections.footer import baseline_words
from planner.simulate import baseline
from planner.simulate.baseline import baseline_of
from planner.simulate.volcano import VolcanoScheduler
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import policy_of
from planner.usecases.planning import make_plan


def test_running_pods_count_and_the_weights_are_said():
    nodes = (gpu_node("n1", 8), gpu_node("n2", 3))
    running = work("r", 1, nodes=("n2",))
    snapshot = snapshot_of(*nodes, gpu_queue("q"), running, work("whole", 1, 8))
    found = baseline_of(snapshot, resolve_policy(snapshot))
    assert found is not None
    assert "binpack 1 (defaults of the Helm chart)" in found.node_order
    assert (found.gpus_after, found.gangs_started, found.pods_evicted) == (9, 1, 0)


def test_a_baseline_that_breaks_a_rule_is_withheld_and_logged(monkeypatch, caplog):
    snapshot = snapshot_of(gpu_node("n1", 1), gpu_queue("q"), work("a", 2))
    wrong = (Placement("ml/a", "", "n1", 2, ("ml/a-0", "ml/a-1")),)
    monkeypatch.setattr(baseline.VolcanoScheduler, "run", lambda self, evicting: (wrong, ()))
    with caplog.at_level(logging.WARNING):
        assert baseline_of(snapshot, resolve_policy(snapshot)) is None
    assert "node_capacity" in caplog.text


@pytest.mark.parametrize("model", ["capacity", "proportion"])
def test_generated_clusters_give_verified_baselines(tmp_path, model):
    spec = ClusterSpec(nodes=60, gangs=60, queues=6, seed=5, queue_model=model)
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(as_list(generate(spec))))
    snapshot = read_snapshot([path])
    policy = resolve_policy(snapshot)
    assert policy.queue_model == model
    found = baseline_of(snapshot, policy)
    assert found is not None
    assert 10 < found.gangs_started < 60
    allocatable = sum(node.allocatable.amount("nvidia.com/gpu") for node in snapshot.nodes)
    assert found.gpus_after <= allocatable


def test_runs_do_not_touch_each_other():
    gangs = [work(f"g{i}", 2, created=i) for i in range(5)]
    snapshot = snapshot_of(gpu_node("n1", 4), gpu_node("n2", 4), gpu_queue("q", deserved=6), *gangs)
    policy = resolve_policy(snapshot)
    first = VolcanoScheduler(snapshot, policy).run()
    assert VolcanoScheduler(snapshot, policy).run() == first
    assert len({one.gang for one in first[0]}) == 4


def test_gangs_with_rules_that_it_does_not_know_are_counted():
    """Before, a report compared a plan with 0 GPUs of a baseline "with the same rules"."""
    even = SpreadConstraint("zone", 1, LabelSelector())
    new = work("new", 2, 8)
    pods = tuple(replace(pod, spec=replace(pod.spec, spread=(even,))) for pod in new.pods)
    nodes = (gpu_node("n1"), gpu_node("n2"))
    other = work("plain", 1, 8)
    snapshot = snapshot_of(*nodes, gpu_queue("q"), replace(new, pods=pods), other)
    found = baseline_of(snapshot, resolve_policy(snapshot))
    assert found is not None
    assert (found.gangs_started, found.gangs_left_out) == (1, 1)
    words = baseline_words(PlanResult(baseline=found))[0]
    assert "but without 1 gang whose rules it does not know" in words


def test_gangs_that_ask_for_what_domains_share_are_left_out():
    storage = {"storage": {"per": "cluster", "capacity": 9, "requests": [{"amount": 1}]}}
    snapshot = snapshot_of(gpu_node("n1"), gpu_queue("q"), work("new", 1, 8))
    policy = policy_of(snapshot, domain_resources=storage)
    plan = make_plan(snapshot, policy, Limits(time_limit_s=5, deterministic=True), guard=False)
    assert plan.summary.gangs_started == 1
    assert plan.baseline is not None
    assert (plan.baseline.gangs_started, plan.baseline.gangs_left_out) == (0, 1)


def test_the_headline_says_what_starts_instead_and_what_it_costs():
    """A number of GPUs less than the baseline does not say what they are given up for."""
    nodes = (gpu_node("n1", 8), gpu_node("n2", 8))
    large = work("large", 1, 8, priority=9)
    plan = make_plan(
        snapshot_of(*nodes, gpu_queue("q"), large, work("small", 1, 1)),
        policy_of(snapshot_of(*nodes, gpu_queue("q"))),
        Limits(time_limit_s=5, deterministic=True),
        guard=False,
    )
    assert plan.baseline is not None
    assert (plan.baseline.only_plan, plan.baseline.only_baseline) == ((), ())
    traded = plan.baseline.model_copy(
        update={
            "gangs_started": 3,
            "only_plan": (TradedGang(name="ml/a", gpus=64, priority=9),),
            "only_baseline": (TradedGang(name="ml/b", gpus=7), TradedGang(name="ml/c", gpus=6)),
        }
    )
    assert trade_words(plan.model_copy(update={"baseline": traded})) == (
        "It starts ml/a (64 GPUs, priority 9), which the scheduler would leave waiting; "
        "ml/b and 1 more gang with 13 GPUs wait, which the scheduler would start"
    )


def test_the_lists_of_a_trade_agree_with_the_plan_and_its_sentence() -> None:
    """Small pods of one queue and a gang of another that needs a whole node."""
    nodes = (gpu_node("n1", 8), gpu_node("n2", 8))
    queues = (gpu_queue("first", deserved=8), gpu_queue("second", deserved=8))
    small = [work(f"small-{k}", 1, 4, queue="second") for k in range(3)]
    large = work("large", 1, 8, queue="first")
    snapshot = snapshot_of(*nodes, *queues, *small, large)
    limits = Limits(time_limit_s=5, deterministic=True)
    plan = make_plan(snapshot, policy_of(snapshot), limits, guard=False)
    assert plan.violations == ()
    started = {one.full_name for one in plan.gangs if one.decision == "start"}
    assert plan.baseline is not None
    assert {one.name for one in plan.baseline.only_plan} <= started
    assert started.isdisjoint(one.name for one in plan.baseline.only_baseline)
    fewer = plan.summary.gangs_started < plan.baseline.gangs_started
    fewer = fewer or plan.summary.gpus_after < plan.baseline.gpus_after
    traded = bool(plan.baseline.only_plan and plan.baseline.only_baseline)
    assert ("which the scheduler would start" in plan.summary.sentence) == (fewer and traded)
