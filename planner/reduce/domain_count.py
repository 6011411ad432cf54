"""Places of one level that gangs use: the value of a plan, and the least that any plan needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from planner.capacity.fit import node_counts
from planner.problem.placement import Demand, Gathered, PlacementProblem
from planner.problem.topology import Level
from planner.reduce.disaggregate import Assignment

Spots = Mapping[int, Sequence[tuple[int, int]]]
"""Item to (node, pods)."""


def _unit_pods(demand: Demand, unit: Gathered, items: Spots) -> dict[int, int]:
    """Node to the unit's pods there: placed ones, and one for those that run."""
    found = dict.fromkeys(unit.running, 1)
    for item, spots in items.items():
        if unit.holds(item, demand.items[item].subgroup):
            for node, count in spots:
                if count:
                    found[node] = found.get(node, 0) + count
    return found


def unit_places(demand: Demand, unit: Gathered, level: Level, items: Spots) -> dict[int, int]:
    """Place to how often it counts for a unit."""
    return _places(unit, level, _unit_pods(demand, unit, items))


def unit_values(
    demand: Demand, unit: Gathered, levels: Iterable[Level], items: Spots
) -> tuple[int, ...]:
    """Places of a unit, level by level."""
    pods = _unit_pods(demand, unit, items)
    if not unit.items:
        return tuple(level.count(pods) for level in levels)
    return tuple(sum(_places(unit, level, pods).values()) for level in levels)


def _places(unit: Gathered, level: Level, pods: Mapping[int, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for node, count in pods.items():
        place = level.place[node]
        found[place] = found.get(place, 0) + count
    return {place: unit.times(count) for place, count in found.items()}


def places_used(demand: Demand, level: Level, items: Spots) -> int:
    """Weighted number of places of a started gang's units."""
    return sum(
        unit.weight * unit_values(demand, unit, (level,), items)[0] for unit in demand.gathered
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
        unit = next((one for one in demand.gathered if one.whole), None)
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
