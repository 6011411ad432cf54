"""Places of one level that gangs use: the value of a plan, and the least that any plan needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from planner.prepare.disaggregate import Assignment
from planner.prepare.fit import node_counts
from planner.problem.placement import Demand, Gathered, PlacementProblem
from planner.problem.topology import Level

Spots = Mapping[int, Sequence[tuple[int, int]]]
"""Item to (node, pods)."""


def unit_nodes(demand: Demand, unit: Gathered, items: Spots) -> set[int]:
    """Nodes of a unit's pods once these are placed, running ones included."""
    found = set(unit.running)
    for item, spots in items.items():
        if unit.subgroup < 0 or unit.subgroup in demand.items[item].subgroup:
            found.update(node for node, count in spots if count)
    return found


def places_used(demand: Demand, level: Level, items: Spots) -> int:
    """Weighted number of places of a started gang's units."""
    return sum(
        unit.weight * level.count(unit_nodes(demand, unit, items)) for unit in demand.gathered
    )


def domain_value(problem: PlacementProblem, assignment: Assignment, level: Level) -> int:
    """The tier's value: places of every started gang and subgroup, each weighted by its pods."""
    return sum(
        places_used(problem.demands[index], level, items)
        for index, items in assignment.pods.items()
        if problem.demands[index].gathered and any(items.values())
    )


class LeastPlaces:
    """At least so many places a gang needs at a level, whatever else is placed."""

    def __init__(self, problem: PlacementProblem, level: Level) -> None:
        self._problem, self._level = problem, level
        self._rooms: dict[int, np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
        self._known: dict[object, int] = {}

    def of(self, demand: Demand) -> int:
        """Places of the gang as a whole: those of its running pods, and the roomiest others for what it lacks."""
        unit = next((one for one in demand.gathered if one.subgroup < 0), None)
        if unit is None:
            return 0
        held = sorted({self._level.place[node] for node in unit.running})
        asked = self._asked(demand)
        key = (tuple(asked.items()), demand.need, tuple(held))
        if key not in self._known:
            self._known[key] = self._least(asked, demand.need, held)
        return self._known[key]

    def _least(self, asked: Mapping[int, int], need: int, held: Sequence[int]) -> int:
        rooms = np.zeros(len(self._level.names), dtype=np.int64)
        for shape, count in asked.items():
            rooms += np.minimum(self._room(shape), count)
        left = need - int(rooms[held].sum())
        if left <= 0:
            return len(held)
        rooms[held] = 0
        reach = np.cumsum(np.sort(rooms)[::-1])
        return min(len(held) + int(np.searchsorted(reach, left)) + 1, len(rooms))

    def _asked(self, demand: Demand) -> dict[int, int]:
        found: dict[int, int] = {}
        for item in demand.items:
            found[item.shape] = found.get(item.shape, 0) + item.count
        return found

    def _room(self, shape: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        if shape not in self._rooms:
            problem = self._problem
            fits = node_counts(problem, shape)
            found = np.zeros(len(self._level.names), dtype=np.int64)
            np.add.at(found, self._level.place_of, fits)
            self._rooms[shape] = found
        return self._rooms[shape]
