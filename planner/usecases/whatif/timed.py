"""Scenarios over time: the comparison runs over schedules; edits may scale the demand of online services."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from models.demand import ANY_SERVICE, DemandSamples
from models.edits.edit import EditError, Situation
from models.edits.gangs import factor_of
from models.edits.suggest import unknown
from models.findings import Finding, InputError
from models.plan import PlanResult
from planner.problem.limits import Limits
from planner.problem.progress import ProgressSink
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.usecases.inputs.lending import LendingSource

DAY_S = 86_400


@dataclass(frozen=True)
class OverTime:
    """What makes a plan a schedule.

    Attributes
    ----------
    samples
        Demand of online services as it was read.
    bucket_s
        Seconds of every bucket; None for fine near and coarse far.
    """

    samples: tuple[DemandSamples, ...]
    horizon_s: int = DAY_S
    bucket_s: int | None = None

    def plan(
        self,
        situation: Situation,
        limits: Limits,
        *,
        findings: Sequence[Finding] = (),
        previous: PlanResult | None = None,
        on_progress: ProgressSink | None = None,
        stop: threading.Event | None = None,
        guard: bool = True,
    ) -> PlanResult:
        """The verified schedule; among equally good ones that closest to ``previous``."""
        samples = scaled(self.samples, situation)
        source = LendingSource(situation.snapshot, situation.policy.policy, samples)
        options = ScheduleOptions(
            horizon_s=self.horizon_s, bucket_s=self.bucket_s, previous=previous, limits=limits
        )
        return make_schedule(
            situation.snapshot,
            situation.policy,
            source,
            options,
            findings=findings,
            on_progress=on_progress,
            stop=stop,
            guard=guard,
        )


def scaled(samples: Sequence[DemandSamples], situation: Situation) -> tuple[DemandSamples, ...]:
    """Demand times the factors of the edits, parts of a GPU rounded up; all factors of a service count."""
    found = []
    for one in samples:
        factor = Fraction(1)
        for service, text in situation.online:
            if service == one.service or one.service == ANY_SERVICE:
                factor *= factor_of(text)
        gpus = tuple(ceil(value * factor) for value in one.gpus)
        found.append(replace(one, gpus=gpus))
    return tuple(found)


def check_services(situation: Situation, over_time: OverTime | None, *, source: str) -> None:
    """Stop where an edit scales a service that has no demand here.

    Raises
    ------
    InputError
        There is no demand file at all, or none of its services has the name.
    """
    for service, _ in situation.online:
        error = _fault(service, over_time)
        if error is not None:
            finding = Finding("scenario_edit", "error", source, str(error), error.remedy)
            raise InputError(f"{source}: {error}", (finding,))


def _fault(service: str, over_time: OverTime | None) -> EditError | None:
    if over_time is None:
        return EditError(
            f"scaling service {service!r} needs a schedule",
            "compare schedules with its demand (--demand FILE, or the page Night)",
        )
    names = {one.service for one in over_time.samples}
    if service in names or ANY_SERVICE in names:
        return None
    return unknown("service with demand", service, names)
