"""Rules on victims that are no rows of the model leave no bound open in small clusters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.plan import PlanResult
from models.queues import Queue
from models.resources import CPU, PODS, Resources
from models.snapshot import Snapshot
from models.workloads import PodSpec
from planner.problem.limits import Limits
from planner.search import find_plan
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_evictions import evicting_case
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import policy_for
from planner.usecases.planning import make_plan

OPEN_WITH_CUTS_ALONE = (6, 19, 42, 91, 142, 143)
"""Seeds whose best proposals break *needed* or *no undoing*: cuts left a bound open there."""


def _plan(snapshot: Snapshot, *evict: str) -> PlanResult:
    policy = policy_for(snapshot, "capacity", evict=evict)
    return make_plan(snapshot, policy, Limits(time_limit_s=20), guard=False)


def _of(name: str, queue: str, gpus: int, cpus: int, *nodes: str, created: int = 0) -> Work:
    one = work(name, queue=queue, nodes=nodes, created=created)
    request = Resources({CPU: 1000 * cpus, GPU: gpus})
    spec = PodSpec(request=request, scheduler_name="volcano")
    return replace(one, pods=tuple(replace(pod, spec=spec) for pod in one.pods))


@pytest.mark.parametrize("seed", OPEN_WITH_CUTS_ALONE)
def test_nothing_is_left_open_and_the_enumeration_agrees(seed: int) -> None:
    case = evicting_case(seed)
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    plan = make_plan(case.snapshot, case.policy, limits, guard=False)
    assert plan.certificate.status == "OPTIMAL"
    assert plan.certificate.properties == "proved"
    assert {one.backend for one in plan.certificate.tiers} == {"all plans"}
    assert disagreements(plan.certificate.tiers, best_vector(case.snapshot, case.policy)) == []


@pytest.mark.parametrize("seed", [1101, 1558, 1615, 1876, 2970, 3624])
def test_pods_beyond_the_minimum_count_for_room_and_not_for_entitlement(seed: int) -> None:
    """Plans and enumeration differed: by larger deliveries that need a victim, by how a gang's minimum is counted."""
    case = evicting_case(seed)
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    plan = make_plan(case.snapshot, case.policy, limits, guard=False)
    assert plan.certificate.status == "OPTIMAL"
    assert disagreements(plan.certificate.tiers, best_vector(case.snapshot, case.policy)) == []


def test_a_victim_that_only_another_gang_could_use_stays_and_this_is_proved() -> None:
    """Two GPUs; queue A runs v1 and v2; p of A and q of B wait, preempt only: p takes one victim, q gets nothing."""
    works = (
        work("v1", queue="a", nodes=("n1",)),
        work("v2", queue="a", nodes=("n1",)),
        work("p", queue="a", priority=100),
        work("q", queue="b"),
    )
    queues = (gpu_queue("a", deserved=2), gpu_queue("b", deserved=2))
    plan = _plan(snapshot_of(gpu_node("n1", 2), *queues, *works), "preempt")
    assert plan.certificate.status == "OPTIMAL"
    decided = {entry.name: entry.decision for entry in plan.gangs}
    assert (decided["p"], decided["q"]) == ("start", "wait")
    assert plan.summary.pods_evicted == 1


def test_a_swap_that_could_go_on_for_ever_is_proved_to_be_none() -> None:
    """One node of 8 GPUs and 8 CPUs, deserved (4, 4) each, a gang (5, 3) that runs and a gang (4, 5) that waits."""
    amounts = Resources({GPU: 4, CPU: 4000})
    queues = (Queue("a", deserved=amounts), Queue("b", deserved=amounts))
    node = replace(
        gpu_node("n1", 8, cpu_milli=8000),
        allocatable=Resources({GPU: 8, CPU: 8000, PODS: 110, "memory": 1 << 30}),
    )
    works = (_of("runs", "a", 5, 3, "n1"), _of("waits", "b", 4, 5, created=1))
    plan = _plan(snapshot_of(node, *queues, *works), "reclaim")
    assert plan.certificate.status == "OPTIMAL"
    assert plan.summary.pods_evicted == 0
    assert "reclaim_cycle" in {one.code for one in plan.snapshot.findings}
    waiting = next(entry for entry in plan.gangs if entry.name == "waits")
    assert "protected_victims" in {one.code for one in waiting.reasons}


def test_where_trying_everything_is_too_much_the_bounds_stay_honest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(find_plan, "is_small", lambda *_: False)
    opened = 0
    for seed in OPEN_WITH_CUTS_ALONE[:4]:
        case = evicting_case(seed)
        limits = Limits(time_limit_s=20, deterministic=True, workers=1)
        plan = make_plan(case.snapshot, case.policy, limits, guard=False)
        opened += plan.certificate.status == "FEASIBLE"
        best = best_vector(case.snapshot, case.policy)
        same = True
        for one in plan.certificate.tiers:
            value = best.get(one.name, one.value)
            if not same:
                break
            if one.bound is not None:
                assert one.bound >= value if one.sense == "max" else one.bound <= value
            same = value == one.value
    assert opened


def test_a_gang_of_subgroups_loses_only_what_cannot_return() -> None:
    """Both pods of a gang with subgroups of one were given up where one of them would have fitted back."""
    case = evicting_case(1543)
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    plan = make_plan(case.snapshot, case.policy, limits, guard=False)
    assert plan.verification.violations == ()
    assert disagreements(plan.certificate.tiers, best_vector(case.snapshot, case.policy)) == []
