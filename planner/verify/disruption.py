"""I7: a running pod changes its node only where the policy allows moves and the pod may be interrupted."""

from __future__ import annotations

from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import Pod
from planner.verify.state import State
from planner.verify.wording import violation

_PROTECTED_NAMESPACE = "kube-system"


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
