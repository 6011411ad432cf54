"""For whom pods may be evicted (I7), judged for one set of starting gangs and losses, for the oracle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from models.workloads import Gang, Pod
from planner.testing.oracle.gang_options import GangView, Option
from planner.testing.oracle.victims import breaks_budget, is_open

if TYPE_CHECKING:
    from planner.testing.oracle.situation import Delivery, Situation

_TOLERANCE = Fraction(1, 1000)


def never_preempts(situation: Situation, gang: Gang) -> bool:
    """PreemptionPolicy Never on one of its pods, or templates where it has no pod."""
    pods = situation.snapshot.pods_of(gang)
    specs = [pod.spec for pod in pods] or [one.spec for one in gang.templates]
    return any(spec.preemption_policy == "Never" for spec in specs)


def outranks(situation: Situation, gang: Gang, victim: Gang) -> bool:
    """A gang may preempt the other one: same queue, strictly lower priority."""
    return (
        "preempt" in situation.policy.evict
        and not never_preempts(situation, gang)
        and gang.queue == victim.queue
        and victim.priority < gang.priority
    )


def could_reclaim(
    situation: Situation, gang: Gang, asked: Collection[str], owner: Gang, victim: Pod
) -> bool:
    """Other queue, reclaimable, common dimension; entitlement, deserved and guarantee aside."""
    queue = next((one for one in situation.snapshot.queues if one.name == owner.queue), None)
    return (
        "reclaim" in situation.policy.evict
        and not never_preempts(situation, gang)
        and queue is not None
        and queue.reclaimable
        and owner.queue != gang.queue
        and any(amount and name in asked for name, amount in victim.spec.request.items())
    )


@dataclass(frozen=True)
class Exchange:
    """Gangs that start with what they receive, and all pods that go for them."""

    situation: Situation
    delivery: Delivery
    gone: tuple[Pod, ...]

    def takers(self, victim: Pod) -> set[str]:
        """Starting gangs that may evict the pod."""
        owner = self._owner(victim)
        found = {
            view.name for view in self._starters() if outranks(self.situation, view.gang, owner)
        }
        for name, asked in self._entitled().items():
            gang = self.situation.views[name].gang
            if could_reclaim(self.situation, gang, asked, owner, victim):
                found.add(name)
        return found

    def may_take(self, name: str, victim: Pod, together: Collection[Pod]) -> bool:
        """Whether one starting gang may evict a pod, with what reclaim asks of the pod's queue.

        ``together``: pods that go with it.
        """
        owner = self._owner(victim)
        view = self.situation.views[name]
        if outranks(self.situation, view.gang, owner):
            return True
        if name not in self.takers(victim):
            return False
        pods = [pod for pod in self.gone if self._owner(pod).queue == owner.queue]
        reclaimed = [pod for pod in pods if pod in together or not self._preempted(pod)]
        return self._keeps_guarantee(owner.queue, reclaimed) and self._above_deserved(
            owner.queue, reclaimed
        )

    def _preempted(self, pod: Pod) -> bool:
        owner = self._owner(pod)
        return any(outranks(self.situation, one.gang, owner) for one in self._starters())

    def is_legal(self) -> bool:
        """All rules of I7 together."""
        policy, snapshot = self.situation.policy, self.situation.snapshot
        if breaks_budget(snapshot, policy, self.gone):
            return False
        if not all(is_open(policy, self._owner(pod), pod) for pod in self.gone):
            return False
        if not all(self.takers(pod) for pod in self.gone):
            return False
        by_queue: dict[str, list[Pod]] = {}
        for pod in self.gone:
            owner = self._owner(pod)
            if not self._preempted(pod):
                by_queue.setdefault(owner.queue, []).append(pod)
        return all(
            self._keeps_guarantee(queue, pods) and self._above_deserved(queue, pods)
            for queue, pods in by_queue.items()
        )

    def _owner(self, pod: Pod) -> Gang:
        return self.situation.snapshot.gang_by_name[pod.gang]

    def _starters(self) -> Iterator[GangView]:
        for name in self.delivery:
            view = self.situation.views.get(name)
            if view is not None and not view.ready:
                yield view

    def _entitled(self) -> dict[str, frozenset[str]]:
        """Gangs within the entitlement of their queue, with the dimensions that they ask for.

        What counts is the gang up to its minimum: pods beyond it neither lower its need nor add a dimension in which
        it is entitled. Both ways of counting, over the delivered pods and over the minimum, must agree.
        """
        as_delivered = self._walk(least_of)
        at_minimum = self._walk(minimum_of)
        return {name: asked for name, asked in as_delivered.items() if name in at_minimum}

    def _walk(
        self, measure: Callable[[Situation, GangView, Option], dict[str, int]]
    ) -> dict[str, frozenset[str]]:
        sized = []
        for view in self._starters():
            if never_preempts(self.situation, view.gang):
                continue
            need = measure(self.situation, view, self.delivery[view.name])
            extended = sum(n for name, n in need.items() if "/" in name)
            rank = (extended, need.get("memory", 0), need.get("cpu", 0), view.gang.created)
            sized.append((rank, view.name, view, need))
        taken: dict[str, Counter[str]] = {}
        found: dict[str, frozenset[str]] = {}
        listed = {queue.name for queue in self.situation.snapshot.queues}
        for _, name, view, need in sorted(sized, key=lambda one: one[:2]):
            if view.queue not in listed:
                continue
            levels = self._levels(view.queue)
            if any(self._deserves(level, need, taken.get(level, Counter())) for level in levels):
                found[name] = frozenset(need)
                for level in levels:
                    taken.setdefault(level, Counter()).update(need)
        return found

    def _levels(self, queue: str) -> list[str]:
        policy = self.situation.policy
        depth = policy.policy.ancestor_reclaim_level if policy.hierarchy else 0
        return self.situation.shares.levels(queue)[: 1 + depth]

    def _deserves(self, queue: str, need: dict[str, int], taken: Counter[str]) -> bool:
        used = self.situation.used_with_children(queue)
        for pod in self.gone:
            if self._owner(pod).queue == queue:
                used.subtract(pod.spec.request.as_dict())
        within = [
            not _more(
                used[name] + taken[name] + amount, self.situation.shares.deserved(queue, name)
            )
            for name, amount in need.items()
            if amount
        ]
        proportional = self.situation.policy.queue_model == "proportion"
        return all(within) if proportional else any(within)

    def _keeps_guarantee(self, queue: str, pods: list[Pod]) -> bool:
        left = Counter(self.situation.used_by_queue.get(queue, Counter()))
        for pod in pods:
            left.subtract(pod.spec.request.as_dict())
        found = next(one for one in self.situation.snapshot.queues if one.name == queue)
        return all(left[name] >= amount for name, amount in found.guarantee.items())

    def _above_deserved(self, queue: str, pods: list[Pod]) -> bool:
        """Some order of taking finds the queue, and the ancestors that count, above deserved each time."""
        others = [
            self.situation.shares.levels(self.situation.views[name].queue)[1:]
            for name in self._entitled()
            if self.situation.views[name].queue != queue
        ]
        levels = [queue]
        for height, ancestor in enumerate(self._levels(queue)[1:]):
            if not any(path[height : height + 1] == [ancestor] for path in others):
                levels.append(ancestor)
        dead: set[frozenset[str]] = set()

        def take(left: tuple[Pod, ...]) -> bool:
            key = frozenset(pod.full_name for pod in left)
            if not left:
                return True
            if key in dead:
                return False
            gone = [pod for pod in pods if pod not in left]
            for place, pod in enumerate(left):
                if all(self._exceeds(level, pod, gone) for level in levels) and take(
                    (*left[:place], *left[place + 1 :])
                ):
                    return True
            dead.add(key)
            return False

        return take(tuple(pods))

    def _exceeds(self, queue: str, pod: Pod, gone: list[Pod]) -> bool:
        shares = self.situation.shares
        asked = [name for name, amount in pod.spec.request.items() if amount]
        if not any(shares.deserved(queue, name) > 0 for name in asked):
            return True
        used = self.situation.used_with_children(queue)
        for one in gone:
            used.subtract(one.spec.request.as_dict())
        proportional = self.situation.policy.queue_model == "proportion"
        return any(
            _more(used[name], shares.deserved(queue, name))
            for name in asked
            if proportional or shares.counts_as_deserved(queue, name)
        )


def least_of(situation: Situation, view: GangView, option: Option) -> dict[str, int]:
    """Per dimension the least that the lacking pods among the delivered ones request."""
    running = sum(pod.running for pod in situation.snapshot.pods_of(view.gang))
    lacking = max(view.gang.min_member - running, 1)
    names = {name for kind, _ in option.counts for name, amount in kind.request if amount}
    return {
        name: sum(
            sorted(kind.amounts.amount(name) for kind, n in option.counts for _ in range(n))[
                :lacking
            ]
        )
        for name in names
    }


def minimum_of(situation: Situation, view: GangView, option: Option) -> dict[str, int]:
    """Per dimension the least that a minimal delivery inside this one requests; only what each of them requests."""
    counts = dict(option.counts)
    inside = [
        one for one in view.minimal if all(counts.get(kind, 0) >= n for kind, n in one.counts)
    ]
    names = {name for one in inside for name in one.request}
    least = {name: min(one.request.amount(name) for one in inside) for name in names}
    return {name: amount for name, amount in least.items() if amount}


def _more(amount: int, bound: Fraction) -> bool:
    return amount - bound > max(_TOLERANCE, abs(bound) / 10**9)
