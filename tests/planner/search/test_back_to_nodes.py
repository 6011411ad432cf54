"""From sums over groups and classes back to pods on nodes: nothing is lost on the way."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest

from planner.capacity.fit import Placed, Room
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment, GroupPacking, assign_gangs, pack_groups
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import Grouping
from planner.search.exact.fit_by_cpsat import exact_pack
from planner.testing.problems import bare_demand, bare_problem


def _by_shape(placed: tuple[Placed, ...] | list[Placed]) -> Counter[int]:
    found: Counter[int] = Counter()
    for one in placed:
        found[one.shape] += one.count
    return found


@pytest.mark.parametrize("seed", range(40))
def test_every_pod_of_a_group_is_placed_or_missing_and_rooms_hold(seed: int) -> None:
    rng = Random(seed)
    problem = bare_problem(
        [[rng.choice((4, 6, 8)), rng.randint(2, 9), 6] for _ in range(4)],
        [[rng.randint(1, 3), rng.randint(0, 3), 1] for _ in range(3)],
    )
    groups = Grouping(problem).uniform()
    counts = {
        g: {s: rng.randint(0, fit) for s, fit in enumerate(group.fits) if fit}
        for g, group in enumerate(groups)
    }
    wanted: Counter[int] = Counter()
    for pods in counts.values():
        wanted.update(pods)
    packing = pack_groups(problem, groups, counts, exact_pack)
    assert _by_shape(packing.placed) + Counter(dict(packing.missing)) == +wanted
    room = Room(problem)
    room.take(packing.placed)
    assert np.all(room.free >= 0)
    assert not packing.missing or packing.failed


def test_what_a_group_cannot_pack_goes_to_the_room_of_others() -> None:
    problem = bare_problem([[4, 9], [4, 9], [8, 9]], [[3, 1]])
    groups = Grouping(problem).uniform()
    small = next(g for g, group in enumerate(groups) if group.size == 2)
    packing = pack_groups(problem, groups, {small: {0: 3}}, None)
    assert packing.failed == (small,)
    assert packing.missing == {}
    assert {one.node for one in packing.placed} == {0, 1, 2}


def test_a_group_that_needs_more_gpu_nodes_than_the_model_says_has_failed() -> None:
    problem = bare_problem([[4, 9]] * 3, [[3, 1], [1, 1]])
    groups = Grouping(problem).uniform()
    assert pack_groups(problem, groups, {0: {0: 2, 1: 2}}, exact_pack, {0: 2}).failed == ()
    assert pack_groups(problem, groups, {0: {0: 2, 1: 3}}, exact_pack, {0: 2}).failed == (0,)


def _two_classes() -> tuple[PlacementProblem, list[GangClass]]:
    demands = [
        bare_demand([(0, 3)], need=2, gang=0),
        bare_demand([(0, 3)], need=2, gang=1),
        bare_demand([(0, 2)], need=0, gang=2, ready=True),
    ]
    problem = bare_problem([[4, 9], [4, 9]], [[1, 1]], demands)
    waiting = GangClass((0, 1), demands[0], "covered", 1)
    return problem, [waiting, GangClass((2,), demands[2])]


def _totals(assignment: Assignment) -> dict[int, int]:
    return {
        demand: sum(count for spots in items.values() for _, count in spots)
        for demand, items in assignment.pods.items()
    }


def test_counts_in_are_counts_out() -> None:
    problem, classes = _two_classes()
    packing = GroupPacking((Placed(0, 0, 4), Placed(0, 1, 3)), (), {})
    found = assign_gangs(problem, classes, [2, 0], [[5], [2]], packing)
    assert sum(_totals(found).values()) == 7
    assert _totals(found)[2] == 2
    assert _by_shape(found.placed(problem)) == {0: 7}
    nodes: Counter[int] = Counter()
    for one in found.placed(problem):
        nodes[one.node] += one.count
    assert nodes == {0: 4, 1: 3}


def test_missing_pods_are_taken_from_what_is_elastic() -> None:
    problem, classes = _two_classes()
    packing = GroupPacking((Placed(0, 0, 4),), (0,), {0: 3})
    found = assign_gangs(problem, classes, [2, 0], [[5], [2]], packing)
    assert _totals(found) == {0: 2, 1: 2}


def test_a_gang_whose_minimum_is_missing_receives_nothing() -> None:
    problem, classes = _two_classes()
    packing = GroupPacking((Placed(0, 0, 3),), (0,), {0: 1})
    found = assign_gangs(problem, classes, [2, 0], [[4], [0]], packing)
    assert _totals(found) == {0: 2}


def test_a_copy_is_its_own() -> None:
    original = Assignment({0: {0: [(1, 2)]}})
    other = original.copy()
    other.pods[0][0].append((2, 1))
    other.pods[1] = {}
    assert original.pods == {0: {0: [(1, 2)]}}
