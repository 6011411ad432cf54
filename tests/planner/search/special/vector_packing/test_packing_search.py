"""Packing of pods by priority against enumeration."""

from __future__ import annotations

import time
from random import Random

import numpy as np
import pytest

from planner.search.special.vector_packing.few_pods import FewPods
from planner.search.special.vector_packing.full_nodes import cannot_fill, least_asked
from planner.search.special.vector_packing.local_search import Exchange, best_fit
from planner.search.special.vector_packing.node_patterns import _patterns, lacks_patterns
from planner.search.special.vector_packing.problem import PackingProblem, _needed
from planner.search.special.vector_packing.search import Limit, PackingSearch
from planner.solve.backend import SolveLimits


def _problem(
    room: list[tuple[int, int]], kinds: list[tuple[int, int, int, int, int]]
) -> PackingProblem:
    """``kinds`` are (cpu, memory, pods of a gang, gangs, rank), in the order of ranks."""
    ranks = sorted({one[4] for one in kinds})
    return PackingProblem(
        nodes=tuple(range(len(room))),
        room=np.array(room, dtype=np.int64),
        asks=np.array([one[:2] for one in kinds], dtype=np.int64),
        pods=np.array([one[2] for one in kinds], dtype=np.int64),
        gangs=np.array([one[3] for one in kinds], dtype=np.int64),
        rank=np.array([ranks.index(one[4]) for one in kinds]),
        ranks=tuple(("all", rank) for rank in ranks),
        classes=(),
    )


def _best(packing: PackingProblem) -> tuple[int, ...]:
    """Gangs per rank of the best plan, by going through all of them."""
    free = [list(map(int, row)) for row in packing.room]
    units = [k for k, gangs in enumerate(packing.gangs) for _ in range(int(gangs))]
    best = (0,) * len(packing.ranks)

    def place(k: int, pods: int, unit: int, started: list[int]) -> None:
        if not pods:
            go(unit + 1, started)
            return
        for row in free:
            if all(have >= ask for have, ask in zip(row, packing.asks[k], strict=True)):
                for d, ask in enumerate(packing.asks[k]):
                    row[d] -= int(ask)
                place(k, pods - 1, unit, started)
                for d, ask in enumerate(packing.asks[k]):
                    row[d] += int(ask)

    def go(unit: int, started: list[int]) -> None:
        nonlocal best
        if unit == len(units):
            best = max(best, tuple(started))
            return
        k = units[unit]
        rank = int(packing.rank[k])
        started[rank] += 1
        place(k, int(packing.pods[k]), unit, started)
        started[rank] -= 1
        go(unit + 1, started)

    go(0, [0] * len(packing.ranks))
    return best


def _random(seed: int) -> PackingProblem:
    random = Random(seed)
    alike = random.random() < 0.6
    one = (random.randint(6, 14), random.randint(6, 14))
    room = [
        one if alike else (random.randint(4, 14), random.randint(4, 14))
        for _ in range(random.randint(1, 3))
    ]
    kinds, pods = [], 0
    for rank in range(random.randint(1, 3)):
        for _ in range(random.randint(1, 2)):
            size, gangs = random.choice((1, 1, 2)), random.randint(1, 2)
            if pods + size * gangs <= 7:
                pods += size * gangs
                kinds.append((random.randint(1, 8), random.randint(1, 8), size, gangs, rank))
    return _problem(room, kinds)


def _limit(seconds: float = 5.0, *, deterministic: bool = False) -> Limit:
    return Limit(time.perf_counter() + seconds, 0, lambda: False, deterministic)


def _few_pods(packing: PackingProblem, want: dict[int, int]) -> bool:
    few = FewPods(packing, want, _spare(packing, want), lambda: False)
    return few.refuted(SolveLimits(5.0, seed=0, workers=1))


def _unfillable(packing: PackingProblem, want: dict[int, int]) -> bool:
    return cannot_fill(packing, want, _spare(packing, want), lambda: False)


def _spare(packing: PackingProblem, want: dict[int, int]) -> np.ndarray:
    return packing.room.sum(axis=0) - least_asked(packing, want)


def _is_plan(packing: PackingProblem, pods: np.ndarray, gangs: list[int]) -> bool:
    within = (pods.T @ packing.asks <= packing.room).all()
    starts, rests = np.divmod(pods.sum(axis=1), packing.pods)
    counted = [int(starts[packing.rank == r].sum()) for r in range(len(packing.ranks))]
    return bool(within and not rests.any() and (starts <= packing.gangs).all() and counted == gangs)


@pytest.mark.parametrize("seed", range(0, 96, 8))
def test_small_problems_are_solved_as_by_enumeration(seed: int) -> None:
    for number in range(seed, seed + 8):
        packing = _random(number)
        found = PackingSearch(packing, _limit()).run()
        assert tuple(found.gangs) == _best(packing), number
        assert found.gangs == found.bounds, number
        assert _is_plan(packing, found.pods, found.gangs), number


@pytest.mark.parametrize("seed", range(6))
def test_counted_work_gives_the_same_plan_twice_and_no_bound_below_the_best(seed: int) -> None:
    packing = _random(1_000 + seed)
    one, other = (PackingSearch(packing, _limit(deterministic=True)).run() for _ in range(2))
    assert one.gangs == other.gangs
    assert (one.pods == other.pods).all()
    best = _best(packing)
    assert one.bounds[0] >= best[0] >= one.gangs[0]


def test_without_time_there_is_a_plan_and_its_bounds_hold() -> None:
    packing = _problem([(10, 10)], [(6, 6, 1, 2, 0), (5, 5, 1, 3, 1)])
    found = PackingSearch(packing, _limit(-1.0)).run()
    assert _is_plan(packing, found.pods, found.gangs)
    assert found.bounds[0] >= _best(packing)[0]


def _cut(random: Random, room: tuple[int, int], pieces: int) -> list[tuple[int, int]]:
    """A node cut into pods that fill it."""
    cpu = [0, *sorted(random.sample(range(1, room[0]), pieces - 1)), room[0]]
    memory = [0, *sorted(random.sample(range(1, room[1]), pieces - 1)), room[1]]
    return [(cpu[i + 1] - cpu[i], memory[i + 1] - memory[i]) for i in range(pieces)]


@pytest.mark.parametrize("seed", range(20))
def test_nodes_that_can_be_filled_are_never_said_not_to_be(seed: int) -> None:
    random = Random(seed)
    room = (4_400, 10**9 + seed)
    pods = [pod for _ in range(4) for pod in _cut(random, room, random.randint(2, 6))]
    packing = _problem([room] * 4, [(*pod, 1, 1, 0) for pod in pods])
    assert not _unfillable(packing, {0: len(pods)})
    assert not _few_pods(packing, {0: len(pods)})
    assert not lacks_patterns(packing, {0: len(pods)}, 1.0, lambda: False)


@pytest.mark.parametrize("seed", range(12))
def test_few_pods_never_refute_what_was_cut_out_of_nodes(seed: int) -> None:
    random = Random(seed)
    room, nodes, out = (900, 10**6), random.randint(2, 12), random.randint(0, 2)
    pods = [pod for _ in range(nodes) for pod in _cut(random, room, random.randint(1, 7))]
    # Pods that are left out, gangs of two, and a rank above: the plan that was cut stays one.
    kinds = [(*pod, 1, 1, number % 2) for number, pod in enumerate(pods)]
    kinds += [(*random.choice(pods), 2, 1, 1) for _ in range(out)]
    kinds.sort(key=lambda one: one[4])
    packing = _problem([room] * nodes, kinds)
    first = (len(pods) + 1) // 2
    assert not _few_pods(packing, {0: first, 1: len(pods) - first})
    assert not _few_pods(packing, {0: first})


def _all_of_them(seed: int, nodes: int, per_node: int) -> PackingProblem:
    """Pods at random, four of each kind, and nodes just so large that their sums allow all of them."""
    random = np.random.default_rng(seed)
    kinds = nodes * per_node // 4
    cpu = random.integers(100, 1_001, kinds)
    memory = random.integers(10**8, 10**9 + 1, kinds)
    room = (-(-4 * int(cpu.sum()) // nodes), -(-4 * int(memory.sum()) // nodes))
    pairs = zip(cpu, memory, strict=True)
    return _problem([room] * nodes, [(int(c), int(m), 1, 4, 0) for c, m in pairs])


@pytest.mark.parametrize("seed", range(3))
def test_many_nodes_with_few_pods_are_filled_to_a_fifth_of_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    cpu = random.integers(100, 1_001, 64)
    memory = random.integers(10**8, 10**9 + 1, 64)
    room = (int(2.012 * cpu.sum() / 32) + 1, int(2.012 * memory.sum() / 32) + 1)
    pairs = zip(cpu, memory, strict=True)
    packing = _problem([room] * 32, [(int(c), int(m), 1, 2, 0) for c, m in pairs])
    found = PackingSearch(packing, _limit(deterministic=True)).run()
    assert found.gangs == found.bounds == [128]
    assert _is_plan(packing, found.pods, found.gangs)


def test_few_pods_refute_that_many_nodes_with_many_pods_are_filled_to_the_byte() -> None:
    packing = _all_of_them(0, 24, 7)
    assert not _unfillable(packing, {0: 168})
    assert _few_pods(packing, {0: 168})
    found = PackingSearch(packing, _limit(30.0)).run()
    assert found.gangs == found.bounds == [167]
    assert _is_plan(packing, found.pods, found.gangs)


def test_full_nodes_are_refuted_where_no_pods_fill_one() -> None:
    packing = _problem(
        [(10, 100), (10, 100)], [(4, 37, 1, 3, 0), (4, 40, 1, 1, 0), (4, 49, 1, 1, 0)]
    )
    assert _unfillable(packing, {0: 5})
    assert _best(packing) == (4,)
    assert PackingSearch(packing, _limit()).run().gangs == [4]


def test_refutation_agrees_with_enumeration() -> None:
    refuted = 0
    for seed in range(200):
        packing = _random(seed)
        want = {rank: packing.size(rank) for rank in range(len(packing.ranks))}
        refuting = [
            _unfillable(packing, want),
            lacks_patterns(packing, want, 1.0, lambda: False),
            _few_pods(packing, want),
        ]
        refuted += any(refuting)
        assert not any(refuting) or _best(packing) != tuple(want.values()), seed
    assert refuted > 30


def test_patterns_refute_what_sums_and_single_nodes_allow() -> None:
    # Three of five fit into a node by their sums of 12, but only two of 5 beside one of 2: nine of 5 do not pack.
    packing = _problem([(12, 12)] * 4, [(5, 5, 1, 9, 0), (2, 2, 1, 1, 0)])
    assert not _unfillable(packing, {0: 10})
    assert lacks_patterns(packing, {0: 10}, 1.0, lambda: False)
    assert not lacks_patterns(packing, {0: 9}, 1.0, lambda: False)
    assert PackingSearch(packing, _limit()).run().bounds == [9]


def test_patterns_leave_no_more_of_all_resources_than_a_plan_may() -> None:
    # Three of these leave at most 3 of the first, 10 of the second, 8 of both: only the last one fills a node so far.
    kinds = [(4, 8, 1, 1, 0), (5, 5, 1, 1, 0), (9, 2, 1, 1, 0), (8, 3, 1, 1, 0), (8, 9, 1, 1, 0)]
    found = _patterns(_problem([(10, 10)] * 2, kinds), {0: 3}, lambda: False)
    assert found is not None
    assert found.tolist() == [[0, 0, 0, 0, 1]]


def test_exchange_packs_what_best_fit_cannot() -> None:
    asks = np.array([(6, 1), (5, 1), (3, 1), (2, 1), (2, 1), (2, 1)], dtype=np.int64)
    room = np.array([(10, 9), (10, 9)], dtype=np.int64)
    place = best_fit(asks, room, np.ones(6, dtype=bool))
    nobody = np.full(6, -1, dtype=np.int64)
    search = Exchange(asks, room, place, nobody, np.random.default_rng(0))
    assert search.run(lambda step: step > 2_000)
    loads = [asks[search.place == node].sum(axis=0) for node in range(2)]
    assert all((load <= room[0]).all() for load in loads)


def test_exchange_stops_when_told() -> None:
    asks = np.array([(6, 6), (6, 6), (6, 6)], dtype=np.int64)
    room = np.array([(10, 10), (10, 10)], dtype=np.int64)
    place = best_fit(asks, room, np.ones(3, dtype=bool))
    search = Exchange(asks, room, place, np.zeros(3, dtype=np.int64), np.random.default_rng(0))
    assert not search.run(lambda step: step >= 64)
    assert search.excess().sum() > 0


def test_a_full_node_implies_nothing_for_pods_that_ask_for_something_else() -> None:
    """Pods were packed onto a node without any memory, because its CPUs were used up too."""
    room = np.array([[0, 0], [5, 8]], dtype=np.int64)
    asks = np.array([[0, 2], [1, 2]], dtype=np.int64)
    kept, _ = _needed(room, asks)
    assert kept.tolist() == [[0], [8]]
    # Nobody who asks for the second asks for the first; on the full node alone each would imply the other.
    apart = np.array([[0, 2], [1, 0]], dtype=np.int64)
    both, _ = _needed(room[:1], apart)
    assert both.shape == (1, 2)
