"""With admission and the pre-filter of domains, plans are as good as what trying everything finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from models.plan import PlanResult
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_admission import MAKERS, admission_case

FIRST, BATCHES, PER_BATCH = 40, 3, 10


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("kind", MAKERS)
def test_plans_equal_the_enumeration(
    kind: str, batch: int, plan_of: Callable[..., PlanResult]
) -> None:
    refused = 0
    for seed in range(FIRST + batch * PER_BATCH, FIRST + (batch + 1) * PER_BATCH):
        case = admission_case(seed, kind)
        plan = plan_of(case.snapshot, case.policy)
        best = best_vector(case.snapshot, case.policy)
        assert disagreements(plan.certificate.tiers, best) == [], case.name
        reasons = [reason for gang in plan.gangs for reason in gang.reasons]
        refused += any(one.code == "admission_gate" and "limit" in one.data for one in reasons)
    assert refused
