"""Bounds from prices against relaxations solved anew; goals whose optimum lies a hair beside a whole number."""

from random import Random

from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.solve.backend import Pin
from planner.solve.highs import LpBounds
from planner.solve.relaxed_chain import RelaxedChain, relaxed_in_order


def _model(seed: int) -> tuple[LinearModel, list[TierGoal]]:
    """Packings with a few goals of either sense."""
    rng = Random(seed)
    model = LinearModel()
    columns = [model.variable(0, rng.randint(1, 6)) for _ in range(rng.randint(4, 9))]
    for _ in range(rng.randint(2, 6)):
        terms = [(c, rng.randint(1, 9)) for c in columns if rng.random() < 0.7]
        model.at_most(terms, rng.randint(10, 40), "test")
    lacking = model.variable(0, 100)
    model.at_least([(lacking, 1), *((c, rng.randint(0, 5)) for c in columns)], 60, "test")
    goals = []
    for number in range(4):
        weights = tuple(rng.randint(0, 5) for _ in columns)
        goals.append(
            TierGoal(f"t{number}", "max", "pods", Expression(tuple(columns), weights), 999)
        )
    goals.insert(rng.randint(0, 4), TierGoal("l", "min", "pods", Expression((lacking,), (1,)), 0))
    return model, goals


def _anew(model: LinearModel, goal: TierGoal, pins: list[Pin]) -> int:
    relaxation = LpBounds(model)
    for pin in pins:
        relaxation.pin(pin)
    bound = relaxation.bound(goal, seconds=20.0)
    assert bound is not None
    return bound


def test_prices_bound_what_plans_that_reach_less_can_gain() -> None:
    told = 0
    for seed in range(60):
        rng = Random(seed)
        model, goals = _model(seed)
        chain = relaxed_in_order(model, goals, seconds=20.0, workers=1)
        assert chain is not None
        reached: dict[str, int] = {}
        pins: list[Pin] = []
        for goal, step in zip(goals, chain.steps, strict=True):
            bound, sharpest = chain.beside(goal, reached)
            true = _anew(model, goal, pins)
            assert bound is not None
            assert not goal.is_worse(bound, true), seed
            if sharpest:
                assert bound == true, seed
                told += 1
            less = rng.choice((0, 0, 1, 3))
            reached[goal.name] = step.pin - less if goal.sense == "max" else step.pin + less
            pins.append(Pin(goal, reached[goal.name]))
    assert told > 60, "first goals and those after tight ones are told without a search"


def test_a_chain_begun_again_under_other_pins_proves_what_a_new_relaxation_does() -> None:
    for seed in range(40):
        rng = Random(seed)
        model, goals = _model(seed)
        chain = relaxed_in_order(model, goals, seconds=20.0, workers=1)
        assert chain is not None
        pins: list[Pin] = []
        for goal, step in zip(goals, chain.steps, strict=True):
            if rng.random() < 0.7:
                again = chain.again(goal, pins, seconds=20.0)
                assert again == _anew(model, goal, pins), seed
            less = rng.randint(0, 3)
            value = step.pin - less if goal.sense == "max" else step.pin + less
            pins.append(Pin(goal, value))


def test_an_optimum_a_hair_beside_a_whole_number_leaves_room_for_the_goals_after_it() -> None:
    model = LinearModel()
    lacking, pods = model.variable(0, 100_000), model.variable(0, 5)
    model.at_least(
        [(lacking, 1000)], 58_138_049, "test"
    )  # the row stays as it is: no common divisor
    model.rows[-1] = type(model.rows[-1])((lacking,), (-1000,), model.rows[-1].low, -58_138_049, "")
    goals = [
        TierGoal("lacking", "min", "pods", Expression((lacking,), (1,)), 0),
        TierGoal("pods", "max", "pods", Expression((pods,), (1,)), 5),
    ]
    chain = RelaxedChain(model, goals, workers=1)
    assert all(chain.extend(goal, seconds=20.0) for goal in goals)
    assert chain.steps[0].bound <= 58_139 <= chain.steps[0].pin
    assert chain.steps[1].bound == 5


def test_unknown_values_above_tell_nothing() -> None:
    model, goals = _model(3)
    chain = relaxed_in_order(model, goals, seconds=20.0, workers=1)
    assert chain is not None
    assert chain.beside(goals[2], {}) == (None, False)
    stranger = TierGoal("stranger", "max", "pods", goals[0].expression, 9)
    assert chain.beside(stranger, {}) == (None, False)
