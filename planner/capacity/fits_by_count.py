"""Whether a gang fits by counts that are made once per shape and kind of node: nothing is placed, no node is walked."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from planner.capacity.counted_room import fit_counts
from planner.capacity.fit import Room, least_counts
from planner.problem.placement import BoolArray, Demand, IntArray, PlacementProblem


class RoomyNodes:
    """Nodes of a room where nothing was placed yet; those with the same free amounts are one kind.

    Queue limits are not looked at.
    """

    def __init__(self, problem: PlacementProblem, room: Room) -> None:
        self._problem, self._room = problem, room
        self._free, kind = np.unique(problem.free, axis=0, return_inverse=True)
        self._kind = kind.reshape(-1)
        self._counts: dict[int, tuple[int, int]] = {}

    def hopeless(self, demand: Demand) -> bool:
        """Whether a gang certainly does not fit: its minimum exceeds all free room, or too few pods of a role fit."""
        if (np.array(demand.minimum, dtype=np.int64) > self._total).any():
            return True
        if not self._told_by_counts(demand):
            return False
        most = dict.fromkeys((item.role for item in demand.items), 0)
        for item in demand.items:
            most[item.role] += min(self.pods(item.shape), item.count)
        short = any(most.get(role, 0) < need for role, need in demand.role_need)
        return short or sum(most.values()) < demand.need

    def request(self, demand: Demand) -> IntArray | None:
        """``[dimensions]`` sum of the requests of a minimal set that certainly fits; None where counts do not tell."""
        counts = least_counts(demand, self.pods) if self._told_by_counts(demand) else None
        if not counts:
            return None
        shapes = np.array([demand.items[item].shape for item in counts], dtype=np.int64)
        pods = np.array(list(counts.values()), dtype=np.int64)
        if not self._each_alone(shapes, pods) and not self._as_largest(shapes, pods):
            return None
        found: IntArray = pods @ self._problem.requests[shapes]
        return found

    def tells(self, shape: int) -> bool:
        """Whether pods of a shape take no room but that of their node: no shared cards, no room of a domain."""
        table, room = self._problem.cards, self._room
        free = table is None or not table.count[shape]
        return free and not room.domains.binds(shape) and not room.even.binds(shape)

    def pods(self, shape: int) -> int:
        """Pods of a shape that fit, each node by itself."""
        return self._counted(shape)[0]

    def nodes(self, shape: int) -> int:
        """Nodes that take a pod of a shape."""
        return self._counted(shape)[1]

    def _told_by_counts(self, demand: Demand) -> bool:
        anywhere = demand.choices is None and not demand.grouped and not demand.shares_domains
        return anywhere and all(self.tells(item.shape) for item in demand.items)

    def _each_alone(self, shapes: IntArray, pods: IntArray) -> bool:
        """Every shape has as many nodes as there are pods in all: each pod finds a node of its own."""
        return min(self.nodes(shape) for shape in shapes.tolist()) >= int(pods.sum())

    def _as_largest(self, shapes: IntArray, pods: IntArray) -> bool:
        """So many pods that ask for the most of all shapes fit onto the nodes that are open to every shape."""
        open_to_all = np.logical_and.reduce(self._problem.admits[np.unique(shapes)], axis=0)
        fit = self._fitting(self._problem.requests[shapes].max(axis=0))
        return int(fit @ self._number(open_to_all)) >= int(pods.sum())

    def _counted(self, shape: int) -> tuple[int, int]:
        if shape not in self._counts:
            fit = self._fitting(self._problem.requests[shape])
            number = self._number(self._problem.admits[shape])
            self._counts[shape] = int(fit @ number), int(number[fit > 0].sum())
        return self._counts[shape]

    def _number(self, admitted: BoolArray) -> IntArray:
        """``[kinds]`` nodes of each kind among these."""
        return np.bincount(self._kind[admitted], minlength=len(self._free))

    def _fitting(self, request: IntArray) -> IntArray:
        """``[kinds]`` pods with a request that fit onto a node of each kind."""
        return fit_counts(self._free, request, np.ones(len(self._free), dtype=np.bool_))

    @cached_property
    def _total(self) -> IntArray:
        return np.asarray(self._problem.free.sum(axis=0), dtype=np.int64)
