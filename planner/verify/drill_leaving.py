"""Who leaves: real, allowed, whole gangs, within budgets and shares, after the right time, and not for nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from models.drill_rules import DrillRule
from models.plan import RuleViolation
from models.workloads import Gang, Pod
from planner.verify.drill_state import DrillState, fault
from planner.verify.matching import selects
from planner.verify.protection import exhausted_budget, why_protected
from planner.verify.readiness import stays_legal
from planner.verify.reclaim_rules import never_above
from planner.verify.wording import amount_text, units


def check_leavers(drill: DrillState) -> Iterator[RuleViolation]:
    """Listed once, running, and with the gang, queue, node and GPUs that the snapshot says."""
    times = Counter(one.pod for one in drill.result.leaving)
    for one in drill.result.leaving:
        subject, pod = f"pod/{one.pod}", drill.snapshot.pod_by_name.get(one.pod)
        if times[one.pod] > 1:
            yield fault(
                DrillRule.LEAVER, subject, f"is listed {times[one.pod]} times; list it once"
            )
        if pod is None or not pod.running:
            yield fault(DrillRule.LEAVER, subject, "does not run; leave it out")
            continue
        gang = drill.snapshot.gang_by_name.get(pod.gang)
        real = (pod.gang, gang.queue if gang else "", pod.node, drill.base.gpus(pod.spec))
        if (one.gang, one.queue, one.node, one.gpus) != real:
            told = f"belongs to gang {real[0]}, queue {real[1]}, node {real[2]}, {real[3]} GPUs"
            yield fault(DrillRule.LEAVER, subject, f"{told}; correct the entry")


def check_protection(drill: DrillState) -> Iterator[RuleViolation]:
    """Protected pods, the claimants' own, exhausted budgets, queues that may not be taken from."""
    for name, pod in drill.gone.items():
        reason = _why_kept(drill, pod)
        if reason:
            yield fault(DrillRule.PROTECTED, f"pod/{name}", f"leaves, but it {reason}; keep it")


def _why_kept(drill: DrillState, pod: Pod) -> str:
    if any(pod.full_name in own for _, _, own in drill.claims):
        return "belongs to the one who needs the GPUs"
    reason = why_protected(drill.base, pod)
    if reason:
        return reason
    budget = exhausted_budget(drill.base, pod)
    if budget:
        return f"is covered by disruption budget {budget}, which allows none"
    gang = drill.snapshot.gang_by_name[pod.gang]
    if not drill.compared or drill.preempted(gang):
        return ""
    if all(queue == gang.queue for queue, _, _ in drill.claims):
        return "is in the claimant's queue and not of lower priority"
    listed = drill.base.queues.listed.get(gang.queue)
    if listed is None or not listed.reclaimable:
        return f"is in queue {gang.queue}, which is not reclaimable"
    return ""


def check_gangs(drill: DrillState) -> Iterator[RuleViolation]:
    """What stays of a gang is ready, nothing, or all it had."""
    for gang in drill.state.touched_gangs:
        before, after = drill.state.running_before(gang), drill.state.staying(gang)
        if not stays_legal(gang, after, before, drill.state.succeeded(gang)):
            told = f"keeps {len(after)} of {units(len(before), 'pod')}, which is neither ready nor nothing"
            yield fault(DrillRule.GANG, f"gang/{gang.full_name}", f"{told}; take surplus or all")


def check_drill_budgets(drill: DrillState) -> Iterator[RuleViolation]:
    """Per disruption budget: leaving pods <= disruptionsAllowed."""
    for budget in drill.snapshot.disruption_budgets if drill.policy.pdb else ():
        taken = sum(
            pod.namespace == budget.namespace and selects(budget.selector, pod.labels)
            for pod in drill.gone.values()
        )
        if taken > max(budget.disruptions_allowed, 0):
            told = f"{taken} pods leave, {budget.disruptions_allowed} may; keep the rest"
            subject = f"poddisruptionbudget/{budget.namespace}/{budget.name}"
            yield fault(DrillRule.BUDGET, subject, told)


def check_shares(drill: DrillState) -> Iterator[RuleViolation]:
    """Guarantee stays, and every pod is taken while its queue (and the ancestors that count) is above deserved."""
    if not drill.compared:
        return
    taken: dict[str, list[Pod]] = {}
    for pod in drill.gone.values():
        gang = drill.snapshot.gang_by_name.get(pod.gang)
        if gang is not None and not drill.preempted(gang):
            taken.setdefault(gang.queue, []).append(pod)
    state = drill.state
    for queue, pods in taken.items():
        used = {
            one: dict(state.queue_usage(state.queue_before, one)) for one in _levels(drill, queue)
        }
        for usage in used.values():
            for pod in pods:
                state.add(usage, pod.spec, -1)
        listed = state.queues.listed.get(queue)
        rest = dict(state.queue_before.get(queue, {}))
        for pod in pods:
            state.add(rest, pod.spec, -1)
        for name, floor in listed.guarantee.items() if listed else ():
            asks = any(pod.spec.request.amount(name) for pod in pods)
            short = rest.get(name, 0) < floor
            if short and (asks or state.queue_before.get(queue, {}).get(name, 0) < floor):
                told = f"is left with {amount_text(name, rest.get(name, 0))} of {name}"
                told += f", {amount_text(name, floor)} are guaranteed; keep more"
                yield fault(DrillRule.SHARE, f"queue/{queue}", told)
        for pod in never_above(state, pods, used):
            told = f"leaves although queue {queue} is not above what it deserves; keep it"
            yield fault(DrillRule.SHARE, f"pod/{pod.full_name}", told)


def _levels(drill: DrillState, queue: str) -> list[str]:
    book = drill.state.queues
    depth = drill.policy.policy.ancestor_reclaim_level if book.tree else 0
    paths = [book.levels(claimed)[1:] for claimed, _, _ in drill.claims]
    above = book.levels(queue)[1:][:depth]
    return [queue] + [
        one
        for height, one in enumerate(above)
        if not any(path[height : height + 1] == (one,) for path in paths)
    ]


def check_times(drill: DrillState) -> Iterator[RuleViolation]:
    """``second = overhead + grace``; the order of the list is that of the seconds."""
    question, last = drill.result.question, 0
    for place, one in enumerate(drill.result.leaving, 1):
        pod = drill.gone.get(one.pod)
        if pod is None:
            continue
        grace = drill.grace(pod)
        second = question.overhead_seconds + grace
        real = (grace, second, second <= question.deadline_seconds)
        if (one.grace_seconds, one.second, one.in_time) != real:
            told = f"grace {grace} s, free after {second} s; correct the entry"
            yield fault(DrillRule.TIME, f"pod/{one.pod}", told)
        if one.order != place or one.second < last:
            yield fault(DrillRule.TIME, f"pod/{one.pod}", "is out of order; sort by seconds")
        last = max(last, one.second)


def gangs_leaving(drill: DrillState) -> dict[str, list[Pod]]:
    """Gang to its leaving pods."""
    found: dict[str, list[Pod]] = {}
    for pod in drill.gone.values():
        found.setdefault(pod.gang, []).append(pod)
    return found


def smaller_losses(drill: DrillState, gang: Gang, pods: list[Pod]) -> Iterator[list[Pod]]:
    """Pods of the gang that might have stayed: all of them, or one where that is legal."""
    yield pods
    if len(pods) < 2:
        return
    state = drill.state
    before, staying = state.running_before(gang), state.staying(gang)
    for pod in pods:
        if stays_legal(gang, [*staying, pod], before, state.succeeded(gang)):
            yield [pod]
