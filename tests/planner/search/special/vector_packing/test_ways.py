"""Choices of gangs, ways to fill a node, and what the linear program over them refutes or finds."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest

from planner.search.special.vector_packing import meeting
from planner.search.special.vector_packing.diving import LAST_NODES, WaysSearch
from planner.search.special.vector_packing.left_out import choices
from planner.search.special.vector_packing.problem import PackingProblem
from planner.search.special.vector_packing.ways import full_ways
from planner.solve.backend import SolveLimits


def _never() -> bool:
    return False


def _limits() -> SolveLimits:
    return SolveLimits(10.0, seed=0, workers=1)


def _problem(
    nodes: int, room: tuple[int, int], kinds: list[tuple[int, int, int, int, int]]
) -> PackingProblem:
    """``kinds`` are (cpu, memory, pods of a gang, gangs, rank), in the order of ranks."""
    count = 1 + max(one[4] for one in kinds)
    return PackingProblem(
        nodes=tuple(range(nodes)),
        room=np.array([room] * nodes, dtype=np.int64),
        asks=np.array([one[:2] for one in kinds], dtype=np.int64),
        pods=np.array([one[2] for one in kinds], dtype=np.int64),
        gangs=np.array([one[3] for one in kinds], dtype=np.int64),
        rank=np.array([one[4] for one in kinds]),
        ranks=tuple(("all", rank) for rank in range(count)),
        classes=(),
    )


def _random(seed: int) -> PackingProblem:
    random = Random(seed)
    kinds = [
        (random.randint(1, 8), random.randint(1, 8), random.choice((1, 1, 2)), random.randint(1, 2))
        for _ in range(random.randint(2, 4))
    ]
    ranks = sorted(random.randint(0, 1) for _ in kinds)
    ranks = [rank - ranks[0] for rank in ranks]
    nodes = random.randint(1, 3)
    room = (random.randint(8, 14), random.randint(8, 14))
    return _problem(nodes, room, [(*k, r) for k, r in zip(kinds, ranks, strict=True)])


def _packs(packing: PackingProblem, gangs: tuple[int, ...]) -> bool:
    """Whether these gangs pack, by going through all ways to do so."""
    pods = [k for k, n in enumerate(gangs) for _ in range(n * int(packing.pods[k]))]
    free = packing.room.tolist()

    def place(number: int) -> bool:
        if number == len(pods):
            return True
        ask = packing.asks[pods[number]].tolist()
        for row in free:
            if all(have >= n for have, n in zip(row, ask, strict=True)):
                row[:] = [have - n for have, n in zip(row, ask, strict=True)]
                if place(number + 1):
                    return True
                row[:] = [have + n for have, n in zip(row, ask, strict=True)]
        return False

    return place(0)


def _every(packing: PackingProblem, want: dict[int, int]) -> list[tuple[int, ...]]:
    """All gangs per kind with so many of each rank whose sums fit."""
    options = [range(int(n) + 1) for n in packing.gangs]
    found = []
    for gangs in itertools.product(*options):
        counts = {r: sum(g for k, g in enumerate(gangs) if packing.rank[k] == r) for r in want}
        asked = np.array(gangs) * packing.pods @ packing.asks
        if counts == want and (asked <= packing.room.sum(axis=0)).all():
            found.append(gangs)
    return found


@pytest.mark.parametrize("first", range(0, 150, 50))
def test_choices_of_gangs_and_their_ways_decide_as_enumeration_does(first: int) -> None:
    answers = {True: 0, False: 0}
    for seed in range(first, first + 50):
        packing = _random(seed)
        sizes = [packing.size(rank) for rank in range(len(packing.ranks))]
        for counts in itertools.product(*(range(max(size - 2, 0), size + 1) for size in sizes)):
            want = dict(enumerate(counts))
            known = choices(packing, want, _never)
            assert known is not None
            known = known.by_room(packing.room[0])
            every = _every(packing, want)
            assert {tuple(map(int, gangs)) for gangs in known.gangs} <= set(every), seed
            some = any(_packs(packing, gangs) for gangs in every)
            search = WaysSearch(packing, known, _never)
            found = search.exactly(_limits, _never)
            assert (found is not None) == some, (seed, want)
            assert search.refuted == (not some), (seed, want)
            if found is not None:
                assert ((found.T @ packing.asks) <= packing.room).all()
                starts = tuple(map(int, found.sum(axis=1) // packing.pods))
                assert starts in every
            answers[some] += 1
    assert min(answers.values()) > 20


@pytest.mark.parametrize("seed", range(8))
def test_all_ways_that_leave_little_are_listed(seed: int) -> None:
    random = np.random.default_rng(seed)
    asks, supply = random.integers(1, 9, (6, 2)), random.integers(1, 4, 6)
    room, spare = np.array([17, 19]), np.array([3, 5])
    found = full_ways(asks, supply, room, spare, _never)
    assert found is not None
    listed = {tuple(map(int, pods)) for pods in found.pods(np.arange(len(found)))}
    assert len(listed) == len(found)
    expected = {
        pods
        for pods in itertools.product(*(range(int(n) + 1) for n in supply))
        if ((np.array(pods) @ asks <= room) & (np.array(pods) @ asks >= room - spare)).all()
    }
    assert listed == expected
    allowed = found.allowed(supply - (supply > 1), spare - 1)
    for pods, over, may in zip(found.pods(np.arange(len(found))), found.over, allowed, strict=True):
        assert may == ((pods <= supply - (supply > 1)).all() and (over <= spare - 1).all())


@pytest.mark.parametrize("seed", range(4))
def test_pairs_looked_up_in_two_resources_are_all_there_are(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(seed)
    one, other = random.integers(0, 900, (300, 3)), random.integers(0, 900, (400, 3))
    low, high = np.array([500, 300, 0]), np.array([900, 620, 1200])
    monkeypatch.setattr(meeting, "MANY_PAIRS", 10)
    pairs = meeting.pairs_between(one, other, low, high, _never)
    assert pairs is not None
    sums = one[:, None] + other[None]
    expected = np.argwhere(((sums >= low) & (sums <= high)).all(axis=2))
    found = np.stack(pairs, axis=1)
    assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, expected.tolist()))


def _cut(random: Random, room: tuple[int, int], pieces: int) -> list[tuple[int, int]]:
    """A node cut into pods that fill it."""
    cpu = [0, *sorted(random.sample(range(1, room[0]), pieces - 1)), room[0]]
    memory = [0, *sorted(random.sample(range(1, room[1]), pieces - 1)), room[1]]
    return [(cpu[i + 1] - cpu[i], memory[i + 1] - memory[i]) for i in range(pieces)]


@pytest.mark.parametrize("seed", range(6))
def test_what_was_cut_out_of_nodes_is_never_refuted(seed: int) -> None:
    random = Random(seed)
    room, nodes = (900, 10**6), LAST_NODES + 1 + seed
    pods = [pod for _ in range(nodes) for pod in _cut(random, room, random.randint(2, 4))]
    packing = _problem(nodes, room, [(*pod, 1, 1, 0) for pod in pods])
    known = choices(packing, {0: len(pods)}, _never)
    assert known is not None
    assert not known.spare.any()
    assert not WaysSearch(packing, known, _never).refuted


@pytest.mark.parametrize("seed", range(3))
def test_dives_fill_nodes_of_which_a_quarter_is_left_over_in_all(seed: int) -> None:
    random = np.random.default_rng(seed)
    cpu, memory = random.integers(100, 1_001, 48), random.integers(10**8, 10**9 + 1, 48)
    room = (
        int(2.016 * cpu.sum() / 24) + 1,
        int(2.016 * memory.sum() / 24) + 1,
    )
    pairs = zip(cpu, memory, strict=True)
    packing = _problem(24, room, [(int(c), int(m), 1, 2, 0) for c, m in pairs])
    known = choices(packing, {0: 96}, _never)
    assert known is not None
    search = WaysSearch(packing, known, _never)
    fitting = 0
    for _ in range(8):
        pods = search.dived(random, _never)
        if pods is None:
            continue
        assert (pods.sum(axis=1) == 2).all()
        fitting += bool((pods.T @ packing.asks <= packing.room).all())
    assert fitting
