"""Long work in the background: started by a page, watched while it runs, stopped from outside.

Whoever shows a job calls :meth:`BackgroundJob.attend` every second or so; a job that nobody has attended for a while
stops itself and keeps its best, so a closed page leaves no search running.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from models.findings import NoPlanInTimeError, PlannerError
from planner.problem.progress import Progress, ProgressSink
from planner.runtime.machine import usable_cores

ABSENT_AFTER_S = float(os.environ.get("GANGPLAN_ABSENT_AFTER_S", "90"))
"""Seconds without attention after which a job stops. Browsers wake a hidden page about once a minute."""
MOST_POINTS = 2_000
"""Progress messages kept for the chart of incumbents and bounds; later ones replace the newest."""

JobState = Literal["queued", "running", "stopping", "done", "failed"]
StopReason = Literal["", "asked", "absent"]
Answer = TypeVar("Answer")
Work = Callable[[ProgressSink, threading.Event], Answer]
"""What a job does: tells its progress, looks at the stop order often, returns what was asked for."""
_SLOTS = threading.BoundedSemaphore(max(2, usable_cores()))


@dataclass(frozen=True)
class JobView(Generic[Answer]):
    """What a page shows of a job at one moment.

    Attributes
    ----------
    elapsed_s
        Seconds since the job was started, until it ended.
    points
        Messages of the search with a tier, in order of time.
    result
        The answer; while the job goes on a first one, where it has given one.
    error
        Why there is no result; None where there is one or the job goes on.
    """

    state: JobState
    elapsed_s: float
    stop_reason: StopReason
    latest: Progress | None
    points: tuple[Progress, ...]
    result: Answer | None
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


@dataclass
class _Facts(Generic[Answer]):
    """What the thread writes and pages read, under one lock."""

    state: JobState = "queued"
    latest: Progress | None = None
    points: list[Progress] = field(default_factory=list)
    result: Answer | None = None
    error: PlannerError | None = None
    ended_at: float | None = None


class BackgroundJob(Generic[Answer]):
    """One background run; all methods may be called from any thread.

    Parameters
    ----------
    work
        What to do.
    name
        What it is called in a message about an unexpected error, e.g. ``planning``.
    time_limit_s
        Seconds that the work may take by itself, for a progress bar.
    absent_after_s
        Seconds without :meth:`attend` after which the job stops; None = never (a job that many pages share).
    """

    def __init__(
        self,
        work: Work[Answer],
        *,
        name: str,
        time_limit_s: float,
        absent_after_s: float | None = ABSENT_AFTER_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.time_limit_s = name, time_limit_s
        self._work, self._clock, self._absent_after_s = work, clock, absent_after_s
        self._lock = threading.Lock()
        self._news = threading.Condition(self._lock)
        self._facts: _Facts[Answer] = _Facts()
        self._started_at = self._attended_at = clock()
        self._stop = _StopOrder(self._nobody_is_there)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def begin(self) -> None:
        """Start the thread."""
        self._thread.start()

    def attend(self) -> None:
        """Say that somebody still looks at this job."""
        self._attended_at = self._clock()

    def stop(self) -> None:
        """End the work and finish the best so far."""
        self._stop.give("asked")
        with self._lock:
            if self._facts.state == "running":
                self._facts.state = "stopping"

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the job has ended; False where it has not within ``timeout_s`` seconds."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def await_news(self, known: Answer | None, timeout_s: float) -> bool:
        """Wait for its end, or for another answer than the known one; False where neither came in time."""

        def came() -> bool:
            return self._facts.ended_at is not None or self._facts.result is not known

        with self._lock:
            return self._news.wait_for(came, timeout_s)

    def view(self) -> JobView[Answer]:
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
            self._end(result=self._work(self._progress, self._stop))
        except PlannerError as error:
            self._end(error=error)
        except Exception as error:  # a thread has nobody above it who would tell
            self._end(error=PlannerError(f"{self.name} failed: {type(error).__name__}: {error}"))
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

    def _give_first(self, answer: Answer) -> None:
        """Show an answer while the work on a better one goes on."""
        with self._lock:
            self._facts.result = answer
            self._news.notify_all()

    def _end(self, *, result: Answer | None = None, error: PlannerError | None = None) -> None:
        with self._lock:
            self._facts.result, self._facts.error = result, error
            self._facts.state = "done" if error is None else "failed"
            self._facts.ended_at = self._clock()
            self._news.notify_all()


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
