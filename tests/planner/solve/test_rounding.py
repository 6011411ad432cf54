"""Reduced models are the whole ones, roundings are whole solutions next to the relaxation, no better than the best."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np

from planner.problem.linear import INFINITE, Expression, LinearModel, TierGoal
from planner.solve.backend import Pin, SolveLimits
from planner.solve.highs import LpBounds
from planner.solve.reduced import reduced
from planner.solve.relaxed_chain import relaxed_in_order
from planner.solve.rounding import fractional, rounded, window

LIMITS = SolveLimits(seconds=20.0, workers=1, deterministic=True)


def _random_model(seed: int) -> tuple[LinearModel, list[TierGoal]]:
    random = Random(seed)
    model = LinearModel()
    columns = [model.variable(0, random.randint(1, 3)) for _ in range(6)]
    for _ in range(4):
        terms = [(c, random.randint(1, 5)) for c in columns if random.random() < 0.7]
        model.at_most(terms, random.randint(3, 14), "room")
    goals = []
    for number in range(3):
        weights = [random.randint(0, 4) for _ in columns]
        ideal = sum(w * u for w, u in zip(weights, model.upper, strict=True))
        goals.append(
            TierGoal(f"t{number}", "max", "GPU", Expression(tuple(columns), tuple(weights)), ideal)
        )
    return model, goals


def _solutions(model: LinearModel) -> list[tuple[int, ...]]:
    ranges = [range(low, high + 1) for low, high in zip(model.lower, model.upper, strict=True)]
    return [one for one in product(*ranges) if _satisfies(model, one)]


def _satisfies(model: LinearModel, values: tuple[int, ...]) -> bool:
    for row in model.rows:
        total = sum(c * values[v] for v, c in zip(row.columns, row.coefficients, strict=True))
        if total > row.high or (row.low != -INFINITE and total < row.low):
            return False
    return True


def test_a_reduced_model_has_the_solutions_within_the_bounds() -> None:
    for seed in range(30):
        model, goals = _random_model(seed)
        random = Random(seed)
        low = np.array([random.randint(0, u) for u in model.upper])
        high = np.where([random.random() < 0.5 for _ in low], model.upper, low)
        within = LinearModel(low.tolist(), high.tolist(), model.rows)
        expected = set(_solutions(within))
        small = reduced(model, low, high)
        if small is None:
            assert not expected, seed
            continue
        found = {small.whole(one): one for one in _solutions(small.model)}
        assert set(found) == expected, seed
        for whole, part in found.items():
            for goal in goals:
                assert small.goal(goal).expression.value(part) == goal.expression.value(whole)


def test_rows_over_one_open_column_become_bounds_and_rows_that_always_hold_go() -> None:
    model = LinearModel([0, 0, 0], [5, 5, 5])
    model.at_most([(0, 2), (1, 1)], 7, "with the second at 2, the first is at most 2")
    model.at_most([(0, 1), (2, 1)], 8, "loose for the first at most 2")
    model.at_most([(0, 1), (2, 2)], 9, "kept")
    small = reduced(model, np.array([0, 2, 0]), np.array([5, 2, 5]))
    assert small is not None
    assert small.model.upper == [2, 5]
    assert [row.tag for row in small.model.rows] == ["kept"]
    assert small.part((1, 2, 3)) == (1, 3)


def test_a_row_that_its_only_open_column_cannot_meet_leaves_no_model() -> None:
    model = LinearModel([0, 0], [5, 5])
    model.at_most([(0, -1), (1, 1)], -1, "the first is above the second")
    assert reduced(model, np.array([0, 5]), np.array([5, 5])) is None


def test_rounded_solutions_are_whole_and_never_too_good() -> None:
    reached = 0
    for seed in range(40):
        model, goals = _random_model(seed)
        best = max([goal.expression.value(one) for goal in goals] for one in _solutions(model))
        chain = relaxed_in_order(model, goals, seconds=20.0, workers=1)
        assert chain is not None
        guide = chain.values
        split = fractional(guide)
        nothing = np.zeros(model.size, dtype=bool)
        for opened, lowered in ((nothing, ~nothing), (split, ~nothing), (~nothing, nothing)):
            found = rounded(model, goals, *window(model, guide, opened, lowered), LIMITS)
            assert found is not None, seed
            assert _satisfies(model, found), seed
            vector = [goal.expression.value(found) for goal in goals]
            assert vector <= best, seed
            for column in np.flatnonzero(~opened):
                assert found[column] <= np.ceil(guide[column] - 1e-6)
        assert vector == best, "with every column open it is the whole model"
        reached += vector == best
    assert reached == 40


def test_a_bound_does_not_depend_on_the_goals_before_it() -> None:
    for seed in range(40):
        model, goals = _random_model(seed)
        chained = LpBounds(model)
        pins: list[Pin] = []
        for goal in goals:
            bound = chained.bound(goal, seconds=20.0)
            alone = LpBounds(model)
            for pin in pins:
                alone.pin(pin)
            assert bound is not None
            assert bound == alone.bound(goal, seconds=20.0), seed
            pins.append(Pin(goal, bound // 2))
            chained.pin(pins[-1])


def test_no_time_is_no_relaxation() -> None:
    model, goals = _random_model(1)
    assert relaxed_in_order(model, goals, seconds=0.0, workers=1) is None
    assert relaxed_in_order(model, goals, seconds=9.0, workers=1, stopped=lambda: True) is None
