"""The oracle with evictions: against every plan that the verifier accepts, and against worked examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from models.queues import Queue
from models.resources import CPU, Resources
from models.rules import RuleId
from models.snapshot import Snapshot
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.every_plan import every_plan, number_of_plans
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_evictions import evicting_case
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import RandomCase, policy_for
from planner.verify.causes import Causes, Comer, comers
from planner.verify.check import CHECKS
from planner.verify.reclaim_rules import broken_guarantees, taken_below_deserved
from planner.verify.standing import RankedState
from planner.verify.tiers import tier_values

MOST_PLANS = 1500
_RULES = [check for rule, check in CHECKS.items() if rule != RuleId.DOCUMENT]


def best_of_all_plans(case: RandomCase, names: list[str]) -> dict[str, int]:
    """The lexicographically best values among all plans that break no rule."""
    best: tuple[int, ...] | None = None
    found: dict[str, int] = {}
    for plan in every_plan(case):
        state = RankedState(case.snapshot, case.policy, plan)
        if any(True for check in _RULES for _ in check(state)) or _leans_on_elastic(state):
            continue
        values = tier_values(state)
        assert values.pop("preferences") == 0, case.name  # nothing in these cases is preferred
        assert set(values) == set(names), case.name
        score = tuple(values[name] if _is_gain(name) else -values[name] for name in names)
        if best is None or score > best:
            best, found = score, values
    return {name: found[name] for name in names}


def _leans_on_elastic(state: RankedState) -> bool:
    """Some victim has a cause only because pods beyond the minimum lower what a gang seems to need."""
    least = {one.gang.full_name: one.least or {} for one in state.standings.values()}
    starters = [
        _AtMinimum(one.gang, one.pods, one.running, least.get(one.gang.full_name, {}))
        for one in comers(state)
    ]
    causes = Causes(state, starters, state.reading.evicted.values())
    return (
        any(causes.without_cause)
        or any(broken_guarantees(state, causes))
        or any(taken_below_deserved(state, causes))
    )


@dataclass(frozen=True)
class _AtMinimum(Comer):
    """A starting gang whose need does not shrink with further pods."""

    least: Mapping[str, int] = field(default_factory=dict)

    def least_need(self) -> dict[str, int]:
        found = Comer.least_need(self)
        return {name: max(amount, found.get(name, 0)) for name, amount in self.least.items()}


def _is_gain(name: str) -> bool:
    return name.endswith((".gpus", ".gangs", ".elastic", "packing"))


@pytest.mark.parametrize("batch", range(4))
def test_no_accepted_plan_is_better_or_worse(batch: int) -> None:
    tried = 0
    for seed in range(batch * 20, batch * 20 + 20):
        case = evicting_case(seed)
        if number_of_plans(case) > MOST_PLANS:
            continue
        tried += 1
        best = best_vector(case.snapshot, case.policy)
        assert best_of_all_plans(case, list(best)) == best, case.name
    assert tried > 1


def test_cases_with_evictions_are_among_them() -> None:
    cases = [evicting_case(seed) for seed in range(80)]
    small = [one for one in cases if number_of_plans(one) <= MOST_PLANS]
    evicted = [best_vector(one.snapshot, one.policy)["pods_evicted"] for one in small]
    assert sum(map(bool, evicted)) >= 3


def _vector(snapshot: Snapshot, *evict: str, **keys: object) -> dict[str, int]:
    return best_vector(snapshot, policy_for(snapshot, "capacity", evict=evict, **keys))


def _two_running(*waiting: Work) -> Snapshot:
    return snapshot_of(
        gpu_node("n1", 2),
        gpu_queue("q"),
        gpu_queue("other"),
        work("v1", 1, 1, nodes=("n1",)),
        work("v2", 1, 1, nodes=("n1",)),
        *waiting,
    )


def test_one_victim_is_taken_where_one_is_enough() -> None:
    snapshot = _two_running(work("p", 1, 1, priority=10))
    best = _vector(snapshot, "preempt")
    assert (best["rest.1.gangs"], best["gangs_given_up"], best["pods_evicted"]) == (1, 1, 1)
    assert _vector(snapshot) == {"packing": 0}


def test_an_entitled_gang_does_not_legalise_what_another_uses() -> None:
    """p may preempt one of the two; q of another queue gets nothing, though it would fit beside two victims."""
    best = _vector(
        _two_running(work("p", 1, 1, priority=10), work("q", 1, 1, queue="other")), "preempt"
    )
    assert (best["rest.1.gangs"], best["pods_evicted"]) == (1, 1)


def test_two_queues_do_not_reclaim_from_each_other_for_ever() -> None:
    """One node of 8 GPUs and 8 CPUs, deserved (4, 4) each: a gang (5, 3) runs, a gang (4, 5) waits."""
    half = Resources({GPU: 4, CPU: 4000})

    def gang(name: str, queue: str, gpus: int, cores: int, nodes: tuple[str, ...] = ()) -> Work:
        made = work(name, 1, gpus, queue=queue, nodes=nodes)
        spec = replace(made.pods[0].spec, request=Resources({GPU: gpus, CPU: 1000 * cores}))
        return Work(made.gang, (replace(made.pods[0], spec=spec),))

    def cluster(*waiting: Work) -> Snapshot:
        return snapshot_of(
            gpu_node("n1", 8, cpu_milli=8000),
            Queue("a", deserved=half),
            Queue("b", deserved=half),
            gang("v", "a", 5, 3, ("n1",)),
            *waiting,
        )

    assert _vector(cluster(gang("w", "b", 4, 5)), "reclaim")["pods_evicted"] == 0
    assert _vector(cluster(gang("u", "b", 4, 4)), "reclaim")["pods_evicted"] == 1


def test_surplus_is_taken_before_a_gang_is_given_up_and_harm_reorders() -> None:
    """p needs two GPUs: two surplus pods with old work, or one young gang of two GPUs."""
    late = "2026-11-01T11:59:00Z"
    elastic = work("elastic", 4, 1, minimum=2, nodes=("n1",) * 4)
    young = work("young", 1, 2, nodes=("n1",))
    snapshot = snapshot_of(
        gpu_node("n1", 6), gpu_queue("q"), elastic, young, work("p", 1, 2, priority=10)
    )
    started = {"ml/elastic": "2026-11-01T10:00:00Z", "ml/young": late}
    pods = tuple(replace(pod, started=started.get(pod.gang, "")) for pod in snapshot.pods)
    snapshot = replace(snapshot, pods=pods, as_of="2026-11-01T12:00:00Z")
    first = _vector(snapshot, "preempt")
    assert (first["gangs_given_up"], first["pods_evicted"], first["lost_work"]) == (0, 2, 14400)
    other = _vector(snapshot, "preempt", harm=("lost_work", "gangs", "pods", "moves", "domains"))
    assert (other["gangs_given_up"], other["pods_evicted"], other["lost_work"]) == (1, 1, 120)
