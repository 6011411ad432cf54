"""The bound of preferences by a flow of pods to nodes holds for every plan as good, and says something."""

from __future__ import annotations

import pytest

from models.plan import PlanResult
from models.rules import RuleId
from planner.model import certain_points
from planner.problem.limits import Limits
from planner.search.stages.improve import preference_tier as preferring
from planner.testing.every_plan import every_plan, number_of_plans
from planner.testing.oracle.preferences import fewest_points
from planner.testing.problems import policy_of
from planner.testing.random_evicting_wishes import evicting_wishes
from planner.testing.random_preferences import random_preferences
from planner.testing.random_snapshots import RandomCase
from planner.usecases.planning import make_plan
from planner.verify.check import CHECKS
from planner.verify.standing import RankedState
from planner.verify.tiers import tier_values

MOST_PLANS = 1500
TIER = "preferences"
_RULES = [check for rule, check in CHECKS.items() if rule != RuleId.DOCUMENT]


def _plan(case: RandomCase) -> PlanResult:
    limits = Limits(time_limit_s=20, deterministic=True, workers=1)
    return make_plan(case.snapshot, case.policy, limits, guard=False, baseline=False)


def _fewest(case: RandomCase, plan: PlanResult) -> int | None:
    """Fewest points of all legal plans that are no worse in any tier above."""
    above = [tier for tier in plan.certificate.tiers if tier.name != TIER]
    found: int | None = None
    for other in every_plan(case):
        state = RankedState(case.snapshot, case.policy, other)
        values = tier_values(state)
        if any(
            values[one.name] < one.value if one.sense == "max" else values[one.name] > one.value
            for one in above
        ):
            continue
        if (found is None or values[TIER] < found) and not any(
            True for check in _RULES for _ in check(state)
        ):
            found = values[TIER]
    return found


@pytest.mark.parametrize("part", range(4))
def test_no_plan_as_good_beside_evictions_loses_less(part: int) -> None:
    proved = exact = 0
    for seed in range(30 * part, 30 * part + 30):
        case = evicting_wishes(seed)
        if number_of_plans(case) > MOST_PLANS:
            continue
        plan = _plan(case)
        tier = next((one for one in plan.certificate.tiers if one.name == TIER), None)
        if tier is None or not tier.value:
            continue
        assert plan.verification is not None
        assert plan.verification.violations == (), seed
        fewest = _fewest(case, plan)
        assert fewest is not None, seed
        assert tier.bound is not None
        assert tier.bound <= fewest <= tier.value, seed
        proved += tier.bound > 0 and plan.summary.pods_evicted > 0
        exact += tier.bound == fewest
    assert proved > 5
    assert exact > 5


@pytest.mark.parametrize("cells", [0, certain_points.MOST_CELLS])
def test_no_plan_as_good_loses_less_where_no_model_is_searched(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nodes of every price apart, and with all nodes as one kind."""
    monkeypatch.setattr(preferring, "MOST_VARIABLES", 0)
    monkeypatch.setattr(certain_points, "MOST_CELLS", cells)
    proved = 0
    for seed in range(200, 230):
        snapshot = random_preferences(seed)
        plan = _plan(RandomCase(str(seed), snapshot, policy_of(snapshot)))
        tier = next((one for one in plan.certificate.tiers if one.name == TIER), None)
        if tier is None or not tier.value:
            continue
        assert tier.bound is not None
        assert tier.bound <= fewest_points(snapshot)[3] <= tier.value, seed
        proved += tier.bound > 0
    assert proved
