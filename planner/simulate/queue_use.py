"""What the queues use while gangs are placed: room below their limits, and whose turn it is."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

from models.effective import EffectivePolicy
from models.queues import Queue
from models.resources import PODS
from models.snapshot import Snapshot
from planner.problem.rule_names import is_rule
from planner.simulate.shapes import Shapes
from planner.verify.queue_limits import QueueBook

_NO_LIMIT = 2**31
Share = tuple[float, bool]


class QueueUse:
    """Use of every queue (I4), and the shares that order queues in Volcano's proportion and capacity plugins.

    ``changed`` holds the queues that received or gave back something since whoever reads it emptied it.
    """

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy, shapes: Shapes) -> None:
        self._snapshot, self._shapes = snapshot, shapes
        self.book = QueueBook(snapshot, policy)
        self._names = shapes.dimensions
        self._used: dict[str, list[int]] = {}
        self._limits: dict[str, list[int | None]] = {}
        self._shares: dict[str, Share] = {}
        self._paths: dict[str, tuple[str, ...]] = {}
        self.changed: set[str] = set()
        for gang in snapshot.gangs:
            if not gang.not_admitted:
                for pod in snapshot.pods_of(gang):
                    if pod.running:
                        self._add(gang.queue, self._running_amounts(pod.spec.request.as_dict()))

    def copy(self) -> QueueUse:
        """The same state, for another run."""
        other = copy.copy(self)
        other._used = {queue: list(amounts) for queue, amounts in self._used.items()}
        other._shares, other.changed = dict(self._shares), set()
        return other

    def count(self, queue: str, shape: int) -> int:
        """Pods of the shape that the queue and, with hierarchy, its ancestors may still take."""
        most = _NO_LIMIT
        for level in self.path(queue):
            used, limits = self._use(level), self._limits_of(level)
            for dimension, amount in self._shapes.requests[shape]:
                limit = limits[dimension]
                if limit is not None:
                    most = min(most, (limit - used[dimension]) // amount)
        return max(most, 0)

    def charge(self, queue: str, shape: int, pods: int) -> None:
        """Count placed pods; a negative number takes them back."""
        self._add(queue, [(d, amount * pods) for d, amount in self._shapes.requests[shape]])

    def release(self, queue: str, request: Mapping[str, int], sign: int = 1) -> None:
        """A running pod of the queue leaves (``sign`` -1: it stays after all)."""
        amounts = self._running_amounts(dict(request))
        self._add(queue, [(dimension, -sign * amount) for dimension, amount in amounts])

    def priority(self, queue: str) -> int:
        """``spec.priority`` of a queue."""
        return self._snapshot.queue_by_name.get(queue, Queue(queue)).priority

    def created(self, queue: str) -> str:
        """Time of creation of a queue, "" where it is not known."""
        return self._snapshot.queue_by_name.get(queue, Queue(queue)).created

    def path(self, queue: str) -> tuple[str, ...]:
        """The queue and, with hierarchy, its ancestors."""
        if queue not in self._paths:
            self._paths[queue] = self.book.limiting(queue) or (queue,)
        return self._paths[queue]

    def share(self, queue: str) -> Share:
        """Largest allocated / deserved, and whether nothing is deserved: such a queue counts as 1 and goes last.

        Under ``proportion`` 0/0 is 0 and x/0 is 1. A share only orders queues, so a float will do.
        """
        if queue not in self._shares:
            used, book = self._use(queue), self.book
            ratios = [
                _ratio(used[dimension], book.deserved(queue, name))
                for dimension, name in self._order_dimensions
                if book.proportional or book.entitled(queue, name)
            ]
            self._shares[queue] = (max(ratios), False) if ratios else (1.0, True)
        return self._shares[queue]

    @cached_property
    def _order_dimensions(self) -> list[tuple[int, str]]:
        return [
            (d, name) for d, name in enumerate(self._names) if name != PODS and not is_rule(name)
        ]

    def _use(self, queue: str) -> list[int]:
        return self._used.setdefault(queue, [0] * len(self._names))

    def _limits_of(self, queue: str) -> list[int | None]:
        if queue not in self._limits:
            self._limits[queue] = [
                None if name == PODS or is_rule(name) else self.book.limit(queue, name)
                for name in self._names
            ]
        return self._limits[queue]

    def _running_amounts(self, request: dict[str, int]) -> list[tuple[int, int]]:
        return [(d, request[name]) for d, name in self._order_dimensions if name in request]

    def _add(self, queue: str, amounts: list[tuple[int, int]]) -> None:
        for level in self.path(queue):
            used = self._use(level)
            for dimension, amount in amounts:
                used[dimension] += amount
            self._shares.pop(level, None)
        self.changed.add(queue)


def _ratio(used: int, deserved: Fraction) -> float:
    if deserved > 0:
        return float(used / deserved)
    return 1.0 if used else 0.0
