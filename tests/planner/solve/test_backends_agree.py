"""What every backend promises: optimum, infeasibility, pins, hints, bounds on the right side, whole numbers."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from models.findings import BackendError
from planner.problem.linear import INFINITE, Expression, LinearModel, TierGoal
from planner.solve.backend import Backend, Feature, Pin, SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.exact_values import integer_values
from planner.solve.highs import HighsBackend, LpBounds
from planner.solve.pulp_milp import PulpBackend

LIMITS = SolveLimits(seconds=20.0, workers=1)


def _goal(*weights: int, sense: str = "max", constant: int = 0, ideal: int = 10**6) -> TierGoal:
    expression = Expression(tuple(range(len(weights))), weights, constant)
    return TierGoal("goal", sense, "points", expression, ideal)  # type: ignore[arg-type]


def _knapsack() -> tuple[LinearModel, TierGoal]:
    """Weights 5, 4, 3 of at most 10, each up to twice; the best is one 4 and two 3s, worth 20."""
    model = LinearModel()
    columns = [model.variable(0, 2) for _ in range(3)]
    model.at_most(list(zip(columns, (5, 4, 3), strict=True)), 10, "weight")
    return model, _goal(9, 8, 6)


def test_the_optimum_is_found_and_proved(backend: Backend) -> None:
    model, goal = _knapsack()
    found = backend.solve(model, goal, pins=(), limits=LIMITS)
    assert found.values == (0, 1, 2)
    assert (found.bound, found.optimal, found.proved_infeasible) == (20, True, False)
    assert found.backend == backend.name
    assert found.seconds >= 0


def test_minimising_counts_from_below(backend: Backend) -> None:
    model = LinearModel()
    a, b = model.variable(0, 9), model.variable(-3, 9)
    model.at_least([(a, 2), (b, 3)], 7, "enough")
    found = backend.solve(model, _goal(5, 6, sense="min", constant=2), pins=(), limits=LIMITS)
    assert found.values is not None
    assert 5 * found.values[0] + 6 * found.values[1] + 2 == found.bound == 2 + 16


def test_infeasibility_is_proved(backend: Backend) -> None:
    model = LinearModel()
    a, b = model.variable(0, 5), model.variable(0, 5)
    model.equal([(a, 2), (b, 4)], 7, "odd")
    found = backend.solve(model, _goal(1, 1), pins=(), limits=LIMITS)
    assert (found.values, found.bound, found.proved_infeasible) == (None, None, True)


@pytest.mark.parametrize("count", [0, 1])
def test_a_row_without_variables_decides_by_itself(backend: Backend, count: int) -> None:
    """Pods of a shape that fits on no node of a packing: nothing sums up to them."""
    model = LinearModel()
    model.variable(0, 3)
    model.equal([], count, "all pods")
    found = backend.solve(model, _goal(1), pins=(), limits=LIMITS)
    assert (found.values is None) == bool(count)
    assert found.proved_infeasible == bool(count)


def test_pins_hold_in_both_senses(backend: Backend) -> None:
    model, goal = _knapsack()
    most = TierGoal("first", "max", "points", Expression((1,), (1,), 4), 9)
    least = TierGoal("last", "min", "points", Expression((2,), (2,), -1), 0)
    for pins, values in (
        ([Pin(most, 5)], (0, 1, 2)),
        ([Pin(most, 6)], (0, 2, 0)),
        ([Pin(least, -1)], (2, 0, 0)),
        ([Pin(most, 5), Pin(least, -1)], (1, 1, 0)),
    ):
        found = backend.solve(model, goal, pins=pins, limits=LIMITS)
        assert found.values == values
        assert found.bound == goal.expression.value(values)


def test_a_pin_that_nothing_meets_is_infeasible(backend: Backend) -> None:
    model, goal = _knapsack()
    found = backend.solve(model, goal, pins=[Pin(goal, 21)], limits=LIMITS)
    assert found.proved_infeasible


def test_a_pin_of_a_constant_binds_nothing(backend: Backend) -> None:
    model, goal = _knapsack()
    constant = TierGoal("idle", "max", "GPU", Expression((), (), 8), 8)
    assert backend.solve(model, goal, pins=[Pin(constant, 8)], limits=LIMITS).bound == 20


@pytest.mark.parametrize("hint", [(0, 1, 2), (1, 0, 0), (0, 0, 0), (2, 2, 2)])
def test_a_hint_good_or_bad_changes_no_optimum(backend: Backend, hint: tuple[int, ...]) -> None:
    model, goal = _knapsack()
    found = backend.solve(model, goal, pins=(), limits=LIMITS, hint=hint)
    assert (found.values, found.bound) == ((0, 1, 2), 20)


def test_a_goal_that_is_constant_asks_for_any_solution(backend: Backend) -> None:
    model = LinearModel()
    a = model.variable(0, 9)
    model.at_least([(a, 1)], 4, "enough")
    found = backend.solve(model, _goal(), pins=(), limits=LIMITS)
    assert found.values is not None
    assert found.values[0] >= 4


def test_variables_in_no_row_keep_to_their_bounds(backend: Backend) -> None:
    model = LinearModel()
    free, other = model.variable(2, 6), model.variable(0, 1)
    goal = TierGoal("goal", "max", "points", Expression((other,), (1,)), 1)
    found = backend.solve(model, goal, pins=(), limits=LIMITS)
    assert found.values is not None
    assert 2 <= found.values[free] <= 6
    assert found.values[other] == 1


def test_bytes_and_gpus_in_one_model_stay_exact(backend: Backend) -> None:
    gib = 2**30
    model = LinearModel()
    a, b = model.variable(0, 10), model.variable(0, 10)
    model.at_most([(a, 64 * gib), (b, 100 * gib)], 512 * gib, "memory")
    model.at_most([(a, 1), (b, 1)], 7, "gpus")
    found = backend.solve(model, _goal(10, 16), pins=(), limits=LIMITS)
    assert (found.values, found.bound) == ((0, 5), 80)


def _random(rng: Random) -> tuple[LinearModel, TierGoal]:
    model = LinearModel()
    columns = [model.variable(low := rng.randint(-1, 0), low + rng.randint(0, 3)) for _ in range(4)]
    for _ in range(rng.randint(1, 4)):
        terms = [(column, rng.randint(-5, 5)) for column in columns if rng.random() < 0.7]
        amount = rng.randint(-3, 8)
        rng.choice((model.at_most, model.at_least))(terms, amount, "row")
    weights = [rng.randint(-4, 9) for _ in columns]
    return model, _goal(*weights, sense=rng.choice(("max", "min")), constant=rng.randint(-3, 3))


def _best(model: LinearModel, goal: TierGoal) -> int | None:
    ranges = [range(low, high + 1) for low, high in zip(model.lower, model.upper, strict=True)]
    values = [
        goal.expression.value(one)
        for one in product(*ranges)
        if integer_values(model, (), one) is not None
    ]
    if not values:
        return None
    return max(values) if goal.sense == "max" else min(values)


def test_random_models_have_the_value_that_trying_everything_finds(backend: Backend) -> None:
    seeds = range(12 if backend.name == "pulp-cbc" else 60)
    infeasible = 0
    for seed in seeds:
        model, goal = _random(Random(seed))
        best = _best(model, goal)
        found = backend.solve(model, goal, pins=(), limits=LIMITS)
        if best is None:
            infeasible += 1
            assert found.proved_infeasible, seed
            continue
        assert found.values is not None, seed
        assert integer_values(model, (), found.values) == found.values, seed
        assert goal.expression.value(found.values) == found.bound == best, seed
    assert infeasible


def test_a_wide_gap_leaves_the_bound_on_the_right_side(backend: Backend) -> None:
    limits = SolveLimits(seconds=20.0, gap=0.5)
    for sense in ("max", "min"):
        model, _ = _knapsack()
        goal = _goal(9, 8, 6, sense=sense)
        model.at_least([(0, 1), (1, 1), (2, 1)], 1, "something")
        found = backend.solve(model, goal, pins=(), limits=limits)
        assert found.values is not None
        value = goal.expression.value(found.values)
        if found.bound is not None:
            assert not goal.is_worse(found.bound, value)
        assert value >= 10 if sense == "max" else value <= 12


def test_features_are_declared() -> None:
    assert Feature.DETERMINISTIC_LIMIT in CpSatBackend().features
    assert Feature.HINTS in HighsBackend().features
    assert not PulpBackend("highs").features


def test_a_missing_solver_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cbcbox", None)
    model, goal = _knapsack()
    with pytest.raises(BackendError, match="extra 'cbc'"):
        PulpBackend("cbc").solve(model, goal, pins=(), limits=LIMITS)


def test_a_solution_at_the_time_limit_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """PuLP calls a solution that a limit ended optimal; it was passed on as proved."""
    import pulp

    original = pulp.LpProblem.solve

    def limited(self: pulp.LpProblem, *arguments: object) -> int:
        status: int = original(self, *arguments)
        self.sol_status = pulp.LpSolutionIntegerFeasible
        return status

    monkeypatch.setattr(pulp.LpProblem, "solve", limited)
    model, goal = _knapsack()
    found = PulpBackend("highs").solve(model, goal, pins=(), limits=LIMITS)
    assert found.values == (0, 1, 2)
    assert (found.bound, found.optimal) == (None, False)


def test_threads_may_change_within_a_process() -> None:
    """A run with another number of threads failed, and what the run before had left was read as its answer."""
    for workers in (1, 2, 1, 2):
        limits = SolveLimits(seconds=20.0, workers=workers)
        model, goal = _knapsack()
        for pinned in (None, 1, 2):
            first = TierGoal("first", "max", "points", Expression((1,), (1,)), 2)
            pins = [] if pinned is None else [Pin(first, pinned)]
            for one in (HighsBackend(), PulpBackend("highs")):
                found = one.solve(model, goal, pins=pins, limits=limits)
                assert found.values is not None
                assert found.bound == {None: 20, 1: 20, 2: 16}[pinned], (one.name, workers)
        relaxed = LpBounds(model, workers=workers)
        assert relaxed.bound(goal, seconds=5.0) == 20
        relaxed.pin(Pin(first, 2))
        assert relaxed.bound(goal, seconds=5.0) in (19, 20)


def test_a_failed_run_is_an_error_and_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    import highspy

    class Failing(highspy.Highs):  # type: ignore[misc]
        def run(self) -> highspy.HighsStatus:
            return highspy.HighsStatus.kError

    monkeypatch.setattr(highspy, "Highs", Failing)
    model, goal = _knapsack()
    with pytest.raises(BackendError, match="error"):
        HighsBackend().solve(model, goal, pins=(), limits=LIMITS, hint=(0, 1, 2))


def test_a_linear_relaxation_bounds_from_outside_and_learns_pins() -> None:
    model = LinearModel()
    a, b = model.variable(0, 3), model.variable(0, 3)
    model.at_most([(a, 2), (b, 2)], 5, "room")
    relaxed = LpBounds(model)
    assert relaxed.bound(_goal(1, 1), seconds=5.0) == 2
    assert relaxed.bound(_goal(3, 1), seconds=5.0) == 6
    relaxed.pin(Pin(_goal(0, 1), 2))
    assert relaxed.bound(_goal(3, 1), seconds=5.0) == 2
    assert relaxed.bound(_goal(1, 0, sense="min"), seconds=5.0) == 0
    assert len(relaxed.values()) == 2


@pytest.mark.parametrize(
    ("values", "good"),
    [
        ((1.0, 1.0), True),
        ((1.0000001, 0.9999999), True),
        ((3.0, 0.0), False),
        ((1.0, 2.0), False),
        ((1.0,), False),
        ((0.0, 0.0), False),
    ],
)
def test_floats_count_only_if_their_whole_values_keep_every_row(
    values: tuple[float, ...], good: bool
) -> None:
    model = LinearModel()
    a, b = model.variable(0, 2), model.variable(0, 2)
    model.at_most([(a, 1), (b, 1)], 2, "room")
    found = integer_values(model, [Pin(_goal(1, 0), 1)], values)
    assert (found is not None) is good


def test_rows_that_cannot_bind_are_dropped_and_others_made_small() -> None:
    model = LinearModel()
    a, b = model.variable(0, 3), model.variable(0, 3)
    model.at_most([(a, 2), (b, 2)], 12, "never binds")
    assert model.rows == []
    model.at_most([(a, 4), (b, 6)], 13, "divided")
    assert (model.rows[0].coefficients, model.rows[0].low, model.rows[0].high) == (
        (2, 3),
        -INFINITE,
        6,
    )
    model.equal([(a, 4), (a, -4), (b, 2)], 4, "merged")
    assert (model.rows[1].columns, model.rows[1].coefficients, model.rows[1].high) == (
        (b,),
        (1,),
        2,
    )
