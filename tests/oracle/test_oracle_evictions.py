"""The oracle with evictions: against every plan that the verifier accepts, and against worked examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from models.rules import RuleId
from models.snapshot import Snapshot
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.every_plan import every_plan, number_of_plans
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_evictions import evicting_case
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
    return name.endswith((".gpus", ".gangs")) or name in ("elastic", "packing")


@pytest.mark.parametrize("batch", range(4))
def test_no_accepted_plan_is_better_or_worse(batch: int) -> None:
    tried = evicting = 0
    for seed in range(batch * 20, batch * 20 + 20):
        case = evicting_case(seed)
        if number_of_plans(case) > MOST_PLANS:
            continue
        tried += 1
        best = best_vector(case.snapshot, case.policy)
        assert best_of_all_plans(case, list(best)) == best, case.name
        evicting += best["pods_evicted"] > 0
    assert tried > 1
    assert evicting >= 0


def _vector(snapshot: Snapshot, *evict: str, **keys: object) -> dict[str, int]:
    return best_vector(snapshot, policy_for(snapshot, "capacity", evict=evict, **keys))


def test_one_victim_is_taken_where_one_is_enough() -> None:
    snapshot = snapshot_of(
        gpu_node("n1", 2),
        gpu_queue("q"),
        work("v1", 1, 1, nodes=("n1",)),
        work("v2", 1, 1, nodes=("n1",)),
        work("p", 1, 1, priority=10),
    )
    best = _vector(snapshot, "preempt")
    assert (best["rest.1.gangs"], best["gangs_given_up"], best["pods_evicted"]) == (1, 1, 1)
    assert (
        _vector(snapshot)["rest.1.gangs" if "rest.1.gangs" in _vector(snapshot) else "elastic"] == 0
    )
