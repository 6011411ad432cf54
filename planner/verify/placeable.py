"""I2: only pods that wait for a node and belong to a planned scheduler are placed; I3: each once, and no more."""

from __future__ import annotations

from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from planner.verify.arrivals import Arrival
from planner.verify.state import State
from planner.verify.wording import violation


def check_placeable(state: State) -> Iterator[RuleViolation]:
    """A placed pod is Pending without node, ungated, of a planned scheduler, and its gang is admitted."""
    for arrival in state.reading.arrivals:
        reason = "" if arrival.moved else _why_not(arrival, state.policy.policy.scheduler_names)
        if reason:
            subject = f"pod/{arrival.pod.full_name}"
            yield violation(RuleId.POD_PLACEABLE, subject, f"{reason}; do not place it")


def _why_not(arrival: Arrival, schedulers: tuple[str, ...]) -> str:
    pod = arrival.pod
    if arrival.gang.missing_group:
        return f"its PodGroup {arrival.gang.full_name} does not exist in the snapshot"
    if arrival.gang.asks_nothing:
        return "its gang has ended or ends, or nothing will fill it"
    if arrival.gang.not_admitted:
        return "its Job is suspended and has no PodGroup"
    if pod.spec.scheduling_gates:
        return f"has scheduling gates: {', '.join(pod.spec.scheduling_gates)}"
    if not arrival.exists:
        return ""
    if pod.node is not None or pod.phase != "Pending" or pod.terminating:
        where = f" on node {pod.node}" if pod.node else ""
        return f"does not wait for a node ({pod.phase}{where})"
    if pod.spec.scheduler_name not in schedulers:
        name = pod.spec.scheduler_name or "(none)"
        return f"is for scheduler {name}, planned are {', '.join(schedulers)}"
    return ""


def check_supply(state: State) -> Iterator[RuleViolation]:
    """Placed pods exist, belong to their gang and appear once; unnamed ones are promised by a template.

    A template promises its replicas less the pods of its role that exist, in any phase.
    """
    return (one for one in state.reading.faults if one.rule == RuleId.POD_SUPPLY)
