"""I7 as far as it is planned: no running pod is evicted, none changes its node unless the policy allows moves."""

from __future__ import annotations

from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import Pod
from planner.verify.state import State
from planner.verify.wording import violation

_PROTECTED_NAMESPACE = "kube-system"


def check_evictions(state: State) -> Iterator[RuleViolation]:
    """Evictions are not planned yet, whatever the policy allows: each one is reported."""
    allowed = ", ".join(state.policy.evict)
    why = f"evictions ({allowed}) are not verified by this version" if allowed else "evict is empty"
    for pod in state.reading.evicted.values():
        told = f"is evicted from node {pod.node}, but {why}; keep it"
        yield violation(RuleId.NO_EVICTION, f"pod/{pod.full_name}", told)


def check_moves(state: State) -> Iterator[RuleViolation]:
    """A running pod stays on its node; with ``allow_moves`` an interruptible one may change it."""
    for arrival in state.reading.arrivals:
        if not arrival.moved:
            continue
        reason = ""
        if not state.policy.policy.allow_moves:
            reason = "the policy does not allow moves"
        elif not _interruptible(arrival.pod):
            reason = "it may not be interrupted"
        if reason:
            route = f"is moved from node {arrival.pod.node} to {arrival.node}"
            told = f"{route}, but {reason}; keep it where it is"
            yield violation(RuleId.NO_MOVE, f"pod/{arrival.pod.full_name}", told)


def _interruptible(pod: Pod) -> bool:
    mark = pod.annotations.get("volcano.sh/preemptable") or pod.labels.get("volcano.sh/preemptable")
    return (mark or "true").lower() != "false" and pod.namespace != _PROTECTED_NAMESPACE
