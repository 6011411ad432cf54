"""Where the model only bounds how many gangs find a domain, plans stay right and bounds stay bounds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from models.plan import PlanResult
from planner.reduce import partition as cells
from planner.search import placement_search
from planner.search.stages.presolve import aggregated_relaxation as counted_first
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_topology import topology_case


@pytest.mark.parametrize("way", ["rounded", "searched", "decided"])
@pytest.mark.parametrize("batch", range(3))
def test_bounds_hold_and_plans_verify(
    batch: int, way: str, plan_of: Callable[..., PlanResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relaxed, rounded and placed domain by domain; searched as where nothing can be rounded; counted, then decided."""
    if way == "decided":
        monkeypatch.setattr(counted_first, "COUNTED_FIRST", 0)
        monkeypatch.setattr(placement_search, "LARGE_MODEL", 0)
    else:
        monkeypatch.setattr(cells, "MOST_CHOICES", 0)
    if way == "searched":
        monkeypatch.setattr(placement_search, "vertex_start", lambda *_, **__: None)
    for seed in range(batch * 8, batch * 8 + 8):
        case = topology_case(seed)
        plan = plan_of(case.snapshot, case.policy)
        best = best_vector(case.snapshot, case.policy)
        for tier in plan.certificate.tiers:
            if tier.name not in best:
                continue
            value = best[tier.name]
            beyond = tier.bound is not None and (
                tier.bound < value if tier.sense == "max" else tier.bound > value
            )
            assert not beyond, (case.name, tier.name)
            if tier.value != best[tier.name]:
                break  # from here on the values above differ
