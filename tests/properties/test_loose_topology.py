"""Where the model only bounds how many gangs find a domain, plans stay right and bounds stay bounds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from models.plan import PlanResult
from planner.prepare import cells
from planner.service import placement_search
from planner.testing.oracle.best_vector import best_vector
from planner.testing.random_topology import topology_case


@pytest.mark.parametrize("rounds", [True, False], ids=("rounded", "searched"))
@pytest.mark.parametrize("batch", range(3))
def test_bounds_hold_and_plans_verify(
    batch: int, rounds: bool, plan_of: Callable[..., PlanResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relaxed, rounded and placed domain by domain, and searched as where nothing can be rounded."""
    monkeypatch.setattr(cells, "MOST_CHOICES", 0)
    if not rounds:
        monkeypatch.setattr(placement_search, "vertex_start", lambda *_: None)
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
