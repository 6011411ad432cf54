"""I7: for whom a running pod may be evicted, by priority inside a queue or by entitlement across queues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from models.workloads import Gang, Pod, PodSpec
from planner.verify.protection import why_protected
from planner.verify.readiness import is_ready
from planner.verify.state import State, Usage

PREEMPT, RECLAIM = "preempt", "reclaim"


@dataclass(frozen=True)
class Comer:
    """A gang that starts, with the pods that come to it (specification and number)."""

    gang: Gang
    pods: tuple[tuple[PodSpec, int], ...]
    running: int = 0

    @cached_property
    def dimensions(self) -> frozenset[str]:
        """Resources that its new pods request."""
        return frozenset(
            name for spec, _ in self.pods for name, amount in spec.request.items() if amount
        )

    def least_need(self) -> Usage:
        """Per resource the least that its lacking pods request, if anything: pods beyond the minimum are left out.

        What the gang up to its minimum may do without is no resource that it requests, so it is entitled in none.
        """
        lacking = max(self.gang.min_member - self.running, 1)
        need: Usage = {}
        for name in self.dimensions:
            amounts = sorted(
                spec.request.amount(name) for spec, count in self.pods for _ in range(count)
            )
            need[name] = sum(amounts[:lacking])
        return {name: amount for name, amount in need.items() if amount}


def comers(state: State) -> list[Comer]:
    """Gangs of the plan that were not ready and receive pods."""
    return [
        Comer(
            gang,
            tuple((one.pod.spec, one.count) for one in arrivals),
            len(state.running_before(gang)),
        )
        for name, arrivals in state.placed_by_gang.items()
        for gang in (state.snapshot.gang_by_name[name],)
        if not is_ready(gang, state.running_before(gang), state.succeeded(gang))
    ]


def never_preempts(state: State, gang: Gang) -> bool:
    """A pod of the gang has preemptionPolicy Never (its templates, where no pod exists yet)."""
    pods = state.snapshot.pods_of(gang)
    specs = [pod.spec for pod in pods] or [template.spec for template in gang.templates]
    return any(spec.preemption_policy == "Never" for spec in specs)


def above(amount: int | Fraction, bound: int | Fraction) -> bool:
    """More than the bound, with the tolerance of the water filling."""
    if amount <= bound:
        return False
    return amount - bound > max(Fraction(1, 1000), abs(Fraction(bound)) / 10**9)


class Causes:
    """Who may evict whom when ``starters`` start and ``victims`` go.

    Parameters
    ----------
    victims
        All evicted pods: they no longer count for their queue when entitlement is judged.
    """

    def __init__(self, state: State, starters: Iterable[Comer], victims: Iterable[Pod]) -> None:
        self._state = state
        self.victims = tuple(victims)
        self.starters = [one for one in starters if not never_preempts(state, one.gang)]
        self._known: dict[tuple[object, ...], dict[str, list[Comer]]] = {}

    def preempts(self, comer: Comer, victim: Pod) -> bool:
        """Same queue, strictly lower priority."""
        owner = self._owner(victim)
        return (
            PREEMPT in self._state.policy.evict
            and owner.queue == comer.gang.queue
            and owner.priority < comer.gang.priority
        )

    def reclaims(self, comer: Comer, victim: Pod) -> bool:
        """An entitled gang of another queue, a reclaimable queue, a common resource."""
        return id(comer) in self._entitled_ids and may_reclaim(
            self._state, comer.gang.queue, comer.dimensions, victim
        )

    def of(self, victim: Pod) -> dict[str, list[Comer]]:
        """The starting gangs that may evict a pod, by action; actions without any are absent."""
        owner = self._owner(victim)
        names = tuple(name for name, _ in self._state.request(victim.spec))
        key = (owner.queue, owner.priority, names)  # nothing else decides
        if key not in self._known:
            found = {
                PREEMPT: [one for one in self.starters if self.preempts(one, victim)],
                RECLAIM: [one for one in self.starters if self.reclaims(one, victim)],
            }
            self._known[key] = {action: gangs for action, gangs in found.items() if gangs}
        return self._known[key]

    @cached_property
    def _entitled_ids(self) -> frozenset[int]:
        return frozenset(map(id, self.entitled))

    @cached_property
    def open_victims(self) -> list[Pod]:
        """Victims that nothing protects."""
        return [pod for pod in self.victims if not why_protected(self._state, pod)]

    @cached_property
    def reclaimed(self) -> Mapping[str, list[Pod]]:
        """Victims that no gang of their own queue may preempt but one of another may reclaim, by queue."""
        found: dict[str, list[Pod]] = {}
        for pod in self.open_victims:
            causes = self.of(pod)
            if PREEMPT not in causes and RECLAIM in causes:
                found.setdefault(self._owner(pod).queue, []).append(pod)
        return found

    @property
    def without_cause(self) -> Iterator[Pod]:
        """Victims that no starting gang may evict."""
        return (pod for pod in self.open_victims if not self.of(pod))

    @cached_property
    def entitled(self) -> Sequence[Comer]:
        """Starting gangs that stay within what their queue deserves, the smallest of a queue first."""
        used: dict[str, Usage] = {}
        found: list[Comer] = []
        for comer in sorted(self.starters, key=_by_size):
            queue, need = comer.gang.queue, comer.least_need()
            if queue not in self._state.queues.listed:
                continue
            levels = self._entitling(queue)
            for level in levels:
                if level not in used:
                    used[level] = self._staying(level)
            if any(self._within(need, level, used[level]) for level in levels):
                found.append(comer)
                for level in levels:
                    for name, amount in need.items():
                        used[level][name] = used[level].get(name, 0) + amount
        return found

    def _entitling(self, queue: str) -> tuple[str, ...]:
        """The queue and, with ``ancestor_reclaim_level``, that many ancestors whose unmet share may be used."""
        book = self._state.queues
        depth = self._state.policy.policy.ancestor_reclaim_level if book.tree else 0
        return (queue, *book.levels(queue)[1:][:depth])

    def _staying(self, queue: str) -> Usage:
        used = dict(self._state.queue_usage(self._state.queue_before, queue))
        for pod in self.victims:
            if self._owner(pod).queue == queue:
                self._state.add(used, pod.spec, -1)
        return used

    def _within(self, need: Usage, queue: str, used: Usage) -> bool:
        book = self._state.queues
        fits = [
            not above(used.get(name, 0) + amount, book.deserved(queue, name))
            for name, amount in need.items()
        ]
        return all(fits) if book.proportional else any(fits)

    def _owner(self, pod: Pod) -> Gang:
        return self._state.snapshot.gang_by_name[pod.gang]


def may_reclaim(state: State, queue: str, dimensions: frozenset[str], victim: Pod) -> bool:
    """Whether a gang of a queue may reclaim a pod, entitlement and guarantees aside."""
    owner = state.snapshot.gang_by_name[victim.gang]
    found = state.queues.listed.get(owner.queue)
    return (
        RECLAIM in state.policy.evict
        and owner.queue != queue
        and found is not None
        and found.reclaimable
        and any(name in dimensions for name, _ in state.request(victim.spec))
    )


def _by_size(comer: Comer) -> tuple[int, int, int, str, str]:
    """Extended resources summed, then memory, then cpu; then creation and name."""
    need = comer.least_need()
    extended = sum(amount for name, amount in need.items() if "/" in name)
    sizes = (extended, need.get("memory", 0), need.get("cpu", 0))
    return (*sizes, comer.gang.created, comer.gang.full_name)
