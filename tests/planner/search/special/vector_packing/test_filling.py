"""Filling nodes one by one."""

from __future__ import annotations

import numpy as np
import pytest

from planner.search.special.vector_packing.filling import filled, fills
from planner.testing.plain_pods import loads_of, plain_pods


@pytest.mark.parametrize(("seed", "nodes", "per_node"), [(0, 8, 8), (1, 12, 8), (2, 7, 20)])
def test_nodes_are_filled_with_one_per_cent_to_spare(seed: int, nodes: int, per_node: int) -> None:
    asks = plain_pods(seed, nodes * per_node)
    room = np.ceil(asks.sum(axis=0) * 1.01 / nodes).astype(np.int64)
    random = np.random.default_rng(seed)
    pods = np.arange(len(asks))
    tries = (filled(asks, room, pods, nodes, random, lambda: False) for _ in range(30))
    node_of = next(one for one in tries if one is not None)
    assert (loads_of(asks, node_of, nodes) <= room).all()
    assert (node_of >= 0).all()


def test_too_many_pods_are_not_filled_in() -> None:
    asks = plain_pods(3, 6 * 7)
    room = asks.sum(axis=0) // 6 - 1
    random = np.random.default_rng(3)
    assert filled(asks, room, np.arange(len(asks)), 6, random, lambda: False) is None


def test_pods_that_are_not_asked_for_stay_out() -> None:
    asks = plain_pods(4, 6 * 8)
    room = np.ceil(asks.sum(axis=0) / 6).astype(np.int64)
    pods = np.arange(0, len(asks) - 4)
    random = np.random.default_rng(4)
    tries = (filled(asks, room, pods, 6, random, lambda: False) for _ in range(30))
    node_of = next(one for one in tries if one is not None)
    assert (node_of[-4:] == -1).all()


def test_a_stop_ends_it() -> None:
    asks = plain_pods(5, 6 * 8)
    random = np.random.default_rng(5)
    assert filled(asks, np.array([10**4, 10**10]), np.arange(48), 6, random, lambda: True) is None


def test_few_pods_or_few_nodes_are_packed_otherwise() -> None:
    assert fills(64, 8)
    assert not fills(32, 8)
    assert not fills(40, 5)
