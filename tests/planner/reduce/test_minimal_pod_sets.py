"""Minimal sets of pods and their placements, listed in full, against a plain enumeration."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from planner.problem.placement import Demand, PlacementProblem
from planner.reduce.minimal_pod_sets import (
    MOST_SETS,
    TooManyError,
    every_placement,
    minimal_deliveries,
)
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.gangs_by_hand import rings, roles
from planner.testing.problems import prepared_of


def problem_of(
    *works: Work, gpus: int = 8, nodes: int = 1, limit: int | None = None
) -> PlacementProblem:
    parts = [gpu_node(f"n{i}", gpus) for i in range(nodes)]
    return prepared_of(snapshot_of(*parts, gpu_queue("q", capability=limit), *works)).problem


def demand_of(one: Work) -> Demand:
    return problem_of(one).demands[0]


def test_a_plain_gang_needs_its_minimum() -> None:
    assert list(minimal_deliveries(demand_of(work("x", 5, 1, minimum=3)))) == [{0: 3}]


def test_roles_and_the_minimum_of_all_are_both_met() -> None:
    demand = demand_of(roles("x", 3, head=(1, 1, 4), worker=(3, 1, 1)))
    found = minimal_deliveries(demand)
    assert [sum(one.values()) for one in found] == [3]
    spare = demand_of(roles("y", 3, a=(2, 1, 2), b=(2, 1, 1)))
    assert sorted(sorted(one.values()) for one in minimal_deliveries(spare)) == [[1, 2], [1, 2]]


def test_subgroups_come_whole() -> None:
    found = minimal_deliveries(demand_of(rings("x", sizes=(2, 2), size=2, least=1)))
    assert sorted(tuple(one.items()) for one in found) == [((0, 2),), ((1, 2),)]


def test_none_contains_another() -> None:
    demand = demand_of(rings("x", sizes=(2, 3, 3), size=2, least=2, minimum=5))
    found = minimal_deliveries(demand)
    assert found
    for one, other in itertools.permutations(found, 2):
        assert any(count > other.get(item, 0) for item, count in one.items())


def test_too_many_are_not_listed() -> None:
    demand = demand_of(work("x", 2))
    many = replace(demand, items=demand.items * 8)
    assert MOST_SETS < 3**8
    with pytest.raises(TooManyError):
        minimal_deliveries(many)


def test_every_placement_is_listed_once_and_fits() -> None:
    problem = problem_of(work("x", 3, 1), gpus=2, nodes=3)
    found = [plan.pods[0][0] for plan in every_placement(problem, {0: {0: 3}})]
    spreads = {tuple(sorted(spots)) for spots in found}
    assert len(spreads) == len(found) == 7  # of 2, 2, 2 GPUs: 1+1+1 and the six orders of 2+1+0
    before = problem.free.copy()
    list(every_placement(problem, {0: {0: 3}}))
    assert np.array_equal(before, problem.free)


def test_a_queue_at_its_limit_takes_nothing() -> None:
    problem = problem_of(work("x", 3, 1), limit=2)
    assert list(every_placement(problem, {0: {0: 3}})) == []
