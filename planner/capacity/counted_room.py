"""Pods of every shape that fit on each node, counted again only on nodes whose room has changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.problem.placement import BoolArray, IntArray

MOST_CHANGES = 8
"""Part of the nodes (one in so many) beyond which counting all of them is as fast."""


def fit_counts(free: IntArray, request: IntArray, admitted: BoolArray) -> IntArray:
    """Pods of one shape that fit on each node: ``min over d of floor(free_d / request_d)``, 0 where not admitted."""
    counts = node_fits(free, request)
    counts *= admitted
    return counts


def node_fits(free: IntArray, request: IntArray) -> IntArray:
    """``[nodes]`` the same wherever pods are admitted."""
    first, *others = np.flatnonzero(request > 0).tolist()
    counts: IntArray = free[:, first] // request[first]
    for d in others:  # by one number at a time: dividing by a row of them takes twice as long
        np.minimum(counts, free[:, d] // request[d], out=counts)
    return counts


class CountedRoom:
    """Counts of one room. Whoever changes the room of a node says so (:meth:`changed`)."""

    def __init__(self, nodes: int) -> None:
        self._counts: dict[int, tuple[IntArray, int]] = {}
        self._changes = 0
        self._last = np.zeros(nodes, dtype=np.int64)
        """``[nodes]`` number of the last change of each node's room."""

    def changed(self, nodes: Sequence[int]) -> None:
        """The room of these nodes is another one now."""
        if self._counts and len(nodes):
            self._changes += 1
            self._last[nodes] = self._changes

    def of(self, shape: int, free: IntArray, request: IntArray, admitted: BoolArray) -> IntArray:
        """``[nodes]`` pods of a shape, not to be written to."""
        known = self._counts.get(shape)
        if known is None:
            found = fit_counts(free, request, admitted)
        else:
            found, upto = known
            if upto == self._changes:
                return found
            nodes = np.flatnonzero(self._last > upto)
            if nodes.size * MOST_CHANGES > len(free):
                found = fit_counts(free, request, admitted)
            else:
                found = found.copy()
                found[nodes] = fit_counts(free[nodes], request, admitted[nodes])
        found.setflags(write=False)
        self._counts[shape] = found, self._changes
        return found
