"""Domains in which several gangs that share nodes could gain something, at the prices of a relaxation.

For gangs k with n_k pods of one size, worth w_k each, and a domain: any two or more of them with N pods in all gain at
most ``sum_k (w_k - e_k) - C(N)``. C(N) is what N pods cost on the domain's nodes where each pays the least that any of
them pays there, and e_k is what gang k pays beyond that at least. The largest such sum is found by dynamic programming.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from planner.problem.placement import IntArray
from planner.reduce.cheapest_nodes import FloatArray, OrderedNodes, SteppedNodes

_GAIN = 1e-6
"""Gains up to which nothing is lost; the solver's tolerance is as large."""


@dataclass(frozen=True, slots=True)
class Places:
    """Nodes, the place of their domain among the choices, the pods that fit, and what one pod costs there."""

    nodes: IntArray
    place: IntArray
    pods: IntArray
    costs: FloatArray


@dataclass(frozen=True, slots=True)
class Gangs:
    """``members`` gangs with ``pods`` pods, of which each is worth so much."""

    pods: int
    members: int
    worth: float
    places: Places


def sharing(
    gangs: Sequence[Gangs],
    domains: int,
    nodes: int,
    steps: Callable[[IntArray, int], FloatArray],
) -> list[int]:
    """Places of domains where two gangs or more could gain together; ``steps`` is what a node's pods cost besides.

    ``steps`` gets nodes and the most pods of one, and returns ``[nodes, pods + 1]``.
    """
    if sum(one.members for one in gangs) < 2:
        return []
    base, pods = np.full(nodes, np.inf), np.zeros(nodes, dtype=np.int64)
    place = np.zeros(nodes, dtype=np.int64)
    for one in gangs:
        here = one.places
        base[here.nodes] = np.minimum(base[here.nodes], here.costs)
        pods[here.nodes] = np.maximum(pods[here.nodes], here.pods)
        place[here.nodes] = here.place
    some = np.flatnonzero(pods)
    if not some.size:
        return []
    room = int(np.bincount(place[some], weights=pods[some]).max())
    most = min(room, sum(one.members * one.pods for one in gangs))
    count = np.arange(int(pods.max()) + 1)
    costs = np.where(count <= pods[some, None], base[some, None] * count, np.inf)
    costs = costs + steps(some, int(pods.max()))
    least = SteppedNodes(some, place[some], costs, domains, most).least
    gains = _together(gangs, base, domains, most) - least
    return np.flatnonzero(gains.max(axis=1) > _GAIN).tolist()


def _together(gangs: Sequence[Gangs], base: FloatArray, domains: int, most: int) -> FloatArray:
    """``[domains, most + 1]`` what two or more gangs with so many pods are worth, less what exceeds the base."""
    found = np.full((3, domains, most + 1), -np.inf)  # none, one, two or more
    found[0, :, 0] = 0.0
    for one in gangs:
        here, size = one.places, one.pods
        beyond = OrderedNodes(
            here.nodes, here.place, here.pods, here.costs - base[here.nodes], domains
        ).take(size)
        worth = one.worth - beyond.costs
        able = np.flatnonzero(worth > 0)
        for _ in range(min(one.members, most // size) if able.size else 0):
            before = found[:, able]
            after, more = before.copy(), worth[able, None]
            after[1, :, size:] = np.maximum(
                before[1, :, size:], before[0, :, : most + 1 - size] + more
            )
            several = np.maximum(before[1], before[2])[:, : most + 1 - size] + more
            after[2, :, size:] = np.maximum(before[2, :, size:], several)
            found[:, able] = after
    result: FloatArray = found[2]
    return result
