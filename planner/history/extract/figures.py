"""Key figures of one night."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from models.history.night import LONG_WAIT_S, PastFigures
from models.history.rows import GangOutcome, GangSighting
from models.plan import PlanResult
from models.schedule import Schedule


def figures_of(
    result: PlanResult, outcomes: Sequence[GangOutcome], sightings: Sequence[GangSighting]
) -> PastFigures:
    """Figures of a plan, its outcomes and what the snapshot showed."""
    summary, findings = result.summary, result.snapshot.findings
    later = sum(bool(one.starts_at) and one.decision == "wait" for one in outcomes)
    waits = [one.waited_s for one in outcomes if one.waited_s is not None and not _starts_now(one)]
    return PastFigures(
        gpus_allocatable=summary.gpus_allocatable,
        gpus_before=summary.gpus_before,
        gpus_after=summary.gpus_after,
        gpus_after_baseline=None if result.baseline is None else result.baseline.gpus_after,
        gangs=len(result.gangs),
        gangs_started=summary.gangs_started,
        gangs_grown=summary.gangs_grown,
        gangs_started_later=later,
        gangs_waiting=summary.gangs_waiting - later,
        gangs_evicted=summary.gangs_evicted,
        gangs_unsupported=summary.gangs_unsupported,
        pods_placed=summary.pods_placed,
        pods_evicted=summary.pods_evicted,
        long_waits=sum(one >= LONG_WAIT_S for one in waits),
        longest_wait_s=max(waits, default=None),
        gangs_retried=sum(one.retries > 0 for one in sightings),
        pod_restarts=sum(one.restarts for one in sightings),
        findings_errors=sum(one.severity == "error" for one in findings),
        findings_warnings=sum(one.severity == "warning" for one in findings),
        **({} if result.schedule is None else _over_time(result.schedule)),
    )


def _starts_now(outcome: GangOutcome) -> bool:
    return outcome.decision == "start"


def _over_time(schedule: Schedule) -> Mapping[str, Any]:
    loans = schedule.loans
    return {
        "work_gpu_seconds": schedule.work_gpu_seconds,
        "running_gpu_seconds": schedule.running_gpu_seconds,
        "lost_gpu_seconds": sum(one.lost_gpu_seconds for one in schedule.gangs),
        "fill_bound_gpu_seconds": schedule.fill_bound_gpu_seconds,
        "loans": len(loans),
        "lent_gpu_seconds": sum(one.gpu_seconds for one in loans),
        "lent_gpus_most": max((one.gpus for one in loans), default=0),
    }
