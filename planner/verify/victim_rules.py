"""I7 rule by rule: what the plan evicts, for whom, and within which limits."""

from __future__ import annotations

from collections.abc import Iterator

from models.plan import RuleViolation
from models.rules import RuleId
from planner.verify.matching import selects
from planner.verify.protection import why_protected
from planner.verify.reclaim_rules import broken_guarantees, taken_below_deserved
from planner.verify.standing import RankedState
from planner.verify.wording import amount_text, units, violation


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
    """Per gang that loses pods: what starts could not all run if it lost fewer; see :mod:`planner.verify.needed`."""
    if not state.policy.evict:
        return
    for loss, takers in state.neededness.needless():
        told = f"loses {units(len(loss.pods), 'pod')} ({loss.pods[0].full_name} …) that are not needed: "
        told += (
            f"{', '.join(sorted(takers))} could run with fewer, and so could all that goes before"
        )
        yield violation(RuleId.VICTIM_NEEDED, f"gang/{loss.gang.full_name}", f"{told}; keep them")


def undecided_losses(state: RankedState) -> Iterator[str]:
    """In words, the losses of which the check did not find out whether they are needed."""
    for name in state.neededness.undecided() if state.policy.evict else ():
        yield (
            f"gang/{name}: whether the plan needs its loss was not decided, "
            "it would take more work than the check may do"
        )
