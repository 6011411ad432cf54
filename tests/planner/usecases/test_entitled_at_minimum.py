"""A gang is entitled by what it asks for at its minimum: a resource that it may do without entitles it to nothing."""

from __future__ import annotations

from dataclasses import replace

from models.effective import resolve_policy
from models.resources import Resources
from models.workloads import Gang, PodSpec
from planner.problem.limits import Limits
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_topology import evicting_topology_case
from planner.usecases.planning import make_plan
from planner.verify.causes import Comer

MASTER = PodSpec(Resources({"cpu": 250, "memory": 8}))
WORKER = PodSpec(Resources({"cpu": 1_000, "nvidia.com/gpu": 1}))


def test_resources_that_the_minimum_may_do_without_are_not_needed() -> None:
    gang = Gang("ml", "one-of-two", min_member=1)
    assert Comer(gang, ((MASTER, 1), (WORKER, 1))).least_need() == {"cpu": 250}
    assert Comer(gang, ((WORKER, 1),)).least_need() == {"cpu": 1_000, "nvidia.com/gpu": 1}
    both = replace(gang, min_member=2)
    assert Comer(both, ((MASTER, 1), (WORKER, 1))).least_need() == {
        "cpu": 1_250,
        "memory": 8,
        "nvidia.com/gpu": 1,
    }


def test_no_gang_is_evicted_for_one_that_is_entitled_to_none_of_what_it_needs() -> None:
    # wait-00 needs one pod of two; with both it needs no GPU and no memory for certain, and its queue deserves no CPU.
    case = evicting_topology_case(60238)
    snapshot = replace(
        case.snapshot,
        gangs=tuple(gang for gang in case.snapshot.gangs if gang.full_name != "ml/run-01"),
        pods=tuple(pod for pod in case.snapshot.pods if pod.gang != "ml/run-01"),
    )
    policy = resolve_policy(snapshot, case.policy.policy)
    limits = Limits(time_limit_s=20, workers=1, deterministic=True)
    plan = make_plan(snapshot, policy, limits, guard=False, baseline=False, fixes=False)
    assert not plan.verification.violations
    assert plan.certificate.status == "OPTIMAL"
    assert disagreements(plan.certificate.tiers, best_vector(snapshot, policy)) == []
