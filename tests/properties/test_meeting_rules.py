"""Topology, rules between pods, shared resources and elastic pods in one cluster: plans equal the enumeration."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from models.plan import PlanResult
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.ruled_situation import best_with_rules
from planner.testing.random_meeting_rules import meeting_case


@pytest.mark.parametrize("batch", range(6))
def test_plans_equal_the_enumeration(batch: int, plan_of: Callable[..., PlanResult]) -> None:
    started = 0
    for seed in range(batch * 6, batch * 6 + 6):
        case = meeting_case(seed)
        plan = plan_of(case.snapshot, case.policy)
        unsupported = [
            gang.full_name
            for gang in plan.gangs
            if any(reason.code == "unsupported" for reason in gang.reasons)
        ]
        best = best_with_rules(case.snapshot, case.policy, unsupported)
        assert disagreements(plan.certificate.tiers, best) == [], case.name
        assert plan.certificate.closed, case.name
        started += sum(gang.decision == "start" for gang in plan.gangs)
    assert started
