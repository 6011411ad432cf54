"""Which places of the finest level to use for a gang, so that they are few, and in few of the next level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from planner.capacity.counted_room import fit_counts
from planner.problem.placement import Demand, IntArray, PlacementProblem

MOST_CLEARED = 4
"""Places that are proposed for clearing."""


class FewPlaces:
    """Chooses among the places of a problem's finest level; the next level decides between equal choices."""

    def __init__(self, problem: PlacementProblem) -> None:
        self._problem = problem
        levels = problem.topology.levels
        self._place = levels[0].place_of
        self._size = len(levels[0].names)
        self._nodes = [np.flatnonzero(self._place == place) for place in range(self._size)]
        outer = levels[1].place_of if len(levels) > 1 else np.zeros_like(self._place)
        first = np.array([nodes[0] if nodes.size else 0 for nodes in self._nodes], dtype=np.int64)
        self._outer = outer[first]

    def nodes_for(
        self,
        demand: Demand,
        counts: Mapping[int, int],
        free: IntArray,
        allowed: IntArray | None,
    ) -> IntArray | None:
        """Nodes of the fewest places that hold so many pods per item, counted item by item; None where too few fit."""
        rooms, wanted = self._rooms(demand, counts, free, allowed)
        held = self._held(demand)
        left = wanted - int(rooms[held].sum())
        others = rooms.copy()
        others[held] = 0
        chosen = list(held)
        if left > 0:
            more = self._fewest(others, left)
            if more is None:
                return None
            chosen += more
        return self._joined(chosen, allowed)

    def _fewest(self, rooms: IntArray, wanted: int) -> list[int] | None:
        """Fewest places with this much room, inside one outer place where that costs no more."""
        best = _largest_first(np.arange(self._size), rooms, wanted)
        if best is None:
            return None
        if self._key(best, rooms)[:2] == (1, 1):
            return best
        sums = np.zeros(int(self._outer.max()) + 1, dtype=np.int64)
        np.add.at(sums, self._outer, rooms)
        for outer in np.flatnonzero(sums >= wanted).tolist():
            inside = np.flatnonzero((self._outer == outer) & (rooms > 0))
            found = _largest_first(inside, rooms, wanted)
            if found is not None and self._key(found, rooms) < self._key(best, rooms):
                best = found
        return best

    def _key(self, places: list[int], rooms: IntArray) -> tuple[int, int, int]:
        return (len(places), len(set(self._outer[places].tolist())), int(rooms[places].sum()))

    def single_places(
        self,
        demand: Demand,
        counts: Mapping[int, int],
        cleared: IntArray,
        free: IntArray,
        allowed: IntArray | None,
    ) -> Iterator[IntArray]:
        """Nodes of single places that would hold the gang once cleared; those with the least to clear first."""
        rooms, wanted = self._rooms(demand, counts, cleared, allowed)
        now, _ = self._rooms(demand, counts, free, allowed)
        held = self._held(demand)
        if held:
            return
        fitting = np.flatnonzero(rooms >= wanted)
        order = np.lexsort((rooms[fitting], -now[fitting]))
        for place in fitting[order][:MOST_CLEARED].tolist():
            yield self._joined([place], allowed)

    def _rooms(
        self,
        demand: Demand,
        counts: Mapping[int, int],
        free: IntArray,
        allowed: IntArray | None,
    ) -> tuple[IntArray, int]:
        """``[places]`` pods of the gang's most frequent shape that fit, and how many are wanted."""
        item = max(counts, key=lambda one: (counts[one], -one))
        shape = demand.items[item].shape
        same = [one for one in counts if demand.items[one].shape == shape]
        fits = fit_counts(free, self._problem.requests[shape], self._problem.admits[shape])
        if allowed is not None:
            inside = np.zeros_like(fits)
            inside[allowed] = fits[allowed]
            fits = inside
        rooms = np.zeros(self._size, dtype=np.int64)
        np.add.at(rooms, self._place, fits)
        return rooms, sum(counts[one] for one in same)

    def _held(self, demand: Demand) -> list[int]:
        """Places of running pods: they count already."""
        running = demand.gathered[0].running if demand.gathered else ()
        return sorted({int(self._place[node]) for node in running})

    def _joined(self, places: list[int], allowed: IntArray | None) -> IntArray:
        nodes = np.concatenate([self._nodes[place] for place in places])
        return nodes if allowed is None else np.intersect1d(nodes, allowed)


def _largest_first(places: IntArray, rooms: IntArray, wanted: int) -> list[int] | None:
    """The roomiest places, and last the one that fits best."""
    order = places[np.argsort(-rooms[places], kind="stable")]
    reach = np.cumsum(rooms[order])
    last = int(np.searchsorted(reach, wanted))
    if last >= order.size:
        return None
    left = wanted - (int(reach[last - 1]) if last else 0)
    rest = order[last:]
    enough = rest[rooms[rest] >= left]
    return [*order[:last].tolist(), int(enough[-1])]
