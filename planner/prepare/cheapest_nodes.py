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


def cheapest_nodes(
    nodes: IntArray, place: IntArray, pods: IntArray, costs: FloatArray, wanted: int, domains: int
) -> Cheapest:
    """Take ``wanted`` pods in every domain, one node after another by cost; ties go to nodes with little room.

    ``place`` is each node's domain, ``pods`` what fits on it, ``costs`` what one pod costs there (infinite: none goes
    there).
    """
    able = np.isfinite(costs) & (pods > 0)
    nodes, place, pods, costs = nodes[able], place[able], pods[able], costs[able]
    order = np.lexsort((nodes, pods, np.round(costs, 7), place))
    nodes, place, pods, costs = nodes[order], place[order], pods[order], costs[order]
    rooms = np.bincount(place, weights=pods, minlength=domains).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(rooms)[:-1]])
    before = np.cumsum(pods) - pods - first[place]
    taken = np.clip(wanted - before, 0, pods)
    paid = np.bincount(place, weights=taken * costs, minlength=domains)
    return Cheapest(rooms, np.where(rooms >= wanted, paid, np.inf), place, nodes, taken)
