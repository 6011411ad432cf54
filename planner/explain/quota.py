"""Queue limits as reasons: too little left now, never enough, held back for guarantees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.plan import Reason
from models.resources import NO_RESOURCES, Resources
from planner.explain.ceilings import Ceilings
from planner.explain.units import Units, listed
from planner.prepare.prepared import Prepared
from planner.problem.placement import Demand, IntArray


@dataclass(frozen=True, slots=True)
class ShortLimit:
    """One dimension of one queue's limit that leaves too little; base units.

    Attributes
    ----------
    used, starting
        By running pods, and by pods that the plan adds.
    own
        Used by the gang's own running pods.
    """

    queue: int
    dimension: int
    need: int
    limit: int
    used: int
    starting: int
    own: int

    @property
    def left(self) -> int:
        """What new pods may still request."""
        return max(self.limit - self.used - self.starting, 0)


class QuotaReasons:
    """Finds the queue limits that keep a gang waiting."""

    def __init__(self, prepared: Prepared, units: Units) -> None:
        self._prepared = prepared
        self._problem = prepared.problem
        self._units = units
        self._ceilings = Ceilings(prepared)
        self._used: dict[int, Resources] = {}

    def short(
        self,
        demand: Demand,
        rooms: Mapping[int, IntArray],
        starting: Mapping[int, IntArray],
        own: Resources = NO_RESOURCES,
    ) -> list[ShortLimit]:
        """Dimensions in which the least that the gang requests exceeds the room of its queue or an ancestor."""
        names = self._problem.dimensions
        found = []
        for queue in demand.queue_chain:
            room = rooms[queue]
            for d in self._units.ordered():
                need = demand.minimum[d]
                if need <= 0 or room[d] < 0 or need <= room[d]:
                    continue
                limit = self._prepared.limits.limit(self._problem.queue_names[queue], names[d])
                if limit is not None:
                    added = int(starting[queue][d]) if queue in starting else 0
                    used = self._used_by(queue).amount(names[d])
                    found.append(
                        ShortLimit(queue, d, need, limit, used, added, own.amount(names[d]))
                    )
        return found

    def set_by_queues(self, short: Sequence[ShortLimit]) -> list[ShortLimit]:
        """Those that queues decide: a limit as large as the cluster only says that the cluster is too small."""
        total = self._prepared.limits.total
        return [
            one
            for one in short
            if one.limit < total.amount(self._problem.dimensions[one.dimension])
        ]

    def reasons(self, demand: Demand, short: Sequence[ShortLimit]) -> list[Reason]:
        """Never before now, and after them the guarantees that make the difference."""
        never = [one for one in short if self._never(one)]
        now = [one for one in short if one not in never]
        found = []
        if never:
            found.append(self._never_reason(never))
        if now:
            found.append(self._now_reason(demand, now))
        held = [one for one in short if self._held_back(one)]
        if held:
            found.append(self._reserved_reason(held))
        return found

    def by_choice(self, demand: Demand) -> Reason:
        """No single dimension is short, but no pods that fit on the nodes stay within the limits."""
        names = [self._problem.queue_names[queue] for queue in demand.queue_chain]
        message = f"every choice of pods that fits on the nodes exceeds a limit of {_queues(names)}"
        return Reason(code="quota", message=message, data={"queues": names})

    def _used_by(self, queue: int) -> Resources:
        if queue not in self._used:
            self._used[queue] = self._prepared.usage_below(self._problem.queue_names[queue])
        return self._used[queue]

    def _ceiling(self, one: ShortLimit) -> int | None:
        name = self._problem.queue_names[one.queue]
        return self._ceilings.ever(name, self._problem.dimensions[one.dimension])

    def _never(self, one: ShortLimit) -> bool:
        ceiling = self._ceiling(one)
        return ceiling is not None and one.need + one.own > ceiling

    def _held_back(self, one: ShortLimit) -> bool:
        """Without the guarantees of others the limit would do."""
        name, dimension = self._names(one)
        if not self._ceilings.guarantees(name, dimension):
            return False
        limit = self._ceilings.unreserved(name, dimension)
        return limit is None or one.need + one.used + one.starting <= limit

    def _names(self, one: ShortLimit) -> tuple[str, str]:
        return self._problem.queue_names[one.queue], self._problem.dimensions[one.dimension]

    def _now_reason(self, demand: Demand, short: Sequence[ShortLimit]) -> Reason:
        parts = []
        for queue in dict.fromkeys(one.queue for one in short):
            rows = [self._left_words(one) for one in short if one.queue == queue]
            parent = "parent queue" if queue != demand.queue else "queue"
            name = self._problem.queue_names[queue]
            parts.append(f"{parent} {name} has {listed(rows)}")
        message = f"needs {self._need(short)}; {'; '.join(parts)}"
        return Reason(code="quota", message=message, data={"limits": [*map(self._row, short)]})

    def _left_words(self, one: ShortLimit) -> str:
        texts = self._units.texts(one.dimension, one.left, one.limit, one.used, one.starting)
        left, limit, used, starting = texts
        share = "its share of " if self._prepared.limits.proportional else ""
        words = f"{self._units.number(one.dimension, left)} of {share}{limit} left"
        taken = [f"{used} in use"] if one.used else []
        if one.starting:
            taken.append(f"{starting} for pods that start now")
        return f"{words} ({', '.join(taken)})" if taken else words

    def _need(self, short: Sequence[ShortLimit]) -> str:
        needs = {one.dimension: one for one in short}
        return listed([self._need_text(needs[d]) for d in self._units.first(needs)])

    def _need_text(self, one: ShortLimit) -> str:
        return self._units.texts(one.dimension, one.need, one.left, one.limit)[0]

    def _never_reason(self, short: Sequence[ShortLimit]) -> Reason:
        rows = []
        for one in short:
            ceiling = self._ceiling(one) or 0
            text = self._units.texts(one.dimension, ceiling, one.need + one.own)[0]
            rows.append(f"queue {self._problem.queue_names[one.queue]} may use {text} at most")
        first = short[0]
        own = (
            f" beside the {self._units.text(first.dimension, first.own)} it holds"
            if first.own
            else ""
        )
        message = f"needs {self._need(short)}{own}; {listed(rows)}, whatever else ends"
        limits = [{**self._row(one), "ceiling": self._ceiling(one)} for one in short]
        return Reason(code="quota_never", message=message, data={"limits": limits})

    def _reserved_reason(self, short: Sequence[ShortLimit]) -> Reason:
        parts, rows = [], []
        for one in short:
            name, dimension = self._names(one)
            owners = self._ceilings.guarantees(name, dimension)
            unreserved = self._ceilings.unreserved(name, dimension)
            limit, total = self._units.texts(one.dimension, one.limit, sum(owners.values()))
            words = listed([f"{self._owner_words(one, *row)}" for row in owners.items()])
            parts.append(
                f"the limit of queue {name} is {limit} because {total} "
                f"{'is' if total.startswith('1 ') else 'are'} guaranteed to {words}"
            )
            rows.append({**self._row(one), "guarantees": owners, "limitWithout": unreserved})
        message = f"{'; '.join(parts)}; without that it would do"
        return Reason(code="guarantee_reserved", message=message, data={"limits": rows})

    def _owner_words(self, one: ShortLimit, owner: str, amount: int) -> str:
        """A queue with its guarantee, and how much of it nobody uses."""
        dimension = self._problem.dimensions[one.dimension]
        used = self._prepared.usage_below(owner).amount(dimension)
        unused, guaranteed = self._units.texts(one.dimension, max(amount - used, 0), amount)
        return f"queue {owner} ({guaranteed}, {unused} of them unused)"

    def _row(self, one: ShortLimit) -> dict[str, Any]:
        queue, dimension = self._names(one)
        row = {
            "queue": queue,
            "dimension": dimension,
            "need": one.need,
            "limit": one.limit,
            "used": one.used,
            "left": one.left,
        }
        return {**row, "starting": one.starting} if one.starting else row


def _queues(names: Sequence[str]) -> str:
    return f"queue {names[0]}" if len(names) == 1 else f"queues {listed(names)}"
