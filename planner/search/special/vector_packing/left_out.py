"""Which gangs can be left out so that all others fit into the cluster's sums: the choices that a plan has.

What a plan may leave unused depends on the gangs that it leaves out; where they are few, all choices can be listed.
A choice need not be looked at where another gang of the same rank asks for as much or more than one that is left out,
in every resource: in any plan the smaller one can take its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from planner.problem.placement import BoolArray, IntArray
from planner.search.special.vector_packing.problem import PackingProblem

MOST_CHOICES = 2_000
"""Choices, also while they are listed; beyond, no answer is given."""


@dataclass(frozen=True)
class Choices:
    """``gangs[choices, kinds]`` that start, and ``spare[choices, resources]`` that all nodes together leave unused."""

    gangs: IntArray
    spare: IntArray

    def most(self) -> IntArray:
        """The most that any of them leaves unused, resource by resource; less than nothing where there is none."""
        found: IntArray = np.append(self.spare, np.full((1, self.spare.shape[1]), -1), axis=0)
        return found.max(axis=0)  # type: ignore[no-any-return]

    def some(self, kept: BoolArray | IntArray) -> Choices:
        """Some of them, in the order that is asked for."""
        return Choices(self.gangs[kept], self.spare[kept])

    def by_room(self, room: IntArray) -> Choices:
        """Those first that leave the most, as the product of parts of a node's ``room``."""
        parts = self.spare / np.maximum(room, 1)
        return self.some(np.argsort(-parts.prod(axis=1), kind="stable"))

    def room_left(self, room: IntArray) -> float:
        """What the first of them leaves, as the (geometric) mean of parts of a node's ``room``; 0 without any."""
        if not len(self.spare):
            return 0.0
        parts = self.spare[0] / np.maximum(room, 1)
        return float(parts.prod() ** (1 / len(parts)))


def choices(
    packing: PackingProblem, want: Mapping[int, int], late: Callable[[], bool]
) -> Choices | None:
    """Choices with so many gangs of every rank (rank to gangs) and none of others; None where there are too many.

    If there is any plan with so many gangs, there is one with the gangs of one of these choices.
    """
    asks = packing.asks * packing.pods[:, None]
    every = np.where(np.isin(packing.rank, list(want)), packing.gangs, 0)
    excess = every @ asks - packing.room.sum(axis=0)
    table, sums = np.zeros((1, len(every)), dtype=np.int64), np.zeros((1, asks.shape[1]), np.int64)
    left = {rank: packing.size(rank) - count for rank, count in want.items()}
    most = {rank: _largest(packing, asks, rank, count) for rank, count in left.items()}
    larger = _larger(packing)
    for rank, count in left.items():
        reach = sum((most[other][-1] for other in left if other > rank), -excess)
        kinds = packing.of_rank(rank)
        size = (asks[kinds] / np.maximum(packing.room.sum(axis=0), 1)).sum(axis=1)
        kinds = kinds[np.lexsort((kinds, -packing.pods[kinds], -size))]
        last = np.zeros(len(table), dtype=np.int64)
        for step in range(count):
            parts: list[tuple[IntArray, IntArray, IntArray]] = []
            for place, kind in enumerate(kinds):
                # Those that are as large come before it: they are left out by now, or not at all.
                rows = (last <= place) & (table[:, kind] < packing.gangs[kind])
                rows &= (table[:, larger[kind]] == packing.gangs[larger[kind]]).all(axis=1)
                more = sums[rows] + asks[kind]
                enough = (more + reach + most[rank][count - step - 1] >= 0).all(axis=1)
                grown = table[rows][enough]
                grown[:, kind] += 1
                parts.append((grown, more[enough], np.full(len(grown), place)))
            if sum(len(one[0]) for one in parts) > MOST_CHOICES or late():
                return None
            table, sums, last = (np.concatenate(one) for one in zip(*parts, strict=True))
    kept = (sums >= excess).all(axis=1)
    return Choices(every - table[kept], sums[kept] - excess)


def _largest(packing: PackingProblem, asks: IntArray, rank: int, most: int) -> list[IntArray]:
    """What 0, 1, … gangs of a rank ask for at most, resource by resource."""
    kinds = packing.of_rank(rank)
    rows = np.sort(np.repeat(asks[kinds], packing.gangs[kinds], axis=0), axis=0)[::-1]
    sums = np.concatenate([np.zeros((1, asks.shape[1]), np.int64), np.cumsum(rows, axis=0)])
    return list(sums[: most + 1])


def _larger(packing: PackingProblem) -> list[IntArray]:
    """Per kind those of its rank in whose place it always fits; of kinds that are the same, the ones before it."""
    asks, pods, rank = packing.asks, packing.pods, packing.rank
    gives = (asks[:, None] >= asks[None]).all(axis=2) & (pods[:, None] >= pods[None])
    gives &= rank[:, None] == rank[None]
    number = np.arange(len(rank))
    gives &= ~gives.T | (number[:, None] < number[None])
    return [np.flatnonzero(column) for column in gives.T]
