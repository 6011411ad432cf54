"""Pods that do not pack on a group change places with others; all starts stay."""

from __future__ import annotations

from dataclasses import replace

from planner.model.build import BuiltModel, build
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import pack_groups
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import Grouping, NodeGroup
from planner.search.exact.fit_by_cpsat import exact_pack
from planner.search.stages.round.repack import repacked
from planner.solve.backend import SolveLimits
from planner.testing.problems import bare_demand, bare_problem

LIMITS = SolveLimits(seconds=10.0, workers=1, deterministic=True)


def _crowded(
    spare: int,
) -> tuple[PlacementProblem, BuiltModel, tuple[NodeGroup, ...], tuple[int, ...]]:
    """Three equal nodes that a solution gives one pod too many, beside a node with room for it, or without."""
    gangs = [
        replace(bare_demand([(0, 2)], need=2, gang=0), gpus=2),
        replace(bare_demand([(1, 3)], need=3, gang=1), gpus=3),
    ]
    problem = bare_problem(
        [*[[8, 10, 9]] * 3, [8, spare, 9]],
        [[1, 7, 1], [1, 4, 1]],
        gangs,
        busy=[False, False, False, True],
    )
    classes = [GangClass((g,), problem.demands[g], "covered", 1) for g in (0, 1)]
    groups = Grouping(problem).uniform()
    built = build(problem, classes, groups)
    large = next(g for g, group in enumerate(groups) if group.size == 3)
    values = built.values_of([1, 1], [[2], [3]], {(0, large): 2, (1, large): 3}, {large: 3})
    return problem, built, groups, values


def test_pods_that_do_not_pack_change_places_and_every_tier_stays() -> None:
    problem, built, groups, values = _crowded(spare=4)
    packing = pack_groups(problem, groups, built.placed(values), None)
    assert len(packing.failed) == 1
    found = repacked(built, values, packing.failed, LIMITS)
    assert found is not None
    again = pack_groups(problem, groups, built.placed(found), exact_pack)
    assert not again.failed
    assert built.started(found) == [1, 1]
    for goal in built.tiers:
        assert goal.expression.value(found) == goal.expression.value(values)


def test_nothing_changes_where_there_is_no_other_place() -> None:
    problem, built, groups, values = _crowded(spare=3)
    failed = pack_groups(problem, groups, built.placed(values), exact_pack).failed
    assert failed
    assert repacked(built, values, failed, LIMITS) is None
