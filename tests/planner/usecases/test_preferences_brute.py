"""Preferred rules: plans of tiny random clusters lose the fewest points that any plan as good can lose."""

from __future__ import annotations

import pytest

from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.encode.preferences import coarser
from planner.problem.limits import Limits
from planner.search.stages.improve import preference_tier as preferring
from planner.testing.oracle.preferences import fewest_points
from planner.testing.problems import policy_of
from planner.testing.random_preferences import random_preferences
from planner.usecases.planning import make_plan


def _plan(snapshot: Snapshot) -> PlanResult:
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    return make_plan(snapshot, policy_of(snapshot), limits, guard=False, baseline=False)


@pytest.mark.parametrize("part", range(6))
def test_points_equal_the_enumeration(part: int) -> None:
    lost = 0
    for seed in range(12 * part, 12 * part + 12):
        snapshot = random_preferences(seed)
        plan = _plan(snapshot)
        assert plan.verification is not None
        assert plan.verification.violations == (), seed
        values = {tier.name: tier.value for tier in plan.certificate.tiers}
        started = [gang for gang in plan.gangs if gang.decision == "start"]
        gpus = sum(gang.gpus for gang in started)
        mine = (gpus, len(started), values["packing"], values.get("preferences", 0))
        assert mine == fewest_points(snapshot), seed
        assert plan.certificate.status == "OPTIMAL", seed
        lost += mine[3] > 0
    assert lost


@pytest.mark.parametrize("most", [0, 4, 12])
def test_bounds_of_smaller_models_hold(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms left out and nodes merged: the bound stays on its side of the best, and the plan obeys all rules."""
    monkeypatch.setattr(preferring, "MOST_VARIABLES", most)
    monkeypatch.setattr(coarser, "MOST_DOMAINS", 1)
    for seed in range(100, 112):
        snapshot = random_preferences(seed)
        plan = _plan(snapshot)
        assert plan.verification is not None
        assert plan.verification.violations == (), seed
        tiers = {tier.name: tier for tier in plan.certificate.tiers}
        if "preferences" in tiers:
            mine, best = tiers["preferences"], fewest_points(snapshot)[3]
            assert mine.bound is not None
            assert mine.bound <= best <= mine.value, seed
