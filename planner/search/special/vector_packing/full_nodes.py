"""Proof that nodes cannot be filled as full as a plan would need: no node that holds a certain pod can.

If a plan leaves at most a certain amount unused in the whole cluster, no node leaves more than that unused. Where
every set of pods around one pod that has to be placed leaves more, there is no such plan. The sets are enumerated in
two halves that meet in the middle (Horowitz and Sahni, "Computing partitions with applications to the knapsack
problem", 1974).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from planner.problem.placement import IntArray
from planner.search.special.vector_packing.meeting import pairs_between
from planner.search.special.vector_packing.problem import PackingProblem

MOST_SETS = 3_000_000
"""Sets of pods on one side; beyond, no answer is given."""
MOST_PODS = 160
"""Pods beyond which there are too many sets wherever a node holds many of them."""


def cannot_fill(
    packing: PackingProblem, need: Mapping[int, int], spare: IntArray, late: Callable[[], bool]
) -> bool:
    """Whether it is proved that nodes which are alike cannot hold so many gangs of every rank (rank to gangs).

    A plan with them leaves at most ``spare[resources]`` of all nodes together unused.
    """
    if not packing.alike or not need:
        return False
    room = packing.room[0]
    if (spare < 0).any():
        return True
    if int((packing.gangs * packing.pods).sum()) > MOST_PODS:
        return False
    if (spare >= room).any():
        return False
    kind = _certain(packing, need)
    if kind is None:
        return False
    inside = np.array([int(rank) in need for rank in packing.rank])
    supply = np.where(inside, packing.gangs * packing.pods, 0)
    supply[kind] -= 1
    left = room - packing.asks[kind]
    return _none_between(packing.asks, supply, left - spare, left, late)


def least_asked(packing: PackingProblem, need: Mapping[int, int]) -> IntArray:
    """The least that so many gangs of each rank can ask for, resource by resource."""
    return _least(packing, packing.asks, need)


def least_of_all(packing: PackingProblem, need: Mapping[int, int], units: IntArray) -> int:
    """The same for all resources together, each counted in so many units."""
    return int(_least(packing, (packing.asks @ units)[:, None], need)[0])


def _least(packing: PackingProblem, asks: IntArray, need: Mapping[int, int]) -> IntArray:
    total = np.zeros(asks.shape[1], dtype=np.int64)
    gang = asks * packing.pods[:, None]
    for rank, count in need.items():
        kinds = packing.of_rank(rank)
        rows = np.repeat(gang[kinds], packing.gangs[kinds], axis=0)
        total += np.sort(rows, axis=0)[:count].sum(axis=0)
    return total


def _certain(packing: PackingProblem, need: Mapping[int, int]) -> int | None:
    """The kind with the largest pods of which at least one has to be placed."""
    room = packing.room[0].astype(np.float64)
    size = (packing.asks / np.maximum(room, 1)).sum(axis=1)
    certain = [
        k
        for k, rank in enumerate(packing.rank)
        if int(rank) in need and need[int(rank)] > packing.size(int(rank)) - int(packing.gangs[k])
    ]
    return max(certain, key=lambda k: (size[k], -k), default=None)


def _none_between(
    asks: IntArray, supply: IntArray, low: IntArray, high: IntArray, late: Callable[[], bool]
) -> bool:
    """Whether no set of pods has its sums between ``low`` and ``high`` in every resource."""
    order = np.argsort(-(asks / np.maximum(high, 1)).max(axis=1), kind="stable")
    one = _sums(asks, supply, order[::2], high, late)
    other = _sums(asks, supply, order[1::2], high, late)
    if one is None or other is None:
        return False
    pairs = pairs_between(one, other, low, high, late)
    return pairs is not None and not len(pairs[0])


def _sums(
    asks: IntArray, supply: IntArray, kinds: IntArray, high: IntArray, late: Callable[[], bool]
) -> IntArray | None:
    """Sums of all sets of pods of some kinds that stay within ``high``; None where there are too many."""
    found = [np.zeros(1, dtype=np.int64) for _ in high]
    for k in kinds:
        parts = [found]
        for _ in range(int(supply[k])):
            more = [sums + ask for sums, ask in zip(parts[-1], asks[k], strict=True)]
            fits = more[0] <= high[0]
            for sums, most in zip(more[1:], high[1:], strict=True):
                fits &= sums <= most
            if not fits.any():
                break
            parts.append([sums[fits] for sums in more])
        found = [np.concatenate(one) for one in zip(*parts, strict=True)]
        if len(found[0]) > MOST_SETS or late():
            return None
    return np.stack(found, axis=1)
