"""``gangplan schedule``: when everything starts over a horizon, on whose GPUs, and that loans are back in time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models.findings import NoPlanInTimeError, UsageError, VerificationError
from planner.cli.interrupt import stop_on_interrupt
from planner.cli.manifest_option import ManifestFolder, refuse_used_folder, write_manifests
from planner.cli.option_groups import (
    FilterOptions,
    OutputOptions,
    PolicyOptions,
    SearchOptions,
    SnapshotPaths,
    TalkOptions,
)
from planner.cli.planning_run import (
    exit_code,
    limits_of,
    read_input,
    requirements_of,
    save_withheld,
)
from planner.cli.progress import progress_sink
from planner.cli.sink import write_data
from planner.cli.talk import Talk
from planner.cli.values import parse_duration
from planner.problem.progress import Progress, ProgressSink

if TYPE_CHECKING:
    from models.plan import PlanResult
    from planner.usecases.inputs.checked_input import CheckedInput

MOST_BUCKETS = 2_000


@dataclass(frozen=True)
class TimeOptions:
    """What is scheduled, in which steps."""

    demand: Annotated[
        list[str] | None,
        typer.Option(
            "--demand",
            metavar="FILE",
            help="Demand of online services (CSV or Parquet: time, service, gpus). May be repeated.",
            show_default=False,
        ),
    ] = None
    horizon: Annotated[
        float,
        typer.Option(
            "--horizon",
            parser=parse_duration,
            metavar="DURATION",
            help="How far to plan, like 24h or 7d.",
            show_default="24h",
        ),
    ] = 86_400.0
    bucket: Annotated[
        float | None,
        typer.Option(
            "--bucket",
            parser=parse_duration,
            metavar="DURATION",
            help="Length of all buckets, like 15m.",
            show_default="fine near, coarse far",
        ),
    ] = None
    exact: Annotated[
        int | None,
        typer.Option(
            "--exact",
            metavar="N",
            min=1,
            max=48,
            help="Starts in the first N buckets are placed on nodes (at most 48).",
            show_default="those within 15 minutes",
        ),
    ] = None
    previous: Annotated[
        Path | None,
        typer.Option(
            "--previous",
            metavar="PLAN",
            help="Earlier schedule; among equally good ones its starts are kept.",
            show_default=False,
        ),
    ] = None
    history: Annotated[
        str | None,
        typer.Option(
            "--history",
            metavar="URL",
            help="History of nights (SQLite file or database URL) that tells how long gangs run.",
            show_default=False,
        ),
    ] = None


def schedule(
    snapshot: SnapshotPaths,
    policy: PolicyOptions,
    search: SearchOptions,
    times: TimeOptions,
    shown: FilterOptions,
    output: OutputOptions,
    talking: TalkOptions,
    manifests: ManifestFolder = None,
) -> int:
    """When everything starts, and that lent GPUs are back before online demand needs them."""
    talk = Talk(talking)
    requirements = requirements_of(search)
    _check(times)
    refuse_used_folder(manifests)
    result = _ScheduleRun(snapshot, policy, search, times, talk, manifests, shown).make()
    write_schedule(result, shown, output, talk)
    return exit_code(result, requirements, talk)


def write_schedule(
    result: PlanResult, shown: FilterOptions, output: OutputOptions, talk: Talk
) -> None:
    """Write the document of a schedule in the form that was asked for."""
    from planner.report.schedule_report import schedule_report

    report = schedule_report(
        result, namespaces=tuple(shown.namespace or ()), queues=tuple(shown.queue or ())
    )
    write_data(report, output, talk)


def _check(times: TimeOptions) -> None:
    """Refuse grids that make no sense before anything is read."""
    if times.horizon < 60:
        raise UsageError("--horizon is below a minute; give a time like 24h")
    if times.bucket is not None:
        if times.bucket < 60:
            raise UsageError("--bucket is below a minute; give a time like 15m")
        if times.bucket > times.horizon:
            raise UsageError("--bucket is longer than --horizon")
        if times.horizon / times.bucket > MOST_BUCKETS:
            raise UsageError(
                f"--horizon and --bucket make {times.horizon / times.bucket:,.0f} buckets, at most "
                f"{MOST_BUCKETS:,} are planned; take longer buckets"
            )
    elif times.horizon / 3600 > MOST_BUCKETS:
        raise UsageError(f"--horizon is longer than {MOST_BUCKETS:,} hours")


@dataclass(frozen=True)
class _ScheduleRun:
    """Inputs of one run."""

    paths: list[str]
    policy: PolicyOptions
    search: SearchOptions
    times: TimeOptions
    talk: Talk
    manifests: Path | None = None
    shown: FilterOptions | None = None

    def make(self) -> PlanResult:
        """The verified document; errors carry the exit codes of the command line."""
        with progress_sink(self.talk) as sink:
            sink(Progress("read", 0.0))
            given = read_input(self.paths, self.policy, self.shown)
            if not self.policy.allow_incomplete:
                given.refuse_incomplete()
            self.talk.findings(given.findings)
            given = self._with_history(given)
            try:
                result = self._search(given, sink)
            except VerificationError as error:
                save_withheld(self.talk, given, error, "schedule")
                raise
        if self.manifests is not None:
            write_manifests(self.manifests, given, result, self.talk)
        return result

    def _with_history(self, given: CheckedInput) -> CheckedInput:
        """The same with durations that the history of nights has observed."""
        if self.times.history is None:
            return given
        from planner.history.opening import open_history
        from planner.usecases.inputs.observed_durations import observed_words, with_observed

        with open_history(self.times.history, create=False) as history:
            observed = history.observed_durations()
        policy = with_observed(given.policy, observed, given.snapshot)
        said = observed_words(given.policy, policy)
        self.talk.note(said or "The history tells too few finished runs of these gangs' owners.")
        return replace(given, policy=policy)

    def _search(self, given: CheckedInput, sink: ProgressSink) -> PlanResult:
        from planner.schedule.make import ScheduleOptions, make_schedule
        from planner.usecases.inputs.demand_files import read_demand, with_services
        from planner.usecases.inputs.lending import LendingSource
        from planner.usecases.inputs.plan_documents import read_plan

        samples = with_services(read_demand(self.times.demand or ()), given.policy.policy)
        previous = read_plan(self.times.previous) if self.times.previous is not None else None
        if previous is not None and previous.schedule is None:
            raise UsageError(f"{self.times.previous} is a plan without a schedule")
        source = LendingSource(given.snapshot, given.policy.policy, samples)
        options = ScheduleOptions(
            horizon_s=int(self.times.horizon),
            bucket_s=None if self.times.bucket is None else int(self.times.bucket),
            exact_buckets=self.times.exact,
            previous=previous,
            limits=limits_of(self.search),
        )

        def say() -> None:
            self.talk.note("stopping with the best schedule so far; Ctrl-C again ends at once")

        with stop_on_interrupt(say) as interruption:
            try:
                result = make_schedule(
                    given.snapshot,
                    given.policy,
                    source,
                    options,
                    findings=given.findings,
                    on_progress=sink,
                    stop=interruption.stop,
                )
            except NoPlanInTimeError:
                if interruption.interrupted:
                    raise KeyboardInterrupt from None
                raise
        if source.made is not None:
            self.talk.findings(source.made.findings)
        return result
