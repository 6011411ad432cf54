"""Relaxations whose columns are found by their price are those over all of these columns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from random import Random

from planner.problem.linear import INFINITE, Expression, LinearModel, Row, TierGoal
from planner.solve.backend import Pin
from planner.solve.generated import FloatArray, GeneratedBounds, NewColumn, OwnRow
from planner.solve.highs import LpBounds
from planner.solve.relaxed_chain import RelaxedChain, relaxed_in_order


class _Every:
    """All ways of a small problem: one that gains is told at a time."""

    def __init__(
        self, starts: int, rooms: Sequence[int], ways: Sequence[Mapping[int, int]]
    ) -> None:
        self.starts, self.rooms, self.ways = starts, rooms, ways

    def keys(self) -> Sequence[Hashable]:
        return ["gangs"]

    def row(self, key: Hashable) -> OwnRow:
        if key == "gangs":
            return OwnRow((self.starts,), (-1,), 0.0, 0.0)
        return OwnRow((), (), -math.inf, float(self.rooms[int(str(key))]))

    def loosened(self, losses: FloatArray, prices: Mapping[Hashable, float]) -> bool:
        return False

    def better(
        self, losses: FloatArray, prices: Mapping[Hashable, float]
    ) -> Sequence[tuple[NewColumn, float]]:
        found = []
        for number, way in enumerate(self.ways):
            worth = prices.get("gangs", math.inf)
            gain = worth + sum(prices.get(str(r), 0.0) * n for r, n in way.items())
            entries: list[tuple[Hashable, int]] = [("gangs", 1)]
            entries += [(str(room), pods) for room, pods in way.items()]
            found.append((NewColumn(number, tuple(entries)), gain))
        return sorted(found, key=lambda one: -one[1])[:1]


def _case(seed: int) -> tuple[_Every, LinearModel, LinearModel, list[TierGoal]]:
    """A problem that lacks its ways, and the same with all of them written down."""
    rng = Random(seed)
    models = [LinearModel(), LinearModel()]
    for model in models:
        start, other = model.variable(0, 9), model.variable(0, 5)
        model.at_most([(start, 2), (other, 3)], 17, "test")
        lacking = model.variable(0, 99)
        model.at_least([(lacking, 1), (start, 4), (other, 1)], 30, "test")
    rooms = [rng.randint(1, 6) for _ in range(3)]
    ways = [{r: rng.randint(1, 3) for r in range(3) if rng.random() < 0.6} for _ in range(5)]
    ways = [way for way in ways if way] or [{0: 1}]
    whole = models[1]
    columns = [whole.variable(0, 99) for _ in ways]
    whole.equal([(start, -1), *((c, 1) for c in columns)], 0, "test")
    for room, most in enumerate(rooms):
        terms = {c: way[room] for c, way in zip(columns, ways, strict=True) if room in way}
        # As it is: a model would divide it by common factors and round, which the source does not.
        whole.rows.append(Row(tuple(terms), tuple(terms.values()), -INFINITE, most, "test"))
    goals = [
        TierGoal("lacking", "min", "points", Expression((lacking,), (1,)), 0),
        TierGoal("pods", "max", "pods", Expression((start, other), (3, 1)), 99),
        TierGoal("other", "max", "pods", Expression((other,), (1,)), 99),
    ]
    return _Every(start, rooms, ways), models[0], whole, goals


def test_bounds_are_those_with_all_columns() -> None:
    tighter = 0
    for seed in range(40):
        source, model, whole, goals = _case(seed)
        generated = GeneratedBounds(model, source)
        chain = relaxed_in_order(model, goals, seconds=20.0, workers=1, relaxation=generated)
        every = relaxed_in_order(whole, goals, seconds=20.0, workers=1)
        alone = relaxed_in_order(model, goals, seconds=20.0, workers=1)
        assert chain is not None
        assert every is not None
        assert alone is not None
        assert [s.bound for s in chain.steps] == [s.bound for s in every.steps], seed
        tighter += [s.bound for s in chain.steps] != [s.bound for s in alone.steps]
        assert len(chain.values) == model.size
        used = sum(generated.chosen().values())
        assert math.isclose(used, chain.values[source.starts], abs_tol=1e-6)
    assert tighter > 10


def test_bounds_under_other_pins_find_the_columns_that_they_need() -> None:
    for seed in range(40):
        source, model, whole, goals = _case(seed)
        generated = GeneratedBounds(model, source)
        chain = relaxed_in_order(model, goals, seconds=20.0, workers=1, relaxation=generated)
        assert chain is not None
        pins = [Pin(goals[0], chain.steps[0].bound + 3)]
        every = LpBounds(whole)
        every.pin(pins[0])
        expected = every.bound(goals[2], seconds=20.0)
        assert chain.again(goals[2], pins, seconds=20.0) == expected, seed


def test_a_chain_that_goes_on_without_the_columns_bounds_what_there_is_with_them() -> None:
    """Goals that were relaxed with columns keep their bounds; those after them are bounded beside the same pins."""
    for seed in range(40):
        source, model, whole, goals = _case(seed)
        every = relaxed_in_order(whole, goals, seconds=20.0, workers=1)
        assert every is not None
        for kept in range(len(goals)):
            generated = GeneratedBounds(model, source)
            chain = RelaxedChain(model, goals, workers=1, relaxation=generated)
            assert chain.extend_all(goals[:kept], seconds=20.0, stopped=lambda: False)
            chain.go_on_with(LpBounds(model), goals)
            assert chain.extend_all(goals, seconds=20.0, stopped=lambda: False)
            assert [step.goal.name for step in chain.steps] == [goal.name for goal in goals]
            reached: dict[str, int] = {}
            for place, step in enumerate(every.steps):
                bound, _ = chain.beside(step.goal, reached)
                assert bound is not None
                assert not step.goal.is_worse(bound, step.bound), (seed, kept)
                if place < kept:
                    assert chain.steps[place].bound == step.bound, (seed, kept)
                reached[step.goal.name] = step.pin
