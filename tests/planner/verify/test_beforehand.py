"""What a check knows before there is a plan changes nothing of what it says."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from models.plan import PlanResult
from planner.testing.every_plan import every_plan
from planner.testing.random_evictions import evicting_case
from planner.testing.random_snapshots import RandomCase, random_case
from planner.verify.beforehand import Beforehand
from planner.verify.check import verify


def _same(case: RandomCase, plans: list[PlanResult]) -> int:
    known = Beforehand(case.snapshot, case.policy)
    broken = 0
    for plan in plans:
        anew = verify(case.snapshot, case.policy, plan)
        assert verify(case.snapshot, case.policy, plan, known) == anew
        broken += bool(anew.violations)
    return broken


@pytest.mark.parametrize("seed", range(6))
def test_plans_are_judged_alike(seed: int) -> None:
    case = random_case(seed)
    _same(case, [PlanResult(), *islice(every_plan(case), 25)])


def test_faults_are_found_all_the_same() -> None:
    cases = [evicting_case(seed) for seed in range(4)]
    assert sum(_same(case, list(islice(every_plan(case), 25))) for case in cases)


def test_another_snapshot_is_looked_at_anew() -> None:
    case, other = random_case(1), random_case(2)
    known = Beforehand(case.snapshot, case.policy)
    state = known.state(other.snapshot, other.policy, PlanResult())
    assert "alone" not in vars(state)
    own = known.state(case.snapshot, replace(case.policy), PlanResult())
    assert "alone" not in vars(own)
    assert "alone" in vars(known.state(case.snapshot, case.policy, PlanResult()))
