"""Ways of gangs into domains: what they are, what they cost, and what they tell a relaxation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from models.snapshot import Snapshot
from planner.model.build import BuiltModel, build
from planner.model.domain_ways import DomainWays, Link, Way
from planner.reduce.cheapest_nodes import cheapest_nodes
from planner.reduce.node_groups import Grouping
from planner.search.stages.dive.topology_diving import in_domains
from planner.search.stages.relax.relax_and_round import vertex_start
from planner.solve.backend import SolveLimits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, leaf, snapshot_of, together, work
from planner.testing.problems import classes_of, prepared_of


def _built(snapshot: Snapshot) -> BuiltModel:
    """The model that counts over domains."""
    prepared = prepared_of(snapshot)
    problem = replace(prepared.problem, counts_domains=True)
    return build(problem, classes_of(prepared), Grouping(problem).uniform())


def _snapshot(*works: Work) -> Snapshot:
    """Leaf a: two whole nodes; leaf b: one whole node and four halves; leaf c: a half."""
    whole = [gpu_node(name) for name in ("a0", "a1", "b0")]
    halves = [gpu_node(name, 4) for name in ("b1", "b2", "b3", "b4", "c0")]
    leaves = (leaf("a", "a0", "a1"), leaf("b", "b0", "b1", "b2", "b3", "b4"), leaf("c", "c0"))
    return snapshot_of(*whole, *halves, *leaves, gpu_queue("q"), *works)


def test_a_way_is_inside_one_domain_and_holds_the_gang() -> None:
    built = _built(_snapshot(together(work("four", 4, 4)), work("one", 1, 8)))
    ways = DomainWays(built)
    ((kind, members),) = ways.kinds.items()
    assert (kind.pods, len(members)) == (4, 1)
    found = [column.name for column, _ in ways.better(np.zeros(built.model.size), {})]
    assert found
    for way in found:
        assert isinstance(way, Way)
        inside = set(built.form.problem.topology.arrays(way.domain).tolist())
        assert {node for node, _ in way.spots} <= inside
        assert sum(count for _, count in way.spots) == 4
    names = {built.form.problem.topology.domains[way.domain].name for way in found}
    assert names == {"a", "b"}  # c is too small


def test_what_a_pod_costs_decides_which_way_comes_first() -> None:
    built = _built(_snapshot(together(work("four", 4, 4)), work("one", 1, 8)))
    ways = DomainWays(built)
    (kind,) = ways.kinds
    problem = built.form.problem
    whole = next(g for g, one in enumerate(built.form.groups) if one.largest[2] == 8)
    prices = {kind: 9.0, Link(kind.shape, whole): 2.0}
    (first, gain), *others = ways.better(np.zeros(built.model.size), prices)
    assert gain == 9.0
    assert sorted(problem.node_names[node] for node, _ in first.name.spots) == [
        "b1",
        "b2",
        "b3",
        "b4",
    ]
    assert [gain for _, gain in others] == [1.0]


def test_the_relaxation_knows_that_gangs_share_the_nodes_of_a_domain() -> None:
    """Three gangs of two whole nodes; each leaf has three: counting lets them all start, no leaf holds two."""
    nodes = [gpu_node(f"{name}{number}") for name in "ab" for number in range(3)]
    leaves = [leaf(name, *(f"{name}{number}" for number in range(3))) for name in "ab"]
    gangs = [together(work(f"g{number}", 2, 8)) for number in range(3)]
    gangs += [together(work(f"h{number}", 2, 8, priority=1)) for number in range(1)]
    built = _built(snapshot_of(*nodes, *leaves, gpu_queue("q"), *gangs))
    start = vertex_start(built, SolveLimits(seconds=20.0), lambda: False)
    assert start is not None
    assert start.inside is not None
    assert sum(count for _, count in start.inside.ways) <= 3 + 1e-6


def test_gangs_go_the_ways_that_cost_others_the_least() -> None:
    """Halves hold the gang as well as whole nodes, which the others need."""
    others = [work(f"eight{number}", 1, 8, created=number) for number in range(3)]
    built = _built(_snapshot(together(work("four", 4, 4, priority=9)), *others))
    limits = SolveLimits(seconds=20.0)
    start = vertex_start(built, limits, lambda: False)
    assert start is not None
    plan = in_domains(built, start.values, limits, inside=start.inside)
    assert len(plan.pods) == 4


def test_the_cheapest_nodes_of_each_domain() -> None:
    nodes, place = np.arange(5), np.array([0, 0, 1, 1, 1])
    pods, costs = np.array([1, 2, 1, 1, 5]), np.array([3.0, 1.0, 0.0, np.inf, 2.0])
    found = cheapest_nodes(nodes, place, pods, costs, 3, 3)
    assert found.rooms.tolist() == [3, 6, 0]
    assert found.costs.tolist() == [5.0, 4.0, np.inf]
    assert found.spots(0) == [(1, 2), (0, 1)]
    assert found.spots(1) == [(2, 1), (4, 2)]
