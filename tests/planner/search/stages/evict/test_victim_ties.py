"""Where the harm of two victims is equal, the one of lower priority leaves, then the younger one."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, cast

import pytest

from models.drill import Need
from models.effective import EffectivePolicy, resolve_policy
from models.plan import PlanResult
from models.policy import Policy
from models.snapshot import Snapshot
from planner.drill.use_case import drill_question, make_drill
from planner.problem.limits import Limits
from planner.reduce.disaggregate import Assignment
from planner.search.outcome import Outcome
from planner.search.stages.evict import victim_ties
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.oracle.best_vector import best_vector
from planner.testing.oracle.evictions import Choice, Evictions
from planner.testing.oracle.situation import Delivery, Situation
from planner.testing.oracle.start_tiers import StartTiers
from planner.testing.oracle.tail_tiers import tail_with_evictions
from planner.testing.random_snapshots import policy_for
from planner.usecases.planning import make_plan

SEEDS_WITH_A_CHOICE = (0, 12, 19)


def _plan(snapshot: Snapshot, policy: EffectivePolicy) -> PlanResult:
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    return make_plan(snapshot, policy, limits, guard=False)


def _victims(result: PlanResult) -> set[str]:
    return {
        name
        for entry in result.gangs
        for pods in entry.pods
        if pods.action == "evict"
        for name in pods.names
    }


def _started(one: Work, moment: str) -> Work:
    return replace(one, pods=tuple(replace(pod, started=moment) for pod in one.pods))


@pytest.mark.parametrize("high", ["a", "b"])
@pytest.mark.parametrize("where", [("n1", "n1"), ("n1", "n2")])
@pytest.mark.parametrize("pods", [1, 2])
def test_the_gang_of_higher_priority_stays(high: str, where: tuple[str, str], pods: int) -> None:
    """A gang of priority 50 was evicted and one of 10 stayed, as both cost the same."""
    works = [
        work(name, pods, queue="lent", priority=50 if name == high else 10, nodes=(node,) * pods)
        for name, node in zip("ab", where, strict=True)
    ]
    comer = work("comer", pods, queue="owner", priority=0)
    nodes = [gpu_node(name, pods * where.count(name)) for name in sorted(set(where))]
    queues = (gpu_queue("lent", deserved=0), gpu_queue("owner", deserved=8))
    snapshot = snapshot_of(*nodes, *queues, *works, comer)
    result = _plan(snapshot, policy_for(snapshot, "capacity", evict=("reclaim",)))
    low = "b" if high == "a" else "a"
    assert _victims(result) == {f"ml/{low}-{place}" for place in range(pods)}
    assert result.certificate.status == "OPTIMAL"
    assert not {"victim_priority", "victim_age"} & {one.name for one in result.certificate.tiers}


@pytest.mark.parametrize("young", ["a", "b"])
@pytest.mark.parametrize("pods", [1, 2])
def test_among_equals_the_youngest_leaves(young: str, pods: int) -> None:
    """Without GPUs no work counts as lost, so the harm of an old and of a young gang is equal."""
    works = [
        _started(
            work(name, pods, 0, nodes=("n1",) * pods),
            f"2026-11-01T0{5 if name == young else 3}:00:00Z",
        )
        for name in "ab"
    ]
    comer = work("comer", pods, 0, priority=10)
    node = gpu_node("n1", 0, pods=2 * pods)
    snapshot = snapshot_of(node, gpu_queue("q"), *works, comer)
    result = _plan(snapshot, policy_for(snapshot, "capacity", evict=("preempt",)))
    assert _victims(result) == {f"ml/{young}-{place}" for place in range(pods)}


def _cost(snapshot: Snapshot, names: set[str], places: dict[int, int]) -> int:
    return sum(
        places[snapshot.gang_by_name[snapshot.pod_by_name[name].gang].priority] for name in names
    )


def _best_cost(case_snapshot: Snapshot, policy: EffectivePolicy, places: dict[int, int]) -> int:
    """The least over all plans that are best in every tier."""
    evictions = Evictions(Situation(case_snapshot, policy))
    _, choices = evictions.best_choices(StartTiers(evictions.situation))
    best = best_vector(case_snapshot, policy)

    def tail_of(choice: Choice, delivery: Delivery) -> dict[str, int]:
        return tail_with_evictions(evictions, [(choice, delivery)])

    return min(
        _cost(case_snapshot, {pod.full_name for pod in choice.gone}, places)
        for choice, delivery in choices
        if all(best[name] == value for name, value in tail_of(choice, delivery).items())
    )


def _full_cluster(seed: int) -> Snapshot:
    """Two nodes full of work of one age and several priorities, and one gang that may have some of it evicted."""
    rng = Random(f"ties/{seed}")
    works, free = [], {"n1": 4, "n2": 4}
    while any(free.values()):
        node = rng.choice([name for name, gpus in free.items() if gpus])
        pods, gpus = rng.choice(((1, 1), (1, 2), (2, 1), (1, 1)))
        if pods * gpus > free[node]:
            continue
        free[node] -= pods * gpus
        name = f"w{len(works)}"
        where, priority = (node,) * pods, rng.choice((0, 10, 50, 100))
        works.append(work(name, pods, gpus, queue="lent", priority=priority, nodes=where))
    comer = work("comer", rng.choice((1, 2)), rng.choice((1, 2)), queue="owner")
    queues = (gpu_queue("lent", deserved=rng.choice((0, 0, 6))), gpu_queue("owner", deserved=8))
    return snapshot_of(gpu_node("n1", 4), gpu_node("n2", 4), *queues, *works, comer)


@pytest.mark.parametrize("batch", range(6))
def test_no_plan_with_the_same_tiers_has_victims_of_lower_priority(batch: int) -> None:
    for seed in range(batch * 4, batch * 4 + 4):
        snapshot = _full_cluster(seed)
        policy, places = _policy_and_places(snapshot)
        found = _cost(snapshot, _victims(_plan(snapshot, policy)), places)
        assert found == _best_cost(snapshot, policy, places), seed


@pytest.mark.parametrize("seed", SEEDS_WITH_A_CHOICE)
def test_other_victims_change_no_tier(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = _full_cluster(seed)
    policy, places = _policy_and_places(snapshot)
    result = _plan(snapshot, policy)
    monkeypatch.setattr(victim_ties, "MOST_VARIABLES", -1)
    plain = _plan(snapshot, policy)
    assert [(one.name, one.value, one.bound) for one in plain.certificate.tiers] == [
        (one.name, one.value, one.bound) for one in result.certificate.tiers
    ]
    before, after = (_cost(snapshot, _victims(one), places) for one in (plain, result))
    assert after < before


def _policy_and_places(snapshot: Snapshot) -> tuple[EffectivePolicy, dict[int, int]]:
    ranked = sorted({gang.priority for gang in snapshot.gangs if gang.queue == "lent"})
    places = {priority: place for place, priority in enumerate(ranked)}
    return policy_for(snapshot, "capacity", evict=("reclaim",)), places


@pytest.mark.parametrize("high", ["a", "b"])
def test_a_drill_keeps_the_higher_priority_too(high: str) -> None:
    works = [
        work(name, 1, 8, queue="lent", priority=50 if name == high else 10, nodes=(node,))
        for name, node in (("a", "n1"), ("b", "n2"))
    ]
    nodes = (gpu_node("n1"), gpu_node("n2"))
    queues = (gpu_queue("lent", deserved=0), gpu_queue("owner", deserved=16))
    snapshot = snapshot_of(*nodes, *queues, *works)
    policy = resolve_policy(snapshot, Policy(now="2026-11-01T12:00:00Z"))
    asked = drill_question([Need(service="owner", gpus=8)], deadline_seconds=60, policy=policy)
    result = make_drill(snapshot, policy, asked, Limits(deterministic=True, workers=1))
    low = "b" if high == "a" else "a"
    assert [one.gang for one in result.gangs] == [f"ml/{low}"]
    assert "victim_priority" not in {one.name for one in result.certificate.tiers}


def test_no_model_is_made_to_find_that_it_is_too_large() -> None:
    large = Outcome(Assignment({}, ("default/one",)), (), 0, victim_ties.MOST_VARIABLES + 1, 1)
    assert victim_ties.VictimTies.settled(cast("Any", None), large, lambda plan: True) is large
