from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.effective import resolve_policy
from models.policy import Policy
from planner.capacity.fit import Placed
from planner.encode.prepared import prepare
from planner.explain.ground import Ground, Search
from planner.explain.parts import parts_of, rigid_counts
from planner.problem.placement import Item, PlacementProblem
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work


@pytest.fixture
def problem() -> PlacementProblem:
    snapshot = snapshot_of(
        gpu_node("n1"), gpu_node("n2", 4), gpu_queue("q", capability=9), work("a", pods=3, gpus=4)
    )
    policy = resolve_policy(snapshot, Policy.model_validate({"queue_model": "capacity"}))
    return prepare(snapshot, policy, exact_least).problem


def test_counts_and_sums(problem: PlacementProblem) -> None:
    ground = Ground(problem, problem.free, problem.admits)
    demand = problem.demands[0]
    gpus = problem.dimensions.index("nvidia.com/gpu")
    assert ground.pods(0) == 3
    assert ground.open_sum(demand, (0,), gpus) == (12, 2)
    assert ground.fits(demand) is True
    assert ground.shape_room(0).fit_alone[gpus] == 3
    assert ground.shape_room(0).largest[gpus] == 8


def test_limits_count_only_where_they_are_given(problem: PlacementProblem) -> None:
    limited = Ground(problem, problem.free, problem.admits, problem.queue_room)
    assert limited.fits(problem.demands[0]) is False
    assert Ground(problem, problem.free, problem.admits).fits(problem.demands[0]) is True


def test_room_given_back_changes_the_answers(problem: PlacementProblem) -> None:
    free = problem.free.copy()
    free[0] -= problem.requests[0]
    room = {queue: np.zeros_like(amounts) for queue, amounts in problem.queue_room.items()}
    ground = Ground(problem, free, problem.admits, room)
    demand = problem.demands[0]
    assert ground.pods(0) == 2
    assert ground.fits(demand) is False
    back = problem.requests[0] * 3
    ground.give_back([Placed(0, 0, 1)], [(demand.queue_chain, back)])
    assert ground.pods(0) == 3
    assert ground.fits(demand) is True


def test_closed_nodes_hold_nothing(problem: PlacementProblem) -> None:
    ground = Ground(problem, problem.free, np.zeros_like(problem.admits))
    assert ground.pods(0) == 0
    assert ground.fits(problem.demands[0]) is False


def test_what_counting_leaves_open_is_asked_once_and_only_in_time(
    problem: PlacementProblem,
) -> None:
    """Two kinds of pods of which the greedy choice fails: only a search can tell."""
    item = problem.demands[0].items[0]
    demand = replace(
        problem.demands[0],
        items=(replace(item, step=2, count=4), Item("other", 0, 1)),
        need=3,
        minimum=(3000, 12, 3),
    )
    asked = []
    search = Search(lambda *question: asked.append(question))
    ground = Ground(problem, problem.free, problem.admits, search=search)
    first = ground.fits(demand)
    assert ground.fits(demand) is first
    assert len(asked) <= 1
    late = Ground(
        problem, problem.free, problem.admits, search=Search(lambda *q: None, lambda: True)
    )
    assert late.fits(demand) in (True, None)


def test_a_gang_without_a_choice_is_rigid(problem: PlacementProblem) -> None:
    demand = problem.demands[0]
    assert rigid_counts(demand) == {0: 3}
    assert [part.need for part in parts_of(demand)] == [3]
    roles = replace(
        demand, items=(Item("a", 0, 2), Item("b", 1, 2)), role_need=(("a", 1), ("b", 2))
    )
    assert rigid_counts(roles) == {0: 1, 1: 2}
    assert rigid_counts(replace(roles, need=4)) is None
    assert rigid_counts(replace(demand, items=(Item("", 0, 2), Item("", 1, 2)))) is None
