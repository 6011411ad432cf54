"""Plans for the property tests: one worker, deterministic limits, each snapshot planned once per process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from models.effective import EffectivePolicy
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.problem.limits import Limits

PlanOf = Callable[..., PlanResult]


@pytest.fixture(scope="session")
def plan_of() -> PlanOf:
    planning: Any = pytest.importorskip("planner.usecases.planning")

    def plan(
        snapshot: Snapshot, policy: EffectivePolicy, *, seed: int = 0, time_limit_s: float = 30.0
    ) -> PlanResult:
        limits = Limits(time_limit_s=time_limit_s, seed=seed, workers=1, deterministic=True)
        result = planning.make_plan(snapshot, policy, limits, guard=False)
        assert isinstance(result, PlanResult)
        return result

    return plan


@pytest.fixture(scope="session")
def started_by() -> Callable[[PlanResult], frozenset[str]]:
    def started(plan: PlanResult) -> frozenset[str]:
        """Gangs that receive pods and were not ready before."""
        return frozenset(
            entry.full_name
            for entry in plan.gangs
            if entry.startable is not None and any(one.action == "place" for one in entry.pods)
        )

    return started
