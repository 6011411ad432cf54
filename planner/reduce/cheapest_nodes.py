"""The cheapest nodes of every domain for pods of one shape, where a pod costs more on some nodes than on others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.problem.placement import IntArray

FloatArray = npt.NDArray[np.float64]
_ALIKE = 1e-9
"""Costs that differ by less count as the same: then the nodes that come first hold the pods."""


@dataclass(frozen=True, slots=True)
class Cheapest:
    """Spots of a gang in each of several domains.

    Attributes
    ----------
    rooms
        ``[domains]`` pods that fit.
    costs
        ``[domains]`` of all pods on their cheapest nodes; infinite where they do not fit.
    """

    rooms: IntArray
    costs: FloatArray
    _place: IntArray
    _nodes: IntArray
    _taken: IntArray

    def spots(self, place: int) -> list[tuple[int, int]]:
        """Nodes of a domain with their pods."""
        begin, end = np.searchsorted(self._place, [place, place + 1]).tolist()
        pairs = zip(self._nodes[begin:end].tolist(), self._taken[begin:end].tolist(), strict=True)
        return [(node, count) for node, count in pairs if count]


class OrderedNodes:
    """Nodes of several domains in the order in which pods of one shape take them: by cost, then little room first.

    ``place`` is each node's domain, ``pods`` what fits on it, ``costs`` what one pod costs there (infinite: none goes
    there). The order is the same for any number of pods.
    """

    def __init__(
        self, nodes: IntArray, place: IntArray, pods: IntArray, costs: FloatArray, domains: int
    ) -> None:
        able = np.flatnonzero(np.isfinite(costs) & (pods > 0))
        order = np.lexsort((nodes[able], pods[able], np.round(costs[able], 7), place[able]))
        chosen = able[order]
        self._nodes, self._place, self._pods = nodes[chosen], place[chosen], pods[chosen]
        self._costs, self._domains = costs[chosen], domains
        self._rooms = np.bincount(self._place, weights=self._pods, minlength=domains)
        first = np.concatenate([[0.0], np.cumsum(self._rooms)[:-1]])
        self._before = (np.cumsum(self._pods) - self._pods - first[self._place]).astype(np.int64)

    def take(self, wanted: int) -> Cheapest:
        """The cheapest nodes of every domain for so many pods."""
        taken = np.clip(wanted - self._before, 0, self._pods)
        paid = np.bincount(self._place, weights=taken * self._costs, minlength=self._domains)
        costs = np.where(self._rooms >= wanted, paid, np.inf)
        return Cheapest(self._rooms.astype(np.int64), costs, self._place, self._nodes, taken)


class SteppedNodes:
    """Nodes of several domains where pods cost by their number: ``costs[node, n]`` is what n pods cost there.

    ``most`` is the most pods of a gang; the cheapest nodes are found domain by domain for all numbers at once, node
    after node (dynamic programming).
    """

    def __init__(
        self, nodes: IntArray, place: IntArray, costs: FloatArray, domains: int, most: int
    ) -> None:
        order = np.lexsort((nodes, place))
        self._nodes, place, costs = nodes[order], place[order], costs[order]
        self._first = np.searchsorted(place, np.arange(domains))
        count = np.bincount(place, minlength=domains)
        pods = np.isfinite(costs).sum(axis=1) - 1
        self._rooms = np.bincount(place, weights=pods, minlength=domains).astype(np.int64)
        self.least = np.full((domains, most + 1), np.inf)
        self.least[:, 0] = 0.0
        self._chosen: list[IntArray] = []
        for step in range(int(count.max(initial=0))):
            some = np.flatnonzero(count > step)
            here, before = costs[self._first[some] + step], self.least[some]
            best, chosen = before.copy(), np.zeros(before.shape, dtype=np.int64)
            for pods_here in range(1, min(here.shape[1] - 1, most) + 1):
                paid = before[:, : most + 1 - pods_here] + here[:, pods_here, None]
                less = paid < best[:, pods_here:] - _ALIKE
                best[:, pods_here:][less] = paid[less]
                chosen[:, pods_here:][less] = pods_here
            self.least[some] = best
            every = np.zeros(self.least.shape, dtype=np.int64)
            every[some] = chosen
            self._chosen.append(every)

    def take(self, wanted: int) -> Cheapest:
        """The cheapest nodes of every domain for so many pods."""
        costs = self.least[:, wanted]
        left = np.where(np.isfinite(costs), wanted, 0)
        places, nodes, taken = [], [], []
        domains = np.arange(len(costs))
        for step in range(len(self._chosen) - 1, -1, -1):
            here = self._chosen[step][domains, left]
            some = np.flatnonzero(here)
            left = left - here
            places.append(some)
            nodes.append(self._nodes[self._first[some] + step])
            taken.append(here[some])
        place = np.concatenate([*places, np.zeros(0, dtype=np.int64)])
        order = np.argsort(place, kind="stable")
        return Cheapest(
            self._rooms,
            costs,
            place[order],
            np.concatenate([*nodes, np.zeros(0, dtype=np.int64)])[order],
            np.concatenate([*taken, np.zeros(0, dtype=np.int64)])[order],
        )


def cheapest_nodes(
    nodes: IntArray, place: IntArray, pods: IntArray, costs: FloatArray, wanted: int, domains: int
) -> Cheapest:
    """Take ``wanted`` pods in every domain, see :class:`OrderedNodes`."""
    return OrderedNodes(nodes, place, pods, costs, domains).take(wanted)
