"""Room beside the gangs of the first ranks: one layer per rank, so that gangs can take the room of later ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from planner.capacity.fit import Placed, Room
from planner.problem.placement import IntArray, PlacementProblem
from planner.reduce.disaggregate import Assignment

Spots = dict[int, list[tuple[int, int]]]


class Layer:
    """Room beside a part of a plan. Gangs come and go; what a queue has too much of is remembered."""

    def __init__(self, problem: PlacementProblem, room: Room) -> None:
        self.problem = problem
        self.room = room
        self._queues = {queue: room.copy() for queue, room in self.room.queues.items()}

    def below(self, more: Assignment) -> Layer:
        """The layer beside these gangs as well; only where pods share neither cards nor rooms of domains."""
        found = Layer(self.problem, Room(self.problem, self.room.free))
        found.room.busy[:] = self.room.busy
        found.room.admission = list(self.room.admission)
        found.room.entered = set(self.room.entered)
        found.room.queues = {queue: room.copy() for queue, room in self.room.queues.items()}
        found._queues = {queue: room.copy() for queue, room in self._queues.items()}
        for demand, spots in more.pods.items():
            found.change(demand, placed_of(self.problem, demand, spots), 1)
        return found

    def change(self, demand: int, pods: Sequence[Placed], sign: int) -> None:
        """A gang's pods come (1) or go (-1)."""
        (self.room.take if sign > 0 else self.room.undo)(pods)
        asked = asked_for(self.problem, pods) * sign
        one = self.problem.demands[demand]
        (self.room.enter if sign > 0 else self.room.leave)(one)
        for queue in self.problem.demands[demand].queue_chain:
            limited = self.problem.queue_room[queue] >= 0
            self._queues[queue] = self._queues[queue] - np.where(limited, asked, 0)
            self.room.queues[queue] = np.where(limited, np.maximum(self._queues[queue], 0), -1)

    def short_nodes(self, pods: Sequence[Placed]) -> list[int]:
        """Nodes of these pods that hold more than they can."""
        nodes = sorted({pod.node for pod in pods})
        return [node for node in nodes if (self.room.free[node] < 0).any()]

    def short_queues(self, demand: int) -> list[int]:
        """Queues of the gang that hold more than they may."""
        return [
            queue
            for queue in self.problem.demands[demand].queue_chain
            if (self._queues[queue][self.problem.queue_room[queue] >= 0] < 0).any()
        ]

    def short_admission(self, demand: int) -> list[int]:
        """Limits of the admission that the gang and others pass together."""
        gates = self.problem.demands[demand].admission
        return [gate for gate, _ in gates if self.room.admission[gate] < 0]

    def holds(self, demand: int, pods: Sequence[Placed]) -> bool:
        """Whether a gang fits on these very nodes."""
        one, room = self.problem.demands[demand], self.room
        if one.shares_domains or not room.queues_admit(one, asked_for(self.problem, pods)):
            return False
        room.take(pods)
        good = all((room.free[pod.node] >= 0).all() for pod in pods) and not room.domains.broken
        room.undo(pods)
        return good


def asked_for(problem: PlacementProblem, pods: Sequence[Placed]) -> IntArray:
    """Sum of the requests of pods."""
    asked: IntArray = np.zeros(problem.requests.shape[1], dtype=np.int64)
    for pod in pods:
        asked += problem.requests[pod.shape] * pod.count
    return asked


def placed_of(
    problem: PlacementProblem, demand: int, spots: Mapping[int, Sequence[tuple[int, int]]]
) -> list[Placed]:
    """A gang's pods by shape and node."""
    items = problem.demands[demand].items
    return [
        Placed(items[item].shape, node, count)
        for item, places in spots.items()
        for node, count in places
    ]
