"""The plan as a test bench: does a gang fit beside it, with something changed."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace

import numpy as np

from planner.capacity.counted_room import fit_counts
from planner.encode.prepared import Prepared
from planner.explain.ground import Ground, Search
from planner.explain.parts import question_key, rigid_counts, without_topology
from planner.explain.running import RunningPods
from planner.explain.started import planned_by_queue
from planner.explain.units import Units
from planner.problem.placement import BoolArray, Demand, IntArray, PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.search.construct.fill import room_after

Queues = Mapping[int, IntArray]


class Bench:
    """Room that a plan leaves.

    Parameters
    ----------
    prepared
        With the evicted pods gone.
    running
        Running pods that stay under the plan.
    """

    def __init__(
        self, prepared: Prepared, assignment: Assignment, search: Search, running: RunningPods
    ) -> None:
        self.prepared, self.problem, self.running = prepared, prepared.problem, running
        self.assignment, self.search = assignment, search
        self.units = Units(self.problem.dimensions, prepared.gpu_names)
        room = room_after(self.problem, assignment)
        self.problem = replace(
            self.problem, domain_rooms=room.domains.rooms(), spreads=room.even.spreads()
        )
        self.free, self.queues = room.free, room.queues
        self.admits = room.admits
        self.planned = planned_by_queue(self.problem, assignment)
        self._grounds: dict[tuple[int, bool], Ground] = {}
        self._counts: dict[int, IntArray] = {}
        self._totals: dict[tuple[int, int], int] = {}
        self._kept: list[BoolArray | None] = []

    def opened(self, admits: BoolArray) -> Bench:
        """The same room with other open nodes."""
        other = copy(self)
        other.problem = replace(self.problem, admits=admits)
        other._grounds, other._counts, other._totals, other._kept = {}, {}, {}, []
        return other

    def counts(self, shape: int) -> IntArray:
        """``[nodes]`` pods of a shape that fit on each node."""
        if shape not in self._counts:
            self._counts[shape] = self.fit_counts(self.free, shape)
        return self._counts[shape]

    def fit_counts(self, free: IntArray, shape: int, nodes: IntArray | None = None) -> IntArray:
        """Pods of a shape that fit into this room, row by row; ``nodes`` names the nodes of the rows."""
        admitted = self.problem.admits[shape]
        return fit_counts(
            free, self.problem.requests[shape], admitted if nodes is None else admitted[nodes]
        )

    def fits(
        self,
        demand: Demand,
        *,
        free: IntArray | None = None,
        admits: BoolArray | None = None,
        queues: Queues | None = None,
        limited: bool = True,
        fresh: bool = False,
    ) -> bool:
        """Whether it certainly fits, with other room, other open nodes or other limits (or none) of its queues.

        Answers are kept per array ``admits``, unless it is ``fresh``: changed between questions.
        """
        if not self.admits(demand):
            return False
        rooms = (self.queues if queues is None else queues) if limited else None
        if counting_decides(demand):
            return self._counted(demand, free, admits, rooms)
        if free is None and not fresh:
            if not within(demand, rooms) or self._standing(admits, None).fits(demand) is not True:
                return False
            if rooms is None or rigid_counts(demand) is not None:
                return (
                    True  # it has no choice between pods, so its least request is what limits see
                )
            if queues is None:
                return self._standing(admits, rooms).fits(demand) is True
        problem = self.problem
        ground = Ground(
            replace(problem, queue_room=_own_queues(problem, demand)),
            self.free if free is None else free,
            problem.admits if admits is None else admits,
            rooms,
            self.search,
        )
        return ground.fits(demand) is True

    def _counted(
        self,
        demand: Demand,
        free: IntArray | None,
        admits: BoolArray | None,
        rooms: Queues | None,
    ) -> bool:
        """The same for a gang of one kind of pods: it is a count."""
        item, problem = demand.items[0], self.problem
        if item.count < demand.need or not within(demand, rooms):
            return False
        open_to = (problem.admits if admits is None else admits)[item.shape]
        if free is not None:
            fit = fit_counts(free, problem.requests[item.shape], open_to)
            return int(fit.sum()) >= demand.need
        key = (item.shape, id(admits) if admits is not None else 0)
        if key not in self._totals:
            fit = fit_counts(self.free, problem.requests[item.shape], open_to)
            self._totals[key] = int(fit.sum())
            self._kept.append(admits)  # its id stays its own
        return self._totals[key] >= demand.need

    def _standing(self, admits: BoolArray | None, rooms: Queues | None) -> Ground:
        """The room that the plan leaves, on these nodes; it keeps what it has counted."""
        key = (id(admits) if admits is not None else 0, rooms is not None)
        if key not in self._grounds:
            open_to = self.problem.admits if admits is None else admits
            self._grounds[key] = self._ground(self.free, open_to, rooms)
        return self._grounds[key]

    def _ground(self, free: IntArray, admits: BoolArray, queues: Queues | None) -> Ground:
        return Ground(self.problem, free, admits, queues, self.search)

    def fits_with_nodes(
        self, demand: Demand, like: int, count: int, queues: Queues | None, admits: BoolArray
    ) -> bool:
        """Whether it fits with so many empty copies of a node; ``admits`` holds a column for a copy, ``[shapes]``."""
        if not self.admits(demand):
            return False
        problem = self.problem
        sound = self.prepared.ruled.nodes[like].allocatable
        row = np.array([[sound.amount(name) for name in problem.dimensions]], dtype=np.int64)
        column = admits.reshape(len(admits), 1)
        larger = replace(
            problem,
            node_names=(*problem.node_names, *("" for _ in range(count))),
            queue_room=_own_queues(problem, demand),
            free=np.vstack([self.free, np.repeat(row, count, axis=0)]),
            domain_rooms=tuple(one.with_copies(like, count) for one in problem.domain_rooms),
            spreads=tuple(one.with_copies(like, count) for one in problem.spreads),
            admits=np.hstack([problem.admits, np.repeat(column, count, axis=1)]),
            node_gpus=np.append(problem.node_gpus, np.repeat(problem.node_gpus[like], count)),
            node_has_gpu_pods=np.append(problem.node_has_gpu_pods, np.zeros(count, dtype=np.bool_)),
        )
        ground = Ground(larger, larger.free, larger.admits, queues or self.queues, self.search)
        return ground.fits(demand) is True

    def missing(self, demand: Demand) -> dict[int, int]:
        """Shape to pods that do not fit, where the gang has one minimal set and its shapes are counted one by one."""
        counts = pods_needed(demand) or {}
        return {
            shape: need - have
            for shape, need in counts.items()
            if (have := int(self.counts(shape).sum())) < need
        }

    @staticmethod
    def key(demand: Demand) -> tuple[object, ...]:
        """Demands with the same key ask the same of nodes."""
        return question_key(demand)


def _own_queues(problem: PlacementProblem, demand: Demand) -> Queues:
    """Room of the gang's queues alone: with thousands of queues a trial for one gang looks at no others."""
    return {queue: problem.queue_room[queue] for queue in demand.queue_chain}


def pods_needed(demand: Demand) -> dict[int, int] | None:
    """Pods per shape that the gang lacks; None where it has a choice."""
    if demand.simple:
        return {demand.items[0].shape: demand.need}
    return rigid_counts(demand)


def counting_decides(demand: Demand) -> bool:
    """Whether its fit is a count: pods of one kind, anywhere."""
    return demand.simple and without_topology(demand) is demand


def within(demand: Demand, rooms: Queues | None) -> bool:
    """Whether the least that the gang requests is within the room of its queues (None = no limits)."""
    if rooms is None:
        return True
    return all(
        need <= 0 or rooms[queue][d] < 0 or need <= rooms[queue][d]
        for queue in demand.queue_chain
        for d, need in enumerate(demand.minimum)
    )
