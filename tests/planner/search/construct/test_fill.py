"""Filling what room there is: gangs in order, then elastic pods, never beyond what there is."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from planner.problem.placement import Demand, Item, PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.construct.fill import fill_elastic, fill_starts, room_after
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.testing.problems import bare_demand, bare_problem


def _classes(problem: PlacementProblem) -> list[GangClass]:
    return [
        GangClass((i,), one, "" if one.ready else "covered", 1)
        for i, one in enumerate(problem.demands)
    ]


def _problem(*demands: Demand, queue: int = -1, gpus: int = 8) -> PlacementProblem:
    return bare_problem(
        [[gpus, 20], [gpus, 20]], [[2, 1], [1, 1]], demands, queue_room={0: [queue, -1]}
    )


def _pods(assignment: Assignment) -> dict[int, int]:
    return {
        demand: sum(count for spots in items.values() for _, count in spots)
        for demand, items in assignment.pods.items()
    }


def test_gangs_start_in_order_while_they_fit() -> None:
    problem = _problem(*(bare_demand([(0, 3)], need=3, gang=g) for g in range(3)))
    assignment = Assignment({})
    assert (
        fill_starts(problem, _classes(problem), assignment, room_after(problem, assignment), None)
        == 2
    )
    assert _pods(assignment) == {0: 3, 1: 3}


def test_a_class_is_filled_as_a_whole() -> None:
    problem = _problem(*(bare_demand([(0, 3)], need=3, gang=g) for g in range(5)))
    one = GangClass((0, 1, 2, 3, 4), problem.demands[0], "covered", 1)
    assignment = Assignment({1: {0: [(0, 3)]}})
    assert fill_starts(problem, [one], assignment, room_after(problem, assignment), None) == 1
    assert set(assignment.pods) == {0, 1}


def test_the_queue_ends_a_filling() -> None:
    problem = _problem(*(bare_demand([(0, 2)], need=2, gang=g) for g in range(3)), queue=9)
    assignment = Assignment({})
    room = room_after(problem, assignment)
    assert fill_starts(problem, _classes(problem), assignment, room, None) == 2
    assert list(room.queues[0]) == [1, -1]


def test_open_questions_are_passed_over_without_a_search_and_answered_with_one() -> None:
    """Nodes of 4 and a gang of a 3 with two 2s: greed puts both 2s on one node only after the 3."""
    mixed = bare_demand([Item("a", 0, 1), Item("b", 1, 3)], need=4, minimum=(9, 4))
    problem = bare_problem([[5, 9], [4, 9]], [[3, 1], [2, 1]], [mixed])
    for exact, started in ((None, {0, 1}), (exact_fit, {1})):
        assignment = Assignment({})
        room = room_after(problem, assignment)
        assert fill_starts(problem, _classes(problem), assignment, room, exact) in started
        assert np.all(room.free >= 0)


def test_nothing_is_filled_after_a_stop() -> None:
    problem = _problem(bare_demand([(0, 3)], need=3))
    assignment = Assignment({})
    room = room_after(problem, assignment)
    assert fill_starts(problem, _classes(problem), assignment, room, None, lambda: True) == 0
    assert assignment.pods == {}


def test_elastic_pods_go_to_started_and_running_gangs_only() -> None:
    problem = _problem(
        bare_demand([(1, 4)], need=2, gang=0),
        bare_demand([(1, 4)], need=2, gang=1),
        bare_demand([(1, 5)], need=0, gang=2, ready=True),
    )
    assignment = Assignment({0: {0: [(0, 2)]}})
    room = room_after(problem, assignment)
    assert fill_elastic(problem, _classes(problem), assignment, room) == 2 + 5
    assert _pods(assignment) == {0: 4, 2: 5}


def test_elastic_pods_stop_at_the_queue_and_come_in_no_part_of_a_partition() -> None:
    problem = _problem(
        bare_demand([(1, 9)], need=0, ready=True),
        bare_demand([Item("", 1, 4, step=2)], need=0, gang=1, ready=True),
        queue=5,
    )
    assignment = Assignment({})
    assert (
        fill_elastic(problem, _classes(problem), assignment, room_after(problem, assignment)) == 5
    )
    assert _pods(assignment) == {0: 5}


@pytest.mark.parametrize("seed", range(40))
def test_a_filled_plan_respects_rooms_queues_and_minima(seed: int) -> None:
    rng = Random(seed)
    demands = []
    for g in range(6):
        counts = [rng.randint(1, 4) for _ in range(rng.randint(1, 2))]
        items = [Item(role, rng.randrange(2), n) for role, n in zip("ab", counts, strict=False)]
        need = rng.randint(1, min(sum(counts), 3))
        demands.append(bare_demand(items, need=need, gang=g, ready=rng.random() < 0.2))
    problem = _problem(*demands, queue=rng.choice((-1, 7, 12)), gpus=rng.randint(2, 8))
    assignment = Assignment({})
    room = room_after(problem, assignment)
    fill_starts(problem, _classes(problem), assignment, room, exact_fit)
    fill_elastic(problem, _classes(problem), assignment, room)
    again = room_after(problem, assignment)
    assert np.array_equal(again.free, room.free)
    assert np.all(again.free >= 0)
    assert all(np.array_equal(again.queues[q], room.queues[q]) for q in room.queues)
    used = sum(
        int(problem.requests[one.shape, 0]) * one.count for one in assignment.placed(problem)
    )
    assert problem.queue_room[0][0] < 0 or used <= problem.queue_room[0][0]
    for index, pods in _pods(assignment).items():
        demand = problem.demands[index]
        assert demand.ready or pods >= demand.need
        for item, spots in assignment.pods[index].items():
            assert sum(count for _, count in spots) <= demand.items[item].count
