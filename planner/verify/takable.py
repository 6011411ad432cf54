"""Running pods that some waiting gang may take, deserved and guarantee aside (for *startable*, *covered*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from models.resources import PODS
from models.workloads import Gang, Pod
from planner.verify.causes import PREEMPT, may_reclaim, never_preempts
from planner.verify.needs import Need
from planner.verify.protection import exhausted_budget, why_protected
from planner.verify.state import State, Usage


class Takable:
    """What I7 lets those waiting gangs take that have enough pods and an open queue, each pod looked at alone.

    Parameters
    ----------
    waiting
        Waiting gangs with what they need.
    """

    def __init__(self, state: State, waiting: Sequence[tuple[Gang, Need]]) -> None:
        self._state = state
        self._waiting = waiting
        self._staying: dict[tuple[str, int | None], Mapping[str, int]] = {}

    @cached_property
    def open(self) -> list[Pod]:
        """Running pods that nothing protects whoever asks."""
        if not self._state.policy.evict:
            return []
        return [
            pod
            for pod in self._state.snapshot.pods
            if pod.running
            and pod.gang
            and not why_protected(self._state, pod)
            and not exhausted_budget(self._state, pod)
        ]

    @cached_property
    def pods(self) -> list[Pod]:
        """Pods that some waiting gang may preempt or reclaim."""
        highest: dict[str, int] = {}
        askers: set[tuple[str, frozenset[str]]] = set()
        for gang, need in self._waiting if self.open else ():
            closed = bool(self._state.queues.why_closed(gang.queue))
            closed = closed or self._state.admission.refuses([gang])
            if closed or not need.possible or never_preempts(self._state, gang):
                continue
            highest[gang.queue] = max(gang.priority, highest.get(gang.queue, gang.priority))
            names = {name for one in need.pieces for name, _ in self._state.request(one.spec)}
            askers.add((gang.queue, frozenset(names)))
        preempt = PREEMPT in self._state.policy.evict
        found = []
        for pod in self.open:
            owner = self._state.snapshot.gang_by_name[pod.gang]
            outranked = preempt and owner.priority < highest.get(owner.queue, owner.priority)
            if outranked or any(may_reclaim(self._state, *asker, pod) for asker in askers):
                found.append(pod)
        return found

    def owns_any(self, gang: Gang) -> bool:
        """A pod of the gang itself may be taken by another."""
        return gang.full_name in self._owners

    @cached_property
    def _owners(self) -> frozenset[str]:
        return frozenset(pod.gang for pod in self.pods)

    def gone(self, keep: Gang | None) -> tuple[Mapping[str, Usage], Mapping[str, Usage]]:
        """Use of nodes and of queues with all these pods gone, except those of one gang."""
        state = self._state
        held, charged = dict(state.held_before), dict(state.queue_before)
        for pod in self.pods:
            if keep is not None and pod.gang == keep.full_name:
                continue
            owner = state.snapshot.gang_by_name[pod.gang]
            node = held[pod.node or ""] = dict(held.get(pod.node or "", {PODS: 0}))
            state.hold(node, pod, -1)
            queue = charged[owner.queue] = dict(charged.get(owner.queue, {}))
            state.add(queue, pod.spec, -1)
        return held, charged

    def staying(self, gang: Gang) -> Mapping[str, int]:
        """Use of the gang's queue by running pods that it may not preempt."""
        state = self._state
        preempts = PREEMPT in state.policy.evict and not never_preempts(state, gang)
        key = (gang.queue, gang.priority if preempts else None)
        if key not in self._staying:
            used = dict(state.queue_before.get(gang.queue, {}))
            for pod in self.open if preempts else ():
                owner = state.snapshot.gang_by_name[pod.gang]
                if owner.queue == gang.queue and owner.priority < gang.priority:
                    state.add(used, pod.spec, -1)
            self._staying[key] = used
        return self._staying[key]
