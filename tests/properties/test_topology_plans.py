"""Gangs with topologies over HyperNodes and labels: plans equal the enumeration, with and without evictions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from models.plan import PlanResult
from planner.testing.oracle.agreement import disagreements
from planner.testing.oracle.best_vector import best_vector
from planner.testing.oracle.ruled_situation import best_with_rules
from planner.testing.random_topology import (
    evicting_topology_case,
    partition_case,
    topology_case,
)


@pytest.mark.parametrize("batch", range(8))
def test_plans_equal_the_enumeration(batch: int, plan_of: Callable[..., PlanResult]) -> None:
    for seed in range(batch * 6, batch * 6 + 6):
        case = topology_case(seed)
        plan = plan_of(case.snapshot, case.policy)
        best = best_vector(case.snapshot, case.policy)
        assert disagreements(plan.certificate.tiers, best) == [], case.name
        assert plan.certificate.closed, case.name


@pytest.mark.parametrize("batch", range(4))
def test_plans_with_evictions_equal_the_enumeration(
    batch: int, plan_of: Callable[..., PlanResult]
) -> None:
    for seed in range(batch * 15, batch * 15 + 15):
        case = evicting_topology_case(seed)
        plan = plan_of(case.snapshot, case.policy)
        best = best_vector(case.snapshot, case.policy)
        assert disagreements(plan.certificate.tiers, best) == [], case.name


def test_partitions_to_come_equal_the_enumeration(plan_of: Callable[..., PlanResult]) -> None:
    """Before, a wish to keep them together said nothing while their pods did not exist."""
    counted = 0
    for seed in range(40):
        case = partition_case(seed)
        if not any(gang.kind == "Job" for gang in case.snapshot.gangs):
            continue
        plan = plan_of(case.snapshot, case.policy)
        best = best_with_rules(case.snapshot, case.policy)
        assert disagreements(plan.certificate.tiers, best) == [], case.name
        assert plan.certificate.closed, case.name
        counted += any(t.name.startswith("domains.") and t.value for t in plan.certificate.tiers)
    assert counted > 8


def test_the_cases_are_varied(plan_of: Callable[..., PlanResult]) -> None:
    """Rules that bind, domains that are counted, gangs that no domain can hold, and evictions beside hard rules."""
    plans = [plan_of((case := topology_case(seed)).snapshot, case.policy) for seed in range(30)]
    codes = {reason.code for plan in plans for gang in plan.gangs for reason in gang.reasons}
    assert "topology_never" in codes
    assert (
        sum(
            any(t.name.startswith("domains.") and t.value for t in p.certificate.tiers)
            for p in plans
        )
        > 15
    )
    evicting = [evicting_topology_case(seed) for seed in range(60)]
    hard = [
        case
        for case in evicting
        if any(gang.topology is not None and gang.topology.binds for gang in case.snapshot.gangs)
        and plan_of(case.snapshot, case.policy).summary.pods_evicted
    ]
    assert len(hard) > 3
