"""Pods on equal nodes are packed by ways to fill one, exactly where they pack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product
from random import Random

import pytest

from planner.search.stages.presolve.equal_node_packing import packed_in_ways, ways_to_fill
from planner.solve.backend import SolveLimits
from planner.testing.problems import bare_problem

LIMITS = SolveLimits(seconds=10.0, workers=1, deterministic=True)


def _packs(room: list[int], requests: list[list[int]], counts: dict[int, int], nodes: int) -> bool:
    """Whether pods pack, by trying every way to hand them out node by node."""

    def fillings(left: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
        for some in product(*(range(count + 1) for count in left)):
            if all(
                sum(n * r[d] for n, r in zip(some, requests, strict=True)) <= room[d]
                for d in (0, 1)
            ):
                yield some

    states = {tuple(counts[s] for s in sorted(counts))}
    for _ in range(nodes):
        states = {
            tuple(a - b for a, b in zip(left, some, strict=True))
            for left in states
            for some in fillings(left)
        }
    return any(not any(left) for left in states)


@pytest.mark.parametrize("seed", range(30))
def test_ways_pack_equal_nodes_exactly_where_pods_pack(seed: int) -> None:
    rng = Random(seed)
    room = [rng.randint(4, 8), rng.randint(6, 12)]
    requests = [[rng.randint(1, 4), rng.randint(1, 6)] for _ in range(3)]
    problem = bare_problem([room, room, room], requests)
    counts = {shape: rng.randint(1, 3) for shape in range(3)}
    ways = ways_to_fill(problem, [0, 1, 2], [0, 1, 2])
    assert ways is not None
    placed = packed_in_ways([0, 1, 2], counts, ways, LIMITS)
    assert (placed is not None) == _packs(room, requests, counts, 3)
    if placed is not None:
        pods = Counter[int]()
        for one in placed:
            pods[one.shape] += one.count
            problem.free[one.node] -= problem.requests[one.shape] * one.count
        assert pods == counts
        assert (problem.free >= 0).all()


def test_nodes_that_differ_have_no_ways() -> None:
    problem = bare_problem([[4, 9], [8, 9]], [[2, 1], [1, 3]])
    assert ways_to_fill(problem, [0, 1], [0, 1]) is None
