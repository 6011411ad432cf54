"""Work of HiGHS is counted in steps: the same limit ends the same search at the same place."""

from __future__ import annotations

from random import Random

from planner.problem.linear import Expression, LinearModel, RawSolution, TierGoal
from planner.solve.backend import SolveLimits
from planner.solve.highs import HighsBackend, LpBounds


def _hard() -> tuple[LinearModel, TierGoal]:
    """Forty knapsack rows over eighty columns: no search closes it soon."""
    random, model = Random("work"), LinearModel()
    columns = [model.variable(0, 3) for _ in range(80)]
    for _ in range(40):
        row = [(column, random.randrange(1, 20)) for column in columns if random.random() < 0.3]
        model.at_most(row, sum(factor for _, factor in row) * 9 // 10, "room")
    weights = tuple(random.randrange(5, 30) for _ in columns)
    return model, TierGoal("worth", "max", "", Expression(tuple(columns), weights), 10**6)


def _solved(work: float) -> RawSolution:
    model, goal = _hard()
    limits = SolveLimits(work, workers=1, deterministic=True)
    return HighsBackend().solve(model, goal, pins=(), limits=limits)


def test_the_same_limit_ends_the_same_search_at_the_same_place() -> None:
    first, again = _solved(0.3), _solved(0.3)
    assert not first.optimal
    assert (first.values, first.bound, first.work) == (again.values, again.bound, again.work)
    assert 0.3 <= first.work < 0.33


def test_a_larger_limit_searches_on() -> None:
    short, long = _solved(0.1), _solved(0.6)
    assert short.work < 0.12 < 0.6 <= long.work
    assert short.bound is not None
    assert long.bound is not None
    assert long.bound <= short.bound


def test_relaxations_count() -> None:
    model, goal = _hard()
    relaxation = LpBounds(model)
    relaxation.bound(goal, seconds=10.0)
    once = relaxation.work
    relaxation.bound(goal, seconds=10.0)
    assert 0 < once < relaxation.work < 0.1
