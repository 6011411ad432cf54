"""Fill nodes one by one, each with hardly anything left over, and leave what is left over to the last ones.

Where a node holds many pods, there are so many ways to fill it that one of them wastes next to nothing. Sets of up to
eight pods are found in two halves that meet in the middle (Horowitz and Sahni, 1974).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.problem.placement import IntArray
from planner.search.special.vector_packing.local_search import Exchange, best_fit

FEWEST_PODS = 6
"""Pods per node from which nodes are filled one by one."""
HALF = 20
"""Pods of one half."""
PARTS = 4
"""Pods that one half gives to a node at most."""
LAST_NODES = 5
"""Nodes that are packed by exchange in the end."""
LAST_STEPS = 600
WINDOWS = (0.001, 0.004, 0.02, 0.2, 1.0)
"""Parts of a node that may be left over in the first resource, tried in turn."""
ENOUGH_PAIRS = 2_000
MOST_PAIRS = 400_000


def fills(pods: int, nodes: int) -> bool:
    """Whether there is enough to choose from."""
    return nodes > LAST_NODES and pods >= FEWEST_PODS * nodes


def filled(
    asks: IntArray,
    room: IntArray,
    pods: IntArray,
    nodes: int,
    random: np.random.Generator,
    late: Callable[[], bool],
) -> IntArray | None:
    """A node for each of ``pods`` (indices into ``asks``) on nodes with the same room; None if this try failed."""
    node_of = np.full(len(asks), -1, dtype=np.int64)
    pool, size = pods, (asks / np.maximum(room, 1)).sum(axis=1)
    for node in range(nodes - LAST_NODES):
        if late() or not len(pool):
            break
        chosen = _set_of(asks, room, pool, size, random)
        node_of[chosen] = node
        pool = np.setdiff1d(pool, chosen)
    last = np.repeat(room[None, :], LAST_NODES, axis=0)
    if late() or (asks[pool].sum(axis=0) > last.sum(axis=0)).any():
        return None
    place = best_fit(asks[pool], last, np.ones(len(pool), dtype=np.bool_))
    alone = np.full(len(pool), -1, dtype=np.int64)
    search = Exchange(asks[pool], last, place, alone, random)
    if not search.run(lambda step: step >= LAST_STEPS or late()):
        return None
    node_of[pool] = nodes - LAST_NODES + search.place
    return node_of


def _set_of(
    asks: IntArray, room: IntArray, pool: IntArray, size: np.ndarray, random: np.random.Generator
) -> IntArray:
    """Pods that fill one node: the largest, and of others those that leave the least over."""
    ordered = pool[np.argsort(-size[pool], kind="stable")]
    mean = np.maximum(asks[pool].mean(axis=0), 1e-9)
    seeds: list[int] = []
    left = room.copy()
    for pod in map(int, ordered):
        if seeds and (left / mean).min() <= 2 * PARTS - 1:
            break
        if (asks[pod] <= left).all():
            seeds.append(pod)
            left = left - asks[pod]
    rest = random.permutation(np.setdiff1d(pool, seeds))[: 2 * HALF]
    one, other = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    added = _least_left(_Half(asks, one, left), _Half(asks, other, left), left, room, random)
    return np.concatenate([np.array(seeds, dtype=np.int64), added])


class _Half:
    """Sums of all sets of up to ``PARTS`` of some pods that fit, and the sets as bits."""

    def __init__(self, asks: IntArray, pods: IntArray, left: IntArray) -> None:
        self.pods = pods
        sums = np.zeros((1, len(left)), dtype=np.int64)
        bits, last = np.zeros(1, dtype=np.int64), np.full(1, -1)
        every, sets = [sums], [bits]
        for _ in range(PARTS):
            count = len(pods) - 1 - last
            rows = np.repeat(np.arange(len(sums)), count)
            following = _following(count)
            new = last[rows] + 1 + following
            more = sums[rows] + asks[pods[new]]
            fits = (more <= left).all(axis=1)
            sums, bits, last = more[fits], (bits[rows] | (1 << new))[fits], new[fits]
            every.append(sums)
            sets.append(bits)
        self.sums, self.sets = np.concatenate(every), np.concatenate(sets)

    def chosen(self, row: int) -> IntArray:
        """Pods of a set."""
        inside = (int(self.sets[row]) >> np.arange(len(self.pods))) & 1
        found: IntArray = self.pods[inside > 0]
        return found


def _least_left(
    one: _Half, other: _Half, left: IntArray, room: IntArray, random: np.random.Generator
) -> IntArray:
    """Pods of two sets, one of each half, that leave the least over in the resource of which they leave the most."""
    order = np.argsort(other.sums[:, 0], kind="stable")
    keys = other.sums[order, 0]
    most = left[0] - one.sums[:, 0]
    high = np.searchsorted(keys, most, side="right")
    for window in WINDOWS:
        low = np.searchsorted(keys, most - window * room[0], side="left")
        count = high - low
        if int(count.sum()) < ENOUGH_PAIRS and window < WINDOWS[-1]:
            continue
        rows = np.arange(len(count))
        if int(count.sum()) > MOST_PAIRS:
            kept = max(len(count) * MOST_PAIRS // int(count.sum()), 1)
            rows = random.permutation(rows)[:kept]
        first = np.repeat(rows, count[rows])
        second = order[np.repeat(low[rows], count[rows]) + _following(count[rows])]
        over = (left - one.sums[first] - other.sums[second]) / np.maximum(room, 1)
        cost = np.where((over >= 0).all(axis=1), over.max(axis=1), np.inf)
        best = int(cost.argmin()) if len(cost) else 0
        if len(cost) and np.isfinite(cost[best]):
            return np.concatenate([one.chosen(first[best]), other.chosen(second[best])])
    return np.empty(0, dtype=np.int64)


def _following(count: IntArray) -> IntArray:
    """0, 1, … for each of some counts, one after the other."""
    found: IntArray = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return found
