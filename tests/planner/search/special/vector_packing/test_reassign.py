"""All nodes exchange pods at once."""

from __future__ import annotations

import numpy as np
import pytest

from planner.search.special.vector_packing.local_search import best_fit
from planner.search.special.vector_packing.reassign import Reassignment
from planner.testing.plain_pods import loads_of, plain_pods


@pytest.mark.parametrize(
    ("nodes", "per_node", "spare"), [(12, 4, 1.03), (32, 4, 1.018), (24, 8, 1.01)]
)
def test_nodes_are_packed_with_hardly_anything_to_spare(
    nodes: int, per_node: int, spare: float
) -> None:
    asks = plain_pods(nodes, nodes * per_node)
    room = np.repeat(np.ceil(asks.sum(axis=0) * spare / nodes)[None, :], nodes, axis=0)
    room = room.astype(np.int64)
    place = best_fit(asks, room, np.ones(len(asks), dtype=np.bool_))
    assert (loads_of(asks, place, nodes) > room).any()
    search = Reassignment(asks, room, place, np.random.default_rng(0))
    assert search.run(lambda step: step > 10_000)
    assert (loads_of(asks, place, nodes) <= room).all()
    assert (place < nodes).all()


def test_nodes_of_several_sizes_and_pods_that_stay_out() -> None:
    asks = plain_pods(5, 50)
    room = np.repeat(np.array([[2_800, 3 * 10**9], [2_000, 2 * 10**9]]), [6, 6], axis=0)
    chosen = np.arange(50) < 44
    place = best_fit(asks, room, chosen)
    search = Reassignment(asks, room, place, np.random.default_rng(1))
    assert search.run(lambda step: step > 10_000)
    assert (loads_of(asks, place, 12) <= room).all()
    assert ((place == 12) == ~chosen).all()


def test_the_least_excess_stays_where_nothing_fits() -> None:
    asks = np.array([(6, 6)] * 20, dtype=np.int64)
    room = np.array([(10, 10)] * 9, dtype=np.int64)
    place = best_fit(asks, room, np.ones(20, dtype=np.bool_))
    search = Reassignment(asks, room, place, np.random.default_rng(0))
    assert not search.run(lambda step: step >= 64)
    over = np.maximum(loads_of(asks, place, 9) - room, 0).sum() / 10
    assert search.excess() == pytest.approx(over)
    assert 0 < search.excess() < 8
