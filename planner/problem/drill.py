"""A reclaim drill by index: needs, room over time, and who may leave.

Vectors run over ``dimensions`` (base units; the last one is ``pods``). Seconds count from the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from planner.problem.placement import IntArray
from planner.problem.victims import Victims

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DrillNeed:
    """Equal pods that need room: at most ``pods`` of them, each with ``gpus`` GPUs, on the ``nodes`` open to them."""

    gpus: int
    pods: int
    request: Vector
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """Room that a terminating pod leaves at a second, whatever is decided."""

    second: int
    amounts: Vector


@dataclass(frozen=True, slots=True)
class QueueRoom:
    """What new pods may still request of a dimension in a queue: ``sum request x <= room + sum amount e``.

    ``asked`` maps needs to the request of one pod, ``returned`` kinds of victims to what one of them gives back.
    """

    queue: str
    dimension: str
    room: int
    asked: Mapping[int, int]
    returned: Mapping[int, int]


@dataclass(frozen=True)
class DrillProblem:
    """Everything that the formulation iterates over.

    Attributes
    ----------
    room
        ``[nodes, dimensions]`` allocatable less what all pods hold; below 0 where a node is overcommitted.
    endings
        Node to what terminating pods leave there.
    compared
        Kinds of victims whose queues have to stay above what they deserve and are guaranteed.
    """

    dimensions: tuple[str, ...]
    node_names: tuple[str, ...]
    deadline: int
    needs: tuple[DrillNeed, ...]
    room: IntArray
    endings: Mapping[int, tuple[Ending, ...]]
    victims: Victims
    queue_rooms: tuple[QueueRoom, ...]
    compared: frozenset[int]

    @property
    def gpus(self) -> int:
        """GPUs that are asked for, whole pods."""
        return sum(need.gpus * need.pods for need in self.needs)

    def free_at(self, node: int, second: int, leaving: Iterable[tuple[int, int]] = ()) -> list[int]:
        """Room of a node at a second when so many pods per (kind, count) leave."""
        free = [int(amount) for amount in self.room[node]]
        for ending in self.endings.get(node, ()):
            if ending.second <= second:
                free = [a + b for a, b in zip(free, ending.amounts, strict=True)]
        for kind, count in leaving:
            one = self.victims.kinds[kind]
            if one.seconds <= second:
                free = [a + b * count for a, b in zip(free, one.vector, strict=True)]
        return free

    def fits(self, need: int, free: list[int]) -> int:
        """Pods of a need that a room holds."""
        pairs = zip(free, self.needs[need].request, strict=True)
        return max(min(have // amount for have, amount in pairs if amount), 0)
