"""Node groups where running pods may leave: nodes with the same room and the same possible victims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.encode.victims.after_evictions import without
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Victims
from planner.reduce.node_groups import Grouping, NodeGroup

MOST_CARD_NODES = 300
"""Nodes with possible victims up to which, where cards are shared, every one is looked at card by card."""


class EvictionGrouping(Grouping):
    """Groups whose ``room`` is without evictions, and whose ``fits`` and ``largest`` are with all of them.

    What fits with every victim gone bounds all plans, so the room of a node never needs to count beyond it.
    """

    def __init__(self, problem: PlacementProblem, victims: Victims) -> None:
        super().__init__(without(problem, victims, None))
        self.problem = problem
        self.victims = victims
        self.most = self.room.copy()
        self._domain_sizes = Counter(victims.domains)
        self.held = {
            node: tuple((one.kind, len(one.names)) for one in pods)
            for node, pods in victims.by_node().items()
        }
        self._card_by_card = problem.cards is not None and len(self.held) <= MOST_CARD_NODES
        for node in self.held:
            self.room[node] = np.minimum(problem.free[node], self.most[node])

    def uniform(self) -> tuple[NodeGroup, ...]:
        """Groups of equal nodes, nodes with possible victims on which nothing fits included."""
        keys: dict[tuple[object, ...], list[int]] = {}
        for node in self._useful():
            keys.setdefault(self._key(node), []).append(node)
        return tuple(self.group(nodes) for nodes in keys.values())

    def singles(self) -> tuple[NodeGroup, ...]:
        """One group per useful node."""
        return tuple(self.group([node]) for node in self._useful())

    def _useful(self) -> list[int]:
        fitting = {int(node) for node in np.flatnonzero(self._admitted.any(axis=1))}
        return sorted(fitting | set(self.held))

    def group(self, nodes: Sequence[int]) -> NodeGroup:
        """A group of these nodes with its victims."""
        plain = super().group(nodes)
        held: Counter[int] = Counter()
        for node in plain.nodes:
            held.update(dict(self.held.get(node, ())))
        if not held:
            return plain
        members = np.array(plain.nodes, dtype=np.int64)
        return replace(
            plain,
            largest=tuple(int(amount) for amount in self.most[members].max(axis=0)),
            most=tuple(int(amount) for amount in self.most[members].sum(axis=0)),
            uniform=False,
            nested=tuple(
                (d, size, int((self.most[members][:, d] // size).sum())) for d, size in self._sizes
            ),
            victims=tuple(sorted(held.items())),
            equal=len({self._key(node) for node in plain.nodes}) == 1,
        )

    def split(self, group: NodeGroup) -> tuple[NodeGroup, ...]:
        """Equal nodes of a mixed group; single nodes of a group of equal ones."""
        keys: dict[tuple[object, ...], list[int]] = {}
        for node in group.nodes:
            keys.setdefault(self._key(node), []).append(node)
        if len(keys) > 1:
            return tuple(self.group(nodes) for nodes in keys.values())
        return tuple(self.group([node]) for node in group.nodes)

    def _key(self, node: int) -> tuple[object, ...]:
        key = super()._key(node)
        if node not in self.held:
            return key
        alone = node if node in self.victims.excess or self._card_by_card else -1
        pods = self.victims.gpu_pods.get(node, 0)
        domain = self.victims.domains[node]
        shared = domain if self._domain_sizes[domain] > 1 else -1
        return (*key, self.most[node].tobytes(), self.held[node], pods, alone, shared)
