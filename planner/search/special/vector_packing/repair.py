"""A plan out of a packing that holds too much: some pods are left out, and others take the room."""

from __future__ import annotations

import numpy as np

from planner.problem.placement import IntArray


def made_to_fit(asks: IntArray, room: IntArray, place: IntArray, own: IntArray) -> bool:
    """Leave out pods of ``own`` until no node holds too much, then place what still fits of them.

    ``place`` is changed; the place after the last node is for pods that are left out. False where leaving out those
    pods is not enough.
    """
    outside = len(room)
    free = room.copy()
    inside = np.flatnonzero(place < outside)
    np.subtract.at(free, place[inside], asks[inside])
    scale = np.maximum(room.max(axis=0), 1)
    for node in np.flatnonzero((free < 0).any(axis=1)):
        while (free[node] < 0).any():
            pods = own[place[own] == node]
            if not len(pods):
                return False
            over = (np.maximum(-(free[node] + asks[pods]), 0) / scale).sum(axis=1)
            size = (asks[pods] / scale).sum(axis=1)
            gone = int(pods[np.lexsort((size, over))[0]])
            place[gone] = outside
            free[node] += asks[gone]
    left = own[place[own] == outside]
    order = np.argsort((asks[left] / scale).sum(axis=1), kind="stable")
    for pod in map(int, left[order]):
        fits = np.flatnonzero((free >= asks[pod]).all(axis=1))
        if len(fits):
            tightest = int(fits[(free[fits] / scale).sum(axis=1).argmin()])
            place[pod] = tightest
            free[tightest] -= asks[pod]
    return True
