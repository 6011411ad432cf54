"""What a session keeps for the pages Night and Drill."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.drill import DrillResult
from models.findings import PlannerError
from planner.usecases.jobs.night_jobs import (
    DemandInput,
    DrillRequest,
    ScheduleAnswer,
    ScheduleRequest,
)
from ui.runs import Run


@dataclass(frozen=True)
class NightSettings:
    """What is scheduled.

    Attributes
    ----------
    bucket_min
        Minutes of every bucket; 0 for fine near and coarse far.
    deadline_s
        Seconds within which loans must be back; None as the policy says.
    demand
        Where demand comes from: ``policy``, ``sample``, ``files`` or ``upload``; "" = the best that there is.
    """

    horizon_h: int = 24
    bucket_min: int = 0
    deadline_s: int | None = None
    demand: str = ""


@dataclass(frozen=True)
class DrillSettings:
    """What is drilled; ``more`` are further needs, one a line as on the command line; 0 s = as the policy says."""

    claimant: str = ""
    gpus: int = 8
    deadline_s: int = 0
    per_pod: int = 0
    gpu_model: str = ""
    by_hand: bool = False
    more: str = ""


@dataclass
class NightState:
    """Schedule and drill of one session."""

    schedule: Run[ScheduleRequest, ScheduleAnswer] = field(default_factory=Run)
    drill: Run[DrillRequest, DrillResult] = field(default_factory=Run)
    settings: NightSettings = NightSettings()
    drill_settings: DrillSettings = DrillSettings()
    uploaded: DemandInput | None = None
    upload_fault: PlannerError | None = None
    upload_round: int = 0
