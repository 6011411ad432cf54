"""Headline figures of a night."""

from __future__ import annotations

from collections import Counter

from models.nightly.run import NightFigures
from models.plan import PlanResult


def night_figures(result: PlanResult) -> NightFigures:
    """Figures of a schedule; the document must have its ``schedule`` part."""
    schedule, summary = result.schedule, result.summary
    if schedule is None:
        raise ValueError("the document has no schedule")
    starts = [gang for gang in schedule.gangs if gang.status == "starts"]
    waits = [gang for gang in schedule.gangs if gang.status == "waits"]
    now = sum(gang.runs[0].start_bucket == 0 for gang in starts)
    return NightFigures(
        gpus_allocatable=summary.gpus_allocatable,
        gpus_before=summary.gpus_before,
        gpus_after=summary.gpus_after,
        gangs_started=now,
        gangs_started_later=len(starts) - now,
        gangs_waiting=len(waits),
        gangs_evicted=summary.gangs_evicted,
        waiting_gpus=sum(gang.gpus for gang in waits),
        work_gpu_seconds=schedule.work_gpu_seconds,
        lost_gpu_seconds=sum(gang.lost_gpu_seconds for gang in schedule.gangs),
        loans=len(schedule.loans),
        lent_gpu_seconds=sum(loan.gpu_seconds for loan in schedule.loans),
        most_lent_gpus=max((loan.gpus for loan in schedule.loans), default=0),
        loan_slack_s=min((loan.slack_s for loan in schedule.loans), default=None),
        worst_gap=worst_gap(result),
    )


def worst_gap(result: PlanResult) -> float | None:
    """Largest gap of the tiers of work; None where one is not proved, or where there is none and no optimum either."""
    gaps = [tier.gap for tier in result.certificate.tiers if tier.name.endswith(".gpu_hours")]
    known = [gap for gap in gaps if gap is not None]
    if not gaps and result.certificate.status != "OPTIMAL":
        return None
    return max(known, default=0.0) if len(known) == len(gaps) else None


def finding_counts(result: PlanResult) -> dict[str, int]:
    """Severity to number of findings, in the order error, warning, info."""
    counts = Counter(one.severity for one in result.snapshot.findings)
    return {severity: counts[severity] for severity in ("error", "warning", "info")}
