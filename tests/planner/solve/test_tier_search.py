"""Tier after tier: shortcuts, two tiers as one, gaps, stops, and bounds that hold for what is fixed above."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from random import Random

import pytest

from planner.problem.linear import Expression, LinearModel, RawSolution, TierGoal
from planner.problem.meter import Meter
from planner.solve import tiers as tiers_module
from planner.solve.backend import Backend, BoundSink, Feature, Pin, SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.exact_values import integer_values
from planner.solve.fused import FUSED_RANGE
from planner.solve.highs import HighsBackend
from planner.solve.tiers import TierSearch

LIMITS = SolveLimits(seconds=20.0, workers=1, deterministic=True)


@pytest.mark.parametrize("deterministic", [True, False])
def test_no_clock_ends_a_relaxation_of_a_deterministic_search(
    monkeypatch: pytest.MonkeyPatch, *, deterministic: bool
) -> None:
    given: list[float] = []

    class Timed(tiers_module.LpBounds):
        def bound(self, goal: TierGoal, *, seconds: float) -> int | None:
            given.append(seconds)
            return super().bound(goal, seconds=seconds)

    monkeypatch.setattr(tiers_module, "LpBounds", Timed)
    monkeypatch.setattr(tiers_module, "SMALL_MODEL", 0)
    model, goals = _gangs()
    limits = SolveLimits(seconds=20.0, workers=1, deterministic=deterministic)
    found = TierSearch(model, goals, HighsBackend(), limits).run(None)
    assert [one.value for one in found.tiers[:2]] == [9, 3]
    assert given
    assert all((one == math.inf) == deterministic for one in given)


class Watched:
    """A backend that notes the goals it is asked for."""

    name = "watched"
    features: frozenset[Feature] = frozenset()

    def __init__(self, backend: Backend | None = None) -> None:
        self.goals: list[TierGoal] = []
        self.hints: list[Sequence[int] | None] = []
        self._backend = backend or CpSatBackend()

    def solve(
        self,
        model: LinearModel,
        goal: TierGoal,
        *,
        pins: Sequence[Pin],
        limits: SolveLimits,
        hint: Sequence[int] | None = None,
        report: BoundSink | None = None,
    ) -> RawSolution:
        self.goals.append(goal)
        self.hints.append(hint)
        return self._backend.solve(model, goal, pins=pins, limits=limits, hint=hint)


class Greedy(Watched):
    """Uses all the work that it is given, and proves nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[float] = []

    def solve(
        self,
        model: LinearModel,
        goal: TierGoal,
        *,
        pins: Sequence[Pin],
        limits: SolveLimits,
        hint: Sequence[int] | None = None,
        report: BoundSink | None = None,
    ) -> RawSolution:
        self.given.append(limits.seconds)
        return RawSolution(None, None, work=limits.seconds)


def test_all_searches_of_a_deterministic_run_share_one_limit_of_work() -> None:
    """Before, every search had a quarter of the limit again, however many there were."""
    model, goals = _gangs()
    many = [
        TierGoal(f"rest.{n}.gpus", g.sense, g.unit, g.expression, g.ideal)
        for n, g in enumerate(goals[:1] * 40)
    ]
    greedy = Greedy()
    limits = SolveLimits(seconds=20.0, workers=1, deterministic=True)
    search = TierSearch(model, many, greedy, limits)
    search.run((0, 0, 0))
    assert greedy.given == sorted(greedy.given, reverse=True)
    assert len(greedy.given) > 4
    assert sum(greedy.given) == pytest.approx(search.meter.work)
    assert search.meter.work <= limits.seconds + 0.1 * len(greedy.given)


def test_searches_of_one_meter_share_its_work() -> None:
    model, goals = _gangs()
    meter, limits = Meter(deterministic=True), SolveLimits(20.0, workers=1, deterministic=True)
    meter.add(15.0)
    search = TierSearch(model, goals, Greedy(), limits, meter=meter)
    search.run((0, 0, 0))
    assert 15.0 < meter.work <= 36.0


def _tier(name: str, weights: dict[int, int], ideal: int, sense: str = "max") -> TierGoal:
    expression = Expression(tuple(weights), tuple(weights.values()))
    return TierGoal(name, sense, "units", expression, ideal)  # type: ignore[arg-type]


def _gangs() -> tuple[LinearModel, list[TierGoal]]:
    """Three kinds of gangs of 4, 3 and 2 GPUs, two each, on 9 GPUs; then as few of the first kind as possible."""
    model = LinearModel()
    columns = [model.variable(0, 2) for _ in range(3)]
    model.at_most(list(zip(columns, (4, 3, 2), strict=True)), 9, "room")
    weights = dict(zip(columns, (4, 3, 2), strict=True))
    return model, [
        _tier("covered.1.gpus", weights, 18),
        _tier("covered.1.gangs", dict.fromkeys(columns, 1), 6),
        _tier("few", {0: 1}, 0, "min"),
    ]


def _best(model: LinearModel, goals: Sequence[TierGoal]) -> list[int]:
    ranges = [range(low, high + 1) for low, high in zip(model.lower, model.upper, strict=True)]
    found = []
    for values in product(*ranges):
        if integer_values(model, (), values) is not None:
            vector = [goal.expression.value(values) for goal in goals]
            found.append(
                [v if g.sense == "max" else -v for g, v in zip(goals, vector, strict=True)]
            )
    return [v if g.sense == "max" else -v for g, v in zip(goals, max(found), strict=True)]


def test_tiers_are_decided_in_order(backend: Backend) -> None:
    model, goals = _gangs()
    found = TierSearch(model, goals, backend, LIMITS).run(None)
    assert [one.value for one in found.tiers] == _best(model, goals)
    assert all(one.closed for one in found.tiers)


def test_an_ideal_incumbent_needs_no_search() -> None:
    model, goals = _gangs()
    ideal = [
        TierGoal(g.name, g.sense, g.unit, g.expression, v)
        for g, v in zip(goals, (9, 3, 1), strict=True)
    ]
    watched = Watched()
    found = TierSearch(model, ideal, watched, LIMITS).run((1, 1, 1))
    assert watched.goals == []
    assert found.values == (1, 1, 1)
    assert [(one.backend, one.closed) for one in found.tiers] == [("counting", True)] * 3


def test_gpus_and_gangs_are_searched_as_one_and_both_bounds_come_out() -> None:
    model, goals = _gangs()
    watched = Watched()
    found = TierSearch(model, goals, watched, LIMITS).run(None)
    assert watched.goals[0].expression.coefficients == (4 * 7 + 1, 3 * 7 + 1, 2 * 7 + 1)
    assert watched.goals[0].ideal == 18 * 7 + 6
    assert [goal.name for goal in watched.goals].count("covered.1.gangs") == 0
    gpus, gangs, _ = found.tiers
    assert (gpus.value, gpus.bound) == (9, 9)
    assert (gangs.value, gangs.bound) == (_best(model, goals)[1],) * 2


def test_tiers_too_large_for_exact_floats_are_searched_one_by_one() -> None:
    model, goals = _gangs()
    large = [TierGoal(g.name, g.sense, g.unit, g.expression, FUSED_RANGE) for g in goals[:2]]
    watched = Watched()
    found = TierSearch(model, large, watched, LIMITS).run(None)
    assert [goal.name for goal in watched.goals] == ["covered.1.gpus", "covered.1.gangs"]
    assert [one.value for one in found.tiers] == _best(model, large)


def test_the_incumbent_is_the_hint_and_is_never_made_worse() -> None:
    model, goals = _gangs()
    watched = Watched()
    found = TierSearch(model, goals, watched, LIMITS).run((1, 0, 0))
    assert watched.hints[0] == (1, 0, 0)
    assert [one.value for one in found.tiers] == _best(model, goals)


def test_a_value_within_the_gap_is_good_enough() -> None:
    model, goals = _gangs()
    near = SolveLimits(seconds=20.0, gap=0.5, deterministic=True)
    close = [TierGoal("covered.1.gpus", "max", "GPU", goals[0].expression, 9)]
    watched = Watched()
    found = TierSearch(model, close, watched, near).run((2, 0, 0))
    assert watched.goals == []
    assert (found.tiers[0].value, found.tiers[0].bound, found.tiers[0].closed) == (8, 9, False)


def test_a_stop_keeps_the_incumbent_and_claims_no_proof() -> None:
    model, goals = _gangs()
    watched = Watched()
    found = TierSearch(model, goals, watched, LIMITS, stopped=lambda: True).run((1, 0, 0))
    assert watched.goals == []
    assert [one.value for one in found.tiers] == [4, 1, 1]
    assert [one.bound for one in found.tiers] == [18, 6, 0]


def test_a_stop_before_any_solution_gives_none() -> None:
    model, goals = _gangs()
    found = TierSearch(model, goals, Watched(), LIMITS, stopped=lambda: True).run(None)
    assert (found.values, found.tiers) == (None, ())


def test_an_infeasible_model_gives_none(backend: Backend) -> None:
    model, goals = _gangs()
    model.at_least([(0, 4), (1, 3), (2, 2)], 10, "too much")
    found = TierSearch(model, goals, backend, LIMITS).run(None)
    assert (found.values, found.tiers) == (None, ())


def test_every_decided_tier_is_told_once() -> None:
    model, goals = _gangs()
    told: list[tuple[str, int | None, int | None]] = []
    search = TierSearch(
        model,
        goals,
        CpSatBackend(),
        LIMITS,
        report=lambda goal, v, b: told.append((goal.name, v, b)),
    )
    found = search.run(None)
    assert told == [(one.goal.name, one.value, one.bound) for one in found.tiers]


def test_a_completion_is_taken_only_if_it_is_better_and_keeps_the_pins() -> None:
    model, goals = _gangs()

    class Helpless(Watched):
        def solve(self, *arguments: object, **more: object) -> RawSolution:
            return RawSolution(None, None)

    offers = {"covered.1.gpus": (1, 1, 1), "covered.1.gangs": (0, 1, 2), "few": (0, 0, 2)}
    search = TierSearch(
        model, goals, Helpless(), LIMITS, complete=lambda values, goal, guide: offers[goal.name]
    )
    found = search.run((2, 0, 0))
    # 9 GPUs are taken; one gang more, but two GPUs less, and none of the first kind, but five less, are not.
    assert found.values == (1, 1, 1)
    assert [one.value for one in found.tiers] == [9, 3, 1]


@pytest.mark.parametrize("relaxes", [False, True])
def test_random_tiers_equal_the_enumeration(relaxes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without linear relaxations, which large models use."""
    monkeypatch.setattr(tiers_module, "SMALL_MODEL", 0 if relaxes else 400)
    for seed in range(40):
        rng = Random(seed)
        model = LinearModel()
        columns = [model.variable(0, rng.randint(1, 3)) for _ in range(4)]
        for _ in range(2):
            model.at_most([(c, rng.randint(0, 5)) for c in columns], rng.randint(3, 15), "room")
        sizes = {c: rng.randint(1, 5) for c in columns}
        goals = []
        for place, part in enumerate((columns[:2], columns[2:]), start=1):
            most = sum(sizes[c] * model.upper[c] for c in part)
            goals.append(_tier(f"covered.{place}.gpus", {c: sizes[c] for c in part}, most))
            most = sum(model.upper[c] for c in part)
            goals.append(_tier(f"covered.{place}.gangs", dict.fromkeys(part, 1), most))
        goals.append(_tier("least", {c: rng.randint(-3, 3) for c in columns}, -99, "min"))
        found = TierSearch(
            model, goals, HighsBackend() if seed % 2 else CpSatBackend(), LIMITS
        ).run(None)
        assert [one.value for one in found.tiers] == _best(model, goals), seed
        for one in found.tiers:
            assert one.bound is not None
            assert not one.goal.is_worse(one.bound, one.value)


def test_a_bound_of_one_run_is_no_bound_of_the_next() -> None:
    """A better first tier may leave fewer GPUs and more gangs; the old bound called 1 gang proved."""
    model = LinearModel()
    first, big, small = model.variable(0, 1), model.variable(0, 1), model.variable(0, 3)
    model.at_most([(first, 4), (big, 8), (small, 1)], 8, "room")
    goals = [
        _tier("top", {first: 1}, 1),
        _tier("covered.1.gpus", {big: 8, small: 1}, 11),
        _tier("covered.1.gangs", {big: 1, small: 1}, 4),
    ]

    class Lazy(Watched):
        """Finds nothing for the first tier in the first run."""

        lazy = True

        def solve(self, model: LinearModel, goal: TierGoal, **more: object) -> RawSolution:  # type: ignore[override]
            if self.lazy and goal.name == "top":
                return RawSolution(None, None)
            return super().solve(model, goal, **more)  # type: ignore[arg-type]

    backend = Lazy()
    search = TierSearch(model, goals, backend, LIMITS)
    assert [one.value for one in search.run((0, 1, 0)).tiers] == [0, 8, 1]
    backend.lazy = False
    again = search.run((0, 1, 0))
    assert [(one.value, one.bound) for one in again.tiers] == [(1, 1), (3, 3), (3, 3)]


def test_thrifty_runs_search_in_integers_for_gpus_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers_module, "SMALL_MODEL", 0)
    model, goals = _gangs()
    model.at_most([(0, 2), (1, 2), (2, 2)], 5, "odd")
    watched = Watched()
    limits = SolveLimits(seconds=20.0, workers=1)
    found = TierSearch(model, goals, watched, limits).run((0, 0, 0), thrifty=True)
    assert {goal.name for goal in watched.goals} <= {"covered.1.gpus"}
    assert found.tiers[0].closed
    assert len(found.tiers) == 3


class Part:
    """A scope that leaves nothing out and searches a given part of the model first."""

    def __init__(self, part: LinearModel, outside: frozenset[int] = frozenset()) -> None:
        self.part = part
        self.out = outside
        self.asked: list[str] = []

    def outside(self, goal: TierGoal) -> frozenset[int]:
        return self.out if goal.name == "covered.1.gpus" else frozenset()

    def within(self, values: tuple[int, ...], goal: TierGoal) -> tuple[int, ...]:
        gone = self.outside(goal)
        return tuple(0 if column in gone else value for column, value in enumerate(values))

    def restrict(
        self, values: tuple[int, ...], goal: TierGoal, guide: Sequence[float] | None
    ) -> LinearModel:
        self.asked.append(goal.name)
        return self.part

    def neighbourhood(
        self,
        values: tuple[int, ...],
        goal: TierGoal,
        random: Random,
        guide: Sequence[float] | None = None,
    ) -> LinearModel | None:
        return None


def test_a_restricted_model_is_searched_first_and_costs_no_optimum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tiers_module, "SMALL_MODEL", 0)
    model, goals = _gangs()
    model.at_most([(0, 2), (1, 2), (2, 2)], 5, "odd")
    scope = Part(LinearModel(list(model.lower), [0, *model.upper[1:]], list(model.rows)))
    found = TierSearch(model, goals, CpSatBackend(), LIMITS, scope=scope).run((0, 0, 0))
    assert scope.asked
    assert [one.value for one in found.tiers] == _best(model, goals)
    assert all(one.bound is not None for one in found.tiers)


def test_an_infeasible_restriction_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers_module, "SMALL_MODEL", 0)
    model, goals = _gangs()
    model.at_most([(0, 2), (1, 2), (2, 2)], 5, "odd")
    nothing = LinearModel(list(model.lower), list(model.upper), list(model.rows))
    nothing.at_least([(0, 1)], 99, "impossible")
    found = TierSearch(model, goals, CpSatBackend(), LIMITS, scope=Part(nothing)).run((0, 0, 0))
    assert [one.value for one in found.tiers] == _best(model, goals)


def test_thrifty_runs_search_part_after_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """One column open at a time, the others fixed: from (0, 0, 0) to nine GPUs."""
    monkeypatch.setattr(tiers_module, "SMALL_MODEL", 0)
    model, goals = _gangs()
    model.at_most([(0, 2), (1, 2), (2, 2)], 7, "odd")
    opened: list[int] = []

    class Columns(Part):
        def neighbourhood(
            self,
            values: tuple[int, ...],
            goal: TierGoal,
            random: Random,
            guide: Sequence[float] | None = None,
        ) -> LinearModel | None:
            column = len(opened) % 3
            opened.append(column)
            lower, upper = list(values), list(values)
            lower[column], upper[column] = 0, model.upper[column]
            return LinearModel(lower, upper, model.rows)

    scope = Columns(LinearModel([0, 0, 0], [0, 0, 0], list(model.rows)))
    limits = SolveLimits(seconds=20.0, workers=1)
    search = TierSearch(model, goals, CpSatBackend(), limits, scope=scope)
    found = search.run((0, 0, 0), thrifty=True)
    assert opened
    assert found.tiers[0].value >= 8


def test_columns_out_of_scope_are_left_out_of_a_tier_and_come_back_after_it() -> None:
    model, goals = _gangs()
    model.variable(0, 1)
    model.at_most([(3, 1), (0, 1)], 1, "late")
    late = _tier("late", {3: 1}, 1)
    watched = Watched()
    scope = Part(model, frozenset({3}))
    found = TierSearch(model, [*goals[:1], late], watched, LIMITS, scope=scope).run((0, 0, 0, 1))
    assert [one.value for one in found.tiers] == _best(model, [*goals[:1], late])


def test_what_a_solver_leaves_loose_is_tightened() -> None:
    """The variable of a lower tier floats above its least value in the solution of the tier before it."""
    model = LinearModel()
    gangs, lacking = model.variable(0, 3), model.variable(0, 9)
    model.at_least([(lacking, 1), (gangs, 3)], 9, "lacking")
    goals = [_tier("most", {gangs: 1}, 99), _tier("lacking", {lacking: 1}, 0, "min")]
    watched = Watched()
    search = TierSearch(
        model, goals, watched, LIMITS, tight=lambda values: (values[0], 9 - 3 * values[0])
    )
    found = search.run(None)
    assert found.values == (3, 0)
    assert [goal.name for goal in watched.goals] == ["most"], "the second tier is ideal already"
