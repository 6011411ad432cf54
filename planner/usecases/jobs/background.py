"""A planning run in the background: one job plans one request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from models.effective import EffectivePolicy
from models.findings import Finding, NoPlanInTimeError, PlannerError, VerificationError
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.problem.progress import ProgressSink
from planner.runtime.machine import usable_cores
from planner.usecases.inputs.checked_input import CheckedInput
from planner.usecases.inputs.request_key import request_key
from planner.usecases.jobs.background_job import ABSENT_AFTER_S, BackgroundJob, JobView
from planner.usecases.planning import make_plan

PlanJobView = JobView[PlanResult]


@dataclass(frozen=True)
class PlanRequest:
    """Everything that decides what a plan looks like."""

    snapshot: Snapshot
    policy: EffectivePolicy
    limits: Limits
    findings: tuple[Finding, ...] = ()

    @property
    def key(self) -> str:
        """Digest over snapshot, policy and limits; two requests with the same key ask for the same plan."""
        return request_key(self)


class PlanningJob(BackgroundJob[PlanResult]):
    """Plans one request.

    Parameters
    ----------
    absent_after_s
        Seconds without attention after which the job stops; None = never (a job that many pages share).
    guard
        Search in a child process that can be ended from outside.
    """

    def __init__(
        self,
        request: PlanRequest,
        *,
        absent_after_s: float | None = ABSENT_AFTER_S,
        guard: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.request, self._guard = request, guard
        super().__init__(
            self._plan,
            name="planning",
            time_limit_s=request.limits.time_limit_s,
            absent_after_s=absent_after_s,
            clock=clock,
        )

    def start(self) -> PlanningJob:
        """Begin; returns the job itself."""
        self.begin()
        return self

    def _plan(self, say: ProgressSink, stop: threading.Event) -> PlanResult:
        request = self.request
        return make_plan(
            request.snapshot,
            request.policy,
            request.limits,
            findings=request.findings,
            on_progress=say,
            stop=stop,
            guard=self._guard,
        )


def failure_kind(error: PlannerError) -> Literal["time", "verification", "other"]:
    """What kind of failure a page has to explain."""
    if isinstance(error, NoPlanInTimeError):
        return "time"
    return "verification" if isinstance(error, VerificationError) else "other"


def plan_request(given: CheckedInput, *, time_limit_s: float, gap: float) -> PlanRequest:
    """The request for a checked input; as many solver workers as the machine gives.

    Parameters
    ----------
    gap
        Relative gap that is good enough, as a ratio.
    """
    limits = Limits(time_limit_s=time_limit_s, gap=gap, workers=usable_cores())
    return PlanRequest(given.snapshot, given.policy, limits, given.findings)
