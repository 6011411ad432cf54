"""Bring new pods to nodes that they prefer, where nothing above that tier changes: a local search.

A pod moves to a node with room, or swaps places with a pod of the same shape; nodes that hold GPU pods go on to do so,
and the others get none. Pods whose domains count in a rule or tier above stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from planner.capacity.fit import Placed
from planner.encode.preferences.tally import Change, Tally
from planner.encode.preferences.told_apart import wished
from planner.problem.placement import Demand, PlacementProblem
from planner.problem.wishes import Wishes
from planner.reduce.disaggregate import Assignment
from planner.search.construct.fill import room_after

PASSES = 4
CANDIDATES = 24
"""Nodes that one pod tries at most."""

Unit = tuple[int, int, int]
"""Demand, item, node."""


def better_places(
    problem: PlacementProblem,
    wishes: Wishes,
    assignment: Assignment,
    stopped: Callable[[], bool],
) -> Assignment:
    """The same pods of the same gangs on nodes that lose fewer points, as far as single moves and swaps lead."""
    search = _Places(problem, wishes, assignment)
    for _ in range(PASSES):
        if stopped() or not search.improve(stopped):
            break
    return search.assignment()


class _Places:
    def __init__(self, problem: PlacementProblem, wishes: Wishes, assignment: Assignment) -> None:
        self.problem, self.wishes = problem, wishes
        self._evicted = assignment.evicted
        self._order = {d: list(items) for d, items in assignment.pods.items()}
        self._room = room_after(problem, assignment)
        self._tally = Tally(wishes, wished(problem, assignment))
        self._units: dict[Unit, int] = {}
        self._at: dict[tuple[int, int], set[Unit]] = {}
        self._gpu_pods = problem.node_has_gpu_pods.astype(np.int64)
        for demand, items in assignment.pods.items():
            for item, spots in items.items():
                for node, count in spots:
                    self._add((demand, item, node), count)

    def _add(self, unit: Unit, count: int) -> None:
        self._units[unit] = self._units.get(unit, 0) + count
        if self.problem.shape_gpus[self._shape(unit)] > 0:
            self._gpu_pods[unit[2]] += count
        key = (self._shape(unit), unit[2])
        if self._units[unit]:
            self._at.setdefault(key, set()).add(unit)
        else:
            del self._units[unit]
            self._at[key].discard(unit)

    def _shape(self, unit: Unit) -> int:
        return self.problem.demands[unit[0]].items[unit[1]].shape

    def _wish(self, unit: Unit) -> int:
        return self.problem.demands[unit[0]].items[unit[1]].wish

    def improve(self, stopped: Callable[[], bool]) -> bool:
        """Every pod that loses points tries other places once; whether one of them found any."""
        better = False
        for unit in sorted(self._units):
            if stopped():
                break
            if self._wish(unit) in self.wishes.asking and _is_free(self.problem.demands[unit[0]]):
                while unit in self._units and self._improve(unit):
                    better = True
        return better

    def _improve(self, unit: Unit) -> bool:
        """Move or swap one pod of a unit."""
        wish, shape, node = self._wish(unit), self._shape(unit), unit[2]
        self._tally.put([(wish, node, -1)])
        points = self._tally.points_at(wish, len(self.problem.node_names))
        self._tally.put([(wish, node, 1)])
        wanted = np.flatnonzero((points < points[node]) & self.problem.admits[shape])
        if not wanted.size:
            return False
        wanted = wanted[np.lexsort((wanted, points[wanted]))]
        room = self._room.counts(shape)
        if self.problem.shape_gpus[shape] > 0:
            alone = self._gpu_pods[node] == 1
            room = np.where((self._gpu_pods > 0) & ~alone, room, 0)
        for target in wanted[room[wanted] > 0][:CANDIDATES].tolist():
            if self._tally.gain([(wish, node, -1), (wish, target, 1)]) > 0:
                self._move(unit, target)
                return True
        held = islice((n for n in wanted.tolist() if self._at.get((shape, n))), CANDIDATES)
        return any(self._swap(unit, other) for n in held for other in self._partners(unit, n))

    def _partners(self, unit: Unit, node: int) -> Iterator[Unit]:
        """Units of the same shape there, one per wish."""
        seen = {self._wish(unit)}
        for other in sorted(self._at[self._shape(unit), node]):
            if self._wish(other) not in seen and _is_free(self.problem.demands[other[0]]):
                seen.add(self._wish(other))
                yield other

    def _swap(self, unit: Unit, other: Unit) -> bool:
        mine, theirs, here, there = self._wish(unit), self._wish(other), unit[2], other[2]
        changes: list[Change] = [
            (mine, here, -1),
            (mine, there, 1),
            (theirs, there, -1),
            (theirs, here, 1),
        ]
        if self._tally.gain(changes) <= 0:
            return False
        self._tally.put(changes)
        for old, node in ((unit, there), (other, here)):
            self._add(old, -1)
            self._add((old[0], old[1], node), 1)
        return True

    def _move(self, unit: Unit, target: int) -> None:
        wish, shape, node = self._wish(unit), self._shape(unit), unit[2]
        self._tally.put([(wish, node, -1), (wish, target, 1)])
        self._room.undo([Placed(shape, node, 1)])
        self._room.take([Placed(shape, target, 1)])
        self._add(unit, -1)
        self._add((unit[0], unit[1], target), 1)

    def assignment(self) -> Assignment:
        """The plan as it is now."""
        pods: dict[int, dict[int, list[tuple[int, int]]]] = {
            demand: {item: [] for item in items} for demand, items in self._order.items()
        }
        for (demand, item, node), count in sorted(self._units.items()):
            pods[demand][item].append((node, count))
        return Assignment(pods, self._evicted)


def _is_free(demand: Demand) -> bool:
    """No rule and no tier above asks in which domain the gang's pods are."""
    return not (
        demand.choices is not None
        or demand.gathered
        or demand.grouped
        or demand.shares_domains
        or any(item.step > 1 for item in demand.items)
    )
