"""Queue limits that are too small: raise a capability, lower a guarantee, weigh a queue more, use another queue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from models.edits.new_gangs import SetGang
from models.edits.quantities import quantity_text
from models.edits.queues import SetQueue
from models.queues import Queue
from models.resources import Resources
from planner.explain.ceilings import light_snapshot
from planner.explain.fixes.bench import Bench
from planner.explain.fixes.candidate import Candidate
from planner.explain.short_limits import LimitUse, ShortLimit
from planner.explain.units import listed
from planner.prepare.prepared import NO_LIMIT
from planner.prepare.queue_limits import QueueLimits
from planner.problem.placement import Demand, IntArray

MOST_WEIGHT = 65_535


@dataclass(frozen=True)
class LimitStep:
    """A change of queues after which no limit is short, the room that queues have then, and the changed queues.

    ``parts`` are smaller changes (None for none) that may do where limits grow with new nodes; the smallest first.
    """

    candidate: Candidate
    queues: Mapping[int, IntArray]
    changed: Mapping[str, Queue]
    parts: tuple[LimitStep | None, ...] = ()


class LimitSteps:
    """Finds them; equal questions are answered once."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._use = LimitUse(bench.prepared, bench.units)
        self._light = light_snapshot(bench.prepared)
        self._known: dict[tuple[object, ...], LimitStep | None] = {}
        self._grown: dict[tuple[str, int, int], Mapping[int, IntArray]] = {}

    def short(self, demand: Demand, own: Resources) -> list[ShortLimit]:
        """Limits that leave too little beside the plan; one as large as the cluster grows with the nodes."""
        found = self._use.short(demand, self._bench.queues, self._bench.planned, own)
        return self._use.set_by_queues(found)

    def with_nodes(self, step: LimitStep | None, like: int, count: int) -> Mapping[int, IntArray]:
        """Room in queues once there are so many nodes more like one."""
        key = (step.candidate.text if step else "", like, count)
        if key not in self._grown:
            more = self._bench.prepared.snapshot.nodes[like].allocatable.times(count)
            node = self._light.nodes[0]
            larger = replace(node, allocatable=node.allocatable.plus(more))
            queues = step.changed if step else self._light_queues
            light = replace(self._light, nodes=(larger,), queues=tuple(queues.values()))
            limits = QueueLimits(light, self._bench.prepared.policy)
            self._grown[key] = {q: self._room(q, limits) for q in self._bench.queues}
        return self._grown[key]

    def step(self, demand: Demand, short: list[ShortLimit]) -> LimitStep | None:
        """The first change that is enough; None where there is none."""
        key = (demand.queue, tuple((one.queue, one.dimension, one.need) for one in short))
        if key not in self._known:
            self._known[key] = self._find(short)
        return self._known[key]

    def _find(self, short: list[ShortLimit]) -> LimitStep | None:
        if self._bench.prepared.limits.proportional:
            return self._heavier(short)
        capability = self._capability(short)
        return capability or self._guarantee(short) or self._both(short)

    def _both(self, short: list[ShortLimit]) -> LimitStep | None:
        """Capabilities first, then the guarantees that still hold the limit down."""
        raised, queues = self._raised(short)
        then = self._guarantee(short, queues) if raised else None
        if then is None or raised is None:
            return None
        alone = LimitStep(raised, self._bench.queues, queues)
        both = then.candidate.with_step(raised)
        return LimitStep(both, then.queues, then.changed, (alone,))

    def _capability(self, short: list[ShortLimit]) -> LimitStep | None:
        raised, queues = self._raised(short)
        rooms = self._rooms(queues, short) if raised else None
        return None if rooms is None or raised is None else LimitStep(raised, rooms, queues)

    def _raised(self, short: list[ShortLimit]) -> tuple[Candidate | None, dict[str, Queue]]:
        """Capabilities as large as the gang needs, enough or not."""
        queues = dict(self._light_queues)
        wanted: dict[str, dict[str, int]] = {}
        for one in short:
            held = queues.get(one.name)
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
        self, short: list[ShortLimit], given: Mapping[str, Queue] | None = None
    ) -> LimitStep | None:
        """Take what is missing from the guarantees of other queues, unused ones first."""
        queues = dict(given or self._light_queues)
        wanted: dict[str, dict[str, int]] = {}
        for one in short:
            missing = one.need - (one.limit - one.used - one.starting)
            for name in self._owners(one):
                held = queues[name].guarantee.amount(one.resource)
                take = min(held, missing)
                if take <= 0:
                    continue
                amounts = queues[name].guarantee.as_dict()
                amounts[one.resource] = held - take
                queues[name] = replace(queues[name], guarantee=Resources(amounts))
                found = wanted.setdefault(name, {})
                found[one.resource] = found.get(one.resource, 0) + take
                missing -= take
        rooms = self._rooms(queues, short) if wanted else None
        if rooms is None:
            return None
        edits = tuple(
            SetQueue(queue=name, guarantee=_steps(amounts, "-")) for name, amounts in wanted.items()
        )
        text = f"lower {self._told(wanted, 'the guarantee of queue')}"
        lowered = self._candidate("lower_guarantee", text, edits, wanted)
        return LimitStep(lowered, rooms, queues, (None,))

    def _owners(self, one: ShortLimit) -> list[str]:
        path = self._bench.prepared.limits.chain(one.name)
        names = [name for name in self._light_queues if name not in path]
        used = {name: self._use.used(name).amount(one.resource) for name in names}
        held = {name: self._light_queues[name].guarantee.amount(one.resource) for name in names}
        return sorted(names, key=lambda name: (used[name] - held[name], name))

    def _heavier(self, short: list[ShortLimit]) -> LimitStep | None:
        """The least weight of its queue with which its share is enough."""
        name = short[0].name
        queue = self._light_queues.get(name)
        if queue is None or any(one.name != name for one in short):
            return None
        low, high = queue.weight, MOST_WEIGHT
        if self._weighed(queue, high, short) is None:
            return None
        while low + 1 < high:
            middle = (low + high) // 2
            if self._weighed(queue, middle, short) is None:
                low = middle
            else:
                high = middle
        rooms = self._weighed(queue, high, short)
        if rooms is None:
            return None
        text = f"raise the weight of queue {name} from {queue.weight:,} to {high:,}"
        edits = (SetQueue(queue=name, weight=high),)
        candidate = Candidate("raise_weight", text, lambda _: edits, high, (name,))
        changed = {**self._light_queues, name: replace(queue, weight=high)}
        return LimitStep(candidate, rooms, changed)

    def _weighed(
        self, queue: Queue, weight: int, short: list[ShortLimit]
    ) -> Mapping[int, IntArray] | None:
        queues = {**self._light_queues, queue.name: replace(queue, weight=weight)}
        return self._rooms(queues, short)

    @property
    def _light_queues(self) -> dict[str, Queue]:
        return {one.name: one for one in self._light.queues}

    def _rooms(
        self, queues: Mapping[str, Queue], short: list[ShortLimit]
    ) -> Mapping[int, IntArray] | None:
        """Room of all queues under changed queues; None where a short limit stays too small."""
        light = replace(self._light, queues=tuple(queues.values()))
        limits = QueueLimits(light, self._bench.prepared.policy)
        for one in short:
            limit = limits.limit(one.name, one.resource)
            if limit is not None and one.need > limit - one.used - one.starting:
                return None
        return {queue: self._room(queue, limits) for queue in self._bench.queues}

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

    def elsewhere(self, demand: Demand) -> Candidate | None:
        """Another open queue in which the gang fits beside the plan; that with the most room of its first dimension."""
        bench, problem = self._bench, self._bench.problem
        if bench.prepared.policy.nodegroup:
            return None
        d = next((d for d in bench.units.ordered() if demand.minimum[d] > 0), 0)
        found: list[tuple[int, str]] = []
        for index, name in enumerate(problem.queue_names):
            if index == demand.queue or bench.prepared.limits.closed_because(name):
                continue
            chain = bench.prepared.limits.chain(name)
            numbers = tuple(problem.queue_names.index(one) for one in chain)
            rooms = {one: bench.queues.get(one) for one in numbers}
            limits = bench.prepared.limits
            filled = {
                one: self._room(one, limits) if room is None else room
                for one, room in rooms.items()
            }
            if all(_admits(room, demand.minimum) for room in filled.values()):
                least = min(int(room[d]) if room[d] >= 0 else 1 << 60 for room in filled.values())
                found.append((-least, name))
        if not found or not bench.fits(demand, limited=False):
            return None
        _, name = min(found)
        return Candidate(
            "other_queue",
            f"submit it to queue {name}",
            lambda gang: (SetGang(gangs=gang, queue=name),),
            1,
            (name,),
        )


def _admits(room: IntArray, need: tuple[int, ...]) -> bool:
    return all(amount <= 0 or room[d] < 0 or amount <= room[d] for d, amount in enumerate(need))


def _steps(amounts: Mapping[str, int], sign: str = "+") -> dict[str, str]:
    return {name: f"{sign}{quantity_text(name, amount)}" for name, amount in amounts.items()}
