"""One recorded night: what the run was, and its key figures."""

from __future__ import annotations

from datetime import date

from models.part import Part

LONG_WAIT_S = 86_400
"""Seconds from its creation on after which a gang that still waits counts as a long wait."""


class PastFigures(Part):
    """Key figures of one night; GPUs are whole GPUs, work is in GPU-seconds, None where nothing tells.

    Attributes
    ----------
    gangs
        Gangs of the snapshot.
    gangs_started, gangs_started_later, gangs_waiting
        Gangs that start now, later in the horizon, and not within it.
    work_gpu_seconds, running_gpu_seconds, fill_bound_gpu_seconds
        Of the schedule: work done in the horizon, the part of gangs that ran already, and the most any schedule does.
    lost_gpu_seconds
        Restarts and work since the last checkpoint, in the schedule.
    loans, lent_gpu_seconds, lent_gpus_most
        Loans of online GPUs: how many, their work, and the most GPUs of one.
    long_waits, longest_wait_s
        Gangs that wait for at least :data:`LONG_WAIT_S` after their creation, and the longest wait of all.
    gangs_retried, pod_restarts
        Gangs whose controller counts retries, and container restarts of the pods of all gangs.
    """

    gpus_allocatable: int = 0
    gpus_before: int = 0
    gpus_after: int = 0
    gpus_after_baseline: int | None = None
    gangs: int = 0
    gangs_started: int = 0
    gangs_started_later: int = 0
    gangs_grown: int = 0
    gangs_waiting: int = 0
    gangs_evicted: int = 0
    gangs_unsupported: int = 0
    pods_placed: int = 0
    pods_evicted: int = 0
    work_gpu_seconds: int | None = None
    running_gpu_seconds: int | None = None
    lost_gpu_seconds: int | None = None
    fill_bound_gpu_seconds: int | None = None
    loans: int | None = None
    lent_gpu_seconds: int | None = None
    lent_gpus_most: int | None = None
    long_waits: int = 0
    longest_wait_s: int | None = None
    gangs_retried: int = 0
    pod_restarts: int = 0
    findings_errors: int = 0
    findings_warnings: int = 0


class PastNight(Part):
    """One night of the history; times are RFC 3339 in UTC, ``figures`` is None where there was no plan.

    Attributes
    ----------
    night
        Date that names the dated folder; times of the run count in ``timezone``.
    outcome, exit_code
        How the run ended, as in ``run.json``.
    horizon_s
        Seconds that were planned; 0 where only "now" was.
    seen
        The snapshot was kept: what the night shows of gangs can be held against earlier plans.
    proof
        Status of the plan's certificate, "" without a plan.
    error
        What went wrong, "" where nothing did.
    """

    night: date
    run_id: str = ""
    timezone: str = "UTC"
    outcome: str = "done"
    exit_code: int = 0
    horizon_s: int = 0
    started_at: str = ""
    finished_at: str = ""
    as_of: str = ""
    seen: bool = False
    snapshot_digest: str = ""
    policy_digest: str = ""
    proof: str = ""
    sentence: str = ""
    error: str = ""
    version: str = ""
    figures: PastFigures | None = None
