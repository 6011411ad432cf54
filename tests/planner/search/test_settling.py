"""Chosen gangs get nodes all at once: domains first, then the groups that a solution means for a shape."""

from __future__ import annotations

import numpy as np

from models.snapshot import Snapshot
from planner.encode.prepared import Prepared
from planner.model.build import build
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.node_groups import Grouping
from planner.reduce.shape_shares import ShapeShares, Share
from planner.search.construct.ejection import displaced
from planner.search.construct.place_in_domains import Settler
from planner.search.stages.dive.topology_diving import in_domains, shares_of
from planner.solve.backend import SolveLimits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, leaf, snapshot_of, together, work
from planner.testing.problems import classes_of, prepared_of


def _snapshot(*works: Work) -> Snapshot:
    """Two leaves: a with one whole node and four halves, b with two whole nodes."""
    halves = [gpu_node(f"h{number}", 4) for number in range(4)]
    nodes = [gpu_node("a0"), gpu_node("b0"), gpu_node("b1"), *halves]
    leaves = (leaf("a", "a0", "h0", "h1", "h2", "h3"), leaf("b", "b0", "b1"))
    return snapshot_of(*nodes, *leaves, gpu_queue("q"), *works)


def _number(problem: PlacementProblem, name: str) -> int:
    return next(i for i, d in enumerate(problem.demands) if problem.gang_names[d.gang] == name)


def _where(problem: PlacementProblem, plan: Assignment, name: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for spots in plan.pods[_number(problem, f"ml/{name}")].values():
        for node, count in spots:
            found[problem.node_names[node]] = found.get(problem.node_names[node], 0) + count
    return found


def _pair_and_single() -> Prepared:
    return prepared_of(_snapshot(together(work("pair", 2, 8)), work("single", 1, 8)))


def _no_shares(problem: PlacementProblem) -> ShapeShares:
    return ShapeShares(problem, Grouping(problem).uniform(), ())


def test_a_gang_goes_into_the_domain_that_it_fills_best() -> None:
    problem = _pair_and_single().problem
    settler = Settler(problem, _no_shares(problem))
    every = [_number(problem, "ml/single"), _number(problem, "ml/pair")]
    settler.place_bound(every)
    settler.place_others(every)
    assert _where(problem, settler.found, "pair") == {"b0": 1, "b1": 1}
    assert _where(problem, settler.found, "single") == {"a0": 1}


def test_a_gang_that_no_domain_holds_receives_nothing() -> None:
    problem = prepared_of(_snapshot(together(work("wide", 3, 8)))).problem
    settler = Settler(problem, _no_shares(problem))
    settler.place_bound([0])
    settler.place_others([0])
    assert settler.found.pods == {}


def test_pods_go_to_the_groups_that_the_solution_has_for_them() -> None:
    snapshot = _snapshot(together(work("four", 4, 4)), work("eight", 2, 8))
    prepared = prepared_of(snapshot)
    problem = prepared.problem
    groups = Grouping(problem).uniform()
    built = build(problem, classes_of(prepared), groups)
    halves = next(g for g, one in enumerate(groups) if one.size == 4)
    shape = problem.demands[_number(problem, "ml/four")].items[0].shape
    values = [0] * built.model.size
    for zone in built.form.variables.spots.zones:
        if shape in zone.shapes:
            values[zone.columns[halves]] = 4
    settler = Settler(problem, shares_of(built, values))
    settler.place_bound([_number(problem, "ml/four")])
    assert _where(problem, settler.found, "four") == {"h0": 1, "h1": 1, "h2": 1, "h3": 1}


def test_two_shapes_exchange_groups() -> None:
    """One pod of a whole node goes where two of half a node were meant to be, which go where it was meant to be."""
    nodes = [gpu_node("a0"), gpu_node("b0")]
    problem = prepared_of(
        snapshot_of(*nodes, gpu_queue("q"), work("x", 2, 4), work("y", 1, 8))
    ).problem
    groups = Grouping(problem).singles()
    here, there = (problem.node_names.index(name) for name in ("a0", "b0"))
    four, eight = (problem.demands[_number(problem, f"ml/{n}")].items[0].shape for n in "xy")
    every = np.ones(2, dtype=bool)
    pods = np.zeros((2, 2), dtype=np.int64)
    pods[0, here], pods[1, there] = 2, 1
    meant = [Share(every, pods[0], {four: 2}), Share(every, pods[1], {eight: 1})]
    shares = ShapeShares(problem, groups, meant)
    assert shares.left(eight).tolist() == [0, 1]
    assert shares.reach(eight)[here] == 1
    shares.take(eight, here, 1)
    assert shares.left(eight).tolist() == [0, 0]
    assert shares.rest()[four].tolist() == [0, 2]


def test_gangs_of_a_high_rank_take_the_place_of_lower_ones() -> None:
    snapshot = _snapshot(
        work("low", 3, 8, priority=1),
        together(work("high", 2, 8, priority=9)),
    )
    prepared = prepared_of(snapshot)
    problem, classes = prepared.problem, classes_of(prepared)
    order = sorted(classes, key=lambda one: one.rank)
    low = _number(problem, "ml/low")
    taken = {0: [(node, 1) for node, name in enumerate(problem.node_names) if name[0] in "ab"]}
    plan = displaced(problem, order, Assignment({low: taken}))
    assert low not in plan.pods
    assert _where(problem, plan, "high") == {"b0": 1, "b1": 1}


def test_what_the_domains_take_decides_the_rest_anew() -> None:
    """A solution that has the pair on nodes of two leaves: the single moves to where the pair does not go."""
    prepared = _pair_and_single()
    problem = prepared.problem
    built = build(problem, classes_of(prepared), Grouping(problem).uniform())
    values = [0] * built.model.size
    for column in built.form.variables.starts:
        assert column is not None
        values[column] = 1
    plan = in_domains(built, values, SolveLimits(seconds=10))
    assert _where(problem, plan, "pair") == {"b0": 1, "b1": 1}
    assert _where(problem, plan, "single") == {"a0": 1}


def test_others_of_the_rank_make_way_where_they_find_other_nodes() -> None:
    """Two singles stand in the only leaf with two whole nodes; one of them moves, and the other one with it."""
    snapshot = _snapshot(
        work("first", 1, 4, priority=9),
        work("second", 1, 4, priority=9),
        together(work("pair", 2, 8, priority=9)),
    )
    prepared = prepared_of(snapshot)
    problem, classes = prepared.problem, classes_of(prepared)
    number = {name: index for index, name in enumerate(problem.node_names)}
    singles = [_number(problem, f"ml/{name}") for name in ("first", "second")]
    start = Assignment({singles[0]: {0: [(number["b0"], 1)]}, singles[1]: {0: [(number["b1"], 1)]}})
    pair = _number(problem, "ml/pair")
    assert pair not in displaced(problem, classes, start).pods
    plan = displaced(problem, classes, start, [pair])
    assert _where(problem, plan, "pair") == {"b0": 1, "b1": 1}
    assert set(singles) <= set(plan.pods)


def test_small_pods_take_what_is_free_beside_large_ones() -> None:
    """Per node both leaves cost as much, but only in b three pods leave room for a pod of four GPUs on every node."""
    nodes = [gpu_node("a0", 4), gpu_node("a1", 4), gpu_node("b0", 7), gpu_node("b1", 7)]
    leaves = (leaf("a", "a0", "a1"), leaf("b", "b0", "b1"))
    works = (together(work("small", 3, 1)), work("large", 1, 4))
    problem = prepared_of(snapshot_of(*nodes, *leaves, gpu_queue("q"), *works)).problem
    same = {shape: np.zeros(len(problem.node_names)) for shape in range(len(problem.requests))}
    settler = Settler(problem, _no_shares(problem), costs=same)
    settler.place_bound([_number(problem, "ml/small")])
    assert _where(problem, settler.found, "small") == {"b0": 3}
