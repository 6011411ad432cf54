"""Which gangs fit alone: counts decide where they can, and say what placing would have said."""

from __future__ import annotations

from random import Random

import pytest

from planner.capacity.fit import Room
from planner.capacity.fits_alone import fits
from planner.capacity.fits_by_count import RoomyNodes
from planner.encode.prepared import prepare
from planner.problem.placement import Demand, Item, PlacementProblem
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.presolve.startable import startable_demands
from planner.testing.problems import bare_demand, bare_problem
from planner.testing.random_snapshots import random_case

NODES, SHAPES = 30, 60


def _many_shapes(gangs: int, pods: int) -> PlacementProblem:
    """Gangs of pods that all differ in CPU, on nodes of three kinds."""
    rng = Random(1)
    requests = [(rng.choice((0, 1, 2)), 1000 + shape, 1) for shape in range(SHAPES)]
    demands: list[Demand] = []
    for gang in range(gangs):
        items = [Item("", shape, 1) for shape in rng.sample(range(SHAPES), pods)]
        least = tuple(sum(requests[item.shape][d] for item in items) for d in range(3))
        demands.append(bare_demand(items, need=pods, gang=gang, minimum=least))
    free = [(8, 64_000 + 1000 * (node % 3), 110) for node in range(NODES)]
    return bare_problem(free, requests, demands)


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Pods of each placing that was tried."""
    found: list[int] = []
    place = Room.place

    def noted(self: Room, counts: dict[int, int]) -> object:
        found.append(sum(counts.values()))
        return place(self, counts)

    monkeypatch.setattr(Room, "place", noted)
    return found


@pytest.mark.parametrize("pods", [20, 50], ids=["a node for each pod", "more pods than nodes"])
def test_gangs_of_many_shapes_are_counted_and_not_placed(walks: list[int], pods: int) -> None:
    problem = _many_shapes(40, pods)
    assert startable_demands(problem, exact_fit) == frozenset(range(40))
    assert walks == []  # placing every gang takes items times nodes


def test_each_shape_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []
    count = RoomyNodes._fitting

    def noted(self: RoomyNodes, request: object) -> object:
        counted.append(1)
        return count(self, request)  # type: ignore[arg-type]

    monkeypatch.setattr(RoomyNodes, "_fitting", noted)
    problem = _many_shapes(200, 20)
    assert len(startable_demands(problem, exact_fit)) == 200
    assert len(counted) == SHAPES
    assert len(RoomyNodes(problem, Room(problem))._free) == 3  # kinds of nodes, not nodes


def test_gangs_larger_than_the_cluster_are_not_placed(walks: list[int]) -> None:
    problem = _many_shapes(40, 20)
    little = bare_problem(
        [(1, 64_000, 110)] * 4, problem.requests.tolist(), problem.demands, gpu_dimension=0
    )
    assert startable_demands(little, exact_fit) == frozenset()
    assert walks == []


def test_tight_gangs_are_placed(walks: list[int]) -> None:
    items = [Item("", 0, 1), Item("", 1, 1)]
    demand = bare_demand(items, need=2, minimum=(8, 2000, 2))
    problem = bare_problem([(6, 9000, 110), (2, 9000, 110)], [(6, 1000, 1), (2, 1000, 1)], [demand])
    assert startable_demands(problem, exact_fit) == frozenset({0})
    assert walks == [2]


def test_limits_of_queues_count(walks: list[int]) -> None:
    problem = _many_shapes(10, 20)
    middle = sorted(one.minimum[1] for one in problem.demands)[4]
    room = {0: (-1, middle, -1)}
    tight = bare_problem(
        problem.free.tolist(), problem.requests.tolist(), problem.demands, queue_room=room
    )
    admitted = {i for i, one in enumerate(problem.demands) if one.minimum[1] <= middle}
    assert startable_demands(tight, exact_fit) == admitted
    assert 0 < len(admitted) < 10
    assert walks == []


def test_counting_says_what_placing_says() -> None:
    told = [0, 0]
    for seed in range(60):
        case = random_case(seed, "small" if seed % 4 == 0 else "tiny")
        problem = prepare(case.snapshot, case.policy, exact_least).problem
        waiting = [(i, one) for i, one in enumerate(problem.demands) if not one.ready]
        alone = {i for i, one in waiting if fits(problem, one, Room(problem), exact_fit)}
        ready = {i for i, one in enumerate(problem.demands) if one.ready}
        assert startable_demands(problem, exact_fit) - ready == alone, case.name
        roomy = RoomyNodes(problem, Room(problem))
        for _, demand in waiting:
            told[roomy.request(demand) is not None or roomy.hopeless(demand)] += 1
    assert min(told) > 0, told
