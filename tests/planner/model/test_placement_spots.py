"""Pods that request the same share columns: the model says the same as with a column per shape and group."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from planner.model.build import BuiltModel, build
from planner.model.variables import create_variables
from planner.problem.linear import LinearModel
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import Grouping
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.tiers import TierSearch
from planner.testing.feasibility import must_be_feasible
from planner.testing.problems import bare_demand, bare_problem

LIMITS = SolveLimits(10.0, deterministic=True)


def _built(rng: Random) -> BuiltModel:
    """Four shapes of two requests on four nodes, admitted here and there."""
    free = [[rng.randint(1, 4), 9] for _ in range(4)]
    admits = [[rng.random() < 0.7 for _ in range(4)] for _ in range(4)]
    demands = []
    for shape in range(4):
        need = rng.randint(1, 3)
        demands.append(bare_demand([(shape, need + rng.randint(0, 2))], need=need, gang=shape))
    gangs = [replace(one, gpus=one.need * (1 + i // 2)) for i, one in enumerate(demands)]
    problem = bare_problem(free, [[1, 1], [1, 1], [2, 1], [2, 1]], gangs, admits=admits)
    classes = [GangClass((i,), problem.demands[i], "covered", 1 + i % 2) for i in range(4)]
    order = sorted(classes, key=lambda one: one.rank)
    return build(problem, order, Grouping(problem).uniform())


def _vector(built: BuiltModel) -> list[int]:
    found = TierSearch(built.model, built.tiers, CpSatBackend(), LIMITS).run(None)
    return [one.value for one in found.tiers]


@pytest.mark.parametrize("seed", range(30))
def test_sharing_columns_changes_no_tier(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = _built(Random(seed))
    name = "planner.model.build._told_apart"
    monkeypatch.setattr(name, lambda *_: frozenset(range(4)))
    own = _built(Random(seed))
    assert not any(zone.routed for zone in own.form.variables.spots.zones)
    assert _vector(shared) == _vector(own)


@pytest.mark.parametrize("seed", range(30))
def test_solutions_become_pods_where_they_are_admitted_and_back(seed: int) -> None:
    built = _built(Random(seed))
    found = TierSearch(built.model, built.tiers, CpSatBackend(), LIMITS).run(None)
    assert found.values is not None
    placed = built.placed(found.values)
    problem, form = built.form.problem, built.form
    for g, shapes in placed.items():
        for shape in shapes:
            assert all(problem.admits[shape, node] for node in form.groups[g].nodes)
    flat = {(shape, g): n for g, shapes in placed.items() for shape, n in shapes.items()}
    pods = [sum(n for (shape, _), n in flat.items() if shape == one) for one in range(4)]
    of_class = [one.example.items[0].shape for one in form.classes]
    assert [sum(items) for items in built.pods(found.values)] == [pods[s] for s in of_class]
    again = built.values_of(built.started(found.values), built.pods(found.values), flat, {})
    assert [again[c] for zone in form.variables.spots.zones for c in zone.columns.values()] == [
        found.values[c] for zone in form.variables.spots.zones for c in zone.columns.values()
    ]


def test_shapes_alike_share_columns_where_both_are_admitted() -> None:
    admits = [[True, True], [True, False]]
    problem = bare_problem([[4, 9], [4, 9]], [[1, 1], [1, 1]], admits=admits)
    classes = [GangClass((i,), problem.demands[i], "covered", 1) for i in range(2)]
    model = LinearModel()
    groups = Grouping(problem).uniform()
    spots = create_variables(model, problem, classes, groups).spots
    assert {(zone.shapes, tuple(zone.columns)) for zone in spots.zones} == {
        ((0, 1), (0,)),
        ((0,), (1,)),
    }
    apart = create_variables(LinearModel(), problem, classes, groups, apart={1}).spots
    assert set(apart.own) == {(0, 0), (0, 1), (1, 0)}


def test_taking_pods_away_leaves_a_solution() -> None:
    for seed in range(20):
        built = _built(Random(100 + seed))
        found = TierSearch(built.model, built.tiers, CpSatBackend(), LIMITS).run(None)
        assert found.values is not None
        values = list(found.values)
        variables = built.form.variables
        for k, column in enumerate(variables.starts):
            for (other, _), (_, _) in product(variables.pods[k][0], [(0, 0)]):
                values[other] = 0
            assert column is not None
            values[column] = 0
        variables.spots.trim(values, {})
        for column in variables.used.values():
            values[column] = 0
        must_be_feasible(built.model, dict(enumerate(built.tight(values))))
