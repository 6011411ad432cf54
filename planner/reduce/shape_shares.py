"""How many pods of a shape a solution puts on the nodes of each group, given out node by node.

A solution over groups says how many pods of which request a group holds; which of its nodes holds them is free, and so
is which of the shapes that share a column (see the formulation's zones). Gangs that have to be together choose among
these nodes, so that what the solution decided about scarce nodes is kept. Where that is too narrow, two shapes with as
many GPUs exchange groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.problem.placement import BoolArray, IntArray, PlacementProblem
from planner.reduce.node_groups import NodeGroup


@dataclass(frozen=True)
class Share:
    """Pods of some shapes that request the same.

    Attributes
    ----------
    inside
        ``[groups]`` whether the group admits these shapes.
    groups
        ``[groups]`` pods of all of them.
    shapes
        Shape to its pods over all groups.
    """

    inside: BoolArray
    groups: IntArray
    shapes: dict[int, int]


class ShapeShares:
    """Shares that shrink as pods are placed."""

    def __init__(
        self, problem: PlacementProblem, groups: Sequence[NodeGroup], shares: Sequence[Share]
    ) -> None:
        self.group_of = np.zeros(len(problem.node_names), dtype=np.int64)
        self._nodes = [np.array(sorted(one.nodes), dtype=np.int64) for one in groups]
        for number, nodes in enumerate(self._nodes):
            self.group_of[nodes] = number
        self._fits = np.array([one.fits for one in groups], dtype=np.int64).T > 0
        self._shares = [Share(s.inside, s.groups.copy(), dict(s.shapes)) for s in shares]
        self._of: dict[int, list[Share]] = {}
        for one in self._shares:
            for shape in one.shapes:
                self._of.setdefault(shape, []).append(one)
        self._others = {shape: _exchangeable(problem, shape, self._of) for shape in self._of}

    def groups(self) -> Iterator[tuple[IntArray, int]]:
        """Nodes and number of every group."""
        return ((nodes, number) for number, nodes in enumerate(self._nodes))

    def left(self, shape: int) -> IntArray:
        """``[groups]`` pods of the shape that the solution still wants there."""
        found = np.zeros(len(self._nodes), dtype=np.int64)
        for one in self._of.get(shape, ()):
            found += np.minimum(one.groups, one.shapes[shape])
        return found

    def reach(self, shape: int) -> IntArray:
        """The same, with what the shape could have by exchanging groups with others."""
        own = self.left(shape)
        found = own.copy()
        for other, many, few in self._others.get(shape, ()):
            mine = int(own[self._fits[other]].sum()) // many
            if mine:
                found += np.minimum(self.left(other) // few, mine) * many
        return found

    def take(self, shape: int, group: int, count: int) -> None:
        """Pods were placed; beyond its share a shape exchanges with others, or takes what they were to have."""
        count -= self._taken(shape, group, count)
        for other, many, few in self._others.get(shape, ()) if count else ():
            while count >= many:
                here = int(self.left(other)[group]) // few
                there = np.where(self._fits[other], self.left(shape), 0)
                goal = int(np.argmax(there))
                times = min(count // many, here, int(there[goal]) // many)
                if not times:
                    break
                self._taken(other, group, times * few)
                self._taken(shape, goal, times * many)
                self._given(other, goal, times * few)
                count -= times * many

    def _taken(self, shape: int, group: int, count: int) -> int:
        taken = 0
        for one in self._of.get(shape, ()):
            some = min(count - taken, int(one.groups[group]), one.shapes[shape])
            one.groups[group] -= some
            one.shapes[shape] -= some
            taken += some
        return taken

    def _given(self, shape: int, group: int, count: int) -> None:
        for one in self._of[shape]:
            if one.inside[group]:
                one.groups[group] += count
                one.shapes[shape] += count
                return

    def rest(self) -> Mapping[int, IntArray]:
        """Shape to what is left of it per group, shares given out to their shapes in order."""
        found: dict[int, IntArray] = {}
        for one in self._shares:
            groups = one.groups.copy()
            for shape, wanted in one.shapes.items():
                reach = np.minimum(np.cumsum(groups), wanted)
                mine = np.diff(reach, prepend=0)
                groups -= mine
                found[shape] = found.get(shape, 0) + mine
        return found


def _exchangeable(
    problem: PlacementProblem, shape: int, known: Iterable[int]
) -> list[tuple[int, int, int]]:
    """Other shapes and how many pods of the shape have as many GPUs as how many of theirs; equal ones first."""
    mine = int(problem.shape_gpus[shape])
    found = []
    for other in known:
        size = int(problem.shape_gpus[other])
        if other != shape and mine and size:
            common = math.lcm(mine, size)
            found.append((other, common // mine, common // size))
    return sorted(found, key=lambda one: (one[1] + one[2], one))
