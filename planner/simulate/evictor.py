"""Greedy evictions for a waiting gang, bundle by bundle until it starts (Volcano ``gangpreempt``, ``gangreclaim``)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from models.effective import EffectivePolicy
from models.plan import PlanResult
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.simulate.bundles import Bundle, bundles, in_order
from planner.simulate.candidates import Candidate
from planner.simulate.homes import Home, Homes
from planner.simulate.lending import Lending
from planner.simulate.queue_use import QueueUse
from planner.simulate.room import Room
from planner.simulate.serving import Serving
from planner.simulate.shapes import Shapes
from planner.verify.causes import (
    PREEMPT,
    RECLAIM,
    Causes,
    Comer,
    may_reclaim,
    never_preempts,
)
from planner.verify.matching import selects
from planner.verify.reclaim_rules import broken_guarantees, taken_below_deserved
from planner.verify.state import State

_MOST_LOOKS = 20_000
_log = logging.getLogger(__name__)


class Evictor:
    """Evicts for gangs that did not start, one after the other; what was evicted before stays evicted.

    A bundle is taken whole and never given back once its gang has started, as a scheduler does it that looks at one
    gang at a time. Gangs like one for which no eviction was enough are not tried again, and none at all once a
    number of bundles was looked at, which is logged: a baseline must not take longer than the plan.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        policy: EffectivePolicy,
        shapes: Shapes,
        room: Room,
        queues: QueueUse,
        homes: Homes,
    ) -> None:
        self._homes = homes
        self._shapes, self._room, self._queues = shapes, room, queues
        self._state = State(snapshot, policy, PlanResult())
        self._pool = bundles(self._state)
        self._gains = {
            id(one): sum(self._state.gpus(pod.spec) for pod in one.pods) for one in self._pool
        }
        self._node = {node.name: place for place, node in enumerate(snapshot.nodes)}
        self._lending = Lending(self._state)
        self._starters: list[Comer] = []
        self._failed: set[tuple[object, ...]] = set()
        self._looks, self._told = 0, False
        self.victims: list[Pod] = []

    def started(self, candidate: Candidate) -> None:
        """A gang has started: it is no victim any more, and it takes its share of the entitlement."""
        self._starters.append(comer_of(candidate))
        name = candidate.gang.full_name
        if candidate.running:
            self._pool = [one for one in self._pool if one.gang.full_name != name]

    def losing(self) -> frozenset[str]:
        """Gangs that lost pods: they receive none."""
        return frozenset(pod.gang for pod in self.victims)

    def make_room(self, candidate: Candidate) -> Serving | None:
        """Evict until the gang starts; None, with nothing changed, where no eviction that is allowed is enough."""
        gang = candidate.gang
        needs = tuple((one.spec, one.count, one.role) for one in candidate.supplies)
        rules = (gang.topology, gang.subgroups, tuple(pod.node for pod in candidate.running))
        key = (gang.queue, gang.priority, candidate.need, needs, rules)
        if key in self._failed or never_preempts(self._state, gang):
            return None
        if self._looks > _MOST_LOOKS:
            if not self._told:
                _log.warning("the greedy baseline stops evicting after %d bundles", self._looks)
            self._told = True
            return None
        for action in (PREEMPT, RECLAIM):
            if action not in self._state.policy.evict:
                continue
            for home in self._homes.of(candidate):
                serving = self._try(candidate, action, home)
                if serving is not None:
                    return serving
        self._failed.add(key)
        return None

    def _try(self, candidate: Candidate, action: str, home: Home) -> Serving | None:
        comer = comer_of(candidate)
        allowed = [
            one for one in self._pool if self._in(one, home) and self._may_take(comer, one, action)
        ]
        if not allowed:
            return None
        taken: list[Bundle] = []
        rejected: set[str] = set()
        enough = self._counter(candidate)
        for bundle in in_order(allowed, self._gains, across=action == RECLAIM):
            self._looks += 1
            name = bundle.gang.full_name
            if name in rejected or not self._take(bundle, reclaim=action == RECLAIM):
                rejected.add(name)
                continue
            taken.append(bundle)
            if not enough(bundle) or not self._legal(comer, taken):
                continue
            serving = Serving(candidate, self._shapes, self._room, self._queues, (home,))
            if serving.start():
                self._commit(candidate, taken)
                return serving
        for bundle in reversed(taken):
            self._move(bundle.pods, -1)
            if action == RECLAIM:
                self._lending.restore(bundle.pods)
        return None

    def _in(self, bundle: Bundle, home: Home) -> bool:
        """Some of its pods are in the domain that has to hold the gang."""
        return home is None or any(home[self._node[pod.node or ""]] for pod in bundle.pods)

    def _may_take(self, comer: Comer, bundle: Bundle, action: str) -> bool:
        if bundle.gang.full_name == comer.gang.full_name:
            return False
        if action == PREEMPT:
            same = bundle.gang.queue == comer.gang.queue
            return same and bundle.gang.priority < comer.gang.priority
        names = comer.dimensions
        return all(may_reclaim(self._state, comer.gang.queue, names, pod) for pod in bundle.pods)

    def _take(self, bundle: Bundle, *, reclaim: bool) -> bool:
        if self._breaks_budget(bundle):
            return False
        if reclaim and not self._lending.take(bundle.gang.queue, bundle.pods):
            return False
        self._move(bundle.pods, 1)
        return True

    def _breaks_budget(self, bundle: Bundle) -> bool:
        if not self._state.policy.pdb:
            return False
        gone = [*self.victims, *bundle.pods]
        return any(
            sum(
                pod.namespace == one.namespace and selects(one.selector, pod.labels) for pod in gone
            )
            > max(one.disruptions_allowed, 0)
            for one in self._state.snapshot.disruption_budgets
        )

    def _move(self, pods: Iterable[Pod], sign: int) -> None:
        """Give the pods' room back (1), or let them hold it again (-1)."""
        for pod in pods:
            owner = self._state.snapshot.gang_by_name[pod.gang]
            self._room.release(self._node[pod.node or ""], pod.spec.request, sign)
            self._queues.release(owner.queue, pod.spec.request, sign)

    def _legal(self, comer: Comer, taken: Sequence[Bundle]) -> bool:
        gone = [*self.victims, *(pod for one in taken for pod in one.pods)]
        causes = Causes(self._state, [*self._starters, comer], gone)
        return not (
            any(causes.without_cause)
            or any(broken_guarantees(self._state, causes))
            or any(taken_below_deserved(self._state, causes))
        )

    def _commit(self, candidate: Candidate, taken: Sequence[Bundle]) -> None:
        self.victims += [pod for one in taken for pod in one.pods]
        gone = {id(one) for one in taken}
        self._pool = [one for one in self._pool if id(one) not in gone]
        self.started(candidate)

    def _counter(self, candidate: Candidate) -> Callable[[Bundle], bool]:
        """Tells after each bundle whether the nodes could hold enough pods of the gang, one kind at a time."""
        shapes = [self._shapes.number(one, candidate.gang.queue) for one in candidate.supplies]
        slots = {shape: self._room.slots(shape) for shape in set(shapes)}
        totals = {shape: int(found.sum()) for shape, found in slots.items()}

        def enough(bundle: Bundle) -> bool:
            nodes = np.array(sorted({self._node[pod.node or ""] for pod in bundle.pods}))
            for shape, found in slots.items():
                now = self._room.slots(shape, nodes)
                totals[shape] += int(now.sum() - found[nodes].sum())
                found[nodes] = now
            most = sum(
                min(supply.count, totals[shape])
                for supply, shape in zip(candidate.supplies, shapes, strict=True)
            )
            return most >= candidate.need

        return enough


def comer_of(candidate: Candidate) -> Comer:
    """The gang with the pods that it may receive, up to its minimum where they are all alike."""
    pods = tuple((one.spec, one.count) for one in candidate.supplies)
    if len(pods) == 1:
        pods = ((pods[0][0], max(candidate.need, 1)),)
    return Comer(candidate.gang, pods, len(candidate.running))
