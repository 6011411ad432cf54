"""Gangs are brought into fewer places without losing a pod; what cannot be helped stays as it is."""

from __future__ import annotations

import numpy as np

from models.snapshot import Snapshot
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.domain_count import LeastPlaces, domain_value
from planner.reduce.domain_of_gang import keeps_topology
from planner.search.construct.fill import room_after
from planner.search.stages.improve.consolidate import Gatherer, gathered
from planner.search.stages.improve.rebuild import regrouped
from planner.testing.by_hand import (
    Work,
    gpu_node,
    gpu_queue,
    leaf,
    snapshot_of,
    spine,
    together,
    work,
)
from planner.testing.problems import prepared_of

NAMES = ("a0", "a1", "b0", "b1", "c0", "c1")


def _snapshot(*works: Work) -> Snapshot:
    """Three leaves of two nodes with 8 GPUs, two of them below one spine."""
    leaves = (leaf("a", "a0", "a1"), leaf("b", "b0", "b1"), leaf("c", "c0", "c1"))
    spines = (spine("s", "a", "b"), spine("t", "c"))
    nodes = [gpu_node(name) for name in NAMES]
    return snapshot_of(*nodes, *leaves, *spines, gpu_queue("q"), *works)


def _planned(problem: PlacementProblem, **nodes: str) -> Assignment:
    """One pod of the gang per node named."""
    number = {problem.gang_names[d.gang]: i for i, d in enumerate(problem.demands)}
    place = {name: index for index, name in enumerate(problem.node_names)}
    return Assignment(
        {
            number[f"ml/{gang}"]: {0: [(place[name], 1) for name in names.split()]}
            for gang, names in nodes.items()
        }
    )


def _nodes(problem: PlacementProblem, plan: Assignment) -> dict[str, set[str]]:
    return {
        problem.gang_names[problem.demands[index].gang]: {
            problem.node_names[node] for spots in items.values() for node, n in spots if n
        }
        for index, items in plan.pods.items()
    }


def _values(problem: PlacementProblem, plan: Assignment) -> list[int]:
    return [domain_value(problem, plan, level) for level in problem.topology.levels]


def test_a_spread_gang_moves_into_one_leaf() -> None:
    problem = prepared_of(_snapshot(together(work("x", 2, 8), mode="soft"))).problem
    plan = _planned(problem, x="a0 c0")
    assert _values(problem, plan) == [4, 4]
    better = gathered(problem, plan, lambda: False)
    assert _values(problem, better) == [2, 2]
    assert _nodes(problem, plan) == {"ml/x": {"a0", "c0"}}, "the given plan is left as it is"


def test_others_make_way_if_they_find_other_nodes() -> None:
    works = (together(work("x", 2, 8), mode="soft"), work("y", 3, 8))
    problem = prepared_of(_snapshot(*works)).problem
    better = gathered(problem, _planned(problem, x="a0 b0", y="a1 b1 c0"), lambda: False)
    assert _values(problem, better) == [2, 2]
    assert sum(len(nodes) for nodes in _nodes(problem, better).values()) == 5


def test_what_cannot_be_gathered_stays() -> None:
    works = (together(work("x", 3, 8), mode="soft"), together(work("y", 3, 8), mode="soft"))
    problem = prepared_of(_snapshot(*works)).problem
    plan = _planned(problem, x="a0 a1 b0", y="b1 c0 c1")
    better = gathered(problem, plan, lambda: False)
    assert _values(problem, better) == [12, 9]
    assert room_after(problem, better).free.min() >= 0


def test_nobody_takes_the_nodes_of_a_gang_that_stays() -> None:
    """Cleared in vain: what made way may not go to where the gang was, and still is."""
    works = (
        together(work("x", 3, 8), mode="soft"),
        work("y", 1, 8),
        together(work("z", 2, 8)),
    )
    problem = prepared_of(_snapshot(*works)).problem
    plan = _planned(problem, x="a0 a1 c1", y="c0", z="b0 b1")
    better = gathered(problem, plan, lambda: False)
    assert _values(problem, better) == _values(problem, plan)
    assert room_after(problem, better).free.min() >= 0


def test_hard_gangs_keep_their_domain() -> None:
    works = (together(work("x", 2, 4), 2), work("y", 1, 8))
    problem = prepared_of(_snapshot(*works)).problem
    better = gathered(problem, _planned(problem, x="a0 b0", y="c0"), lambda: False)
    assert _values(problem, better) == [2, 2]
    assert keeps_topology(problem, better)


def test_placing_anew_keeps_every_pod() -> None:
    works = (together(work("x", 2, 8), mode="soft"), together(work("h", 2, 8)), work("y", 2, 8))
    problem = prepared_of(_snapshot(*works)).problem
    found = regrouped(problem, _planned(problem, x="a0 b0", h="c0 c1", y="a1 b1"))
    assert found is not None
    assert _values(problem, found) == [4, 4]
    assert keeps_topology(problem, found)
    assert len(set().union(*_nodes(problem, found).values())) == 6


def test_the_least_counts_what_runs_already() -> None:
    waiting = together(work("x", 3, 8, nodes=("c0",)), mode="soft")
    problem = prepared_of(_snapshot(waiting)).problem
    demand = problem.demands[0]
    assert [LeastPlaces(problem, level).of(demand) for level in problem.topology.levels] == [2, 2]


def test_what_could_be_cleared_is_known_after_every_move() -> None:
    """Room of movable pods is kept beside them: adding up all of them for every gang took most of the time."""
    works = (together(work("x", 2, 8), mode="soft"), work("y", 3, 8))
    problem = prepared_of(_snapshot(*works)).problem
    gatherer = Gatherer(problem, _planned(problem, x="a0 b0", y="a1 b1 c0"))
    before = gatherer._taken.copy()
    assert gatherer.improve(lambda: False)
    assert not np.array_equal(gatherer._taken, before)
    expected = np.zeros_like(problem.free)
    for index, items in gatherer.assignment.pods.items():
        if not problem.demands[index].gathered:
            for item, spots in items.items():
                for node, count in spots:
                    shape = problem.demands[index].items[item].shape
                    expected[node] += problem.requests[shape] * count
    assert np.array_equal(gatherer._taken, expected)
