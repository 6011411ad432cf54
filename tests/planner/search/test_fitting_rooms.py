"""Room on nodes and in queues: counts, greedy placement, undo, and the memory of what no longer fits."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from planner.capacity.counted_room import fit_counts
from planner.capacity.fit import SHORT, Placed, Room, minimum_counts
from planner.capacity.fits_alone import fits, most_gangs, quick_fit, try_place
from planner.problem.placement import Item, PlacementProblem
from planner.reduce.node_groups import demanded_shapes
from planner.search.exact.fit_by_cpsat import exact_fit, exact_pack
from planner.testing.problems import bare_demand, bare_problem


def _two_nodes() -> PlacementProblem:
    return bare_problem([[8, 16, 10], [4, 16, 10]], [[2, 4, 1], [1, 1, 1], [0, 2, 1]])


def test_pods_that_fit_are_bound_by_the_scarcest_dimension() -> None:
    free = np.array([[8, 9, 10], [8, 40, 3], [0, 40, 10]])
    assert list(fit_counts(free, np.array([2, 3, 1]), np.array([True] * 3))) == [3, 3, 0]
    assert list(fit_counts(free, np.array([2, 3, 1]), np.array([False, True, True]))) == [0, 3, 0]


def test_placing_takes_room_and_undo_gives_it_back() -> None:
    room = Room(_two_nodes())
    before = room.free.copy()
    placed = room.place({0: 5, 1: 2})
    assert placed is not None
    assert sum(one.count for one in placed if one.shape == 0) == 5
    taken = sum(room.problem.requests[one.shape] * one.count for one in placed)
    assert np.array_equal(before.sum(axis=0) - room.free.sum(axis=0), taken)
    assert np.all(room.free >= 0)
    room.undo(placed)
    assert np.array_equal(room.free, before)


def test_what_does_not_fit_as_a_whole_changes_nothing() -> None:
    room = Room(_two_nodes())
    before = room.free.copy()
    assert room.place({0: 6, 1: 1}) is None
    assert np.array_equal(room.free, before)
    assert not room.busy.any()


def test_as_many_as_fit_are_placed_where_part_is_welcome() -> None:
    room = Room(_two_nodes())
    assert sum(one.count for one in room.place_up_to(0, 99)) == 6
    assert room.place_up_to(0, 1) == []
    assert room.place_up_to(0, 0) == []


def test_gpu_pods_go_to_nodes_in_use_with_the_least_room() -> None:
    problem = bare_problem([[8, 9], [4, 9], [6, 9]], [[2, 1]], busy=[False, False, True])
    room = Room(problem)
    assert room.place({0: 3}) == [Placed(0, 2, 3)]
    assert room.place({0: 1}) == [Placed(0, 1, 1)]
    assert list(room.busy) == [False, True, True]


@pytest.mark.parametrize("most", [6, SHORT + 5])
def test_nodes_are_used_in_one_order_whichever_way_they_are_put_into_it(most: int) -> None:
    random = Random(most)
    room = Room(bare_problem([[random.randint(0, most)] for _ in range(60)], [[1]]))
    room.busy[:] = [random.random() < 0.5 for _ in range(60)]
    fits = room.counts(0).tolist()
    order = sorted((not room.busy[n], fits[n], n) for n in range(60) if fits[n])
    with room.only(range(59, -1, -1)):
        backwards = room.place_up_to(0, sum(fits) - 1, mark=False)
    room.undo(backwards)
    placed = room.place_up_to(0, sum(fits) - 1, mark=False)
    assert placed == backwards
    assert [one.node for one in placed] == [node for _, _, node in order]


def test_pods_without_gpus_stay_off_gpu_nodes_while_they_can() -> None:
    problem = bare_problem([[8, 4, 9], [0, 2, 9]], [[0, 1, 1]])
    room = Room(problem)
    assert room.place({0: 2}) == [Placed(0, 1, 2)]
    assert room.place({0: 1}) == [Placed(0, 0, 1)]
    assert not room.busy.any()


def test_only_the_named_nodes_are_used_within_the_block() -> None:
    room = Room(_two_nodes())
    with room.only([1]):
        assert room.place({0: 3}) is None
        assert room.place({0: 2}) == [Placed(0, 1, 2)]
    assert room.place({0: 3}) == [Placed(0, 0, 3)]


def test_room_that_was_too_small_is_remembered_until_an_undo() -> None:
    room = Room(_two_nodes())
    assert room.fitting(0, 7) == 6
    placed = room.place({0: 6})
    assert placed is not None
    assert room.fitting(0, 7) == 6, "an upper bound is enough to say no"
    assert room.fitting(0, 6) == 0
    room.undo(placed)
    assert room.fitting(0, 1) == 6


def test_queues_bind_in_the_dimensions_that_are_asked_for() -> None:
    problem = bare_problem([[8, 16, 10]], [[2, 4, 1], [0, 2, 1]], queue_room={0: [5, -1, -1]})
    room = Room(problem)
    demand = problem.demands[0]
    assert room.queue_count(demand, 0) == 2
    assert room.queue_count(demand, 1) > 1000
    assert room.queues_admit(demand, np.array([5, 99, 9]))
    assert not room.queues_admit(demand, np.array([6, 0, 0]))
    room.charge(demand, np.array([4, 8, 2]))
    assert list(room.queues[0]) == [1, -1, -1]
    assert list(problem.queue_room[0]) == [5, -1, -1], "the problem itself stays as it is"


def test_a_queue_above_its_limit_still_takes_what_asks_for_nothing_there() -> None:
    problem = bare_problem([[8, 16, 10]], [[1, 1, 1], [0, 1, 1]], queue_room={0: [0, -1, -1]})
    room = Room(problem)
    assert [quick_fit(problem, one, room) for one in problem.demands] == [False, True]


def test_minimum_counts_serve_roles_first() -> None:
    items = [Item("head", 1, 2), Item("worker", 0, 4)]
    demand = bare_demand(items, need=4, role_need=[("head", 1)])
    problem = bare_problem([[8, 16, 10]], [[2, 4, 1], [1, 1, 1]], [demand])
    counts = minimum_counts(demand, problem, Room(problem))
    assert counts is not None
    assert counts[0] >= 1
    assert sum(counts.values()) == 4
    greedy = bare_demand(items, need=7)
    assert minimum_counts(greedy, problem, Room(problem)) is None


def test_partitions_are_taken_whole() -> None:
    demand = bare_demand([Item("w", 0, 6, step=2)], need=3)
    problem = bare_problem([[8, 16, 10]], [[1, 1, 1]], [demand])
    assert minimum_counts(demand, problem, Room(problem)) == {0: 4}


def test_most_gangs_counts_nodes_and_queues() -> None:
    problem = bare_problem(
        [[8, 16, 10], [4, 16, 10]],
        [[2, 1, 1]],
        [bare_demand([(0, 2)], need=2)],
        queue_room={0: [9, -1, -1]},
    )
    room = Room(problem)
    assert most_gangs(problem, problem.demands[0], room) == 2
    room.charge(problem.demands[0], np.array([6, 0, 0]))
    assert most_gangs(problem, problem.demands[0], room) == 0


def test_a_trial_leaves_no_trace() -> None:
    items = [Item("a", 0, 2), Item("b", 1, 1)]
    demand = bare_demand(items, need=3, minimum=(5, 9, 3))
    problem = bare_problem(
        [[8, 16, 10]], [[2, 4, 1], [1, 1, 1]], [demand], queue_room={0: [6, -1, -1]}
    )
    room = Room(problem)
    assert try_place(problem, demand, room, keep=False) is not None
    assert np.array_equal(room.free, problem.free)
    assert list(room.queues[0]) == [6, -1, -1]
    assert not room.busy.any()
    assert try_place(problem, demand, room, keep=True) is not None
    assert list(room.queues[0]) == [1, -1, -1]
    assert try_place(problem, demand, room, keep=True) is None


def test_where_counting_is_no_answer_a_search_decides() -> None:
    """Two nodes of 4: a 3 and two 2s fit one way only, and greedily the largest first works; 3, 3, 2 does not fit."""
    fitting = bare_demand([Item("a", 0, 1), Item("b", 1, 2)], need=3, minimum=(7, 3))
    tight = bare_demand([Item("a", 0, 2), Item("b", 1, 1)], need=3, minimum=(8, 3))
    problem = bare_problem([[4, 9]] * 2, [[3, 1], [2, 1]], [fitting, tight])
    room = Room(problem)
    assert fits(problem, fitting, room, exact_fit)
    assert quick_fit(problem, tight, room) is None
    assert not fits(problem, tight, room, exact_fit)


@pytest.mark.parametrize("seed", range(40))
def test_quick_answers_agree_with_the_search(seed: int) -> None:
    rng = Random(seed)
    shapes = rng.randint(1, 3)
    items = [Item(rng.choice("ab"), rng.randrange(shapes), rng.randint(1, 3)) for _ in range(2)]
    demand = bare_demand(items, need=rng.randint(1, 4), role_need=[("a", 1)] * rng.randint(0, 1))
    requests = [[rng.randint(0, 3), rng.randint(0, 3), 1] for _ in range(shapes)]
    least = [min(requests[one.shape][d] for one in items) * demand.need for d in range(3)]
    demand = bare_demand(items, need=demand.need, role_need=demand.role_need, minimum=least)
    problem = bare_problem(
        [[rng.randint(0, 4), rng.randint(0, 4), rng.randint(0, 3)] for _ in range(2)],
        requests,
        [demand],
        queue_room={0: [rng.choice((-1, 4, 6)), -1, -1]},
    )
    room = Room(problem)
    quick = quick_fit(problem, demand, room)
    searched = exact_fit(problem, demand, room)
    if quick is not None:
        assert quick == (searched is not None), (seed, demand)
    if searched is not None:
        counts, placed, _ = searched
        after = Room(problem)
        after.take(placed)
        assert np.all(after.free >= 0)
        assert sum(counts.values()) == sum(one.count for one in placed) >= demand.need
        assert all(counts.get(i, 0) <= item.count for i, item in enumerate(items))


def test_exact_packing_finds_what_greed_misses() -> None:
    """Bins of 6 with three 3s and three 2s on at most so many nodes."""
    problem = bare_problem([[6, 9]] * 3, [[3, 1], [2, 1]])
    found = exact_pack(problem, [0, 1, 2], {0: 2, 1: 3}, 2)
    assert found is not None
    assert {one.node for one in found} == {0, 1}
    room = Room(problem)
    room.take(found)
    assert np.all(room.free >= 0)
    assert exact_pack(problem, [0, 1, 2], {0: 3, 1: 3}, 2) is None
    assert demanded_shapes(problem) == {0: 50, 1: 50}


def test_a_shape_that_fits_nowhere_does_not_pack() -> None:
    problem = bare_problem([[2, 9]], [[3, 1], [1, 1]])
    assert exact_pack(problem, [0], {0: 1, 1: 1}) is None
