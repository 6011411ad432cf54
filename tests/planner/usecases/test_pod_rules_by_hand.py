"""Rules between pods and shared resources: plans, reasons, evictions and schedules of clusters made by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from models.cluster import Node
from models.findings import InputError
from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.policy import parse_policy
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import PodSpec
from planner.problem.rule_names import is_rule
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.planned_by_hand import LIMITS, entry_of, nodes_of, planned
from planner.testing.problems import policy_of, prepared_of
from planner.testing.random_pod_rules import anti_affinity, random_pod_rules
from planner.usecases.planning import make_plan

HOST, ZONE = "kubernetes.io/hostname", "zone"
X = LabelSelector((("app", "x"),))


def _zoned(*zones: str, gpus: int = 8) -> list[Node]:
    return [
        replace(gpu_node(f"n{i}", gpus), labels={HOST: f"n{i}", ZONE: zone})
        for i, zone in enumerate(zones)
    ]


def _ruled(one: Work, app: str = "x", **rules: object) -> Work:
    spec = replace(one.pods[0].spec, **rules)  # type: ignore[arg-type]
    pods = tuple(replace(pod, spec=spec, labels={"app": app}) for pod in one.pods)
    return Work(one.gang, pods)


def test_a_gang_with_one_pod_per_node_counts_nodes_in_its_reason() -> None:
    apart = PodAffinityTerm(HOST, X)
    gangs = [_ruled(work(name, 2), pod_anti_affinity=(apart,)) for name in ("a", "b")]
    plan = planned(*_zoned("a", "a", "b"), gpu_queue("q"), *gangs)
    assert len(set(nodes_of(plan, "a"))) == 2
    reason = entry_of(plan, "b").reasons[0]
    assert reason.code == "cluster_capacity"
    assert "needs 2 nodes without app=x" in reason.message
    assert plan.baseline is not None
    assert plan.baseline.gangs_started == 1


def test_a_term_between_pods_that_no_node_holds_together_costs_nothing() -> None:
    apart = PodAffinityTerm(HOST, X)
    parts = (*_zoned("a", "a"), gpu_queue("q"))
    for gpus, dimensions in ((8, 0), (5, 0), (4, 1)):
        gang = _ruled(work("a", 2, gpus), pod_anti_affinity=(apart,))
        found = prepared_of(snapshot_of(*parts, gang)).problem.dimensions
        assert sum(map(is_rule, found)) == dimensions


def test_a_victim_gives_its_node_back_to_a_pod_that_its_term_keeps_away() -> None:
    apart = PodAffinityTerm(HOST, X)
    low = _ruled(work("low", 1, priority=0, nodes=("n0",)), pod_anti_affinity=(apart,))
    high = _ruled(work("high", 1, priority=9), pod_anti_affinity=(apart,))
    parts = (*_zoned("a"), gpu_queue("q"), low, high)
    assert entry_of(planned(*parts), "high").decision == "wait"
    plan = planned(*parts, evict=("preempt",))
    assert entry_of(plan, "high").decision == "start"
    assert entry_of(plan, "low").decision == "evict"


def test_a_gang_that_asks_for_its_own_pods_is_in_one_zone() -> None:
    near = PodAffinityTerm(ZONE, X)
    gang = _ruled(work("a", 3, 8), pod_affinity=(near,))
    assert nodes_of(planned(*_zoned("a", "b", "b", "b"), gpu_queue("q"), gang), "a") == [
        "n1",
        "n2",
        "n3",
    ]
    plan = planned(*_zoned("a", "a", "b", "b"), gpu_queue("q"), gang)
    assert entry_of(plan, "a").reasons[0].code == "topology_never"
    assert "the key of its podAffinity" in entry_of(plan, "a").reasons[0].message


def test_pods_that_run_open_their_zone_to_others() -> None:
    near = PodAffinityTerm(ZONE, X)
    there = _ruled(work("there", 1, nodes=("n1",)))
    gang = _ruled(work("a", 2), "y", pod_affinity=(near,))
    plan = planned(*_zoned("a", "b"), gpu_queue("q"), there, gang)
    assert nodes_of(plan, "a") == ["n1", "n1"]
    alone = planned(*_zoned("a", "b"), gpu_queue("q"), gang)
    reason = entry_of(alone, "a").reasons[0]
    assert reason.code == "node_selection"
    assert "podAffinity: no pod with app=x in its zone" in reason.message


def test_spread_over_zones_is_kept_and_explained() -> None:
    even = SpreadConstraint(ZONE, 1, X)
    gang = _ruled(work("a", 4, 4), spread=(even,))
    plan = planned(*_zoned("a", "a", "b"), gpu_queue("q"), gang)
    assert nodes_of(plan, "a").count("n2") == 2
    short = [*_zoned("a", "a"), replace(gpu_node("n2", 4), labels={HOST: "n2", ZONE: "b"})]
    reason = entry_of(planned(*short, gpu_queue("q"), gang), "a").reasons[0]
    assert reason.code == "topology"
    assert "with at most 1 more in one domain" in reason.message
    assert reason.data["podsFitByDomain"] == {"a": 4, "b": 1}


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (
            {"pod_affinity": (PodAffinityTerm(ZONE, LabelSelector()),)},
            "podAffinity to the gang itself and other",
        ),
    ],
)
def test_what_is_not_modelled_is_named(rules: dict[str, object], told: str) -> None:
    first, second = _ruled(work("a", 2), **rules), _ruled(work("b", 1), "y")
    plan = planned(*_zoned("a", "b"), gpu_queue("q"), first, second)
    reason = entry_of(plan, "a").reasons[0]
    assert reason.code == "unsupported"
    assert told in reason.message
    assert entry_of(plan, "b").decision == "start"


def test_owners_that_their_term_does_not_select_keep_apart_from_waiting_pods() -> None:
    y = PodAffinityTerm(ZONE, LabelSelector((("app", "y"),)))
    first = _ruled(work("a", 2, 1), pod_anti_affinity=(y,))
    parts = (*_zoned("a", "b"), gpu_queue("q"), first)
    plan = planned(*parts, _ruled(work("b", 2, 4), "y"))
    assert len({*nodes_of(plan, "a"), *nodes_of(plan, "b")}) == 2
    assert len(set(nodes_of(plan, "a"))) == 1
    plan = planned(*parts, _ruled(work("b", 3, 4), "y"))
    waiting = next(one for one in plan.gangs if one.decision == "wait")
    assert waiting.name == "a"
    assert waiting.reasons[0].code == "topology"
    assert "podAntiAffinity against app=y keeps its 2 pods apart" in waiting.reasons[0].message


def test_a_spread_counts_other_waiting_pods() -> None:
    even = SpreadConstraint(ZONE, 1, LabelSelector())
    first = _ruled(work("a", 2, 1), spread=(even,))
    small = [_zoned("a")[0], replace(gpu_node("n1", 3), labels={HOST: "n1", ZONE: "b"})]
    plan = planned(*small, gpu_queue("q"), first, _ruled(work("b", 3, 1), "y"))
    zones = [*nodes_of(plan, "a"), *nodes_of(plan, "b")]
    assert abs(zones.count("n0") - zones.count("n1")) == 1
    assert len(zones) == 5


def test_a_shared_resource_that_is_too_small_is_told_with_its_numbers() -> None:
    disk = {"per": ZONE, "unit": "GB/s", "capacity": 5, "requests": [{"amount": 3}]}
    plan = planned(
        *_zoned("a", "b"), gpu_queue("q"), work("a", 3, 1), domain_resources={"disk": disk}
    )
    reason = entry_of(plan, "a").reasons[0]
    assert (
        reason.code == "topology_never"
    )  # two zones of 5 hold two pods of 3, whoever else is there
    assert "needs 9 GB/s of disk for its 3 pods (up to 3 GB/s each)" in reason.message
    assert reason.data["left"] == {"a": 5, "b": 5}


def test_running_pods_use_the_resource_and_annotations_go_first() -> None:
    disk = {"per": "cluster", "capacity": 6, "requests": [{"amount": 3}]}
    there, gang = work("there", 1, nodes=("n0",)), work("a", 1)
    marked = replace(gang.gang, annotations={"gangplan.io/domain-request": "disk=4"})
    parts = (*_zoned("a"), gpu_queue("q"), there)
    keys = {"domain_resources": {"disk": disk}}
    assert entry_of(planned(*parts, gang, **keys), "a").decision == "start"
    assert entry_of(planned(*parts, replace(gang, gang=marked), **keys), "a").decision == "wait"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"s": {"per": "zone"}}, "needs capacity"),
        ({"s": {"per": "zone", "capacity": 1.5}}, "valid integer"),
        ({"s": {"per": "zone", "capacity": -1}}, "greater than or equal to 0"),
        ({"s": {"per": "zone", "capacity": 1, "capcity": 2}}, "capacity"),
        ({"s": {"per": "zone", "capacity": 1, "requests": [{"amout": 2}]}}, "amount"),
        ({"s": 7}, "domain_resources.s"),
        ([], "domain_resources"),
    ],
)
def test_a_wrong_policy_is_told_with_its_key(value: object, told: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_policy({"domain_resources": value}, source="policy.yaml")
    assert told in " ".join(one.message for one in caught.value.findings)


def test_a_resource_per_nothing_that_exists_is_an_input_error() -> None:
    with pytest.raises(InputError, match="no level of the topology"):
        planned(
            *_zoned("a"),
            gpu_queue("q"),
            work("a"),
            domain_resources={"s": {"per": "rack", "capacity": 1}},
        )


def test_a_level_without_domains_is_not_said_to_be_unknown() -> None:
    with pytest.raises(InputError, match="no node is in a domain of the level 'rack'"):
        planned(
            *_zoned("a"),
            gpu_queue("q"),
            work("a"),
            topology_labels=(ZONE, "rack"),
            domain_resources={"s": {"per": "rack", "capacity": 1}},
        )


def test_plans_that_evict_keep_all_rules() -> None:
    evicted = 0
    for seed in range(10):
        snapshot = _with_victims(seed)
        plan = make_plan(snapshot, policy_of(snapshot, evict=("preempt",)), LIMITS, guard=False)
        assert plan.verification is not None
        assert plan.verification.violations == ()
        evicted += plan.summary.pods_evicted
    assert evicted > 0


def _with_victims(seed: int) -> Snapshot:
    rnd = random.Random(seed)
    found = random_pod_rules(seed, anti_affinity, nodes=4)
    rules: PodSpec = anti_affinity(rnd)
    node = rnd.choice(found.nodes).name
    low = _ruled(
        work("low", 1, priority=-5, nodes=(node,)),
        rnd.choice("xyz"),
        pod_anti_affinity=rules.pod_anti_affinity,
    )
    pods = sorted((*found.pods, *low.pods), key=lambda pod: pod.full_name)
    gangs = sorted((*found.gangs, low.gang), key=lambda gang: gang.full_name)
    return replace(found, pods=tuple(pods), gangs=tuple(gangs))


def test_a_schedule_places_its_first_bucket_under_the_rules() -> None:
    apart = PodAffinityTerm(HOST, X)
    gangs = [_ruled(work(name, 2), pod_anti_affinity=(apart,)) for name in ("a", "b")]
    snapshot = snapshot_of(*_zoned("a", "a", "b"), gpu_queue("q"), *gangs)
    policy = policy_of(snapshot, now="2026-11-01T00:00:00Z")
    options = ScheduleOptions(horizon_s=12 * 3600, limits=LIMITS)
    plan = make_schedule(snapshot, policy, None, options, guard=False)
    assert plan.verification is not None
    assert plan.verification.violations == ()
    assert sorted(one.decision for one in plan.gangs) == ["start", "wait"]


def test_what_evictions_give_back_of_a_shared_resource_is_not_counted_on() -> None:
    """Before, the sentence of ``protected_victims`` ended after its colon."""
    storage = {"storage": {"per": "cluster", "capacity": 10, "requests": [{"amount": 6}]}}
    gangs = (work("runs", 1, 8, nodes=("n0",)), work("new", 1, 8, priority=9))
    parts = (*_zoned("a", "a"), gpu_queue("q"), *gangs)
    entry = entry_of(planned(*parts, domain_resources=storage, evict=("preempt",)), "new")
    found = {one.code: one.message for one in entry.reasons}
    assert set(found) == {"topology", "protected_victims"}
    assert "is not counted on" in found["protected_victims"]


def test_nodes_closed_by_the_pod_itself_are_not_told_as_closed_by_its_spread() -> None:
    """A spread counts only the nodes that the pod's own rules open; before, it was named in their place."""
    even = SpreadConstraint(ZONE, 1, X)
    rules = {"spread": (even,), "node_selector": ((HOST, "n1"),)}
    plan = planned(*_zoned("a", "b"), gpu_queue("q"), _ruled(work("new", 2, 8), **rules))
    (reason,) = entry_of(plan, "new").reasons
    assert reason.code == "node_selection"
    assert "no label kubernetes.io/hostname=n1" in reason.message
