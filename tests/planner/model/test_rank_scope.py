"""Scopes, restrictions and neighbourhoods keep what they must."""

from __future__ import annotations

from random import Random

import pytest

from planner.model import rank_scope
from planner.model.build import BuiltModel
from planner.model.rank_scope import RankScope
from planner.problem.linear import LinearModel
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.exact_values import integer_values
from planner.solve.tiers import TierSearch
from planner.testing.problems import built_of, prepared_of
from planner.testing.random_snapshots import random_case

LIMITS = SolveLimits(10.0, deterministic=True)


def _solved(seed: int) -> tuple[BuiltModel, tuple[int, ...]]:
    case = random_case(seed, "twins")
    built = built_of(prepared_of(case.snapshot, queue_model=case.policy.queue_model))
    order = sorted(built.form.classes, key=lambda one: (one.growing, one.tier_class, one.rank))
    built = built_of(prepared_of(case.snapshot, queue_model=case.policy.queue_model), order)
    found = TierSearch(built.model, built.tiers, CpSatBackend(), LIMITS).run(None)
    assert found.values is not None
    return built, found.values


def _allowed(model: LinearModel, values: tuple[int, ...]) -> bool:
    return integer_values(model, (), values) is not None


@pytest.mark.parametrize("seed", range(9200, 9212))
def test_what_is_out_of_scope_costs_no_start_tier(seed: int) -> None:
    built, values = _solved(seed)
    scope = RankScope(built)
    for number, goal in enumerate(built.tiers):
        if goal.name.count(".") != 2:
            assert not scope.outside(goal)
            continue
        inside = scope.within(values, goal)
        assert inside is not None
        assert all(inside[column] == 0 for column in scope.outside(goal))
        assert _allowed(built.model, inside), goal.name
        for above in built.tiers[: number + 1]:
            assert above.expression.value(inside) == above.expression.value(values)


@pytest.mark.parametrize("seed", range(9200, 9212))
def test_parts_of_the_model_hold_the_solution_that_they_were_made_from(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank_scope, "OPEN_GROUPS", 1)
    built, values = _solved(seed)
    scope = RankScope(built)
    for goal in built.tiers:
        if goal.name.count(".") != 2:
            continue
        inside = scope.within(values, goal)
        assert inside is not None
        assert _allowed(scope.restrict(inside, goal, None), inside)
        assert _allowed(scope.restrict(inside, goal, [float(v) for v in inside]), inside)
        part = scope.neighbourhood(values, goal, Random(seed))
        if part is not None:
            assert _allowed(part, inside)
            fixed = sum(low == high for low, high in zip(part.lower, part.upper, strict=True))
            assert fixed < built.model.size
