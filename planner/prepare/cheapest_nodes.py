"""The cheapest nodes of every domain for pods of one shape, where a pod costs more on some nodes than on others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from planner.problem.placement import IntArray

FloatArray = npt.NDArray[np.float64]


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


def cheapest_nodes(
    nodes: IntArray, place: IntArray, pods: IntArray, costs: FloatArray, wanted: int, domains: int
) -> Cheapest:
    """Take ``wanted`` pods in every domain, see :class:`OrderedNodes`."""
    return OrderedNodes(nodes, place, pods, costs, domains).take(wanted)
