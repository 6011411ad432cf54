"""Bring the pods of started gangs into fewer places, where nothing above that tier changes.

Every gang keeps its pods; only the nodes of new pods change. A gang moves to the fewest places with room for it; where
none has, the new pods of gangs that do not care make way, if they find nodes elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from planner.capacity.fit import Placed
from planner.capacity.fits_alone import Fitting
from planner.problem.placement import Demand, IntArray, PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.domain_count import domain_value, unit_values
from planner.reduce.domain_of_gang import home_of
from planner.reduce.spread_filter import keeps_spreads
from planner.search.construct.domain_choice import FewPlaces
from planner.search.construct.fill import room_after, spots_by_item
from planner.search.stages.improve.rebuild import regrouped

PASSES = 2

Spots = dict[int, list[tuple[int, int]]]


def gathered(
    problem: PlacementProblem, assignment: Assignment, stopped: Callable[[], bool]
) -> Assignment:
    """The plan with its gangs in fewer places, as far as a local search gets; the same starts and pods."""
    if not problem.topology.levels or not any(d.gathered for d in problem.demands):
        return assignment
    best = _improved(problem, assignment.copy(), stopped)
    if not keeps_spreads(problem, best):
        best = assignment
    anew = None if stopped() else regrouped(problem, assignment)
    if anew is None:
        return best
    anew = _improved(problem, anew, stopped)
    if not keeps_spreads(problem, anew):
        return best
    return min(best, anew, key=lambda plan: _values(problem, plan))


def _values(problem: PlacementProblem, plan: Assignment) -> list[int]:
    return [domain_value(problem, plan, level) for level in problem.topology.levels]


def _improved(
    problem: PlacementProblem, assignment: Assignment, stopped: Callable[[], bool]
) -> Assignment:
    gatherer = Gatherer(problem, assignment)
    for _ in range(PASSES):
        if stopped() or not gatherer.improve(stopped):
            break
    return gatherer.assignment


@dataclass(frozen=True, slots=True)
class _Moved:
    """Pods of a demand's item that were taken from a node."""

    demand: int
    item: int
    node: int
    count: int


class Gatherer:
    """A plan whose gangs are moved one by one."""

    def __init__(self, problem: PlacementProblem, assignment: Assignment) -> None:
        self.problem = problem
        self.assignment = assignment
        self.levels = problem.topology.levels
        self._room = room_after(problem, assignment)
        self._few = FewPlaces(problem)
        self._loose = self._movable()
        self._taken = np.zeros_like(self._room.free)
        """``[nodes, dimensions]`` what the movable pods take."""
        self._count(self._loose.values())

    def improve(self, stopped: Callable[[], bool]) -> bool:
        """Try every gang that is in more places than it needs; whether some moved."""
        better = False
        for index in sorted(self._spread(), key=lambda d: (-self._weight(d), d)):
            if stopped():
                break
            better = self._gather(index) or better
        return better

    def _spread(self) -> list[int]:
        """Started gangs that count and are in more than one place."""
        return [
            index
            for index, items in self.assignment.pods.items()
            if any(items.values())
            and self.problem.demands[index].gathered
            and not self.problem.demands[index].grouped
            and any(value > 1 for value in self._vector(index, items))
        ]

    def _weight(self, index: int) -> int:
        demand = self.problem.demands[index]
        places = self._vector(index, self.assignment.pods[index])[0]
        return demand.gathered[0].weight * places

    def _vector(self, index: int, items: Spots) -> tuple[int, ...]:
        demand = self.problem.demands[index]
        return unit_values(demand, demand.gathered[0], self.levels, items)

    def _gather(self, index: int) -> bool:
        """Move one gang to fewer places; False and no change where that is not possible."""
        old = self.assignment.pods[index]
        goal = self._vector(index, old)
        self._lift(index, old)
        found = self._few_places(index, self._room.free)
        if found is None or self._vector(index, found) >= goal:
            if found is not None:
                self._lift(index, found)
            found = self._after_evacuation(index, goal)
        if found is None:
            self._drop(index, old)
            return False
        self.assignment.pods[index] = found
        return True

    def _placed(self, index: int, items: Spots) -> list[Placed]:
        return Assignment({index: items}).placed(self.problem)

    def _lift(self, index: int, items: Spots) -> None:
        self._room.undo(self._placed(index, items))

    def _drop(self, index: int, items: Spots) -> None:
        self._room.take(self._placed(index, items))

    def _counts(self, index: int) -> dict[int, int]:
        items = self.assignment.pods[index].items()
        return {item: total for item, spots in items if (total := sum(n for _, n in spots))}

    def _few_places(self, index: int, free: IntArray) -> Spots | None:
        """Put the gang onto the fewest places that hold it; None where the attempt fails."""
        demand, counts = self.problem.demands[index], self._counts(index)
        nodes = self._few.nodes_for(demand, counts, free, self._allowed(index, demand))
        return None if nodes is None else self._onto(index, counts, nodes)

    def _onto(self, index: int, counts: dict[int, int], nodes: IntArray) -> Spots | None:
        demand = self.problem.demands[index]
        by_shape: dict[int, int] = {}
        for item, count in counts.items():
            shape = demand.items[item].shape
            by_shape[shape] = by_shape.get(shape, 0) + count
        with self._room.only(nodes):
            placed = self._room.place(by_shape)
        if placed is None:
            return None
        return spots_by_item(self.problem, index, Fitting(counts, placed))

    def _allowed(self, index: int, demand: Demand) -> IntArray | None:
        """Nodes that the gang's hard rule leaves; None = all."""
        if demand.choices is None:
            return None
        home = home_of(self.problem, demand, self.assignment.pods[index])
        return None if home is None else self.problem.topology.arrays(home)

    def _movable(self) -> dict[int, list[_Moved]]:
        """Per node the new pods of gangs that neither must nor want to be together."""
        found: dict[int, list[_Moved]] = {}
        for index, items in self.assignment.pods.items():
            demand = self.problem.demands[index]
            if demand.choices is not None or demand.gathered or demand.grouped:
                continue
            for item, spots in items.items():
                for node, count in spots:
                    if count:
                        found.setdefault(node, []).append(_Moved(index, item, node, count))
        return found

    def _after_evacuation(self, index: int, goal: tuple[int, ...]) -> Spots | None:
        """Clear one place after another for the gang until it fits into fewer places than now."""
        demand, counts = self.problem.demands[index], self._counts(index)
        free = self._room.free + self._taken
        allowed = self._allowed(index, demand)
        several = self._few.nodes_for(demand, counts, free, allowed)
        single = self._few.single_places(demand, counts, free, self._room.free, allowed)
        for nodes in (*single, *(() if several is None else (several,))):
            found = self._evacuated(index, counts, nodes, goal)
            if found is not None:
                return found
        return None

    def _evacuated(
        self, index: int, counts: dict[int, int], nodes: IntArray, goal: tuple[int, ...]
    ) -> Spots | None:
        """Places for the gang once others are off these nodes; None and no change where that is no better.

        Others may go to where the gang was, so that nothing may change unless the gang leaves its nodes.
        """
        gone = [one for node in nodes.tolist() for one in self._loose.get(node, ())]
        self._room.undo(self._as_placed(gone))
        found = self._onto(index, counts, nodes)
        if found is not None and self._vector(index, found) >= goal:
            self._lift(index, found)
            found = None
        if found is not None:
            wanted: dict[int, int] = {}
            for one in gone:
                shape = self._shape(one)
                wanted[shape] = wanted.get(shape, 0) + one.count
            placed = self._room.place(wanted)
            if placed is not None:
                self._settle(gone, placed)
                return found
            self._lift(index, found)
        self._room.take(self._as_placed(gone))
        return None

    def _as_placed(self, pods: Sequence[_Moved]) -> list[Placed]:
        return [Placed(self._shape(one), one.node, one.count) for one in pods]

    def _shape(self, one: _Moved) -> int:
        return self.problem.demands[one.demand].items[one.item].shape

    def _count(self, moved: Iterable[Sequence[_Moved]]) -> None:
        """Put down what pods take that have become movable."""
        for pods in moved:
            for one in pods:
                self._taken[one.node] += self.problem.requests[self._shape(one)] * one.count

    def _settle(self, gone: Sequence[_Moved], placed: Sequence[Placed]) -> None:
        """Give evacuated pods their new nodes, shape by shape."""
        pools: dict[int, list[list[int]]] = {}
        for spot in placed:
            pools.setdefault(spot.shape, []).append([spot.node, spot.count])
        for node in {one.node for one in gone}:
            self._loose.pop(node, None)
            self._taken[node] = 0
        for one in gone:
            spots = self.assignment.pods[one.demand][one.item]
            spots.remove((one.node, one.count))
            left, pool = one.count, pools[self._shape(one)]
            while left:
                take = min(pool[0][1], left)
                spots.append((pool[0][0], take))
                moved = _Moved(one.demand, one.item, pool[0][0], take)
                self._loose.setdefault(pool[0][0], []).append(moved)
                self._count([[moved]])
                pool[0][1] -= take
                left -= take
                if not pool[0][1]:
                    pool.pop(0)
