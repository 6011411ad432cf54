"""I7 rule by rule: what the plan evicts, for whom, and within which limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import Pod
from planner.verify.host_ports import shared_port
from planner.verify.matching import selects
from planner.verify.pod_apart import kept_apart
from planner.verify.protection import why_protected
from planner.verify.reclaim_rules import broken_guarantees, taken_below_deserved
from planner.verify.return_room import ReturnRoom
from planner.verify.standing import RankedState
from planner.verify.wording import amount_text, violation


def check_no_eviction(state: RankedState) -> Iterator[RuleViolation]:
    """Where the policy allows no eviction, every running pod stays."""
    if state.policy.evict:
        return
    for pod in state.reading.evicted.values():
        told = f"is evicted from node {pod.node}, but evict is empty; keep it"
        yield violation(RuleId.NO_EVICTION, f"pod/{pod.full_name}", told)


def check_protected(state: RankedState) -> Iterator[RuleViolation]:
    """No victim is protected whoever asks."""
    if not state.policy.evict:
        return
    for pod in state.reading.evicted.values():
        reason = why_protected(state, pod)
        if reason:
            told = f"is evicted, but it {reason}; keep it"
            yield violation(RuleId.VICTIM_PROTECTED, f"pod/{pod.full_name}", told)


def check_causes(state: RankedState) -> Iterator[RuleViolation]:
    """Every victim may be preempted or reclaimed by a gang that starts."""
    if not state.policy.evict:
        return
    for pod in state.causes.without_cause:
        told = "makes room for no gang that may preempt or reclaim it; keep it"
        yield violation(RuleId.VICTIM_CAUSE, f"pod/{pod.full_name}", told)


def check_guarantees(state: RankedState) -> Iterator[RuleViolation]:
    """Per queue that loses pods by reclaim: use before less those pods >= guarantee."""
    if not state.policy.evict:
        return
    for queue, name, rest, floor in broken_guarantees(state, state.causes):
        told = f"reclaim leaves {amount_text(name, rest)} of {name}, "
        told += f"{amount_text(name, floor)} are guaranteed; "
        told += f"keep pods with {amount_text(name, floor - rest)} more"
        yield violation(RuleId.GUARANTEE_KEPT, f"queue/{queue}", told)


def check_entitlement(state: RankedState) -> Iterator[RuleViolation]:
    """Reclaimed pods leave while their queue, and the ancestors that count, are above deserved."""
    if not state.policy.evict:
        return
    for pod in taken_below_deserved(state, state.causes):
        queue = state.snapshot.gang_by_name[pod.gang].queue
        told = f"is reclaimed although queue {queue} is not above what it deserves; keep it"
        yield violation(RuleId.VICTIM_ENTITLEMENT, f"pod/{pod.full_name}", told)


def check_budgets(state: RankedState) -> Iterator[RuleViolation]:
    """With ``pdb``: per PodDisruptionBudget, evicted pods that it selects <= status.disruptionsAllowed."""
    if not state.policy.pdb or not state.policy.evict:
        return
    for budget in state.snapshot.disruption_budgets:
        taken = sum(
            pod.namespace == budget.namespace and selects(budget.selector, pod.labels)
            for pod in state.reading.evicted.values()
        )
        if taken and taken > budget.disruptions_allowed:
            told = f"{taken} pods evicted, {budget.disruptions_allowed} allowed; "
            told += f"keep {taken - max(budget.disruptions_allowed, 0)} of them"
            subject = f"poddisruptionbudget/{budget.namespace}/{budget.name}"
            yield violation(RuleId.DISRUPTION_BUDGET, subject, told)


def check_needed(state: RankedState) -> Iterator[RuleViolation]:
    """Per gang that loses pods: with only those newcomers that may evict it, nothing legal of it fits back."""
    if not state.policy.evict:
        return
    lost: dict[str, list[Pod]] = {}
    for pod in state.causes.open_victims:
        lost.setdefault(pod.gang, []).append(pod)
    rooms: dict[tuple[str, frozenset[str]], ReturnRoom] = {}
    for name, pods in lost.items():
        gang = state.snapshot.gang_by_name[name]
        takers = frozenset(
            comer.gang.full_name
            for pod in pods
            for gangs in state.causes.of(pod).values()
            for comer in gangs
        )
        if (gang.queue, takers) not in rooms:
            arrivals = [one for taker in takers for one in state.placed_by_gang[taker]]
            rooms[gang.queue, takers] = ReturnRoom(state, gang.queue, arrivals)
        back = rooms[gang.queue, takers].legal_return(gang, pods)
        if takers and back and not _repelled(state, back, takers):
            told = f"loses {len(pods)} pods, but {len(back)} of them ({back[0].full_name} …) would "
            told += f"still fit beside the gangs that may evict it ({', '.join(sorted(takers))})"
            yield violation(RuleId.VICTIM_NEEDED, f"gang/{name}", f"{told}; keep them")


def _repelled(state: RankedState, pods: Iterable[Pod], takers: Iterable[str]) -> bool:
    """Anti-affinity or a host port keeps one of the pods from its node once the newcomers of these gangs are there."""
    comers = [(one.pod, one.node) for name in takers for one in state.placed_by_gang[name]]
    return any(
        kept_apart(state, pod, pod.node or "", comers)
        or any(node == pod.node and shared_port(pod.spec, comer.spec) for comer, node in comers)
        for pod in pods
    )
