"""Preferred rules: plans of clusters made by hand, from the export to the report."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.cluster import Node
from models.findings import InputError
from models.plan import PlanResult
from models.pod_terms import (
    PodAffinityTerm,
    Preferences,
    PreferredNodes,
    PreferredPods,
    SpreadConstraint,
)
from models.selectors import Expression, LabelSelector, NodeSelectorTerm, Taint, Toleration
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.planned_by_hand import LIMITS, entry_of, nodes_of, planned
from planner.testing.problems import policy_of
from planner.usecases.planning import make_plan
from planner.verify.check import verify

HOST, ZONE = "kubernetes.io/hostname", "zone"
X = LabelSelector((("app", "x"),))
SSD = NodeSelectorTerm((Expression("disk", "In", ("ssd",)),))


def _node(index: int, zone: str, gpus: int = 8, **more: object) -> Node:
    labels = {HOST: f"n{index}", ZONE: zone, **dict(more.pop("labels", {}))}  # type: ignore[call-overload]
    return replace(gpu_node(f"n{index}", gpus), labels=labels, **more)


def _wishing(
    one: Work, app: str = "x", tolerations: tuple[Toleration, ...] = (), **kinds: object
) -> Work:
    wanted = Preferences(**kinds) if kinds else None  # type: ignore[arg-type]
    spec = replace(one.pods[0].spec, preferences=wanted, tolerations=tolerations)
    pods = tuple(replace(pod, spec=spec, labels={"app": app}) for pod in one.pods)
    return Work(one.gang, pods)


def _points(plan: PlanResult) -> tuple[int, int | None]:
    tier = plan.certificate.tiers[-1]
    assert (tier.name, tier.unit, tier.sense) == ("preferences", "points", "min")
    return tier.value, tier.bound


def test_a_gang_goes_to_the_nodes_that_it_prefers() -> None:
    gang = _wishing(work("a", 1), nodes=(PreferredNodes(40, SSD),))
    nodes = (_node(0, "a"), _node(1, "a", labels={"disk": "ssd"}))
    plan = planned(*nodes, gpu_queue("q"), gang)
    assert nodes_of(plan, "a") == ["n1"]
    assert _points(plan) == (0, 0)
    assert entry_of(plan, "a").unmet == ()


def test_no_gpu_stays_idle_and_no_node_is_opened_for_a_preference() -> None:
    gangs = [_wishing(work(f"g{i}", 1, 4), nodes=(PreferredNodes(40, SSD),)) for i in range(3)]
    nodes = (_node(0, "a"), _node(1, "a", 4, labels={"disk": "ssd"}))
    plan = planned(*nodes, gpu_queue("q"), *gangs)
    assert plan.summary.gangs_started == 3
    assert _points(plan) == (80, 80)
    assert sorted(one.pods for gang in plan.gangs for one in gang.unmet) == [1, 1]


def test_equal_pods_change_places_by_what_they_prefer() -> None:
    parts = (_node(0, "a", 1), _node(1, "b", 1), gpu_queue("q"))
    zone = {name: NodeSelectorTerm((Expression(ZONE, "In", (name,)),)) for name in "ab"}
    for first, second in ("ab", "ba"):
        gangs = [
            _wishing(work("p", 1), nodes=(PreferredNodes(1, zone[first]),)),
            _wishing(work("r", 1), nodes=(PreferredNodes(1, zone[second]),)),
        ]
        plan = planned(*parts, *gangs)
        assert _points(plan) == (0, 0)
        assert nodes_of(plan, "p") == ["n0" if first == "a" else "n1"]


def test_a_soft_taint_costs_a_hundred_points_where_it_is_not_tolerated() -> None:
    taint = Taint("maint", "PreferNoSchedule")
    nodes = (_node(0, "a", 4, taints=(taint,)), _node(1, "a", 4))
    both = planned(*nodes, gpu_queue("q"), _wishing(work("a", 4)), _wishing(work("b", 3)))
    assert _points(both) == (300, 300)
    bearing = _wishing(work("a", 4), tolerations=(Toleration("maint", "Exists"),))
    plan = planned(*nodes, gpu_queue("q"), bearing, _wishing(work("b", 3)))
    assert _points(plan) == (0, 0)
    assert set(nodes_of(plan, "a")) == {"n0"}


def test_preferred_company_and_distance() -> None:
    there = _wishing(work("there", 1, nodes=("n1",)), "y")
    y = LabelSelector((("app", "y"),))
    near = PreferredPods(10, PodAffinityTerm(ZONE, y))
    nodes = (_node(0, "a"), _node(1, "b"), _node(2, "b"))
    full = [_wishing(work("full", 1, 1, nodes=("n0",)), "z")]
    plan = planned(*nodes, gpu_queue("q"), there, *full, _wishing(work("a", 2), near=(near,)))
    assert nodes_of(plan, "a") == ["n1", "n1"]
    apart = PreferredPods(10, PodAffinityTerm(ZONE, y))
    plan = planned(*nodes, gpu_queue("q"), there, *full, _wishing(work("a", 2), apart=(apart,)))
    assert nodes_of(plan, "a") == ["n0", "n0"]
    assert _points(plan) == (0, 0)


def test_spread_that_schedules_anyway_counts_pods_too_many() -> None:
    even = SpreadConstraint(ZONE, 1, X)
    nodes = (_node(0, "a", 4), _node(1, "b", 1))
    plan = planned(*nodes, gpu_queue("q"), _wishing(work("a", 5), spread=(even,)))
    assert _points(plan) == (200, 200)
    unmet = entry_of(plan, "a").unmet
    assert [(one.pods, one.points) for one in unmet] == [(2, 200)]
    assert "maxSkew 1" in unmet[0].rule


def test_evicted_pods_are_no_company() -> None:
    low = _wishing(work("low", 1, 8, priority=0, nodes=("n0",)), "y")
    near = PreferredPods(10, PodAffinityTerm(ZONE, LabelSelector((("app", "y"),))))
    high = _wishing(work("high", 1, 8, priority=9), near=(near,))
    plan = planned(_node(0, "a"), gpu_queue("q"), low, high, evict=("preempt",))
    assert entry_of(plan, "low").decision == "evict"
    assert _points(plan) == (10, 0)
    told = plan.certificate.approximations[-1]
    assert "where running pods are evicted" in told


def test_what_is_proved_needs_no_words() -> None:
    even = SpreadConstraint(ZONE, 1, X)
    nodes = (_node(0, "a", 4), _node(1, "b", 1))
    plan = planned(*nodes, gpu_queue("q"), _wishing(work("a", 5), spread=(even,)))
    assert _points(plan) == (200, 200)
    assert not plan.certificate.approximations


def test_nothing_preferred_has_no_tier() -> None:
    plan = planned(_node(0, "a"), gpu_queue("q"), _wishing(work("a", 1)))
    assert all(tier.name != "preferences" for tier in plan.certificate.tiers)


def test_an_own_list_of_tiers_may_end_with_preferences() -> None:
    gang = _wishing(work("a", 1), nodes=(PreferredNodes(40, SSD),))
    parts = (_node(0, "a"), _node(1, "a", labels={"disk": "ssd"}), gpu_queue("q"), gang)
    plan = planned(*parts, objective=("all.1.gpus", "preferences"))
    assert [tier.name for tier in plan.certificate.tiers] == ["all.1.gpus", "preferences"]
    assert _points(plan) == (0, 0)
    without = planned(*parts, objective=("all.1.gpus",))
    assert [tier.name for tier in without.certificate.tiers] == ["all.1.gpus"]
    with pytest.raises(InputError, match="what pods prefer is decided last"):
        planned(*parts, objective=("preferences", "all.1.gpus"))


def test_the_verifier_notices_a_wrong_score_and_wrong_entries() -> None:
    gang = _wishing(work("a", 2, 4), nodes=(PreferredNodes(40, SSD),))
    snapshot = snapshot_of(_node(0, "a"), gpu_queue("q"), gang)
    policy = policy_of(snapshot)
    plan = make_plan(snapshot, policy, LIMITS, guard=False)
    assert _points(plan) == (80, 80)
    tiers = plan.certificate.tiers
    wrong = tiers[-1].model_copy(update={"value": 40, "bound": 40})
    certificate = plan.certificate.model_copy(update={"tiers": (*tiers[:-1], wrong)})
    told = verify(snapshot, policy, plan.model_copy(update={"certificate": certificate}))
    assert any("recomputed 80" in one.message for one in told.violations)
    gangs = tuple(one.model_copy(update={"unmet": ()}) for one in plan.gangs)
    told = verify(snapshot, policy, plan.model_copy(update={"gangs": gangs}))
    assert any("unmet rules are 0 points" in one.message for one in told.violations)
