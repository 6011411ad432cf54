"""Rows of node groups: valid for every packing, exact for divisor chains, and groups can be split again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from planner.capacity.counted_room import fit_counts
from planner.model.build import build
from planner.problem.placement import PlacementProblem
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import Grouping, NodeGroup, demanded_shapes, effective_room
from planner.testing.feasibility import must_be_feasible, must_be_infeasible
from planner.testing.problems import bare_demand, bare_problem

Counts = tuple[int, ...]


def _random_problem(rng: Random, *, alike: bool = False) -> PlacementProblem:
    nodes, shapes = rng.randint(1, 3), rng.randint(1, 3)
    first = [rng.randint(0, 4), rng.randint(0, 9), rng.randint(1, 5)]
    free = [
        first if alike else [rng.randint(0, 4), rng.randint(0, 9), rng.randint(1, 5)]
        for _ in range(nodes)
    ]
    requests = [[rng.randint(0, 2), rng.randint(0, 4), 1] for _ in range(shapes)]
    admits = [[alike or rng.random() < 0.8 for _ in range(nodes)] for _ in range(shapes)]
    demands = [bare_demand([(s, rng.randint(1, 5))], need=1, gang=s) for s in range(shapes)]
    return bare_problem(
        free, requests, demands, admits=admits, busy=[not alike and rng.random() < 0.3] * nodes
    )


def _in_milli(problem: PlacementProblem) -> PlacementProblem:
    """The same where the objective counts thousandths: a unit of the first resource is 142 of them, as a slice is."""
    return replace(
        problem, shape_gpus=142 * problem.shape_gpus, node_gpus=142 * problem.node_gpus, gpu_scale=1
    )


def _single_node_packings(problem: PlacementProblem, node: int) -> list[Counts]:
    fits = [
        int(fit_counts(problem.free, request, admitted)[node])
        for request, admitted in zip(problem.requests, problem.admits, strict=True)
    ]
    most = demanded_shapes(problem)
    ranges = [range(min(fit, most[shape]) + 1) for shape, fit in enumerate(fits)]
    return [
        counts
        for counts in product(*ranges)
        if np.all(np.array(counts) @ problem.requests <= problem.free[node])
    ]


def _packings(problem: PlacementProblem, nodes: tuple[int, ...]) -> set[Counts]:
    """Pods per shape of every packing on these nodes that a plan may ask for."""
    most = demanded_shapes(problem)
    sums: set[Counts] = {(0,) * len(problem.requests)}
    for node in nodes:
        sums = {
            tuple(a + b for a, b in zip(one, other, strict=True))
            for one in sums
            for other in _single_node_packings(problem, node)
        }
    return {one for one in sums if all(count <= most[s] for s, count in enumerate(one))}


def _within_rows(problem: PlacementProblem, group: NodeGroup, counts: Counts) -> bool:
    """The rows as the module's docstring writes them."""
    asked = np.array(counts) @ problem.requests
    if any(count > fit for count, fit in zip(counts, group.fits, strict=True)):
        return False
    if np.any(asked > np.array(group.room)):
        return False
    for reference, fit in enumerate(group.fits):
        if not counts[reference] and not fit:
            continue
        need = problem.requests[reference]
        copies = [int((request[need > 0] // need[need > 0]).min()) for request in problem.requests]
        if np.array(counts) @ np.array(copies) > fit:
            return False
    return all(
        sum(n * (int(problem.requests[s, d]) // size) for s, n in enumerate(counts)) <= pieces
        for d, size, pieces in group.nested
    )


@pytest.mark.parametrize("milli", [False, True])
@pytest.mark.parametrize("seed", range(60))
def test_every_feasible_packing_satisfies_the_rows_of_every_grouping(
    seed: int, milli: bool
) -> None:
    problem = _random_problem(Random(seed))
    problem = _in_milli(problem) if milli else problem
    grouping = Grouping(problem)
    fine = grouping.uniform()
    for groups in (fine, grouping.coarse(fine, 1), grouping.singles()):
        for group in groups:
            for counts in _packings(problem, group.nodes):
                assert _within_rows(problem, group, counts), (seed, group, counts)


@pytest.mark.parametrize("seed", range(30))
def test_single_nodes_are_exact(seed: int) -> None:
    problem = _random_problem(Random(1000 + seed))
    for group in Grouping(problem).singles():
        packs = _packings(problem, group.nodes)
        for counts in product(*(range(fit + 1) for fit in group.fits)):
            asked = all(n <= demanded_shapes(problem)[s] for s, n in enumerate(counts))
            if asked:
                assert _within_rows(problem, group, counts) == (counts in packs), (seed, counts)


@pytest.mark.parametrize("sizes", [(1, 2, 4), (1, 4), (2, 4, 8), (1, 2, 6)])
def test_uniform_groups_are_exact_for_divisor_chains(sizes: tuple[int, ...]) -> None:
    problem = bare_problem(
        [[7, 99]] * 3,
        [[size, 1] for size in sizes],
        [bare_demand([(s, 8)], need=1, gang=s) for s in range(len(sizes))],
    )
    (group,) = Grouping(problem).uniform()
    packs = _packings(problem, group.nodes)
    for counts in product(*(range(min(fit, 8) + 1) for fit in group.fits)):
        assert _within_rows(problem, group, counts) == (counts in packs), counts


def test_nested_sizes_are_rows_of_the_model() -> None:
    """Three nodes of 7 take three 4s and three 2s; the sums alone admit a fourth 2.

    Where pods were counted as a part of each size, a 4 held only one 2, and the fourth slipped through.
    """
    problem = bare_problem([[7, 99]] * 3, [[4, 1], [2, 1], [1, 1]])
    classes = [GangClass((s,), problem.demands[s], "covered", 1) for s in range(3)]
    (group,) = Grouping(problem).uniform()
    built = build(problem, classes, [group])
    placed = built.form.variables.spots.own
    must_be_feasible(built.model, {placed[0, 0]: 3, placed[1, 0]: 3, placed[2, 0]: 3})
    must_be_infeasible(built.model, {placed[0, 0]: 3, placed[1, 0]: 4, placed[2, 0]: 0})
    must_be_feasible(built.model, {placed[0, 0]: 2, placed[1, 0]: 5, placed[2, 0]: 3})


@pytest.mark.parametrize("milli", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_effective_room_loses_no_packing(seed: int, milli: bool) -> None:
    problem = _random_problem(Random(2000 + seed))
    problem = _in_milli(problem) if milli else problem
    room, fits = effective_room(problem, demanded_shapes(problem))
    assert np.all(room <= problem.free)
    for node in range(len(problem.node_names)):
        for counts in _packings(problem, (node,)):
            assert np.all(np.array(counts) @ problem.requests <= room[node]), (seed, node, counts)
            assert all(count <= fits[shape, node] for shape, count in enumerate(counts))


def test_nodes_that_differ_only_in_room_that_nobody_can_use_are_one_group() -> None:
    problem = bare_problem([[2, 11, 40], [2, 19, 50], [2, 8, 60]], [[1, 4, 1]])
    groups = Grouping(problem).uniform()
    assert [group.nodes for group in groups] == [(0, 1, 2)]


def test_nodes_of_different_state_or_gpus_are_kept_apart() -> None:
    problem = bare_problem([[2, 9], [2, 9], [3, 9]], [[2, 1]], busy=[False, True, False])
    assert sorted(group.nodes for group in Grouping(problem).uniform()) == [(0,), (1,), (2,)]


def test_nodes_on_which_nothing_fits_belong_to_no_group() -> None:
    problem = bare_problem([[1, 9], [4, 9]], [[2, 1]])
    grouping = Grouping(problem)
    assert [group.nodes for group in grouping.uniform()] == [(1,)]
    assert [group.nodes for group in grouping.singles()] == [(1,)]


@pytest.mark.parametrize("seed", range(30))
def test_merging_and_splitting_keep_every_node_once(seed: int) -> None:
    problem = _random_problem(Random(3000 + seed))
    grouping = Grouping(problem)
    fine = grouping.uniform()
    nodes = Counter(node for group in fine for node in group.nodes)
    assert set(nodes.values()) <= {1}
    groups = grouping.coarse(fine, 1)
    assert Counter(node for group in groups for node in group.nodes) == nodes
    for _ in range(3):
        groups = tuple(part for group in groups for part in grouping.split(group))
        assert Counter(node for group in groups for node in group.nodes) == nodes
    assert sorted(groups, key=lambda g: g.nodes) == sorted(
        grouping.singles(), key=lambda g: g.nodes
    )


def test_a_mixed_group_splits_into_uniform_ones_first() -> None:
    problem = bare_problem([[4, 4, 9], [4, 4, 9], [4, 8, 9]], [[1, 1, 1], [1, 4, 1]])
    grouping = Grouping(problem)
    (mixed,) = grouping.coarse(grouping.uniform(), 1)
    assert not mixed.uniform
    assert sorted(part.nodes for part in grouping.split(mixed)) == [(0, 1), (2,)]
