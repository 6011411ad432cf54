"""What nodes are worth to pods still to come."""

from __future__ import annotations

import numpy as np

from planner.problem.placement import PlacementProblem
from planner.search.construct.node_worth import NodeWorth
from planner.testing.by_hand import Work, gpu_node, gpu_queue, snapshot_of, work
from planner.testing.problems import prepared_of


def _problem(free: dict[str, int], *works: Work) -> PlacementProblem:
    nodes = [gpu_node(name, gpus) for name, gpus in free.items()]
    return prepared_of(snapshot_of(*nodes, gpu_queue("q"), *works)).problem


def _losses(problem: PlacementProblem, size: int, most: int) -> dict[str, list[float]]:
    """GPUs lost per node and number of pods of a size."""
    shape = int(np.flatnonzero(problem.shape_gpus == size)[0])
    nodes = np.arange(len(problem.node_names))
    pods = np.minimum(problem.free[:, _gpus(problem)] // size, most)
    found = NodeWorth(problem).losses(shape, nodes, problem.free, pods)
    return {problem.node_names[node]: found[node].tolist() for node in nodes}


def _gpus(problem: PlacementProblem) -> int:
    return next(d for d, name in enumerate(problem.dimensions) if name.endswith("gpu"))


def test_the_gpus_beside_a_large_pod_cost_less_than_one_of_its_own() -> None:
    """Seven GPUs hold a pod of four with three free, four hold it with none, three do not hold it."""
    free = {"seven": 7, "four": 4, "three": 3}
    sizes = [work(f"w{size}", 1, size) for size in (1, 2, 4)]
    losses = _losses(_problem(free, *sizes), 1, 4)
    assert losses["seven"] == [0.0, 1.0, 4.0, 5.0, 12.0]
    assert losses["four"] == [0.0, 7.0, 8.0, 11.0, 12.0]
    assert losses["three"] == [0.0, 1.0, 4.0, 5.0, np.inf]


def test_pieces_count_only_where_such_pods_wait() -> None:
    losses = _losses(_problem({"four": 4, "three": 3}, work("one", 1, 1)), 1, 1)
    assert losses == {"four": [0.0, 1.0], "three": [0.0, 1.0]}


def test_sizes_of_one_doubling_count_once() -> None:
    """Of pods of five to eight GPUs the largest says whether a node is whole."""
    problem = _problem({"n": 8}, *(work(f"w{size}", 1, size) for size in (1, 5, 6, 8)))
    assert list(NodeWorth(problem).sizes) == [1, 8]
