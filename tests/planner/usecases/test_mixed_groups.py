"""Models that would be too large: nodes that admit different pods become one, and few references are counted.

Plans are verified as ever, and their bounds hold.
"""

from __future__ import annotations

import pytest

from models.plan import PlanResult
from planner.model import rows
from planner.problem.limits import Limits
from planner.reduce.node_groups import Grouping, NodeGroup
from planner.search.stages.presolve import initial_groups as first_groups
from planner.testing.random_snapshots import RandomCase, random_case
from planner.usecases.planning import make_plan

LIMITS = Limits(time_limit_s=20.0, workers=1, deterministic=True)
CASES = [random_case(seed, size) for size in ("tiny", "small") for seed in range(8100, 8106)]


def _plan(case: RandomCase) -> PlanResult:
    return make_plan(case.snapshot, case.policy, LIMITS, guard=False, baseline=False)


def _holds(bounds: PlanResult, best: PlanResult, name: str) -> None:
    """No plan is better than a bound, tier after tier while the tiers above are the same."""
    for mine, exact in zip(bounds.certificate.tiers, best.certificate.tiers, strict=True):
        assert mine.name == exact.name
        if mine.bound is not None:
            sign = 1 if mine.sense == "max" else -1
            assert sign * mine.bound >= sign * exact.value, (name, mine, exact)
        if mine.value != exact.value:
            return


def test_plans_over_mixed_groups_are_verified_and_their_bounds_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exact = [_plan(case) for case in CASES]
    made: list[NodeGroup] = []
    widest = Grouping.widest

    def noted(self: Grouping, fine: tuple[NodeGroup, ...]) -> tuple[NodeGroup, ...]:
        found = widest(self, fine)
        made.extend(one for one in found if one.mixed and one.size > 1)
        return found

    monkeypatch.setattr(Grouping, "widest", noted)
    monkeypatch.setattr(first_groups, "MODEL_VARIABLES", 1)
    monkeypatch.setattr(first_groups, "MOST_CELLS", 0)
    for case, best in zip(CASES, exact, strict=True):
        _holds(_plan(case), best, case.name)
    assert len(made) > len(CASES) / 2


def test_bounds_hold_with_few_references(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = [_plan(case) for case in CASES]
    monkeypatch.setattr(rows, "REFERENCE_TERMS", 1)
    for case, best in zip(CASES, exact, strict=True):
        _holds(_plan(case), best, case.name)
