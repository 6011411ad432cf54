"""Limits and entitlements of Volcano queues (I4, I8), exact, for the oracle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property

from models.effective import EffectivePolicy
from models.queues import ROOT_QUEUE, Queue
from models.resources import BASE_DIMENSIONS
from models.snapshot import Snapshot
from models.workloads import Gang

SMALLEST_REST = Fraction(1, 10**7)
MOST_ROUNDS = 1000
_COARSEST_DENOMINATOR = 10**12


class QueueShares:
    """What each queue may use and is entitled to; amounts in base units of :mod:`models.resources`."""

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy) -> None:
        self._snapshot = snapshot
        self._policy = policy
        self._queues = {queue.name: queue for queue in snapshot.queues}

    def limit(self, queue: str, dimension: str) -> Fraction | None:
        """Most that the queue may use of a dimension, None without a limit; an unlisted queue has none."""
        found = self._queues.get(queue)
        if found is None:
            return None
        if self._policy.queue_model == "proportion":
            return self._filled.get(queue, {}).get(dimension, Fraction(0))
        if self._policy.hierarchy:
            return self._limit_in_tree(found, dimension)
        return self._limit_flat(found, dimension)

    def ceiling(self, queue: str, dimension: str) -> Fraction | None:
        """What admission counts: the limit, under proportion without the share."""
        found = self._queues.get(queue)
        if found is None:
            return None
        if self._policy.queue_model == "proportion":
            return self._limit_flat(found, dimension)
        return self.limit(queue, dimension)

    def deserved(self, queue: str, dimension: str) -> Fraction:
        """Entitlement: the filled share under proportion, else max(min(spec.deserved, limit), guarantee)."""
        found = self._queues.get(queue)
        if found is None:
            return Fraction(0)
        if self._policy.queue_model == "proportion":
            return self._filled.get(queue, {}).get(dimension, Fraction(0))
        wanted = Fraction(found.deserved.amount(dimension))
        limit = self.limit(queue, dimension)
        clipped = wanted if limit is None else min(wanted, limit)
        return max(clipped, Fraction(found.guarantee.amount(dimension)))

    def counts_as_deserved(self, queue: str, dimension: str) -> bool:
        """Whether the dimension belongs to the entitlement: above 0, or an extended resource that is listed."""
        if self.deserved(queue, dimension) > 0:
            return True
        found = self._queues.get(queue)
        return (
            found is not None and dimension not in BASE_DIMENSIONS and dimension in found.deserved
        )

    def levels(self, queue: str) -> list[str]:
        """Queues whose limit binds a pod of this queue: itself and, with hierarchy, ancestors below the root."""
        if not self._policy.hierarchy:
            return [queue]
        return [queue, *(one.name for one in self._ancestors(queue))]

    def open_for_work(self, queue: str) -> bool:
        """I5: exists, Open and, with hierarchy, without children; an unlisted ``default`` is open."""
        found = self._queues.get(queue)
        if found is None:
            return queue == "default"
        if found.state != "Open":
            return False
        return not (
            self._policy.hierarchy
            and any(other.parent_name == queue for other in self._snapshot.queues)
        )

    def _ancestors(self, queue: str) -> Iterator[Queue]:
        found = self._queues.get(queue)
        seen = {queue}
        while found is not None and found.parent_name not in ("", ROOT_QUEUE, *seen):
            seen.add(found.parent_name)
            found = self._queues.get(found.parent_name)
            if found is not None:
                yield found

    def _limit_flat(self, queue: Queue, dimension: str) -> Fraction:
        reserved = sum(other.guarantee.amount(dimension) for other in self._snapshot.queues)
        shared = max(self._snapshot.total.amount(dimension) - reserved, 0)
        real = Fraction(shared + queue.guarantee.amount(dimension))
        ceiling = _ceiling(queue, dimension)
        return real if ceiling is None else min(real, ceiling)

    def _limit_in_tree(self, queue: Queue, dimension: str) -> Fraction | None:
        """The parent's limit less what the siblings are guaranteed; a missing capability comes from above."""
        if queue.name == ROOT_QUEUE:
            return _ceiling(queue, dimension)
        ceilings = (_ceiling(one, dimension) for one in (queue, *self._with_root(queue)))
        ceiling = next((one for one in ceilings if one is not None), None)
        parent = self._queues.get(queue.parent_name)
        above = self._limit_in_tree(parent, dimension) if parent is not None else None
        if above is None:
            return ceiling
        siblings = (one for one in self._snapshot.queues if one.parent_name == queue.parent_name)
        reserved = sum(one.guarantee.amount(dimension) for one in siblings)
        real = max(above - reserved, Fraction(0)) + queue.guarantee.amount(dimension)
        return real if ceiling is None else min(real, ceiling)

    def _with_root(self, queue: Queue) -> Iterator[Queue]:
        yield from self._ancestors(queue.name)
        if ROOT_QUEUE in self._queues:
            yield self._queues[ROOT_QUEUE]

    @cached_property
    def _filled(self) -> dict[str, dict[str, Fraction]]:
        owners = {gang.queue for gang in self._snapshot.gangs}
        queues = [queue for queue in self._snapshot.queues if queue.name in owners]
        asked = {queue.name: requested_by(self._snapshot, queue.name) for queue in queues}
        ceilings = {
            queue.name: {name: self._limit_flat(queue, name) for name in self._snapshot.total}
            for queue in queues
        }
        return fill_by_weight(self._snapshot.total, queues, asked, ceilings)


def requested_by(snapshot: Snapshot, queue: str) -> dict[str, int]:
    """Running, waiting (gated too) and not yet created pods of a queue."""
    total: dict[str, int] = {}
    for gang in snapshot.gangs:
        if gang.queue == queue:
            for pod in snapshot.pods_of(gang):
                if pod.running or (pod.pending and not gang.asks_nothing):
                    _add(total, pod.spec.request, 1)
            for role, count in uncreated(snapshot, gang).items():
                template = gang.template(role)
                if template is not None:
                    _add(total, template.spec.request, count)
    return total


def uncreated(snapshot: Snapshot, gang: Gang) -> dict[str, int]:
    """Role to number of pods that the template promises beyond those in the snapshot."""
    if gang.asks_nothing:
        return {}
    pods = snapshot.pods_of(gang)
    return {
        template.role: max(template.replicas - sum(pod.role == template.role for pod in pods), 0)
        for template in gang.templates
    }


def fill_by_weight(
    total: Mapping[str, int],
    queues: list[Queue],
    asked: Mapping[str, Mapping[str, int]],
    ceilings: Mapping[str, Mapping[str, Fraction]],
) -> dict[str, dict[str, Fraction]]:
    """Volcano's weighted water filling: share of each queue per dimension, base units, as fractions.

    In each round every queue that is still hungry gets its weight's part of what remains, capped by its ceiling and
    request, never below its guarantee. It leaves when its request is met everywhere or its share did not change.
    """
    share = {queue.name: dict.fromkeys(total, Fraction(0)) for queue in queues}
    rest = {name: Fraction(amount) for name, amount in total.items()}
    hungry = list(queues)
    for _ in range(MOST_ROUNDS):
        weights = sum(queue.weight for queue in hungry)
        if weights == 0 or max(rest.values(), default=Fraction(0)) <= SMALLEST_REST:
            break
        earlier = {queue.name: dict(share[queue.name]) for queue in hungry}
        for queue in hungry:
            for name in total:
                wish = share[queue.name][name] + rest[name] * Fraction(queue.weight, weights)
                wish = min(
                    wish, ceilings[queue.name][name], Fraction(asked[queue.name].get(name, 0))
                )
                wish = max(wish, Fraction(queue.guarantee.amount(name)))
                share[queue.name][name] = _short(wish)
        before = dict(rest)
        for name in total:
            growth = sum(
                (share[queue.name][name] - earlier[queue.name][name] for queue in hungry),
                Fraction(0),
            )
            rest[name] = max(rest[name] - growth, Fraction(0))
        hungry = [
            queue
            for queue in hungry
            if share[queue.name] != earlier[queue.name]
            and any(asked[queue.name].get(name, 0) > share[queue.name][name] for name in total)
        ]
        if rest == before:
            break
    return share


def _short(value: Fraction) -> Fraction:
    """Keeps fractions printable; the error is far below a unit."""
    if value.denominator < _COARSEST_DENOMINATOR:
        return value
    return Fraction(round(value * 10**9), 10**9)


def _ceiling(queue: Queue, dimension: str) -> Fraction | None:
    """Listed capability; none where it is missing, or 0 for cpu and memory."""
    if dimension not in queue.capability:
        return None
    amount = queue.capability[dimension]
    if amount <= 0 and dimension in BASE_DIMENSIONS:
        return None
    return Fraction(amount)


def _add(total: dict[str, int], vector: Mapping[str, int], times: int) -> None:
    for name, amount in vector.items():
        total[name] = total.get(name, 0) + amount * times
