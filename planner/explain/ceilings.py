"""What queue limits could be: with everything else ended, and without other queues' guarantees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

from models.cluster import Node
from models.queues import ROOT_QUEUE, Queue
from models.resources import NO_RESOURCES, Resources
from models.snapshot import Snapshot
from models.workloads import Gang, PodSpec, RoleTemplate
from planner.encode.prepared import Prepared
from planner.encode.queue_limits import QueueLimits, requested_by_queue


class Ceilings:
    """Limits of a snapshot's queues under other circumstances; amounts in base units, None = without limit."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._limits = prepared.limits
        self._unreserved: dict[str, QueueLimits] = {}

    def ever(self, queue: str, dimension: str) -> int | None:
        """Most that the queue may use when every other gang has ended.

        Under ``proportion`` shares grow as others ask for less, up to total less guarantees plus the own guarantee,
        and the capability; the other models' limits do not depend on what runs.
        """
        limits = self._full_shares if self._limits.proportional else self._limits
        return limits.limit(queue, dimension)

    def unreserved(self, queue: str, dimension: str) -> int | None:
        """The queue's limit if the queues outside its own path had no guarantee."""
        if queue not in self._unreserved:
            light = replace(self._light, queues=self._without_guarantees(queue))
            self._unreserved[queue] = QueueLimits(light, self._prepared.policy)
        return self._unreserved[queue].limit(queue, dimension)

    def _without_guarantees(self, queue: str) -> tuple[Queue, ...]:
        """The queues that a queue's limit depends on; shares depend on all, other limits on its path only."""
        path = self._limits.chain(queue)
        listed = self._prepared.snapshot.queues
        if not self._limits.proportional:
            known = self._limits.queues
            names = dict.fromkeys((*path, ROOT_QUEUE))
            listed = tuple(known[name] for name in names if name in known)
        return tuple(
            one if one.name in path else replace(one, guarantee=NO_RESOURCES) for one in listed
        )

    def guarantees(self, queue: str, dimension: str) -> dict[str, int]:
        """Guarantees that lower the queue's limit: of other queues, with hierarchy of siblings along its path."""
        path = self._limits.chain(queue)
        parents = {self._limits.queues[name].parent_name for name in path}
        return {
            one.name: amount
            for one in self._prepared.snapshot.queues
            if one.name not in (*path, ROOT_QUEUE)
            and (not self._limits.hierarchy or one.parent_name in parents)
            and (amount := one.guarantee.amount(dimension)) > 0
        }

    @cached_property
    def _full_shares(self) -> QueueLimits:
        flat = replace(self._prepared.policy, queue_model="capacity", hierarchy=False)
        return QueueLimits(self._light, flat)

    @cached_property
    def _light(self) -> Snapshot:
        return light_snapshot(self._prepared)


def light_snapshot(
    prepared: Prepared, ended: Mapping[str, Resources] = MappingProxyType({})
) -> Snapshot:
    """All that queue limits depend on, in small: one node with the total, one gang per queue with its request.

    ``ended`` is taken from what queues request.
    """
    total = Node("total", allocatable=prepared.limits.total)
    gangs: tuple[Gang, ...] = ()
    if prepared.limits.proportional:
        requests = requested_by_queue(prepared.snapshot)
        gangs = tuple(
            _claim(name, amounts.minus(ended.get(name, NO_RESOURCES)))
            for name, amounts in requests.items()
        )
    return Snapshot(nodes=(total,), queues=prepared.snapshot.queues, gangs=gangs)


def _claim(queue: str, request: Resources) -> Gang:
    template = RoleTemplate("", PodSpec(request=request), 1)
    return Gang("", queue, queue=queue, templates=(template,))
