"""Counts that are kept while room changes are those that counting anew gives."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from planner.capacity.counted_room import CountedRoom, fit_counts
from planner.capacity.fit import Placed, Room
from planner.reduce.disaggregate import Assignment
from planner.search.construct.fill import room_after
from planner.testing.problems import bare_demand, bare_problem


@pytest.mark.parametrize("seed", range(5))
def test_kept_counts_are_right_after_every_change(seed: int) -> None:
    random = Random(seed)
    free = [[random.randint(0, 8), random.randint(0, 64)] for _ in range(40)]
    requests = [[1, 8], [2, 3], [4, 20], [0, 1]]
    room = Room(bare_problem(free, requests))
    problem = room.problem
    came: list[list[Placed]] = []
    for _ in range(60):
        step = random.choice(("place", "up to", "take", "undo", "try"))
        shape, count = random.randrange(4), random.randint(1, 12)
        if step == "place":
            came.append(room.place({shape: count}) or [])
        elif step == "up to":
            came.append(room.place_up_to(shape, count))
        elif step == "take":
            pods = [Placed(shape, random.randrange(40), 1)]
            room.take(pods)
            came.append(pods)
        elif step == "undo" and came:
            room.undo(came.pop(random.randrange(len(came))))
        elif step == "try":
            room.undo(room.place({shape: count}) or [], tried=True)
        for one in range(4):
            now = fit_counts(room.free, problem.requests[one], problem.admits[one])
            assert np.array_equal(room.counts(one), now)


def test_only_nodes_that_have_changed_are_counted_again() -> None:
    free = np.full((100, 1), 8, dtype=np.int64)
    request, admitted = np.array([2]), np.ones(100, dtype=bool)
    room = CountedRoom(100)
    first = room.of(0, free, request, admitted)
    free[:] = 4
    room.changed([3])
    second = room.of(0, free, request, admitted)
    assert second[3] == 2
    assert second.sum() == 99 * 4 + 2  # nobody said that the other nodes have changed
    assert first.sum() == 400  # what was given stays as it was
    assert room.of(0, free, request, admitted) is second


def test_queues_are_charged_for_all_their_gangs_at_once() -> None:
    problem = bare_problem(
        [[8, 64]] * 4,
        [[1, 8], [2, 3]],
        demands=[
            bare_demand([(0, 2)], need=2),
            bare_demand([(1, 1)], need=1, gang=1),
        ],
        queue_room={0: [9, -1]},
    )
    plan = Assignment({0: {0: [(0, 1), (1, 1)]}, 1: {0: [(2, 1)]}})
    one_by_one = Room(problem)
    for index, (shape, pods) in {0: (0, 2), 1: (1, 1)}.items():
        one_by_one.charge(problem.demands[index], problem.requests[shape] * pods)
    assert room_after(problem, plan).queues[0].tolist() == one_by_one.queues[0].tolist() == [5, -1]
