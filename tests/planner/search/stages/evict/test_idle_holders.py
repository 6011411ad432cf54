"""``harm: [idle, …]``: victims whose GPUs do not work go first, as far as that was measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from models.effective import EffectivePolicy, with_keys
from models.plan import PlanResult
from models.snapshot import PodUse, Snapshot
from planner.problem.limits import Limits
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_evictions import idle_case
from planner.testing.random_snapshots import policy_for
from planner.usecases.planning import make_plan

IDLE_FIRST = ("idle", "gangs", "pods", "moves", "lost_work", "domains")
LIMITS = Limits(time_limit_s=20, deterministic=True, workers=1)


def two_holders(*use: PodUse) -> Snapshot:
    """Two GPUs: a gang of one pod that worked last night, a younger one; an urgent gang needs one GPU."""
    works = (
        work("old", queue="a", nodes=("n1",), created=0),
        work("young", queue="a", nodes=("n1",), created=1),
        work("urgent", queue="a", priority=100, created=2),
    )
    found = snapshot_of(gpu_node("n1", 2), gpu_queue("a", deserved=2), *works)
    starts = {"old": "2026-11-01T08:00:00Z", "young": "2026-11-01T11:00:00Z"}
    pods = tuple(
        replace(one, started=starts.get(one.gang.rpartition("/")[2], "")) for one in found.pods
    )
    return replace(found, pods=pods, as_of="2026-11-01T12:00:00Z", use=use)


def plan(snapshot: Snapshot, **keys: object) -> tuple[PlanResult, EffectivePolicy]:
    policy = policy_for(snapshot, "capacity", evict=("preempt",), **keys)
    return make_plan(snapshot, policy, LIMITS, guard=False), policy


def evicted(result: PlanResult) -> list[str]:
    return [one.name for one in result.gangs if one.decision == "evict"]


def pod_of(snapshot: Snapshot, gang: str) -> str:
    return next(one.full_name for one in snapshot.pods if one.gang.endswith(f"/{gang}"))


def measured(gang: str, idle_s: int | None) -> PodUse:
    return PodUse(pod_of(two_holders(), gang), 7200, 0, 7200, idle_s)


def test_the_idle_holder_goes_though_its_loss_counts_more() -> None:
    """Four hours of work against one: without the word the younger one goes."""
    use = tuple(sorted((measured("old", 7200), measured("young", 0)), key=lambda one: one.pod))
    usual, _ = plan(two_holders(*use))
    assert evicted(usual) == ["young"]
    assert "working_evicted" not in {one.name for one in usual.certificate.tiers}
    chosen, policy = plan(two_holders(*use), harm=IDLE_FIRST)
    assert evicted(chosen) == ["old"]
    values = {one.name: one.value for one in chosen.certificate.tiers}
    assert values["working_evicted"] == 0
    assert chosen.verification is not None
    assert chosen.verification.violations == ()
    assert disagreements(chosen.certificate.tiers, best_vector(two_holders(*use), policy)) == []


@pytest.mark.parametrize("idle_s", [3599, None])
def test_what_is_not_idle_long_enough_or_not_measured_counts_as_working(
    idle_s: int | None,
) -> None:
    chosen, _ = plan(two_holders(measured("old", idle_s)), harm=IDLE_FIRST)
    assert evicted(chosen) == ["young"]
    assert {one.name: one.value for one in chosen.certificate.tiers}["working_evicted"] == 1


def test_without_any_measurement_the_word_changes_nothing() -> None:
    assert evicted(plan(two_holders(), harm=IDLE_FIRST)[0]) == ["young"]


def test_a_policy_may_call_idle_earlier() -> None:
    snapshot = two_holders(measured("old", 1800))
    _, policy = plan(snapshot, harm=IDLE_FIRST)
    sooner = with_keys(policy, {"use": {"idle_after": 1800}}, origin="file")
    assert evicted(make_plan(snapshot, sooner, LIMITS, guard=False)) == ["old"]


@pytest.mark.parametrize("seed", range(24))
def test_random_clusters_agree_with_the_enumeration(seed: int) -> None:
    case = idle_case(seed, "tiny" if seed % 2 else "crowded")
    result = make_plan(case.snapshot, case.policy, LIMITS, guard=False)
    assert result.verification is not None
    assert result.verification.violations == (), case.name
    best = best_vector(case.snapshot, case.policy)
    assert disagreements(result.certificate.tiers, best) == [], case.name


def test_an_own_list_of_tiers_may_name_the_working_gpus() -> None:
    use = tuple(sorted((measured("old", 7200), measured("young", 0)), key=lambda one: one.pod))
    starts = ("all.1.gpus", "all.1.gangs")
    listed, _ = plan(two_holders(*use), objective=(*starts, "working_evicted", "lost_work"))
    assert evicted(listed) == ["old"]
    assert [one.name for one in listed.certificate.tiers] == [
        *starts,
        "working_evicted",
        "lost_work",
    ]
    assert listed.verification is not None
    assert listed.verification.violations == ()
    later, _ = plan(two_holders(*use), objective=(*starts, "lost_work", "working_evicted"))
    assert evicted(later) == ["young"]
    assert {one.name: one.value for one in later.certificate.tiers}["working_evicted"] == 1
