"""Gangs that the plan starts, and which of them hold room that a waiting gang lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.capacity.fit import Placed, Room, node_counts
from planner.problem.placement import BoolArray, Demand, IntArray, PlacementProblem
from planner.reduce.disaggregate import Assignment


@dataclass(frozen=True, slots=True)
class StartedGang:
    """One newly started gang: position in the objective (0 = decided first), pods and what they request."""

    demand: int
    position: int
    placed: tuple[Placed, ...]
    request: IntArray


class StartedGangs:
    """All newly started gangs, those that go first in front; larger before smaller, then by name.

    Parameters
    ----------
    positions
        Startable demand to its position in the objective.
    after
        Room that the plan leaves.
    """

    def __init__(
        self,
        problem: PlacementProblem,
        assignment: Assignment,
        positions: Mapping[int, int],
        after: Room,
    ) -> None:
        self.problem = problem
        self._after = after
        found = [
            _started(problem, assignment, demand, position)
            for demand, position in positions.items()
            if assignment.pods.get(demand)
        ]
        self.gangs = tuple(sorted(found, key=self._order))
        self._near: dict[tuple[frozenset[int], frozenset[int]], BoolArray] = {}
        self._costs: dict[int, BoolArray] = {}
        self._members: dict[int, BoolArray] = {}

    def _order(self, one: StartedGang) -> tuple[int, int, str]:
        demand = self.problem.demands[one.demand]
        return one.position, -demand.gpus, self.name(one)

    def name(self, one: StartedGang) -> str:
        """Full name of the gang."""
        return self.problem.gang_names[self.problem.demands[one.demand].gang]

    @cached_property
    def positions(self) -> IntArray:
        """``[started]`` position of each."""
        return np.array([one.position for one in self.gangs], dtype=np.int64)

    @cached_property
    def queues(self) -> IntArray:
        """``[started]`` queue of each."""
        found = [self.problem.demands[one.demand].queue for one in self.gangs]
        return np.array(found, dtype=np.int64)

    def on_nodes(self, demand: Demand, dimensions: frozenset[int]) -> BoolArray:
        """``[started]`` whether pods hold one of the dimensions where the plan costs room for the demand's pods."""
        held: BoolArray = np.any(self.problem.requests[:, sorted(dimensions)] > 0, axis=1)
        shapes = frozenset(item.shape for item in demand.items if held[item.shape])
        key = (shapes, dimensions)
        if key not in self._near:
            owner, shape, node = self._spots
            lost: BoolArray = np.any([self._lost(one) for one in sorted(shapes)], axis=0)
            found = np.zeros(len(self.gangs), dtype=np.bool_)
            found[owner[lost[node] & held[shape]]] = True
            self._near[key] = found
        return self._near[key]

    def _lost(self, shape: int) -> BoolArray:
        """``[nodes]`` whether fewer pods of the shape fit after the plan than before it."""
        if shape not in self._costs:
            before = node_counts(self.problem, shape)
            self._costs[shape] = before > self._after.counts(shape)
        return self._costs[shape]

    def in_queues(self, short: Iterable[tuple[int, int]]) -> BoolArray:
        """``[started]`` whether it counts for one of these (queue, dimension) limits."""
        found = np.zeros(len(self.gangs), dtype=np.bool_)
        for queue, dimension in short:
            found |= self._below(queue) & (self._requests[:, dimension] > 0)
        return found

    def _below(self, queue: int) -> BoolArray:
        if queue not in self._members:
            chains = [self.problem.demands[one.demand].queue_chain for one in self.gangs]
            self._members[queue] = np.array([queue in chain for chain in chains], dtype=np.bool_)
        return self._members[queue]

    @cached_property
    def _requests(self) -> IntArray:
        rows = [one.request for one in self.gangs]
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(self.problem.dimensions))

    @cached_property
    def _spots(self) -> tuple[IntArray, IntArray, IntArray]:
        rows = [
            (index, spot.shape, spot.node)
            for index, one in enumerate(self.gangs)
            for spot in one.placed
        ]
        table = np.array(rows, dtype=np.int64).reshape(len(rows), 3)
        return table[:, 0], table[:, 1], table[:, 2]


def _started(
    problem: PlacementProblem, assignment: Assignment, demand: int, position: int
) -> StartedGang:
    pods = {demand: assignment.pods[demand]}
    placed = tuple(Assignment(pods).placed(problem))
    request = np.zeros(len(problem.dimensions), dtype=np.int64)
    for one in placed:
        request += problem.requests[one.shape] * one.count
    return StartedGang(demand, position, placed, request)


def planned_by_queue(problem: PlacementProblem, assignment: Assignment) -> dict[int, IntArray]:
    """Requests of all pods that the plan adds, per queue and ancestor."""
    found: dict[int, IntArray] = {}
    for demand, pods in assignment.pods.items():
        request = _started(problem, Assignment({demand: pods}), demand, 0).request
        for queue in problem.demands[demand].queue_chain:
            found.setdefault(queue, np.zeros_like(request))
            found[queue] += request
    return found
