"""The planning of a night: a verified schedule, near that of the night before where nothing speaks against it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models.findings import Finding, InputError, NoPlanInTimeError, VerificationError
from models.nightly.run import NightRun, NightSnapshot
from models.plan import FindingEntry, PlanResult
from planner.nightly.figures import finding_counts, night_figures
from planner.nightly.folders import Night
from planner.nightly.inputs import NightInput
from planner.nightly.writers import PLAN_FILE
from planner.problem.limits import Limits
from planner.problem.progress import ProgressSink
from planner.report.compare import compare
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.usecases.bundle import save_bundle
from planner.usecases.inputs.lending import LendingSource
from planner.usecases.inputs.plan_documents import read_plan


@dataclass(frozen=True)
class Earlier:
    """The plan of an earlier night, None where there is none that can be read."""

    night: Night | None = None
    result: PlanResult | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planned:
    """A verified schedule, and every finding about what it rests on."""

    result: PlanResult
    findings: tuple[Finding, ...]


def earlier_plan(night: Night | None) -> Earlier:
    """The plan of a finished night; a damaged one is told and counts as none."""
    if night is None:
        return Earlier()
    try:
        result = read_plan(night.path / PLAN_FILE)
    except InputError as error:
        return Earlier(night, None, (f"The plan of {night.name} cannot be used: {error}",))
    return Earlier(night, result if result.schedule is not None else None)


def plan_night(
    read: NightInput,
    horizon_s: int,
    limits: Limits,
    *,
    previous: PlanResult | None,
    on_progress: ProgressSink | None,
    stop: threading.Event,
    bundle_folder: Path,
) -> Planned:
    """The schedule of a night.

    Raises
    ------
    VerificationError
        The schedule is withheld; a bundle in ``bundle_folder`` (said in the message) holds everything.
    KeyboardInterrupt
        ``stop`` was set before there was a schedule.
    PlannerError
        As :func:`planner.schedule.make.make_schedule`.
    """
    given = read.given
    source = LendingSource(given.snapshot, given.policy.policy, read.demand)
    try:
        result = make_schedule(
            given.snapshot,
            given.policy,
            source,
            ScheduleOptions(horizon_s=horizon_s, previous=previous, limits=limits),
            findings=given.findings,
            on_progress=on_progress,
            stop=stop,
        )
    except NoPlanInTimeError:
        if stop.is_set():
            raise KeyboardInterrupt from None
        raise
    except VerificationError as error:
        withheld: PlanResult | None = getattr(error, "result", None)
        if withheld is None:
            raise
        path = save_bundle(given.snapshot, given.policy, withheld, bundle_folder)
        raise VerificationError(
            f"{error}; it is withheld, and {path} holds everything to repeat the run"
        ) from error
    lending = source.made.findings if source.made is not None else ()
    return Planned(_with_findings(result, lending), (*given.findings, *lending))


def _with_findings(result: PlanResult, findings: Sequence[Finding]) -> PlanResult:
    """The document with findings about demand beside those about the export."""
    entries = tuple(
        FindingEntry(
            code=one.code,
            severity=one.severity,
            object=one.object,
            message=one.message,
            remedy=one.remedy,
        )
        for one in findings
    )
    told = (*result.snapshot.findings, *entries)
    return result.model_copy(
        update={"snapshot": result.snapshot.model_copy(update={"findings": told})}
    )


def planned_run(run: NightRun, read: NightInput, result: PlanResult, last: Earlier) -> NightRun:
    """The run with everything that is known once there is a plan; compared with the ``last`` one."""
    entry, certificate = result.snapshot, result.certificate
    verification = result.verification
    return run.model_copy(
        update={
            "sentence": result.summary.sentence,
            "snapshot": NightSnapshot(
                as_of=entry.as_of,
                digest=entry.digest,
                sources=entry.sources,
                nodes=entry.nodes,
                pods=entry.pods,
            ),
            "demand": tuple(dict.fromkeys(one.source for one in read.demand)),
            "policy_digest": certificate.policy_digest,
            "status": certificate.status,
            "reproducible": certificate.reproducible,
            "violations": len(verification.violations) if verification is not None else 0,
            "figures": night_figures(result),
            "findings": finding_counts(result),
            "previous_run": last.night.run.run_id if last.night is not None else "",
            "changed": differs(last.result, result) if last.result is not None else None,
        }
    )


def differs(before: PlanResult, after: PlanResult) -> bool:
    """Whether a plan does something else than another one: now, or by start times later on."""
    return compare(before, after).changed or _times(before) != _times(after)


def _times(result: PlanResult) -> dict[str, tuple[str, str | None]]:
    gangs = result.schedule.gangs if result.schedule is not None else ()
    return {gang.full_name: (gang.status, gang.starts_at) for gang in gangs}
