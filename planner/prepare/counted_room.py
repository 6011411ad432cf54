"""Pods of every shape that fit on each node, counted again only on nodes whose room has changed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from planner.problem.placement import BoolArray, IntArray

MOST_CHANGES = 8
"""Part of the nodes (one in so many) beyond which counting all of them is as fast."""


def fit_counts(free: IntArray, request: IntArray, admitted: BoolArray) -> IntArray:
    """Pods of one shape that fit on each node: ``min over d of floor(free_d / request_d)``, 0 where not admitted."""
    asked = request > 0
    counts = (free[:, asked] // request[asked]).min(axis=1)
    return np.where(admitted, counts, 0)


class CountedRoom:
    """Counts of one room. Whoever changes the room of a node says so (:meth:`changed`)."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[IntArray, int]] = {}
        self._changed: list[int] = []

    def changed(self, nodes: Iterable[int]) -> None:
        """The room of these nodes is another one now."""
        if self._counts:
            self._changed.extend(nodes)

    def of(self, shape: int, free: IntArray, request: IntArray, admitted: BoolArray) -> IntArray:
        """``[nodes]`` pods of a shape, not to be written to."""
        known = self._counts.get(shape)
        if len(self._changed) > 4 * len(free) + 64:
            self._counts.clear()
            self._changed.clear()
            known = None
        if known is None:
            found = fit_counts(free, request, admitted)
        else:
            found, upto = known
            nodes = np.unique(np.array(self._changed[upto:], dtype=np.int64))
            if not nodes.size:
                return found
            if nodes.size * MOST_CHANGES > len(free):
                found = fit_counts(free, request, admitted)
            else:
                found = found.copy()
                found[nodes] = fit_counts(free[nodes], request, admitted[nodes])
        found.setflags(write=False)
        self._counts[shape] = found, len(self._changed)
        return found
