"""``run.json`` (``kind: NightRun``): what one nightly run read, planned, wrote, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from models.part import Part

Outcome = Literal[
    "done",
    "returns_missed",
    "input_error",
    "infeasible",
    "no_plan",
    "withheld",
    "interrupted",
    "failed",
]
"""``done``: a verified plan was written, whatever a requirement or a comparison said of it (see ``exitCode``).
``returns_missed``: the same, and an online service lacks GPUs within it."""


class NightFile(Part):
    """One file of the night's folder; ``path`` is relative to it, with slashes."""

    path: str
    size_bytes: int
    sha256: str


class NightSnapshot(Part):
    """What was planned on."""

    as_of: str = ""
    digest: str = ""
    sources: tuple[str, ...] = ()
    nodes: int = 0
    pods: int = 0


class NightFigures(Part):
    """Headline figures; GPUs are whole GPUs, work is in GPU-seconds (exact), loans in GPUs.

    Attributes
    ----------
    gangs_started
        Gangs that start at the first moment of the schedule; ``gangs_started_later`` those that start afterwards.
    gangs_waiting
        Gangs that do not start within the horizon, ``waiting_gpus`` what their minimum lacks.
    gangs_evicted
        Running gangs that the plan takes off their nodes at the first moment.
    work_gpu_seconds
        GPU-seconds of work that waiting gangs do within the horizon; ``lost_gpu_seconds`` what restarts cost of it.
    worst_gap
        Largest relative gap of the tiers of work; None where one is not proved.
    loan_slack_s
        Least seconds between the return of a loan and the moment it had to be back; None without loans.
    """

    gpus_allocatable: int = 0
    gpus_before: int = 0
    gpus_after: int = 0
    gangs_started: int = 0
    gangs_started_later: int = 0
    gangs_waiting: int = 0
    gangs_evicted: int = 0
    waiting_gpus: int = 0
    work_gpu_seconds: int = 0
    lost_gpu_seconds: int = 0
    loans: int = 0
    lent_gpu_seconds: int = 0
    most_lent_gpus: int = 0
    loan_slack_s: int | None = None
    worst_gap: float | None = None


class NightRun(Part):
    """The whole document.

    Attributes
    ----------
    run_id
        Unique; a second run of the same night has another one.
    night
        Day (``2026-09-15``) on which the night begins in ``timezone``; a night lasts from noon to noon. "" where the
        run ended before it was known.
    started_at, finished_at
        Clock of the machine, RFC 3339 in UTC.
    stages
        Stage to seconds.
    reproducible
        False also for a search that was stopped and kept its best plan.
    demand
        Demand files read; empty where the policy's profiles or the running pods tell the demand.
    changed
        Whether the plan differs from that of ``previousRun``: the run of the same night that this one replaces, else
        the last night before; None where there is none.
    error, notes
        Why it failed, and what a reader should know of the run itself; sentences.
    files
        Files of the folder beside ``run.json``.
    """

    schema_version: int = 1
    kind: str = "NightRun"
    run_id: str = ""
    night: str = ""
    timezone: str = "UTC"
    horizon_s: int = 0
    started_at: str = ""
    finished_at: str = ""
    outcome: Outcome = "done"
    exit_code: int = 0
    sentence: str = ""
    stages: Mapping[str, float] = Field(default_factory=dict)
    snapshot: NightSnapshot = NightSnapshot()
    demand: tuple[str, ...] = ()
    policy_digest: str = ""
    status: str = ""
    reproducible: bool = False
    violations: int = 0
    versions: Mapping[str, str] = Field(default_factory=dict)
    figures: NightFigures = NightFigures()
    findings: Mapping[str, int] = Field(default_factory=dict)
    previous_run: str = ""
    changed: bool | None = None
    error: str = ""
    notes: tuple[str, ...] = ()
    files: tuple[NightFile, ...] = ()
