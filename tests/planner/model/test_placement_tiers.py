"""The objective over the model: shortfalls, GPUs, gangs, elastic pods, packing; and reading solutions."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from placement_builders import starting

from planner.model.build import BuiltModel, build
from planner.model.tiers import (
    FULL,
    named_tiers,
    shortfall_cost,
    shortfall_of,
)
from planner.reduce.node_groups import Grouping
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.tiers import TierSearch
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.testing.feasibility import must_be_feasible
from planner.testing.problems import built_of, classes_of, prepared_of
from planner.testing.random_snapshots import random_case


@pytest.mark.parametrize(
    ("thousandths", "cost"),
    [(0, 0), (1, 1), (125, 125), (126, 127), (250, 375), (251, 379), (875, 15875), (1000, 31875)],
)
def test_the_cost_of_a_shortfall_doubles_its_slope_with_every_eighth(
    thousandths: int, cost: int
) -> None:
    assert shortfall_cost(thousandths) == cost


def test_the_cost_is_convex_and_rises() -> None:
    costs = [shortfall_cost(u) for u in range(FULL + 1)]
    steps = [b - a for a, b in itertools.pairwise(costs)]
    assert steps == sorted(steps)
    assert steps[0] == 1
    assert steps[-1] == 128


@pytest.mark.parametrize(
    ("deserved_milli", "gpus", "thousandths"),
    [(8000, 8, 0), (8000, 9, 0), (8000, 0, 1000), (8000, 7, 125), (3000, 1, 667), (2666, 2, 250)],
)
def test_a_shortfall_is_rounded_up(deserved_milli: int, gpus: int, thousandths: int) -> None:
    assert shortfall_of(deserved_milli, gpus) == thousandths


def _cluster() -> BuiltModel:
    parts = (
        gpu_node("n1", 8),
        gpu_queue("q", deserved=6),
        gpu_queue("p", deserved=2),
        gpu_queue("none"),
        work("r", 1, 1, queue="p", nodes=("n1",)),
        work("x", 1, 4, priority=1),
        work("y", 1, 2),
        work("big", 1, 7),
        work("z", 2, 1, minimum=1, queue="p"),
    )
    return built_of(prepared_of(snapshot_of(*parts)))


def test_tiers_come_class_by_class_and_rank_by_rank_then_the_tail() -> None:
    names = [tier.name for tier in _cluster().tiers]
    places = ["covered.1", "covered.2", "rest.2"]
    kinds = ["shortfall", "gpus", "gangs"]
    elastic = "rest.1.elastic"  # of z, which is covered: what it gets beyond its minimum yields to every covered gang
    assert names == [
        *(f"{p}.{k}" for p in places[:2] for k in kinds),
        elastic,
        *(f"{places[2]}.{k}" for k in kinds),
        "packing",
    ]


def test_with_cluster_scope_ranks_come_before_classes() -> None:
    prepared = prepared_of(
        snapshot_of(
            gpu_node("n1"),
            gpu_queue("q", deserved=1),
            work("a", 1, 1, priority=9),
            work("b", 1, 8, priority=9),
            work("c", 1, 1, priority=1),
        ),
        priority_scope="cluster",
    )
    groups = Grouping(prepared.problem).uniform()
    built = build(prepared.problem, classes_of(prepared), groups, cluster_scope=True)
    heads = list(dict.fromkeys(t.name.rpartition(".")[0] for t in built.tiers if t.name[-1] == "s"))
    assert [one for one in heads if one] == ["covered.1", "rest.1", "rest.2"]


def test_values_are_counted_at_minima_and_shortfalls_over_all_queues() -> None:
    built = _cluster()
    fixed = starting(built, x=1, y=1, z=1, big=0)
    solution = list(must_be_feasible(built.model, fixed))
    for one in built.form.shortfalls:
        gpus = one.running + sum(c * solution[column] for column, c in one.started)
        solution[one.lacking] = shortfall_of(one.deserved_milli, gpus)
        solution[one.cost] = shortfall_cost(solution[one.lacking])
    found = {tier.name: tier.expression.value(solution) for tier in built.tiers}
    assert found["covered.1.gpus"] == 4 + 1
    assert found["covered.1.gangs"] == 2
    assert found["covered.2.gpus"] == 2
    assert found["rest.2.gpus"] == 0
    # After rank 1 q lacks 2 of 6 GPUs (334 thousandths), p nothing; after rank 2 nobody lacks any.
    assert found["covered.1.shortfall"] == shortfall_cost(334)
    assert found["covered.2.shortfall"] == 0


def test_ideals_are_bounds_that_no_solution_passes() -> None:
    for seed in range(20):
        case = random_case(seed)
        prepared = prepared_of(case.snapshot, **{"queue_model": case.policy.queue_model})
        built = built_of(prepared)
        limits = SolveLimits(seconds=5.0, deterministic=True)
        for goal in built.tiers:
            found = CpSatBackend().solve(built.model, goal, pins=(), limits=limits)
            assert found.values is not None
            assert not goal.is_worse(goal.ideal, goal.expression.value(found.values)), case.name


def test_packing_counts_gpus_of_nodes_without_gpu_pods() -> None:
    parts = (
        gpu_node("n1", 8),
        gpu_node("n2", 8),
        gpu_node("n3", 8),
        gpu_queue("q"),
        work("r", 1, 1, nodes=("n1",)),
        work("x", 2, 8),
    )
    built = built_of(prepared_of(snapshot_of(*parts)))
    packing = built.tiers[-1]
    assert (packing.name, packing.ideal) == ("packing", 16)
    values = must_be_feasible(built.model, starting(built, x=1))
    assert packing.expression.value(values) == 0


def test_a_policy_of_its_own_picks_tiers_in_its_order() -> None:
    form = _cluster().form
    chosen = ("packing", "pods_evicted", "all.1.gangs", "covered.9.gpus", "covered.1.gpus")
    found = named_tiers(form, chosen)
    assert [tier.name for tier in found] == [
        "packing",
        "pods_evicted",
        "all.1.gangs",
        "covered.1.gpus",
    ]
    assert found[1].ideal == 0
    assert found[2].ideal == 4
    assert [tier.name for tier in named_tiers(form, ("rest.9.gangs",))] == ["packing"]


def test_dimensions_of_rows_are_exact_integers() -> None:
    model = _cluster().model
    for row in model.rows:
        assert all(type(c) is int for c in (*row.coefficients, row.low, row.high))


@pytest.mark.parametrize("seed", range(25))
def test_a_plan_read_from_a_solution_has_the_values_of_the_solution(seed: int) -> None:
    """values_of inverts started, pods and placed, and fills in what follows from them."""
    case = random_case(Random(seed).randrange(9000))
    prepared = prepared_of(case.snapshot, queue_model=case.policy.queue_model)
    built = built_of(prepared, groups=Grouping(prepared.problem).singles())
    search = TierSearch(
        built.model, built.tiers, CpSatBackend(), SolveLimits(10.0, deterministic=True)
    )
    found = search.run(None)
    assert found.values is not None
    placed = {
        (shape, group): count
        for group, shapes in built.placed(found.values).items()
        for shape, count in shapes.items()
    }
    used = {g: found.values[column] for g, column in built.form.variables.used.items()}
    receiving = [
        pair for pair, column in built.form.variables.subgroup.items() if found.values[column]
    ]
    again = built.values_of(
        built.started(found.values), built.pods(found.values), placed, used, receiving
    )
    for goal in built.tiers:
        assert goal.expression.value(again) == goal.expression.value(found.values), goal.name
    must_be_feasible(built.model, dict(enumerate(again)))


def test_shortfalls_of_a_queue_without_further_gangs_are_those_of_the_rank_before() -> None:
    parts = (
        gpu_node("n1", 8),
        gpu_queue("q", deserved=6),
        gpu_queue("p", deserved=2),
        work("a", 1, 1),
        work("b", 1, 1, queue="p", priority=1),
        work("c", 1, 1, queue="p"),
    )
    built = built_of(prepared_of(snapshot_of(*parts)))
    costs = {t.name: set(t.expression.columns) for t in built.tiers if t.name.endswith("shortfall")}
    first, second = costs["covered.1.shortfall"], costs["covered.2.shortfall"]
    assert len(first) == len(second) == 2
    assert len(first & second) == 1
    assert len(built.form.shortfalls) == 3


def test_only_eighths_that_a_queue_may_lack_have_lines() -> None:
    """8 GPUs deserved and 1 asked for: between 875 and 1000 thousandths one line is above all others."""
    parts = (gpu_node("n1", 8), gpu_queue("q", deserved=8), work("a", 1, 1))
    built = built_of(prepared_of(snapshot_of(*parts)))
    cost = built.form.shortfalls[0].cost
    assert sum(cost in row.columns for row in built.model.rows) == 1
