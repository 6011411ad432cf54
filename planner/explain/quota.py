"""``quota`` and ``quota_never``: a queue's limit leaves too little now, or is too small for ever."""

from __future__ import annotations

from collections.abc import Sequence

from models.plan import Reason
from planner.encode.prepared import Prepared
from planner.explain.ceilings import Ceilings
from planner.explain.reserved import reserved
from planner.explain.short_limits import LimitUse, ShortLimit
from planner.explain.units import Units, listed
from planner.problem.placement import Demand


class QuotaReasons:
    """Words for the queue limits that keep a gang waiting."""

    def __init__(self, prepared: Prepared, units: Units, use: LimitUse) -> None:
        self._queue_names = prepared.problem.queue_names
        self._proportional = prepared.limits.proportional
        self._units = units
        self._use = use
        self._ceilings = Ceilings(prepared)

    def reasons(self, demand: Demand, short: Sequence[ShortLimit]) -> list[Reason]:
        """Never before now, and after them the guarantees that make the difference."""
        now = self.for_now(short)
        never = [one for one in short if one not in now]
        found = [self._never_reason(never)] if never else []
        if now:
            found.append(self._now_reason(demand, now))
        held = reserved(short, self._ceilings, self._use, self._units)
        return [*found, held] if held else found

    def for_now(self, short: Sequence[ShortLimit]) -> list[ShortLimit]:
        """Limits that are not too small for ever."""
        return [one for one in short if not self._never(one)]

    def by_choice(self, demand: Demand) -> Reason:
        """No single dimension is short, but no pods that fit on the nodes stay within the limits."""
        names = [self._queue_names[queue] for queue in demand.queue_chain]
        queues = f"queue {names[0]}" if len(names) == 1 else f"queues {listed(names)}"
        message = f"every choice of pods that fits on the nodes exceeds a limit of {queues}"
        return Reason(code="quota", message=message, data={"queues": names})

    def _ceiling(self, one: ShortLimit) -> int | None:
        return self._ceilings.ever(one.name, one.resource)

    def _never(self, one: ShortLimit) -> bool:
        ceiling = self._ceiling(one)
        return ceiling is not None and one.need + one.own > ceiling

    def _now_reason(self, demand: Demand, short: Sequence[ShortLimit]) -> Reason:
        parts = []
        for queue in dict.fromkeys(one.queue for one in short):
            rows = [self._left_words(one) for one in short if one.queue == queue]
            parent = "parent queue" if queue != demand.queue else "queue"
            parts.append(f"{parent} {self._queue_names[queue]} has {listed(rows)}")
        message = f"needs {self._need(short)}; {'; '.join(parts)}"
        data = {"limits": [one.row() for one in short]}
        return Reason(code="quota", message=message, data=data)

    def _left_words(self, one: ShortLimit) -> str:
        texts = self._units.texts(one.dimension, one.left, one.limit, one.used, one.starting)
        left, limit, used, starting = texts
        share = "its share of " if self._proportional else ""
        words = f"{self._units.number(one.dimension, left)} of {share}{limit} left"
        taken = [f"{used} in use"] if one.used else []
        if one.starting:
            taken.append(f"{starting} for pods that start now")
        return f"{words} ({', '.join(taken)})" if taken else words

    def _never_reason(self, short: Sequence[ShortLimit]) -> Reason:
        rows = []
        for one in short:
            most = self._units.texts(one.dimension, self._ceiling(one) or 0, one.need + one.own)[0]
            rows.append(f"queue {one.name} may use {most} at most")
        held = {one.dimension: one.own for one in short if one.own}
        own = listed([self._units.text(d, amount) for d, amount in held.items()])
        beside = f" beside the {own} it holds" if own else ""
        message = f"needs {self._need(short)}{beside}; {listed(rows)}, whatever else ends"
        limits = [{**one.row(), "ceiling": self._ceiling(one)} for one in short]
        return Reason(code="quota_never", message=message, data={"limits": limits})

    def _need(self, short: Sequence[ShortLimit]) -> str:
        needs = {one.dimension: one for one in short}
        rows = [needs[d] for d in self._units.first(needs)]
        return listed(
            [self._units.texts(one.dimension, one.need, one.left, one.limit)[0] for one in rows]
        )
