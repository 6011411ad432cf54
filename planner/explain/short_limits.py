"""Queue limits that leave too little for a gang, dimension by dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.resources import NO_RESOURCES, Resources
from planner.encode.prepared import Prepared
from planner.explain.units import Units
from planner.problem.placement import Demand, IntArray


@dataclass(frozen=True, slots=True)
class ShortLimit:
    """One dimension of one queue's limit that leaves too little; amounts in base units.

    Attributes
    ----------
    queue, dimension
        Indices into the problem's names; ``name`` and ``resource`` are these names.
    used, starting
        By running pods, and by pods that the plan adds.
    own
        Used by the gang's own running pods.
    """

    queue: int
    dimension: int
    name: str
    resource: str
    need: int
    limit: int
    used: int
    starting: int
    own: int

    @property
    def left(self) -> int:
        """What new pods may still request."""
        return max(self.limit - self.used - self.starting, 0)

    def row(self) -> dict[str, Any]:
        """The numbers for a reason's data."""
        row = {
            "queue": self.name,
            "dimension": self.resource,
            "need": self.need,
            "limit": self.limit,
            "used": self.used,
            "left": self.left,
        }
        return {**row, "starting": self.starting} if self.starting else row


class LimitUse:
    """Finds short limits; usage per queue is summed once."""

    def __init__(self, prepared: Prepared, units: Units) -> None:
        self._prepared = prepared
        self._order = units.ordered()
        self._used: dict[str, Resources] = {}

    def used(self, queue: str) -> Resources:
        """Requests of running pods of a queue, with its descendants where the tree counts."""
        if queue not in self._used:
            self._used[queue] = self._prepared.usage_below(queue)
        return self._used[queue]

    def short(
        self,
        demand: Demand,
        rooms: Mapping[int, IntArray],
        starting: Mapping[int, IntArray],
        own: Resources = NO_RESOURCES,
    ) -> list[ShortLimit]:
        """Dimensions in which the least that the gang requests exceeds the room of its queue or an ancestor."""
        problem = self._prepared.problem
        found = []
        for queue in demand.queue_chain:
            room, name = rooms[queue], problem.queue_names[queue]
            for d in self._order:
                need, resource = demand.minimum[d], problem.dimensions[d]
                limit = self._prepared.limits.limit(name, resource)
                if limit is None or need <= 0 or room[d] < 0 or need <= room[d]:
                    continue
                added = int(starting[queue][d]) if queue in starting else 0
                used, held = self.used(name).amount(resource), own.amount(resource)
                found.append(ShortLimit(queue, d, name, resource, need, limit, used, added, held))
        return found

    def set_by_queues(self, short: Sequence[ShortLimit]) -> list[ShortLimit]:
        """Those that queues decide: a limit as large as the cluster only says that the cluster is too small.

        A capability of just this size is a limit all the same: it stays where the cluster grows.
        """
        total = self._prepared.limits.total
        return [one for one in short if one.limit < total.amount(one.resource) or self._capped(one)]

    def _capped(self, one: ShortLimit) -> bool:
        queue = self._prepared.limits.queues.get(one.name)
        return queue is not None and queue.capability.get(one.resource) == one.limit
