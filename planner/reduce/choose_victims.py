"""Back from counts of victims per group to pods: who leaves which node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from planner.capacity.fit import Placed, Room
from planner.problem.placement import IntArray, PlacementProblem
from planner.problem.victims import VictimPods, Victims
from planner.reduce.node_groups import NodeGroup

Counts = Mapping[int, int]


@dataclass
class Chosen:
    """Names of evicted pods, and the groups in which they do not free what the counts promise."""

    names: list[str] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)


def choose_victims(
    problem: PlacementProblem,
    victims: Victims,
    groups: Sequence[NodeGroup],
    evicted: Mapping[int, Counts],
    placed: Mapping[int, Counts],
) -> Chosen:
    """Pods per group so that what is placed there fits, as far as the group's counts go.

    Parameters
    ----------
    evicted
        Group to kind to pods.
    placed
        Group to shape to pods.
    """
    chosen = Chosen()
    by_node = victims.by_node()
    for g, counts in sorted(evicted.items()):
        group = groups[g]
        spots = _Spots(victims, [pods for n in group.nodes for pods in by_node.get(n, ())], counts)
        if group.size > 1 and placed.get(g) and not _for_pods(problem, spots, group, placed[g]):
            chosen.failed.append(g)
        spots.take_rest()
        chosen.names += spots.names
    return chosen


class _Spots:
    """Pods of a group that may still leave, and how many of each kind have to."""

    def __init__(self, victims: Victims, pods: Sequence[VictimPods], counts: Counts) -> None:
        self.victims = victims
        self.left = dict(counts)
        self.names: list[str] = []
        self._on: dict[int, dict[int, list[str]]] = {}
        for one in pods:
            if counts.get(one.kind):
                self._on.setdefault(one.node, {})[one.kind] = list(one.names)

    def vector(self, kind: int) -> IntArray:
        """Request of one pod."""
        return np.array(self.victims.kinds[kind].vector, dtype=np.int64)

    def most(self, node: int) -> IntArray | int:
        """What can be freed on a node."""
        return sum(
            self.vector(kind) * min(len(names), self.left[kind])
            for kind, names in self._on.get(node, {}).items()
        )

    def free(self, node: int, lacking: IntArray) -> bool:
        """Evict pods of the node until nothing is lacking: each time the one that frees most of it."""
        while bool(np.any(lacking > 0)):
            kinds = [
                (int(np.minimum(self.vector(k), np.maximum(lacking, 0)).sum()), -k)
                for k, names in self._on.get(node, {}).items()
                if names and self.left[k]
            ]
            gain, kind = max(kinds, default=(0, 0))
            if not gain:
                return False
            count = self._several(node, -kind, lacking)
            self._take(node, -kind, count)
            lacking = lacking - self.vector(-kind) * count
        return True

    def _several(self, node: int, kind: int, lacking: IntArray) -> int:
        """As many pods of a kind as are used up in full, at least one."""
        vector = self.vector(kind)
        useful = (lacking > 0) & (vector > 0)
        whole = int((lacking[useful] // vector[useful]).min())
        return max(min(whole, len(self._on[node][kind]), self.left[kind]), 1)

    def _take(self, node: int, kind: int, count: int) -> None:
        names = self._on[node][kind]
        self.names += names[:count]
        del names[:count]
        self.left[kind] -= count

    def take_rest(self) -> None:
        """Evict what the counts still ask for, from nodes with victims first."""
        for node in sorted(self._on, key=lambda n: (not self._touched(n), n)):
            for kind, names in self._on[node].items():
                count = min(len(names), self.left[kind])
                if count:
                    self._take(node, kind, count)

    def _touched(self, node: int) -> bool:
        full = {kind for kind, names in self._on[node].items() if names}
        return len(full) < len(self._on[node])


def _for_pods(problem: PlacementProblem, spots: _Spots, group: NodeGroup, counts: Counts) -> bool:
    """Put the group's pods onto as few nodes as the tight walk needs, and free what they lack there."""
    free = problem.free.copy()
    for node in group.nodes:
        excess = spots.victims.excess.get(node, 0)
        free[node] = np.maximum(free[node] - excess + spots.most(node), 0)
    room = Room(problem, free)
    with room.only(group.nodes):
        found = room.place(counts)
    if found is None:
        return False
    complete = True
    for node, request in _by_node(problem, found).items():
        lacking = request - problem.free[node] + spots.victims.excess.get(node, 0)
        complete &= spots.free(node, lacking)
    return complete


def _by_node(problem: PlacementProblem, placed: Sequence[Placed]) -> dict[int, IntArray]:
    found: dict[int, IntArray] = {}
    for one in placed:
        request = problem.requests[one.shape] * one.count
        found[one.node] = found.get(one.node, 0) + request
    return found
