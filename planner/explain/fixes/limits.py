"""Queue limits that are too small: raise a capability, lower a guarantee, weigh a queue more, use another queue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from models.edits.quantities import quantity_text
from models.edits.queues import SetQueue
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from planner.encode.prepared import NO_LIMIT
from planner.encode.queue_limits import QueueLimits
from planner.explain.ceilings import light_snapshot
from planner.explain.fixes.bench import Bench
from planner.explain.fixes.candidate import Candidate
from planner.explain.fixes.elsewhere import OtherQueues
from planner.explain.short_limits import LimitUse, ShortLimit
from planner.explain.units import listed
from planner.problem.placement import Demand, IntArray

MOST_WEIGHT = 65_535


@dataclass(frozen=True)
class LimitStep:
    """A change of queues after which no limit is short, the room of the gang's queues then, and the changed queues.

    ``parts`` are smaller changes (None for none) that may do where limits grow with new nodes; the smallest first.
    """

    candidate: Candidate
    queues: Mapping[int, IntArray]
    changed: Mapping[str, Queue]
    parts: tuple[LimitStep | None, ...] = ()


class LimitSteps:
    """Finds them; equal questions are answered once."""

    def __init__(self, bench: Bench, deadline: Callable[[], bool] = lambda: False) -> None:
        self._bench, self._deadline = bench, deadline
        self._use = LimitUse(bench.prepared, bench.units)
        self._light = light_snapshot(bench.prepared)
        self._known: dict[tuple[object, ...], LimitStep | None] = {}
        self._grown: dict[tuple[str, tuple[int, ...], int, int], Mapping[int, IntArray]] = {}
        self._elsewhere = OtherQueues(bench, lambda queue: self._room(queue, bench.prepared.limits))

    def short(self, demand: Demand, own: Resources) -> list[ShortLimit]:
        """Limits that leave too little beside the plan; one as large as the cluster grows with the nodes."""
        found = self._use.short(demand, self._bench.queues, self._bench.planned, own)
        return self._use.set_by_queues(found)

    def elsewhere(self, demand: Demand) -> Candidate | None:
        """Another open queue in which the gang fits beside the plan."""
        return self._elsewhere.best(demand)

    def with_nodes(
        self, demand: Demand, step: LimitStep | None, like: int, count: int
    ) -> Mapping[int, IntArray]:
        """Room in the gang's queues once there are so many nodes more like one."""
        key = (step.candidate.text if step else "", demand.queue_chain, like, count)
        if key not in self._grown:
            more = self._bench.prepared.snapshot.nodes[like].allocatable.times(count)
            node = self._light.nodes[0]
            larger = replace(node, allocatable=node.allocatable.plus(more))
            light = self._changed(step.changed if step else {})
            limits = QueueLimits(replace(light, nodes=(larger,)), self._bench.prepared.policy)
            self._grown[key] = {queue: self._room(queue, limits) for queue in demand.queue_chain}
        return self._grown[key]

    def step(self, demand: Demand, short: list[ShortLimit]) -> LimitStep | None:
        """The first change that is enough; None where there is none, or none was found in time."""
        key = (demand.queue, tuple((one.queue, one.dimension, one.need) for one in short))
        if key not in self._known:
            self._known[key] = self._find(demand, short)
        return self._known[key]

    def _find(self, demand: Demand, short: list[ShortLimit]) -> LimitStep | None:
        if self._bench.prepared.limits.proportional:
            return self._heavier(demand, short)
        capability = self._capability(demand, short)
        return capability or self._guarantee(demand, short) or self._both(demand, short)

    def _both(self, demand: Demand, short: list[ShortLimit]) -> LimitStep | None:
        """Capabilities first, then the guarantees that still hold the limit down."""
        raised, queues = self._raised(short)
        then = self._guarantee(demand, short, queues) if raised else None
        if then is None or raised is None:
            return None
        alone = LimitStep(raised, self._bench.queues, queues)
        both = then.candidate.with_step(raised)
        return LimitStep(both, then.queues, then.changed, (alone,))

    def _capability(self, demand: Demand, short: list[ShortLimit]) -> LimitStep | None:
        raised, queues = self._raised(short)
        rooms = self._rooms(demand, queues, short) if raised else None
        return None if rooms is None or raised is None else LimitStep(raised, rooms, queues)

    def _raised(self, short: list[ShortLimit]) -> tuple[Candidate | None, dict[str, Queue]]:
        """Capabilities as large as the gang needs, enough or not."""
        queues: dict[str, Queue] = {}
        wanted: dict[str, dict[str, int]] = {}
        for one in short:
            held = queues.get(one.name) or self._light_queues.get(one.name)
            if held is None or one.resource not in held.capability:
                continue  # inherited, or set by guarantees: what is listed elsewhere may do
            more = one.need - (one.limit - one.used - one.starting)
            amounts = held.capability.as_dict()
            amounts[one.resource] = max(one.limit, amounts[one.resource]) + more
            queues[one.name] = replace(held, capability=Resources(amounts))
            step = amounts[one.resource] - self._light_queues[one.name].capability[one.resource]
            wanted.setdefault(one.name, {})[one.resource] = step
        if not wanted:
            return None, queues
        edits = tuple(
            SetQueue(queue=name, capability=_steps(amounts)) for name, amounts in wanted.items()
        )
        text = f"raise {self._told(wanted, 'the capability of queue')}"
        return self._candidate("raise_capability", text, edits, wanted), queues

    def _guarantee(
        self,
        demand: Demand,
        short: list[ShortLimit],
        given: Mapping[str, Queue] = MappingProxyType({}),
    ) -> LimitStep | None:
        """Take what is missing from the guarantees of other queues, unused ones first."""
        queues = dict(given)
        wanted: dict[str, dict[str, int]] = {}
        for one in short:
            missing = one.need - (one.limit - one.used - one.starting)
            for name in self._owners(one):
                queue = queues.get(name, self._light_queues[name])
                held = queue.guarantee.amount(one.resource)
                take = min(held, missing)
                if take <= 0:
                    continue
                amounts = queue.guarantee.as_dict()
                amounts[one.resource] = held - take
                queues[name] = replace(queue, guarantee=Resources(amounts))
                found = wanted.setdefault(name, {})
                found[one.resource] = found.get(one.resource, 0) + take
                missing -= take
        rooms = self._rooms(demand, queues, short) if wanted else None
        if rooms is None:
            return None
        edits = tuple(
            SetQueue(queue=name, guarantee=_steps(amounts, "-")) for name, amounts in wanted.items()
        )
        text = f"lower {self._told(wanted, 'the guarantee of queue')}"
        lowered = self._candidate("lower_guarantee", text, edits, wanted)
        return LimitStep(lowered, rooms, queues, (None,))

    def _owners(self, one: ShortLimit) -> list[str]:
        """Queues outside the path that have a guarantee."""
        path = self._bench.prepared.limits.chain(one.name)
        held = {
            queue.name: amount
            for queue in self._light.queues
            if (amount := queue.guarantee.amount(one.resource)) > 0 and queue.name not in path
        }
        used = {name: self._use.used(name).amount(one.resource) for name in held}
        return sorted(held, key=lambda name: (used[name] - held[name], name))

    def _heavier(self, demand: Demand, short: list[ShortLimit]) -> LimitStep | None:
        """The least weight of its queue with which its share is enough."""
        name = short[0].name
        queue = self._light_queues.get(name)
        if queue is None or any(one.name != name for one in short):
            return None
        low, high = queue.weight, MOST_WEIGHT
        rooms = self._weighed(demand, queue, high, short)
        if rooms is None:
            return None
        while low + 1 < high:
            if self._deadline():
                return None
            middle = (low + high) // 2
            found = self._weighed(demand, queue, middle, short)
            if found is None:
                low = middle
            else:
                high, rooms = middle, found
        text = f"raise the weight of queue {name} from {queue.weight:,} to {high:,}"
        edits = (SetQueue(queue=name, weight=high),)
        candidate = Candidate("raise_weight", text, lambda _: edits, high, (name,))
        return LimitStep(candidate, rooms, {name: replace(queue, weight=high)})

    def _weighed(
        self, demand: Demand, queue: Queue, weight: int, short: list[ShortLimit]
    ) -> Mapping[int, IntArray] | None:
        return self._rooms(demand, {queue.name: replace(queue, weight=weight)}, short)

    @cached_property
    def _light_queues(self) -> dict[str, Queue]:
        return {one.name: one for one in self._light.queues}

    def _changed(self, queues: Mapping[str, Queue]) -> Snapshot:
        """All queues with these in place of those of the same names."""
        light = self._light
        return replace(light, queues=tuple(queues.get(one.name, one) for one in light.queues))

    def _rooms(
        self, demand: Demand, queues: Mapping[str, Queue], short: list[ShortLimit]
    ) -> Mapping[int, IntArray] | None:
        """Room of the gang's queues under changed queues; None where a short limit stays too small."""
        limits = QueueLimits(self._changed(queues), self._bench.prepared.policy)
        for one in short:
            limit = limits.limit(one.name, one.resource)
            if limit is not None and one.need > limit - one.used - one.starting:
                return None
        return {queue: self._room(queue, limits) for queue in demand.queue_chain}

    def _room(self, queue: int, limits: QueueLimits) -> IntArray:
        problem = self._bench.problem
        name, planned = problem.queue_names[queue], self._bench.planned.get(queue)
        used, row = self._use.used(name), []
        for d, resource in enumerate(problem.dimensions[:-1]):
            limit = limits.limit(name, resource)
            added = int(planned[d]) if planned is not None else 0
            left = NO_LIMIT if limit is None else max(limit - used.amount(resource) - added, 0)
            row.append(left)
        return np.array([*row, NO_LIMIT], dtype=np.int64)

    def _told(self, wanted: Mapping[str, Mapping[str, int]], what: str) -> str:
        units = self._bench.units
        parts = []
        for name, amounts in wanted.items():
            texts = [units.text(units.dimensions.index(r), amount) for r, amount in amounts.items()]
            parts.append(f"{what} {name} by {listed(texts)}")
        return listed(parts)

    def _candidate(
        self,
        kind: str,
        text: str,
        edits: tuple[SetQueue, ...],
        wanted: Mapping[str, Mapping[str, int]],
    ) -> Candidate:
        size = sum(sum(amounts.values()) for amounts in wanted.values())
        return Candidate(kind, text, lambda _: edits, size, tuple(wanted))


def _steps(amounts: Mapping[str, int], sign: str = "+") -> dict[str, str]:
    return {name: f"{sign}{quantity_text(name, amount)}" for name, amount in amounts.items()}
