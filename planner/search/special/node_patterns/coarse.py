"""Pods of hundreds of kinds as few kinds: rounded up what they ask for gives plans, rounded down bounds.

A pattern of kinds that ask for at least as much as every pod that uses their slots keeps within its node, and one of
kinds that ask for no more than any of them is a relaxation. Kinds are split, most lost first, where least is lost by
what the two parts are rounded to.
"""

from __future__ import annotations

import heapq

import numpy as np

from planner.problem.placement import IntArray

MOST_CELLS = 40_000
"""Steps of a card times kinds beyond which both are made fewer: every price of a card looks at each of them."""
FEW_STEPS = 100
FEW_KINDS = 160


def few_steps(amounts: IntArray, full: int, *, up: bool) -> tuple[IntArray, int]:
    """Amounts of a card in few steps, and the steps of a full one; rounded down none becomes nothing."""
    least = int(amounts[amounts > 0].min(initial=full))
    steps = FEW_STEPS if up else max(FEW_STEPS, -(-full // max(least, 1)))
    return (-(-amounts * steps // full) if up else amounts * steps // full), steps


def grouped(asks: IntArray, apart: IntArray, weights: IntArray, *, up: bool) -> IntArray:
    """``[kinds]`` the group of each kind, numbered from 0.

    Parameters
    ----------
    asks
        ``[kinds, amounts]``.
    apart
        ``[kinds]`` kinds that differ here are never together.
    weights
        ``[kinds]`` pods.
    """
    sums = (asks * weights[:, None]).sum(axis=0).astype(np.float64)
    shares = asks / np.maximum(sums, 1.0)
    queue: list[tuple[float, int, IntArray]] = []
    number = 0
    for key in np.unique(apart):
        members = np.flatnonzero(apart == key)
        heapq.heappush(queue, (-_lost(shares[members], weights[members], up), number, members))
        number += 1
    while len(queue) < FEW_KINDS and queue[0][0] < 0:
        _, _, members = heapq.heappop(queue)
        for part in _split(shares, weights, members, up):
            heapq.heappush(queue, (-_lost(shares[part], weights[part], up), number, part))
            number += 1
    found = np.zeros(len(asks), dtype=np.int64)
    for group, (_, _, members) in enumerate(sorted(queue, key=lambda one: one[1])):
        found[members] = group
    return found


def _lost(
    shares: np.ndarray[tuple[int, ...], np.dtype[np.float64]], weights: IntArray, up: bool
) -> float:
    """What rounding to one kind adds (or takes), in parts of all that is asked for."""
    kept = shares.max(axis=0) if up else shares.min(axis=0)
    return float(np.abs((shares - kept) * weights[:, None]).sum())


def _split(
    shares: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    weights: IntArray,
    members: IntArray,
    up: bool,
) -> tuple[IntArray, IntArray]:
    """The two parts, along one amount, by which least is lost."""
    best: tuple[float, IntArray, int] | None = None
    for amount in range(shares.shape[1]):
        order = members[np.argsort(shares[members, amount], kind="stable")]
        own = shares[order, amount]
        cuts = np.flatnonzero(own[1:] > own[:-1]) + 1
        for cut in cuts[:: max(len(cuts) // 16, 1)]:
            lost = sum(
                _lost(shares[part], weights[part], up) for part in (order[:cut], order[cut:])
            )
            if best is None or lost < best[0]:
                best = lost, order, int(cut)
    assert best is not None
    _, order, cut = best
    return order[:cut], order[cut:]
