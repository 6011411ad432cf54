"""A planning run in the background: asked for by a page, watched while it runs, stopped from outside.

One job plans one request. Whoever shows it calls :meth:`PlanningJob.attend` every second or so; a job that nobody has
attended for a while stops itself and keeps its best plan, so a closed page leaves no search running.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Literal

from models.effective import EffectivePolicy
from models.findings import Finding, NoPlanInTimeError, PlannerError, VerificationError
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.problem.progress import Progress
from planner.service.checked_input import CheckedInput
from planner.service.machine import usable_cores
from planner.service.planning import PlanningError, make_plan

ABSENT_AFTER_S = 90.0
"""Seconds without attention after which a job stops. Browsers wake a hidden page about once a minute."""
MOST_POINTS = 2_000
"""Progress messages kept for the chart of incumbents and bounds; later ones replace the newest."""

JobState = Literal["queued", "running", "stopping", "done", "failed"]
StopReason = Literal["", "asked", "absent"]
_SLOTS = threading.BoundedSemaphore(max(2, usable_cores()))


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
        policy = self.policy.document()
        policy["now"] = {"value": self.policy.now}
        text = json.dumps(
            [self.snapshot.digest, policy, asdict(self.limits)], sort_keys=True, default=str
        )
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class JobView:
    """What a page shows of a job at one moment.

    Attributes
    ----------
    elapsed_s
        Seconds since the job was started, until it ended.
    points
        Messages of the search with a tier, in order of time.
    error
        Why there is no plan; None where there is one or the job goes on.
    """

    state: JobState
    elapsed_s: float
    stop_reason: StopReason
    latest: Progress | None
    points: tuple[Progress, ...]
    result: PlanResult | None
    error: PlannerError | None

    @property
    def going_on(self) -> bool:
        """Whether the job has not ended yet."""
        return self.state in ("queued", "running", "stopping")

    def history(self, least: int = 2) -> dict[str, tuple[Progress, ...]]:
        """Messages with an incumbent by tier, tiers with fewer than ``least`` of them left out."""
        found: dict[str, list[Progress]] = {}
        for point in self.points:
            if point.value is not None:
                found.setdefault(point.tier, []).append(point)
        return {tier: tuple(points) for tier, points in found.items() if len(points) >= least}

    @property
    def withheld(self) -> PlanResult | None:
        """The plan that failed verification: for a bug report only, never to be shown as a plan."""
        return self.error.result if isinstance(self.error, PlanningError) else None


@dataclass
class _Facts:
    """What the thread writes and pages read, under one lock."""

    state: JobState = "queued"
    latest: Progress | None = None
    points: list[Progress] = field(default_factory=list)
    result: PlanResult | None = None
    error: PlannerError | None = None
    ended_at: float | None = None


class PlanningJob:
    """One background run; all methods may be called from any thread.

    Parameters
    ----------
    absent_after_s
        Seconds without :meth:`attend` after which the job stops; None = never (a job that many pages share).
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
        self.request = request
        self._guard, self._clock, self._absent_after_s = guard, clock, absent_after_s
        self._lock = threading.Lock()
        self._facts = _Facts()
        self._started_at = self._attended_at = clock()
        self._stop = _StopOrder(self._nobody_is_there)
        self._thread = threading.Thread(target=self._run, name="planning", daemon=True)

    def start(self) -> PlanningJob:
        """Begin; returns the job itself."""
        self._thread.start()
        return self

    def attend(self) -> None:
        """Say that somebody still looks at this job."""
        self._attended_at = self._clock()

    def stop(self) -> None:
        """End the search and finish the best plan so far."""
        self._stop.give("asked")
        with self._lock:
            if self._facts.state == "running":
                self._facts.state = "stopping"

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the job has ended; False where it has not within ``timeout_s`` seconds."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def view(self) -> JobView:
        """How it stands now."""
        with self._lock:
            facts = self._facts
            end = facts.ended_at if facts.ended_at is not None else self._clock()
            return JobView(
                state=facts.state,
                elapsed_s=end - self._started_at,
                stop_reason=self._stop.reason,
                latest=facts.latest,
                points=tuple(facts.points),
                result=facts.result,
                error=facts.error,
            )

    def _nobody_is_there(self) -> bool:
        limit = self._absent_after_s
        return limit is not None and self._clock() - self._attended_at > limit

    def _run(self) -> None:
        while not _SLOTS.acquire(timeout=0.1):
            if self._stop.is_set():
                self._end(error=NoPlanInTimeError("stopped before its turn came"))
                return
        try:
            self._set_running()
            request = self.request
            result = make_plan(
                request.snapshot,
                request.policy,
                request.limits,
                findings=request.findings,
                on_progress=self._progress,
                stop=self._stop,
                guard=self._guard,
            )
            self._end(result=result)
        except PlannerError as error:
            self._end(error=error)
        except Exception as error:  # a thread has nobody above it who would tell
            self._end(error=PlannerError(f"planning failed: {type(error).__name__}: {error}"))
        finally:
            _SLOTS.release()

    def _set_running(self) -> None:
        with self._lock:
            self._facts.state = "stopping" if self._stop.is_set() else "running"

    def _progress(self, progress: Progress) -> None:
        with self._lock:
            self._facts.latest = progress
            if progress.tier:
                if len(self._facts.points) >= MOST_POINTS:
                    self._facts.points.pop()
                self._facts.points.append(progress)

    def _end(self, *, result: PlanResult | None = None, error: PlannerError | None = None) -> None:
        with self._lock:
            self._facts.result, self._facts.error = result, error
            self._facts.state = "done" if error is None else "failed"
            self._facts.ended_at = self._clock()


class _StopOrder(threading.Event):
    """An event that is also set once nobody is there any more; the search asks it often."""

    def __init__(self, nobody_is_there: Callable[[], bool]) -> None:
        super().__init__()
        self._nobody_is_there = nobody_is_there
        self.reason: StopReason = ""

    def give(self, reason: StopReason) -> None:
        """Set the event; the first reason stays."""
        self.reason = self.reason or reason
        self.set()

    def is_set(self) -> bool:
        """Whether the search has to end."""
        if not super().is_set() and self._nobody_is_there():
            self.give("absent")
        return super().is_set()


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
