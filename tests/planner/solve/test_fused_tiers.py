"""Shortfall, GPUs and gangs of a rank in one search: the same answer as one after another, and true bounds."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.solve.backend import Backend, Pin, SolveLimits
from planner.solve.exact_values import integer_values
from planner.solve.fused import FUSED_RANGE, block_of, fused
from planner.solve.highs import HighsBackend, LpBounds
from planner.solve.tiers import TierSearch

LIMITS = SolveLimits(seconds=20.0, workers=1, deterministic=True)


def _goal(name: str, sense: str, terms: dict[int, int], ideal: int, constant: int = 0) -> TierGoal:
    expression = Expression(tuple(terms), tuple(terms.values()), constant)
    return TierGoal(name, sense, "units", expression, ideal)  # type: ignore[arg-type]


def _cluster(random: Random) -> tuple[LinearModel, list[TierGoal]]:
    """Two ranks of two kinds of gangs each on one amount of room; what a queue lacks is a variable of its own."""
    model = LinearModel()
    sizes = [random.randint(1, 5) for _ in range(4)]
    starts = [model.variable(0, 2) for _ in sizes]
    model.at_most(list(zip(starts, sizes, strict=True)), random.randint(3, 12), "room")
    goals: list[TierGoal] = []
    deserved = random.randint(2, 10)
    for rank, members in ((1, (0, 1)), (2, (0, 1, 2, 3))):
        lack = model.variable(0, deserved)
        gained = [(starts[k], sizes[k]) for k in members]
        model.at_least([(lack, 1), *gained], deserved, "shortfall")
        own = [k for k in members if rank == 1 or k > 1]
        goals += [
            _goal(f"covered.{rank}.shortfall", "min", {lack: 1}, 3, constant=3),
            _goal(f"covered.{rank}.gpus", "max", {starts[k]: sizes[k] for k in own}, 20),
            _goal(f"covered.{rank}.gangs", "max", {starts[k]: 1 for k in own}, 4),
        ]
    return model, goals


def _best(model: LinearModel, goals: list[TierGoal]) -> list[int]:
    ranges = [range(low, high + 1) for low, high in zip(model.lower, model.upper, strict=True)]
    vectors = [
        [g.expression.value(v) * (1 if g.sense == "max" else -1) for g in goals]
        for v in product(*ranges)
        if integer_values(model, (), v) is not None
    ]
    return [
        value if goal.sense == "max" else -value
        for goal, value in zip(goals, max(vectors), strict=True)
    ]


@pytest.mark.parametrize("seed", range(12))
def test_one_search_of_a_rank_finds_and_proves_what_three_would(
    backend: Backend, seed: int
) -> None:
    model, goals = _cluster(Random(seed))
    nothing = [0] * 4
    incumbent = (*nothing, model.upper[4], model.upper[5])
    found = TierSearch(model, goals, backend, LIMITS).run(incumbent)
    assert [tier.value for tier in found.tiers] == _best(model, goals)
    assert all(tier.closed for tier in found.tiers)


def test_three_tiers_are_one_goal_that_is_zero_at_the_solution_in_hand() -> None:
    parts = [
        _goal("rest.2.shortfall", "min", {0: 2}, 0),
        _goal("rest.2.gpus", "max", {1: 4}, 8),
        _goal("rest.2.gangs", "max", {1: 1}, 2),
    ]
    one = fused(parts, [0, 8, 2], [4, 4, 1])
    assert one is not None
    assert one.weights == (27, 3, 1)
    assert one.goal.expression.value((2, 1)) == 0
    better = one.goal.expression.value((1, 2))
    assert better == 2 * 27 + 4 * 3 + 1
    assert one.bounds(better) == (2, 8, 2)
    assert one.bounds(one.goal.ideal) == (0, 8, 2)


def test_only_neighbours_of_one_rank_belong_together() -> None:
    names = ["covered.1.shortfall", "covered.1.gpus", "covered.1.gangs", "rest.1.gpus", "elastic"]
    tiers = [_goal(name, "max", {0: 1}, 1) for name in names]
    assert [len(block_of(tiers, index)) for index in range(5)] == [3, 2, 1, 1, 1]


def test_numbers_that_floats_do_not_hold_exactly_are_not_made() -> None:
    parts = [
        _goal("rest.1.gpus", "max", {0: 1}, FUSED_RANGE),
        _goal("rest.1.gangs", "max", {0: 1}, 9),
    ]
    assert fused(parts, [FUSED_RANGE, 9], [0, 0]) is None
    assert fused(parts, [FUSED_RANGE, 9], [FUSED_RANGE - 5, 0]) is not None
    assert fused(parts[:1], [5], [0]) is None


def test_what_was_proved_of_a_tier_holds_in_the_relaxation_of_the_next() -> None:
    model = LinearModel()
    one, two = model.variable(0, 3), model.variable(0, 3)
    model.at_most([(one, 2), (two, 2)], 5, "room")
    first, second = _goal("a", "max", {one: 1, two: 1}, 6), _goal("b", "max", {one: 2}, 6)
    relaxed = LpBounds(model)
    relaxed.pin(Pin(first, 1, bound=2))
    assert relaxed.bound(second, seconds=5.0) == 4
    backend = HighsBackend()
    found = backend.solve(model, second, pins=[Pin(first, 1, bound=1)], limits=LIMITS)
    assert found.values == (1, 0)
    assert Pin(_goal("c", "min", {one: 1}, 0, constant=7), 9, bound=8).sides == (1, 2)


def test_a_plan_in_hand_is_searched_from_as_long_as_the_effort_lasts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("planner.solve.tiers.SMALL_MODEL", 0)
    for seed in range(6):
        model, goals = _cluster(Random(seed))
        incumbent = (0, 0, 0, 0, model.upper[4], model.upper[5])
        search = TierSearch(model, goals, HighsBackend(), SolveLimits(seconds=20.0))
        best = _best(model, goals)
        idle = search.run(incumbent, effort=0.0)
        kept = [tier.value for tier in idle.tiers]
        assert kept == [goal.expression.value(incumbent) for goal in goals]
        assert all(tier.bound is not None for tier in idle.tiers)
        lead = idle.tiers[0]
        assert lead.bound is not None
        assert not lead.goal.is_worse(lead.bound, best[0])
        found = search.run(incumbent, effort=20.0)
        assert [tier.value for tier in found.tiers] == best
        assert all(tier.closed for tier in found.tiers)
