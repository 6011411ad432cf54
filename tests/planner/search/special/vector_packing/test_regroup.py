"""Some nodes at a time group all their pods anew."""

from __future__ import annotations

import numpy as np
import pytest

from planner.search.special.vector_packing.local_search import best_fit
from planner.search.special.vector_packing.regroup import STEPS_OF_ONE, Regrouping
from planner.testing.plain_pods import loads_of, plain_pods


def _room(asks: np.ndarray, nodes: int, spare: float) -> np.ndarray:
    one = np.ceil(asks.sum(axis=0) * spare / nodes).astype(np.int64)
    return np.repeat(one[None, :], nodes, axis=0)


@pytest.mark.parametrize(
    ("nodes", "per_node", "spare"), [(8, 4, 1.05), (16, 4, 1.015), (32, 4, 1.008), (24, 5, 1.005)]
)
def test_nodes_are_packed_with_hardly_anything_to_spare(
    nodes: int, per_node: int, spare: float
) -> None:
    asks = plain_pods(nodes, nodes * per_node)
    room = _room(asks, nodes, spare)
    place = best_fit(asks, room, np.ones(len(asks), dtype=np.bool_))
    assert (loads_of(asks, place, nodes) > room).any()
    search = Regrouping(asks, room, place, np.arange(len(asks)), np.random.default_rng(0))
    assert search.run(lambda step: step > 600 * STEPS_OF_ONE)
    assert (loads_of(asks, place, nodes) <= room).all()
    assert (place < nodes).all()


def test_pods_of_one_kind_and_pods_that_stay_out() -> None:
    kind = np.repeat(np.arange(26), 2)
    asks = plain_pods(5, 26)[kind]
    chosen = np.arange(52) < 48
    room = _room(asks[chosen], 12, 1.02)
    place = best_fit(asks, room, chosen)
    assert (loads_of(asks, place, 12) > room).any()
    search = Regrouping(asks, room, place, kind, np.random.default_rng(1))
    assert search.run(lambda step: step > 600 * STEPS_OF_ONE)
    assert (loads_of(asks, place, 12) <= room).all()
    assert ((place == 12) == ~chosen).all()


def test_the_least_excess_stays_where_nothing_fits() -> None:
    asks = np.array([(6, 6)] * 20, dtype=np.int64)
    room = np.array([(10, 10)] * 9, dtype=np.int64)
    place = best_fit(asks, room, np.ones(20, dtype=np.bool_))
    search = Regrouping(asks, room, place, np.zeros(20, dtype=np.int64), np.random.default_rng(0))
    first = search.excess()
    assert not search.run(lambda step: step >= 30 * STEPS_OF_ONE)
    over = np.maximum(loads_of(asks, place, 9) - room, 0).sum() / 10
    assert search.excess() == pytest.approx(over)
    assert 0 < search.excess() <= first
