"""Pods without GPUs in the shapes of a published study, and what they put on nodes."""

from __future__ import annotations

import numpy as np

from planner.problem.placement import IntArray


def plain_pods(seed: int, count: int) -> IntArray:
    """``[count, 2]`` milli-CPU (100 to 1,000) and bytes of memory (100 to 1,000 MB), drawn evenly."""
    random = np.random.default_rng(seed)
    cpu = random.integers(100, 1_001, count)
    memory = random.integers(10**8, 10**9 + 1, count)
    return np.stack([cpu, memory], axis=1)


def loads_of(asks: IntArray, place: IntArray, nodes: int) -> IntArray:
    """``[nodes, 2]`` sums of what lies there; pods on node ``nodes`` lie nowhere."""
    loads = np.zeros((nodes + 1, asks.shape[1]), dtype=np.int64)
    np.add.at(loads, place, asks)
    return loads[:nodes]
