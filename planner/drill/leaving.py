"""Who may be told to leave in a drill, and how long that takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from models.effective import EffectivePolicy
from models.workloads import Gang, Pod
from planner.drill.needs import Claimant
from planner.encode.prepared import Prepared
from planner.encode.victims.victim_kinds import budgets_of, may_be_reclaimed
from planner.encode.victims.victim_protection import serves, why_protected


@dataclass(frozen=True, slots=True)
class Stays:
    """Why a pod may not be told to leave: a code for grouping, and words."""

    code: str
    words: str


class LeavingRules:
    """Judges pods one by one; what sums over pods decide (surplus, budgets, shares) is left to the model.

    Attributes
    ----------
    compared
        Shares of the victims' queues count: nobody evicts by hand, and every claimant is in a queue.
    """

    def __init__(
        self, prepared: Prepared, claimants: Sequence[Claimant], *, overhead_s: int, by_hand: bool
    ) -> None:
        self._prepared = prepared
        self._claimants = claimants
        self._overhead_s = overhead_s
        self._own = {name: one for one in claimants for name in one.own}
        self.compared = not by_hand and all(one.queue for one in claimants)

    def why_stays(self, pod: Pod, gang: Gang | None) -> Stays | None:
        """Why a running pod stays whoever asks, None where it may leave."""
        claimant = self._own.get(pod.full_name)
        if claimant is not None:
            return Stays("own", f"belongs to {claimant.need.service} itself")
        if gang is None:
            return Stays("protected", f"another scheduler ({pod.spec.scheduler_name or 'unnamed'})")
        if gang.missing_group:
            return Stays("protected", "its PodGroup is not in the snapshot")
        protection = why_protected(pod, gang, self._prepared.policy)
        if protection:
            code = "mark" if protection.startswith("volcano.sh/preemptable") else "protected"
            return Stays(code, protection)
        if self._prepared.policy.pdb:
            for index in budgets_of(pod, self._prepared.snapshot):
                budget = self._prepared.snapshot.disruption_budgets[index]
                if budget.disruptions_allowed <= 0:
                    return Stays(
                        "budget",
                        f"disruption budget {budget.namespace}/{budget.name} allows no disruption",
                    )
        return self._why_queue_keeps(gang)

    def _why_queue_keeps(self, gang: Gang) -> Stays | None:
        if not self.compared or self.preempted(gang.queue, gang.priority):
            return None
        if all(gang.queue == one.queue for one in self._claimants):
            return Stays("same_queue", "the same queue, and not of lower priority")
        if not may_be_reclaimed(self._prepared.limits.queues.get(gang.queue)):
            return Stays("reclaimable", f"queue {gang.queue} is not reclaimable")
        return None

    def preempted(self, queue: str, priority: int) -> bool:
        """Some claimant of the same queue goes first by priority: shares do not matter then."""
        return any(one.queue == queue and priority < one.priority for one in self._claimants)

    def grace(self, pod: Pod) -> int:
        """Seconds that the pod gets to end; a preStop hook runs inside them."""
        if pod.spec.grace_seconds is not None:
            return max(pod.spec.grace_seconds, 0)
        policy = self._prepared.policy.policy
        gang = self._prepared.snapshot.gang_by_name.get(pod.gang)
        for service in policy.services:
            if service.grace_seconds is not None and serves(service, pod, gang):
                return service.grace_seconds
        return policy.grace_seconds

    def seconds(self, pod: Pod) -> int:
        """Seconds from the call until the room of a running pod is free, at the latest."""
        return self._overhead_s + self.grace(pod)

    def ends(self, pod: Pod) -> int | None:
        """The same of a terminating pod, which counts down already; None where it is overdue."""
        left = seconds_until(pod.ends, self._prepared.policy)
        if left is None:
            return self.grace(pod)
        return left if left >= 0 else None


def seconds_until(moment: str, policy: EffectivePolicy) -> int | None:
    """Whole seconds from the time of planning to a moment; None where one of the two is not known."""
    try:
        end, now = (
            datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (moment, policy.now)
        )
        return int((end - now).total_seconds())
    except (ValueError, TypeError):
        return None
