"""Patterns of one node against all fillings, and the bound that they give."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from planner.model import rows
from planner.model.build import build
from planner.model.patterns import maximal_patterns, sums_say_too_little
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import Grouping
from planner.search.stages.presolve.initial_groups import packed_together
from planner.solve.highs import LpBounds
from planner.testing.problems import bare_demand, bare_problem


def _fillings(room: list[int], requests: list[dict[int, int]]) -> set[tuple[int, ...]]:
    most = [min(room[d] // a for d, a in request.items()) for request in requests]
    return {
        counts
        for counts in product(*(range(n + 1) for n in most))
        if all(
            sum(n * request.get(d, 0) for n, request in zip(counts, requests, strict=True)) <= have
            for d, have in enumerate(room)
        )
    }


@pytest.mark.parametrize("seed", range(40))
def test_the_patterns_are_the_fillings_that_nothing_can_join(seed: int) -> None:
    rng = Random(seed)
    room = [rng.randint(0, 6), rng.randint(0, 12)]
    requests = [{0: rng.randint(1, 3), 1: rng.randint(1, 5)} for _ in range(rng.randint(1, 3))]
    every = _fillings(room, requests)
    maximal = {
        one
        for one in every
        if not any(
            other != one and all(a >= b for a, b in zip(other, one, strict=True)) for other in every
        )
    }
    assert set(maximal_patterns(room, requests, 10_000) or ()) == maximal


def test_too_many_patterns_are_none() -> None:
    requests = [{0: size, 1: 8 - size} for size in range(1, 7)]
    assert maximal_patterns([20, 20], requests, 3) is None


def test_gpus_alone_need_no_patterns() -> None:
    assert not sums_say_too_little([4, 40], [{0: 1, 1: 10}, {0: 2, 1: 20}], {0})
    assert sums_say_too_little([4, 39], [{0: 1, 1: 10}], {0})


def test_patterns_bring_the_bound_of_mixed_nodes_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three nodes of 12 CPUs hold two pods of (3 GPUs, 5 CPUs) or three of (2, 4): 6 GPUs; sums say half a pod more."""
    gangs = [replace(bare_demand([(0, 1)], need=1, gang=i), gpus=3) for i in range(9)]
    gangs += [replace(bare_demand([(1, 1)], need=1, gang=9 + i), gpus=2) for i in range(9)]
    problem = bare_problem([[8, 12, 99]] * 3, [[3, 5, 1], [2, 4, 1]], gangs)
    classes = [
        GangClass(tuple(range(9)), problem.demands[0], "covered", 1),
        GangClass(tuple(range(9, 18)), problem.demands[9], "covered", 1),
    ]
    bounds = []
    for least in (99, 0):
        monkeypatch.setattr(rows, "PATTERN_GROUPS", least)
        built = build(problem, classes, Grouping(problem).uniform())
        goal = next(tier for tier in built.tiers if tier.name == "covered.1.gpus")
        bounds.append(LpBounds(built.model).bound(goal, seconds=10.0))
        assert bool(built.form.patterns) == (least == 0)
    assert bounds == [21, 18]


def test_shapes_that_did_not_pack_together_get_patterns_of_their_own() -> None:
    """A third shape without pods in the failed packing takes no part; the bound comes down as with all patterns."""
    gangs = [replace(bare_demand([(0, 1)], need=1, gang=i), gpus=3) for i in range(9)]
    gangs += [replace(bare_demand([(1, 1)], need=1, gang=9 + i), gpus=2) for i in range(9)]
    gangs += [replace(bare_demand([(2, 1)], need=1, gang=18), gpus=1)]
    problem = bare_problem([[8, 12, 99]] * 3, [[3, 5, 1], [2, 4, 1], [1, 12, 1]], gangs)
    classes = [
        GangClass(tuple(range(9)), problem.demands[0], "covered", 1),
        GangClass(tuple(range(9, 18)), problem.demands[9], "covered", 1),
        GangClass((18,), problem.demands[18], "covered", 1),
    ]
    grouping = Grouping(problem)
    groups = grouping.uniform()
    placed = {0: {0: 6, 1: 2}}
    told = packed_together(grouping, groups, [0], placed)
    assert told is not None
    assert [one.together for one in told] == [((0, 1),)]
    assert packed_together(grouping, told, [0], placed) is None, "the model knows these shapes"
    assert packed_together(grouping, groups, [], placed) is None
    bounds = []
    for some in (groups, told):
        built = build(problem, classes, some)
        goal = next(tier for tier in built.tiers if tier.name == "covered.1.gpus")
        bounds.append(LpBounds(built.model).bound(goal, seconds=10.0))
    assert bounds == [21, 18]
    assert len(built.form.patterns[0]) == 1


def test_mixed_groups_that_did_not_pack_are_split() -> None:
    problem = bare_problem([[8, 12, 99], [8, 12, 99], [6, 12, 99]], [[3, 5, 1]])
    grouping = Grouping(problem)
    mixed = (grouping.group([0, 1, 2]),)
    told = packed_together(grouping, mixed, [0], {0: {0: 6}})
    assert told is not None
    assert sorted(one.nodes for one in told) == [(0, 1), (2,)]
