"""Proof that nodes cannot be filled as full as a plan would need: no node that holds a certain pod can.

If a plan leaves at most a certain amount unused in the whole cluster, no node leaves more than that unused. Where
every set of pods around one pod that has to be placed leaves more, there is no such plan. The sets are enumerated in
two halves that meet in the middle (Horowitz and Sahni, "Computing partitions with applications to the knapsack
problem", 1974).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from planner.formulations.packing.problem import PackingProblem
from planner.problem.placement import BoolArray, IntArray

MOST_SETS = 3_000_000
"""Sets of pods on one side; beyond, no answer is given."""
MOST_PODS = 160
"""Pods beyond which there are too many sets wherever a node holds many of them."""
MOST_PAIRS = 4_000_000


def cannot_fill(packing: PackingProblem, need: Mapping[int, int], late: Callable[[], bool]) -> bool:
    """Whether it is proved that nodes which are alike cannot hold so many gangs of every rank (rank to gangs)."""
    if not packing.alike or not need:
        return False
    room = packing.room[0]
    spare = packing.room.sum(axis=0) - least_asked(packing, need)
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
    total = np.zeros(packing.asks.shape[1], dtype=np.int64)
    gang = packing.asks * packing.pods[:, None]
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
    width = (high - low) / np.maximum(high, 1)
    d = int(width.argmin())
    one, other = _meeting(one, other, int(low[d]), int(high[d]), d)
    first = np.searchsorted(other[:, d], low[d] - one[:, d], side="left")
    last = np.searchsorted(other[:, d], high[d] - one[:, d], side="right")
    count = last - first
    if int(count.sum()) > MOST_PAIRS or late():
        return False
    left = np.repeat(np.arange(len(one)), count)
    offset = np.arange(len(left)) - np.repeat(np.cumsum(count) - count, count)
    sums = one[left] + other[np.repeat(first, count) + offset]
    fits: BoolArray = (sums >= low).all(axis=1) & (sums <= high).all(axis=1)
    return not bool(fits.any())


def _meeting(
    one: IntArray, other: IntArray, low: int, high: int, d: int
) -> tuple[IntArray, IntArray]:
    """Rows of both sides that have a partner in one resource, the second side sorted by it.

    Sorting single numbers and looking up sorted ones is several times faster than ordering whole rows.
    """
    mine, theirs = np.sort(one[:, d]), np.sort(other[:, d])
    mine = mine[
        np.searchsorted(theirs, high - mine, side="right")
        > np.searchsorted(theirs, low - mine, side="left")
    ]
    theirs = theirs[
        np.searchsorted(mine, high - theirs, side="right")
        > np.searchsorted(mine, low - theirs, side="left")
    ]
    one, other = one[_among(one[:, d], mine)], other[_among(other[:, d], theirs)]
    return one, other[np.argsort(other[:, d])]


def _among(column: IntArray, values: IntArray) -> BoolArray:
    """Where a column holds one of some sorted values."""
    if not len(values):
        return np.zeros(len(column), dtype=np.bool_)
    place = np.minimum(np.searchsorted(values, column), len(values) - 1)
    found: BoolArray = values[place] == column
    return found


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
