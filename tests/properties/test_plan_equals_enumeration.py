"""On tiny snapshots every tier of a plan is worth exactly what trying everything finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings

from models.plan import PlanResult
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_snapshots import RandomCase, random_case
from planner.testing.strategies import cases

BATCHES, PER_BATCH = 6, 18


def _faults(case: RandomCase, plan: PlanResult) -> list[str]:
    verify = pytest.importorskip("planner.verify.check").verify
    broken = verify(case.snapshot, case.policy, plan)
    return [str(one) for one in getattr(broken, "violations", broken)] + disagreements(
        plan.certificate.tiers, best_vector(case.snapshot, case.policy)
    )


@pytest.mark.parametrize("batch", range(BATCHES))
def test_seeded_plans_verify_and_equal_the_enumeration(
    batch: int, plan_of: Callable[..., PlanResult]
) -> None:
    for seed in range(batch * PER_BATCH, (batch + 1) * PER_BATCH):
        case = random_case(seed)
        plan = plan_of(case.snapshot, case.policy)
        assert _faults(case, plan) == [], case.name
        assert plan.certificate.closed, case.name


@pytest.mark.parametrize("batch", range(2))
def test_classes_of_equal_nodes_and_gangs_lose_nothing(
    batch: int, plan_of: Callable[..., PlanResult]
) -> None:
    for seed in range(batch * 20, (batch + 1) * 20):
        case = random_case(seed, "twins")
        assert _faults(case, plan_of(case.snapshot, case.policy)) == [], case.name


@given(case=cases("tiny"))
@settings(max_examples=10, suppress_health_check=list(HealthCheck))
def test_drawn_plans_verify_and_equal_the_enumeration(
    case: RandomCase, plan_of: Callable[..., PlanResult]
) -> None:
    assert _faults(case, plan_of(case.snapshot, case.policy)) == []
