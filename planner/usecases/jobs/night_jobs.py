"""Schedules and reclaim drills in the background: what is asked, and the jobs that answer."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from models.demand import DemandSamples
from models.drill import DrillQuestion, DrillResult
from models.effective import EffectivePolicy, with_keys
from models.findings import Finding
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.drill.use_case import make_drill
from planner.problem.limits import Limits
from planner.problem.progress import ProgressSink
from planner.runtime.machine import usable_cores
from planner.schedule.make import DAY, ScheduleOptions, make_schedule
from planner.usecases.inputs.checked_input import CheckedInput
from planner.usecases.inputs.lending import LendingSource
from planner.usecases.inputs.request_key import request_key
from planner.usecases.jobs.background import PlanRequest
from planner.usecases.jobs.background_job import ABSENT_AFTER_S, BackgroundJob


@dataclass(frozen=True)
class DemandInput:
    """Demand of online services as it was read, with where it comes from and a digest of its numbers."""

    name: str
    samples: tuple[DemandSamples, ...]
    digest: str


def demand_input(name: str, samples: Sequence[DemandSamples]) -> DemandInput:
    """Samples with their digest."""
    text = json.dumps([[one.service, one.relative, one.seconds, one.gpus] for one in samples])
    return DemandInput(name, tuple(samples), hashlib.sha256(text.encode()).hexdigest())


NO_DEMAND = demand_input("", ())
"""Only what the policy's profiles and the pods of now tell."""


@dataclass(frozen=True)
class ScheduleRequest:
    """Everything that decides what a schedule looks like."""

    snapshot: Snapshot
    policy: EffectivePolicy
    limits: Limits
    demand: DemandInput = NO_DEMAND
    horizon_s: int = DAY
    bucket_s: int | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def key(self) -> str:
        """Digest over all parts; two requests with the same key ask for the same schedule."""
        return request_key(self, self.demand.digest, self.horizon_s, self.bucket_s)


@dataclass(frozen=True)
class ScheduleAnswer:
    """A verified schedule, and what is noticeable about the demand that it rests on."""

    result: PlanResult
    demand_findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class DrillRequest:
    """Everything that decides what a drill looks like."""

    snapshot: Snapshot
    policy: EffectivePolicy
    limits: Limits
    question: DrillQuestion
    findings: tuple[Finding, ...] = ()

    @property
    def key(self) -> str:
        """Digest over all parts; two requests with the same key ask for the same drill."""
        return request_key(self, self.question.model_dump(mode="json"))


class ScheduleJob(BackgroundJob[ScheduleAnswer]):
    """A schedule in the background; parameters as those of :class:`planner.usecases.jobs.background.PlanningJob`."""

    def __init__(
        self,
        request: ScheduleRequest,
        *,
        absent_after_s: float | None = ABSENT_AFTER_S,
        guard: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.request, self._guard = request, guard
        super().__init__(
            self._schedule,
            name="scheduling",
            time_limit_s=request.limits.time_limit_s,
            absent_after_s=absent_after_s,
            clock=clock,
        )

    def _schedule(self, say: ProgressSink, stop: threading.Event) -> ScheduleAnswer:
        asked = self.request
        source = LendingSource(asked.snapshot, asked.policy.policy, asked.demand.samples)
        options = ScheduleOptions(
            horizon_s=asked.horizon_s, bucket_s=asked.bucket_s, limits=asked.limits
        )
        result = make_schedule(
            asked.snapshot,
            asked.policy,
            source,
            options,
            findings=asked.findings,
            on_progress=say,
            stop=stop,
            guard=self._guard,
        )
        return ScheduleAnswer(result, source.made.findings if source.made else ())


class DrillJob(BackgroundJob[DrillResult]):
    """A reclaim drill in the background."""

    def __init__(
        self,
        request: DrillRequest,
        *,
        absent_after_s: float | None = ABSENT_AFTER_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.request = request
        super().__init__(
            self._drill,
            name="the drill",
            time_limit_s=request.limits.time_limit_s,
            absent_after_s=absent_after_s,
            clock=clock,
        )

    def _drill(self, say: ProgressSink, stop: threading.Event) -> DrillResult:
        asked = self.request
        return make_drill(
            asked.snapshot,
            asked.policy,
            asked.question,
            asked.limits,
            findings=asked.findings,
            on_progress=say,
            stop=stop,
        )


def search_limits(time_limit_s: float, gap: float) -> Limits:
    """Limits of a search with as many workers as the machine gives; ``gap`` is a ratio that is good enough."""
    return Limits(time_limit_s=time_limit_s, gap=gap, workers=usable_cores())


def under_deadline(given: CheckedInput, deadline_s: int | None) -> EffectivePolicy:
    """The policy with another deadline for the return of loans; None keeps that of the policy.

    Raises
    ------
    InputError
        The policy takes no such deadline.
    """
    lending = given.policy.policy.lending
    if deadline_s is None or deadline_s == lending.deadline_seconds:
        return given.policy
    keys = lending.model_dump(exclude_unset=True) | {"deadline_seconds": deadline_s}
    return with_keys(given.policy, {"lending": keys}, "flag")


def manifests_bytes(asked: ScheduleRequest | PlanRequest, result: PlanResult) -> bytes:
    """What a person applies so that the cluster follows a schedule or plan, as a zip archive; nothing is applied."""
    from planner.manifests.build import manifest_archive, manifests_of

    return manifest_archive(manifests_of(asked.snapshot, result, asked.policy))


def known_claimants(given: CheckedInput) -> Sequence[str]:
    """Names that a drill can be asked for: services of the policy, then queues that are no root."""
    services = [one.name for one in given.policy.policy.services]
    queues = sorted(one.name for one in given.snapshot.queues if one.name != "root")
    return [*services, *(name for name in queues if name not in services)]
