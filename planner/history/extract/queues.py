"""Queues, loans and findings of a plan as the history keeps them."""

from __future__ import annotations

from models.gpu import documented_gpu_names, gpus_in
from models.history.rows import PastFinding, PastLoan, PastQueue
from models.plan import PlanResult
from planner.history.times import utc_text


def queues_of(result: PlanResult) -> tuple[PastQueue, ...]:
    """One entry per queue, sorted by name."""
    names = documented_gpu_names(result.policy)
    found = (
        PastQueue(
            name=one.name,
            parent=one.parent,
            weight=one.weight,
            state=one.state,
            gangs_waiting=one.gangs_waiting,
            gangs_started=one.gangs_started,
            gpus_deserved=gpus_in(one.deserved, names),
            gpus_requested=gpus_in(one.requested, names),
            gpus_before=gpus_in(one.before, names),
            gpus_after=gpus_in(one.after, names),
            gpus_borrowed=gpus_in(one.borrowed, names),
            gpus_lent=gpus_in(one.lent, names),
            deserved=one.deserved,
            requested=one.requested,
            before=one.before,
            after=one.after,
            borrowed=one.borrowed,
            lent=one.lent,
            limit=one.limit,
        )
        for one in result.queues
    )
    return tuple(sorted(found, key=lambda one: one.name))


def loans_of(result: PlanResult) -> tuple[PastLoan, ...]:
    """Loans of online GPUs in the order of the schedule."""
    if result.schedule is None:
        return ()
    return tuple(
        PastLoan(
            pool=one.pool,
            starts_at=utc_text(one.starts_at),
            returned_by=utc_text(one.returned_by),
            leave_by=utc_text(one.leave_by),
            gpus=one.gpus,
            gpu_seconds=one.gpu_seconds,
            slack_s=one.slack_s,
            reclaimable_gpus=one.reclaimable_gpus,
            worst_return_s=one.worst_return_s,
            gangs=one.gangs,
        )
        for one in result.schedule.loans
    )


def findings_of(result: PlanResult) -> tuple[PastFinding, ...]:
    """Findings in the order of the plan."""
    return tuple(
        PastFinding(
            code=one.code,
            severity=one.severity,
            object=one.object,
            message=one.message,
            remedy=one.remedy,
        )
        for one in result.snapshot.findings
    )
