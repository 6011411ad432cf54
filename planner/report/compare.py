"""Differences between two plan documents."""

from __future__ import annotations

from collections import Counter
from typing import Any

from models.plan import GangEntry, PlanResult, QueueEntry
from planner.report.compare_document import (
    FigureChange,
    GangChange,
    GangChangeKind,
    PlanDifference,
    PlanMark,
    QueueChange,
)
from planner.report.gpus import gpu_names
from planner.report.hostlist import hostlist
from planner.report.text import counted

FIGURES = (
    ("gpus_allocatable", "GPUs allocatable", "GPUs"),
    ("gpus_before", "GPUs allocated before the plan", "GPUs"),
    ("gpus_after", "GPUs allocated after the plan", "GPUs"),
    ("gangs_started", "gangs that start", "gangs"),
    ("gangs_grown", "gangs that grow", "gangs"),
    ("gangs_waiting", "gangs that wait", "gangs"),
    ("gangs_evicted", "gangs evicted", "gangs"),
    ("gangs_unsupported", "gangs with unsupported rules", "gangs"),
    ("pods_placed", "pods placed", "pods"),
    ("pods_evicted", "pods evicted", "pods"),
)
_QUEUE_FIELDS = (
    "parent",
    "weight",
    "state",
    "guarantee",
    "deserved",
    "capability",
    "limit",
    "after",
    "gangs_waiting",
)


def compare(before: PlanResult, after: PlanResult) -> PlanDifference:
    """What the second plan does differently.

    Placements are compared as numbers of pods per role and node in the state after each plan: pods of a role are
    interchangeable, so a swap of names is no difference. Of reasons the codes count, not the numbers in their texts.
    Times, versions, seeds and bounds are no difference of plans.
    """
    gangs = _gang_changes(before, after)
    queues = _queue_changes(before, after)
    figures = _figures(before, after)
    old, new = ({node.name for node in plan.nodes} for plan in (before, after))
    added, removed = tuple(sorted(new - old)), tuple(sorted(old - new))
    changed = bool(gangs or queues or added or removed) or any(one.change for one in figures)
    return PlanDifference(
        changed=changed,
        sentence=_sentence(figures, gangs, queues, changed=changed),
        before=plan_mark(before),
        after=plan_mark(after),
        same_snapshot=before.snapshot.digest == after.snapshot.digest,
        same_policy=before.certificate.policy_digest == after.certificate.policy_digest,
        figures=figures,
        gangs=gangs,
        queues=queues,
        nodes_added=added,
        nodes_removed=removed,
        gpu_resources=_gpu_resources(before, after),
    )


def _gpu_resources(before: PlanResult, after: PlanResult) -> tuple[str, ...]:
    """GPU resources that a queue of either plan names."""
    named = {
        name
        for plan in (before, after)
        for queue in plan.queues
        for amounts in (queue.deserved, queue.after)
        for name in amounts
    }
    known = dict.fromkeys((*gpu_names(before), *gpu_names(after)))
    return tuple(name for name in known if name in named)


def plan_mark(plan: PlanResult) -> PlanMark:
    """Which plan it is."""
    return PlanMark(
        as_of=plan.snapshot.as_of,
        snapshot_digest=plan.snapshot.digest,
        policy_digest=plan.certificate.policy_digest,
        sentence=plan.summary.sentence,
        gangs=len(plan.gangs),
        sources=plan.snapshot.sources,
    )


def _figures(before: PlanResult, after: PlanResult) -> tuple[FigureChange, ...]:
    return tuple(
        FigureChange(
            key=key,
            label=label,
            unit=unit,
            before=getattr(before.summary, key),
            after=getattr(after.summary, key),
        )
        for key, label, unit in FIGURES
    )


def _gang_changes(before: PlanResult, after: PlanResult) -> tuple[GangChange, ...]:
    old = {gang.full_name: gang for gang in before.gangs}
    new = {gang.full_name: gang for gang in after.gangs}
    found = (_gang_change(old.get(name), new.get(name)) for name in sorted(old.keys() | new.keys()))
    return tuple(change for change in found if change is not None)


def _gang_change(old: GangEntry | None, new: GangEntry | None) -> GangChange | None:
    changes = _kinds(old, new)
    either = new if new is not None else old
    if not changes or either is None:
        return None
    return GangChange(
        namespace=either.namespace,
        name=either.name,
        queue=either.queue,
        changes=changes,
        **(_side(old, "before") if old is not None else {}),
        **(_side(new, "after") if new is not None else {}),
    )


def _kinds(old: GangEntry | None, new: GangEntry | None) -> tuple[GangChangeKind, ...]:
    if old is None or new is None:
        return ("added",) if old is None else ("removed",)
    found: list[GangChangeKind] = []
    if old.decision != new.decision:
        found.append("decision")
    if _where(old) != _where(new):
        found.append("placement")
    if _codes(old) != _codes(new):
        found.append("reasons")
    return tuple(found)


def _where(gang: GangEntry) -> Counter[tuple[str, str | None]]:
    found: Counter[tuple[str, str | None]] = Counter()
    for pod in gang.pods:
        if pod.action != "evict":
            found[pod.role, pod.node] += pod.count
    return found


def _codes(gang: GangEntry) -> tuple[str, ...]:
    return tuple(sorted({reason.code for reason in gang.reasons}))


def _side(gang: GangEntry, moment: str) -> dict[str, Any]:
    where = _where(gang)
    return {
        f"decision_{moment}": gang.decision,
        f"pods_{moment}": sum(where.values()),
        f"gpus_{moment}": gang.gpus,
        f"nodes_{moment}": hostlist(node for _, node in where if node),
        f"reasons_{moment}": _codes(gang),
    }


def _queue_changes(before: PlanResult, after: PlanResult) -> tuple[QueueChange, ...]:
    old = {queue.name: queue for queue in before.queues}
    new = {queue.name: queue for queue in after.queues}
    found = (
        _queue_change(name, old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys())
    )
    return tuple(change for change in found if change is not None)


def _queue_change(name: str, old: QueueEntry | None, new: QueueEntry | None) -> QueueChange | None:
    if old is None or new is None:
        fields: tuple[str, ...] = ("added",) if old is None else ("removed",)
    else:
        fields = tuple(key for key in _QUEUE_FIELDS if getattr(old, key) != getattr(new, key))
    if not fields:
        return None
    first, second = old or QueueEntry(name=name), new or QueueEntry(name=name)
    return QueueChange(
        name=name,
        fields=fields,
        deserved_before=first.deserved,
        deserved_after=second.deserved,
        used_before=first.after,
        used_after=second.after,
        waiting_before=first.gangs_waiting,
        waiting_after=second.gangs_waiting,
    )


def _sentence(
    figures: tuple[FigureChange, ...],
    gangs: tuple[GangChange, ...],
    queues: tuple[QueueChange, ...],
    *,
    changed: bool,
) -> str:
    if not changed:
        return "The plans are the same: every gang, queue, node and key figure agrees."
    gpus = next(one for one in figures if one.key == "gpus_after")
    decisions = sum("decision" in gang.changes for gang in gangs)
    placements = sum("placement" in gang.changes for gang in gangs)
    return (
        f"{counted(len(gangs), 'gang')} and {counted(len(queues), 'queue')} differ "
        f"({counted(decisions, 'decision')}, {counted(placements, 'placement')}); GPUs allocated after the plan: "
        f"{gpus.before:,} → {gpus.after:,} ({gpus.change:+,} GPUs)."
    )
