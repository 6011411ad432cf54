"""On tiny clusters with elastic gangs of several priorities every tier is worth what trying everything finds."""

from __future__ import annotations

import pytest

from planner.problem.limits import Limits
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_elastic import elastic_case
from planner.usecases.planning import make_plan

PER_BATCH = 30


@pytest.mark.parametrize("evicting", [False, True])
@pytest.mark.parametrize("batch", range(3))
def test_plans_equal_the_enumeration(batch: int, evicting: bool) -> None:
    grown = 0
    for seed in range(batch * PER_BATCH, (batch + 1) * PER_BATCH):
        case = elastic_case(seed, evicting=evicting)
        plan = make_plan(case.snapshot, case.policy, Limits(time_limit_s=20), guard=False)
        best = best_vector(case.snapshot, case.policy)
        assert disagreements(plan.certificate.tiers, best) == [], case.name
        grown += any(value for name, value in best.items() if name.endswith("elastic"))
    assert grown > PER_BATCH / 3
