"""What gangs inside domains take from larger pods, node by node, and that no bound is lower than a plan."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from planner.model.build import BuiltModel, build
from planner.model.domain_ways import Cell, DomainWays
from planner.reduce.cheapest_nodes import SteppedNodes
from planner.reduce.node_groups import Grouping
from planner.search.stages.relax.relax_and_round import vertex_start
from planner.solve.backend import SolveLimits
from planner.testing.by_hand import Work, gpu_node, gpu_queue, leaf, snapshot_of, together, work
from planner.testing.problems import classes_of, prepared_of


def _built(nodes_per_leaf: dict[str, int], *works: Work) -> BuiltModel:
    """The model that counts over domains; every node has eight GPUs."""
    names = {name: [f"{name}{i}" for i in range(count)] for name, count in nodes_per_leaf.items()}
    nodes = [gpu_node(one) for some in names.values() for one in some]
    leaves = [leaf(name, *some) for name, some in names.items()]
    prepared = prepared_of(snapshot_of(*nodes, *leaves, gpu_queue("q"), *works))
    problem = replace(prepared.problem, counts_domains=True)
    return build(problem, classes_of(prepared), Grouping(problem).uniform())


def _bound(built: BuiltModel, rank: str) -> int:
    start = vertex_start(built, SolveLimits(seconds=20.0), lambda: False)
    assert start is not None
    (found,) = [s.bound for s in start.chain.steps if s.goal.name.endswith(f"{rank}.gpus")]
    return found


def test_half_a_node_of_a_gang_costs_a_large_pod_the_whole_node() -> None:
    """Three pods of four GPUs open two nodes of their leaf, so that two of the three pods of eight have room."""
    eights = [work(f"eight{i}", 1, 8) for i in range(3)]
    built = _built({"a": 2, "b": 2}, together(work("half", 3, 4, priority=9)), *eights)
    assert _bound(built, "2") == 16


def test_gangs_that_share_a_node_open_it_once() -> None:
    """Two gangs of three such pods fill three of the four nodes of the only leaf; one pod of eight has room."""
    gangs = [together(work(f"half{i}", 3, 4, priority=9)) for i in range(2)]
    built = _built({"a": 4}, *gangs, *[work(f"eight{i}", 1, 8) for i in range(2)])
    assert _bound(built, "1") == 24
    assert _bound(built, "2") >= 8


def test_what_others_want_of_a_domain_costs_the_ways_into_it() -> None:
    """A price of a domain's nodes is less gain for whoever takes them."""
    built = _built({"a": 2, "b": 2}, together(work("g", 2, 8)), work("one", 1, 8))
    ways = DomainWays(built)
    (kind,) = ways.kinds
    first = kind.choices[0]
    prices = {kind: 100.0, Cell(first, 0): -1.0}
    found = {
        column.name.domain: gain  # type: ignore[attr-defined]
        for column, gain in ways.better(np.zeros(built.model.size), prices)
    }
    assert found == {first: 84.0, kind.choices[1]: 100.0}


def test_the_cheapest_nodes_where_pods_cost_by_their_number() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        place = np.sort(rng.integers(0, 2, 5))
        costs = rng.integers(0, 9, (5, 4)).astype(float)
        costs[:, 0] = 0.0
        costs[rng.random(5) < 0.4, 3] = np.inf
        nodes = SteppedNodes(np.arange(5), place, costs, 2, 6)
        for wanted in range(1, 7):
            found = nodes.take(wanted)
            for domain in range(2):
                mine = np.flatnonzero(place == domain)
                best = min(
                    (
                        sum(costs[node, n] for node, n in zip(mine, take, strict=True))
                        for take in itertools.product(range(4), repeat=len(mine))
                        if sum(take) == wanted
                    ),
                    default=np.inf,
                )
                assert found.costs[domain] == best
                if np.isfinite(best):
                    spots = found.spots(domain)
                    assert sum(count for _, count in spots) == wanted
                    assert sum(costs[node, count] for node, count in spots) == best
