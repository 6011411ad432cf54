"""From a snapshot to the document of ``gangplan inspect``; nothing is solved."""

from __future__ import annotations

from collections.abc import Sequence

from models.effective import EffectivePolicy
from models.findings import Finding
from models.foreign_workloads import left_out, left_out_text
from models.gpu import whole_gpu_names
from models.gpu_slots import slot_sums, slot_words
from models.plan import FindingEntry
from models.snapshot import Snapshot
from models.use import measured_use
from planner.report.inspect_document import InspectResult, InspectSummary, WaitingGang
from planner.report.inspect_gangs import queue_standings, waiting_gangs
from planner.report.inspect_nodes import NodeStanding, node_classes, node_standings
from planner.report.text import counted, percent


def inspect(
    snapshot: Snapshot, findings: Sequence[Finding], policy: EffectivePolicy
) -> InspectResult:
    """Inventory, queues, waiting gangs and findings.

    Parameters
    ----------
    findings
        All findings to show, those of the snapshot included.
    policy
        Decides which resources count as GPUs, how models are named, and the time up to which waits are counted.
    """
    rule = policy.policy.gpu_models
    gpu_names = whole_gpu_names(rule)
    standings = node_standings(snapshot, rule, gpu_names)
    classes = node_classes(standings)
    waiting = waiting_gangs(snapshot, policy.policy.scheduler_names, gpu_names, policy.now)
    queues = queue_standings(snapshot, waiting)
    others = left_out(snapshot, policy.policy.scheduler_names, gpu_names)
    summary = _summary(snapshot, standings, waiting, classes=len(classes), queues=len(queues))
    slots, cards = slot_sums(snapshot.nodes, gpu_names)
    told = {"left_out": others, "gpu_slots": slots, "gpu_slot_cards": cards}
    summary = summary.model_copy(update=told)
    return InspectResult(
        sentence=_sentence(summary),
        as_of=snapshot.as_of,
        digest=snapshot.digest,
        sources=tuple(source.name for source in snapshot.sources),
        summary=summary,
        node_classes=classes,
        queues=queues,
        waiting=waiting,
        findings=tuple(_finding(one) for one in findings),
        missing_kinds=dict(sorted(snapshot.missing_kinds.items())),
        ignored=dict(sorted(snapshot.ignored.items())),
        policy=policy.document(),
        gpu_resources=_named(snapshot, gpu_names),
        use=measured_use(snapshot, policy.policy),
    )


def _summary(
    snapshot: Snapshot,
    standings: Sequence[NodeStanding],
    waiting: Sequence[WaitingGang],
    *,
    classes: int,
    queues: int,
) -> InspectSummary:
    return InspectSummary(
        nodes=len(standings),
        nodes_closed=sum(not one.open for one in standings),
        node_classes=classes,
        pods=len(snapshot.pods),
        gangs=len(snapshot.gangs),
        gangs_waiting=len(waiting),
        queues=queues,
        gpus_allocatable=sum(one.gpus for one in standings),
        gpus_used=sum(min(one.used, one.gpus) for one in standings),
        gpus_free_whole=sum(one.whole for one in standings),
        gpus_free_fragment=sum(one.fragment for one in standings),
        gpus_unavailable=sum(one.unavailable for one in standings),
        gpus_waited_for=sum(gang.gpus or 0 for gang in waiting),
    )


def _sentence(summary: InspectSummary) -> str:
    used = f"{summary.gpus_used:,} of {counted(summary.gpus_allocatable, 'GPU')} allocated"
    slots = slot_words(summary.gpu_slots, summary.gpu_slot_cards, summary.gpus_allocatable)
    free = (
        f"free: {summary.gpus_free_whole:,} on whole nodes, {summary.gpus_free_fragment:,} in fragments, "
        f"{summary.gpus_unavailable:,} on nodes that take no pods"
    )
    waits = (
        f"{summary.gangs_waiting:,} of {counted(summary.gangs, 'gang')} "
        f"{'waits' if summary.gangs_waiting == 1 else 'wait'} for {counted(summary.gpus_waited_for, 'GPU')}"
    )
    if summary.left_out:
        waits = f"{left_out_text(summary.left_out)}. {waits if summary.gangs else 'No other gang waits'}"
    return (
        f"{counted(summary.nodes, 'node')} in {counted(summary.node_classes, 'class', 'classes')}: {used} "
        f"({percent(summary.gpus_used, summary.gpus_allocatable)}); {free}. {f'{slots}. ' if slots else ''}{waits}."
    )


def _named(snapshot: Snapshot, gpu_names: tuple[str, ...]) -> tuple[str, ...]:
    """GPU resources that a node or a queue of the snapshot names."""
    queues = (
        amounts
        for queue in snapshot.queues
        for amounts in (queue.deserved, queue.capability, queue.guarantee)
    )
    named = set().union(*(node.allocatable for node in snapshot.nodes), *queues)
    return tuple(name for name in gpu_names if name in named)


def _finding(one: Finding) -> FindingEntry:
    return FindingEntry(
        code=one.code,
        severity=one.severity,
        object=one.object,
        message=one.message,
        remedy=one.remedy,
    )


__all__ = ["InspectResult", "inspect"]
