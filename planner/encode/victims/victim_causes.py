"""I7 on a finished plan: for whom each victim leaves, and whether that is allowed.

The rows of the model say the same over sums; this check works on the pods themselves and also covers what sums leave
open (gangs whose pods differ, the order in which entitlement is counted).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from planner.problem.placement import Demand, PlacementProblem
from planner.problem.victims import Share, Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.minimal_pod_sets import TooManyError, minimal_deliveries

Amounts = dict[str, int]


@dataclass(frozen=True, slots=True)
class _Start:
    """A starting gang that may cause evictions.

    ``need`` counts for the entitlement, and so does ``least``: pods beyond the minimum neither lower what a gang asks
    for nor add a dimension in which it is entitled.
    """

    demand: int
    queue: str
    priority: int
    need: Mapping[str, int]
    least: Mapping[str, int]


class VictimCauses:
    """Who evicts whom in one plan."""

    def __init__(self, problem: PlacementProblem, victims: Victims, assignment: Assignment) -> None:
        self.problem = problem
        self.victims = victims
        gone = frozenset(assignment.evicted)
        self.evicted: Counter[int] = Counter()
        for one in victims.pods:
            count = sum(name in gone for name in one.names)
            if count:
                self.evicted[one.kind] += count
        self.starts = [
            _start(problem, victims, demand, assignment)
            for demand, items in assignment.pods.items()
            if victims.starters[demand].causes and any(items.values())
        ]

    def preemptors(self, kind: int) -> list[int]:
        """Demands that may preempt pods of the kind."""
        one = self.victims.kinds[kind]
        if not self.victims.preempt:
            return []
        return [
            start.demand
            for start in self.starts
            if start.queue == one.queue and start.priority > one.priority
        ]

    def reclaimers(self, kind: int) -> list[int]:
        """Demands that may reclaim pods of the kind."""
        one = self.victims.kinds[kind]
        if not self.victims.reclaim or not one.reclaimable:
            return []
        return [
            start.demand
            for start in self.entitled
            if start.queue != one.queue and not start.need.keys().isdisjoint(one.request)
        ]

    def takers(self, kind: int, together: Mapping[int, int]) -> list[int]:
        """Demands that may evict pods of the kind, with what reclaim asks of their queue.

        ``together`` (kind to pods) is what one gang loses.
        """
        found = self.preemptors(kind)
        reclaimers = self.reclaimers(kind)
        if reclaimers:
            queue = self.victims.kinds[kind].queue
            counts = Counter(together)
            for other, count in self.evicted.items():
                same = self.victims.kinds[other].queue == queue
                if same and not self.preemptors(other):
                    counts[other] = count
            if self._keeps_guarantee(queue, counts) and self._above_deserved(queue, counts):
                found += reclaimers
        return found

    @cached_property
    def entitled(self) -> list[_Start]:
        """Starting gangs within what their queue deserves, smaller minima first, however they are counted."""
        found = self._walk([(start, start.need) for start in self.starts])
        if all(start.least is start.need for start in self.starts):
            return found
        among = {id(one) for one in self._walk([(start, start.least) for start in self.starts])}
        return [start for start in found if id(start) in among]

    def _walk(self, counted: Sequence[tuple[_Start, Mapping[str, int]]]) -> list[_Start]:
        taken: dict[str, Amounts] = {}
        found = []
        for start, need in sorted(counted, key=self._order):
            levels = [
                level
                for level in self.victims.entitlement_levels[start.queue]
                if level in self.victims.shares
            ]
            for level in levels:
                taken.setdefault(level, self._staying(level))
            if any(self._within(need, level, taken[level]) for level in levels):
                found.append(start)
                for level in levels:
                    _add(taken[level], need, 1)
        return found

    def _order(self, one: tuple[_Start, Mapping[str, int]]) -> tuple[object, ...]:
        start, need = one
        extended = sum(amount for name, amount in need.items() if "/" in name)
        gang = self.problem.demands[start.demand].gang
        size = (extended, need.get("memory", 0), need.get("cpu", 0))
        return (*size, self.problem.gang_order[gang])

    def _staying(self, level: str) -> Amounts:
        amounts = dict(self.victims.shares[level].used)
        for kind, count in self.evicted.items():
            one = self.victims.kinds[kind]
            if one.queue == level:
                _add(amounts, one.request, -count)
        return amounts

    def _within(self, need: Mapping[str, int], level: str, taken: Mapping[str, int]) -> bool:
        share = self.victims.shares[level]
        checks = [
            taken.get(name, 0) + amount <= share.deserved.get(name, 0)
            for name, amount in need.items()
            if amount
        ]
        return all(checks) if self.victims.proportional else any(checks)

    def fault(self) -> str:
        """The first broken rule in words, "" where all evictions are allowed."""
        return self._first_fault[0]

    def faulty_kinds(self) -> frozenset[int]:
        """Kinds of evicted pods of which some have to stay, by the first broken rule."""
        return self._first_fault[1]

    @cached_property
    def _first_fault(self) -> tuple[str, frozenset[int]]:
        reclaimed: dict[str, Counter[int]] = {}
        for kind, count in self.evicted.items():
            if self.preemptors(kind):
                continue
            queue = self.victims.kinds[kind].queue
            if not self.reclaimers(kind):
                told = f"a pod of queue {queue} makes room for no gang that may evict it"
                return told, frozenset({kind})
            reclaimed.setdefault(queue, Counter())[kind] += count
        for queue, counts in reclaimed.items():
            cheapest = min(counts, key=lambda kind: (counts[kind], kind))
            if not self._keeps_guarantee(queue, counts):
                return f"queue {queue} does not keep its guarantee", frozenset({cheapest})
            if not self._above_deserved(queue, counts):
                return f"queue {queue} is not above what it deserves", frozenset({cheapest})
        return "", frozenset()

    def _keeps_guarantee(self, queue: str, counts: Mapping[int, int]) -> bool:
        share = self.victims.shares[queue]
        rest = self._less(share.used, counts)
        return all(rest.get(name, 0) >= floor for name, floor in share.guarantee.items())

    def _less(self, used: Mapping[str, int], counts: Mapping[int, int]) -> Amounts:
        rest = dict(used)
        for kind, count in counts.items():
            _add(rest, self.victims.kinds[kind].request, -count)
        return rest

    def _above_deserved(self, queue: str, counts: Counter[int]) -> bool:
        """Backwards from the state with all victims gone; pods that may return only help the others."""
        levels = [queue, *self._ancestors(queue)]
        usage = {name: self._less(self.victims.shares[name].used, counts) for name in levels}
        left = set(counts)
        while left:
            back = {
                kind
                for kind in left
                if all(self._exceeds(kind, self.victims.shares[n], usage[n]) for n in levels)
            }
            if not back:
                return False
            left -= back
            for name in levels:
                for kind in back:
                    _add(usage[name], self.victims.kinds[kind].request, counts[kind])
        return True

    def _ancestors(self, queue: str) -> Iterable[str]:
        """Ancestors that count: those that no entitled gang of another queue shares at the same depth."""
        for place, level in enumerate(self.victims.exceeded_levels[queue]):
            shared = any(
                start.queue != queue
                and self.victims.exceeded_levels[start.queue][place : place + 1] == (level,)
                for start in self.entitled
            )
            if not shared:
                yield level

    def _exceeds(self, kind: int, share: Share, usage: Mapping[str, int]) -> bool:
        request = self.victims.kinds[kind].request
        if not any(share.deserved.get(name, 0) > 0 for name in request):
            return True
        return any(
            usage.get(name, 0) + amount > share.deserved.get(name, 0)
            for name, amount in request.items()
            if name in share.counted
        )


def _start(
    problem: PlacementProblem, victims: Victims, demand: int, assignment: Assignment
) -> _Start:
    """Per dimension the cheapest of the placed pods, as many as the gang lacks; the least of its minimal sets."""
    one = problem.demands[demand]
    counts = {
        item: sum(count for _, count in spots) for item, spots in assignment.pods[demand].items()
    }
    shapes: Counter[int] = Counter()
    for item, count in counts.items():
        shapes[one.items[item].shape] += count
    need: Amounts = {}
    for d, name in enumerate(problem.dimensions[:-1]):
        if not any(problem.requests[shape, d] for shape in shapes):
            continue
        left, total = victims.starters[demand].lacking, 0
        for amount, count in sorted((int(problem.requests[s, d]), n) for s, n in shapes.items()):
            total += amount * min(count, left)
            left -= min(count, left)
        need[name] = total
    starter = victims.starters[demand]
    least = _least(problem, one, counts)
    least = need if least is None else least
    return _Start(demand, problem.queue_names[one.queue], starter.priority, need, least)


def _least(problem: PlacementProblem, demand: Demand, counts: Mapping[int, int]) -> Amounts | None:
    """Per dimension the least that a minimal set of the placed pods requests; only what each of them requests.

    None where there is nothing to choose, or too much to list.
    """
    if demand.simple:
        return None
    try:
        sets = minimal_deliveries(demand)
    except TooManyError:
        return None
    requests = [
        sum(
            (problem.requests[demand.items[item].shape] * count for item, count in one.items()),
            np.zeros(len(problem.dimensions), dtype=np.int64),
        )
        for one in sets
        if all(counts.get(item, 0) >= count for item, count in one.items())
    ]
    if not requests:
        return None
    least = np.min(requests, axis=0)
    named = zip(problem.dimensions[:-1], least[:-1].tolist(), strict=True)
    return {name: amount for name, amount in named if amount}


def _add(amounts: Amounts, request: Mapping[str, int], factor: int) -> None:
    for name, amount in request.items():
        amounts[name] = amounts.get(name, 0) + amount * factor
