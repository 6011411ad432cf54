"""Gangs that found no room when a solution was packed are served before later ranks, which keep what is free."""

from __future__ import annotations

from dataclasses import replace

from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.stages.complete.priority_repair import served_first
from planner.testing.problems import bare_demand, bare_problem


def _three_gangs(limit: int = 99) -> tuple[PlacementProblem, list[GangClass]]:
    """Two nodes of 4 GPUs; an early gang of one pod with 4 GPUs, two later gangs of one pod with 2 GPUs."""
    gangs = [
        replace(bare_demand([(0, 1)], need=1, gang=0), gpus=4),
        replace(bare_demand([(1, 1)], need=1, gang=1), gpus=2),
        replace(bare_demand([(1, 1)], need=1, gang=2), gpus=2),
    ]
    problem = bare_problem([[4, 9], [4, 9]], [[4, 1], [2, 1]], gangs, queue_room={0: [limit, -1]})
    classes = [
        GangClass((0,), problem.demands[0], "covered", 1),
        GangClass((1, 2), problem.demands[1], "rest", 1),
    ]
    return problem, classes


def test_later_gangs_make_way_and_keep_what_is_free() -> None:
    problem, classes = _three_gangs()
    packed = Assignment({1: {0: [(0, 1)]}, 2: {0: [(1, 1)]}})
    found = served_first(problem, classes, [1, 2], packed)
    early = found.pods[0][0][0][0]
    assert {node for spots in (found.pods[1], found.pods[2]) for node, _ in spots[0]} == {1 - early}
    assert packed.pods == {1: {0: [(0, 1)]}, 2: {0: [(1, 1)]}}, "the packing stays as it was"


def test_what_lacks_nothing_stays_as_it_is() -> None:
    problem, classes = _three_gangs()
    packed = Assignment({0: {0: [(0, 1)]}, 1: {0: [(1, 1)]}})
    assert served_first(problem, classes, [1, 1], packed) is packed


def test_queues_stay_within_their_limits() -> None:
    problem, classes = _three_gangs(limit=6)
    packed = Assignment({1: {0: [(0, 1)]}, 2: {0: [(1, 1)]}})
    found = served_first(problem, classes, [1, 2], packed)
    assert 0 in found.pods
    assert len(found.pods) == 2


def test_a_stop_leaves_homeless_gangs_out() -> None:
    problem, classes = _three_gangs()
    packed = Assignment({1: {0: [(0, 1)]}})
    found = served_first(problem, classes, [1, 1], packed, lambda: True)
    assert found.pods == {1: {0: [(0, 1)]}}
