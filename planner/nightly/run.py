"""One nightly run from the lock to the last file."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from models.findings import Finding, InputError
from models.moments import epoch_seconds
from models.nightly.config import NightlyConfig
from models.nightly.run import NightRun
from planner.documents.versions import versions
from planner.history.store import WAIT_S
from planner.nightly.failures import CANNOT_RUN, CHANGED, REQUIREMENT_MISSED, failed
from planner.nightly.folders import FIRST, Night, NightFolders, earlier
from planner.nightly.history import NightHistory, history_url
from planner.nightly.inputs import NightInput, gather
from planner.nightly.lock import output_lock
from planner.nightly.nights import night_of
from planner.nightly.notes import clock_notes, demand_note
from planner.nightly.outcome import NightOutcome
from planner.nightly.planned import Planned, earlier_plan, plan_night, planned_run
from planner.nightly.report_files import reader_fault
from planner.nightly.retention import surplus
from planner.nightly.staged import told, write_document, write_night, write_run
from planner.nightly.writers import WRITERS
from planner.problem.limits import Limits
from planner.problem.progress import ProgressSink
from planner.runtime.stage_clock import StageClock
from planner.usecases.inputs.observed_durations import observed_words, with_observed
from planner.usecases.requirements import Requirement, missed_requirements

LAST_RUN = "last-run.json"


@dataclass(frozen=True)
class NightlyOptions:
    """What the command line adds to the configuration.

    Attributes
    ----------
    policy_file, assignments
        Win over the policy of the configuration.
    history_wait_s
        Seconds to wait for a history that another process holds.
    """

    limits: Limits = field(default_factory=Limits)
    policy_file: Path | None = None
    assignments: Sequence[str] = ()
    allow_incomplete: bool = False
    requirements: Sequence[Requirement] = ()
    fail_on_change: bool = False
    history_wait_s: float = WAIT_S


@dataclass(frozen=True)
class NightEnd:
    """How a run ended that wrote its folder.

    Attributes
    ----------
    faults
        Why the exit code is not 0, one sentence each.
    """

    run: NightRun
    folder: Path
    findings: tuple[Finding, ...] = ()
    faults: tuple[str, ...] = ()


def run_night(
    config: NightlyConfig,
    options: NightlyOptions,
    *,
    on_progress: ProgressSink | None = None,
    stop: threading.Event | None = None,
) -> NightEnd:
    """Read, schedule, verify, write the folder of the night, and remove nights that are too many or too old.

    Parameters
    ----------
    stop
        When set before there is a plan, the run ends; in the search, its best verified schedule is written.

    Raises
    ------
    PlannerError
        With the exit code of the command line; ``last-run.json`` tells it too, folders of nights are untouched.
    KeyboardInterrupt
        ``stop`` was set before there was a schedule.
    """
    output = config.place(config.output)
    run = NightRun(
        run_id=uuid.uuid4().hex,
        started_at=_now(),
        horizon_s=config.horizon,
        timezone=config.timezone or "UTC",
        versions=versions(),
    )
    with told(output):
        output.mkdir(parents=True, exist_ok=True)
        with output_lock(output, run.started_at):
            return _LockedRun(config, options, run, on_progress, stop or threading.Event()).end()


class _LockedRun:
    """A run that holds the lock of its output folder."""

    def __init__(
        self,
        config: NightlyConfig,
        options: NightlyOptions,
        run: NightRun,
        sink: ProgressSink | None,
        stop: threading.Event,
    ) -> None:
        self.config, self.options, self.run = config, options, run
        self.sink, self.stop = sink, stop
        self.output = config.place(config.output)
        self.folders = NightFolders(self.output)
        self.history = NightHistory(self.output, history_url(config), options.history_wait_s)
        self.clock = StageClock(sink)

    def end(self) -> NightEnd:
        """Run; whatever happens, ``last-run.json`` tells it, and the history where it knows nothing of the night."""
        self.folders.clean()
        try:
            end = self._whole()
        except BaseException as error:
            run = failed(self.run, error).model_copy(update={"finished_at": _now()})
            with suppress(Exception):  # the error itself is what a person must see
                write_document(run, self.output / LAST_RUN)
            with suppress(Exception):
                self.history.tell_failure(run)
            raise
        write_document(end.run, self.output / LAST_RUN)
        return end

    def _whole(self) -> NightEnd:
        self.clock.stage("read")
        read = self._read()
        nights = self.folders.nights()
        self._note(clock_notes(self.run, read.given, [one.run for one in nights]))
        self.clock.stage("history")
        read = self._with_durations(read)
        self.clock.stage("")
        planned = self._plan(read, nights)
        self.clock.stage("compare")
        faults = self._judge(read, planned, nights)
        night = self._outcome(read, planned)
        self.clock.stage("report")
        folder = self._write(night)
        faults = (*faults, *self._keep(replace(night, run=self.run)))
        self._remove_surplus()
        return NightEnd(self.run, folder, planned.findings, faults)

    def _read(self) -> NightInput:
        options = self.options
        read = gather(
            self.config,
            policy_file=options.policy_file,
            assignments=options.assignments,
            stopped=self.stop.is_set,
        )
        if not options.allow_incomplete:
            read.given.refuse_incomplete()
        policy = read.given.policy
        zone = self.config.timezone or policy.policy.timezone
        now = epoch_seconds(policy.now)
        if now is None:
            what, remedy = "no object of the export has a time", "set `now` in the policy"
            finding = Finding("no_time", "error", "snapshot", what, remedy)
            raise InputError("the export holds no time to start from", [finding])
        self._know(night=night_of(now, zone), timezone=zone)
        self.folders.refuse_strangers(self.run.night)
        return read

    def _with_durations(self, read: NightInput) -> NightInput:
        """The input with durations that earlier nights observed; the policy says where they are from.

        Nights that the history has not taken yet go in first.
        """
        self._note(self.history.take())
        observed, why = self.history.durations(self.run.night)
        if observed is None:
            self._note([f"No durations from earlier nights: {why}"] if why else [])
            return read
        given = read.given
        policy = with_observed(given.policy, observed, given.snapshot)
        said = observed_words(given.policy, policy)
        self._note([said] if said else [])
        return replace(read, given=replace(given, policy=policy))

    def _plan(self, read: NightInput, nights: Sequence[Night]) -> Planned:
        """The schedule, near that of the last run on an older export (so a repetition plans the same again)."""
        if self.stop.is_set():
            raise KeyboardInterrupt
        tonight, now = self.run.night, str(read.given.policy.now)
        before = [
            one
            for one in nights
            if one.name < tonight or (one.name == tonight and earlier(one.run, now))
        ]
        previous = earlier_plan(before[-1] if before else None)
        self._note(previous.notes)
        planned = plan_night(
            read,
            self.config.horizon,
            self.options.limits,
            previous=previous.result,
            on_progress=self.sink,
            stop=self.stop,
            bundle_folder=self.output,
        )
        self._note(demand_note(planned.result, read.demand))
        if self.stop.is_set():
            self._note(["The search was stopped; this is the best schedule that it had found."])
        return planned

    def _judge(
        self, read: NightInput, planned: Planned, nights: Sequence[Night]
    ) -> tuple[str, ...]:
        """Complete the run with what is known of the plan; what its exit code stands for."""
        before = [one for one in nights if one.name <= self.run.night]
        last = earlier_plan(before[-1] if before else None)
        self.run = planned_run(self.run, read, planned.result, last)
        faults = missed_requirements(self.options.requirements, planned.result.summary)
        code = REQUIREMENT_MISSED if faults else 0
        if self.options.fail_on_change and self.run.changed and last.night is not None:
            faults = (*faults, f"the plan differs from that of {last.night.name}")
            code = code or CHANGED
        outcome = "returns_missed" if planned.result.summary.missed_returns else "done"
        self._know(exit_code=code, outcome=outcome)
        return faults

    def _outcome(self, read: NightInput, planned: Planned) -> NightOutcome:
        """What the writers see; the nights before come from the history."""
        self.clock.stage("history")
        trend, why = self.history.trend(self.run.night)
        self._note([f"No trend: {why}"] if why else [])
        faults = (reader_fault(planned.result, one) for one in self.config.report_for)
        self._note([fault for fault in faults if fault])
        return NightOutcome(
            config=self.config,
            snapshot=read.given.snapshot,
            policy=read.given.policy,
            result=planned.result,
            run=self.run,
            demand=read.demand,
            trend=trend,
            adoption=self.history.adopted(self.run, read.given.snapshot),
        )

    def _write(self, night: NightOutcome) -> Path:
        staged = self.folders.stage(self.run.night, self.run.run_id)
        try:
            first = self.folders.keep_first(staged, self.run)
            if first:
                told = f"What was recommended first for this night, planned on {first}, lies in {FIRST}/."
                self._note([told])
                night = replace(night, run=self.run)
            files = write_night(night, staged, WRITERS)
            self.clock.stage("")
            stages = self._stages(night.result.certificate.stage_seconds())
            self._know(files=files, stages=stages, finished_at=_now())
            write_run(self.run, staged)
            self.history.expect(self.run.night)
            return self.folders.publish(staged, self.run.night, self.run.run_id)
        except BaseException:
            self.folders.discard(staged)
            raise

    def _keep(self, night: NightOutcome) -> tuple[str, ...]:
        """Bring the night into the history; where that fails the folder stands, and the next run tries again."""
        faults = self.history.take(night)
        if faults:
            self._know(exit_code=self.run.exit_code or CANNOT_RUN)
        return tuple(f"error: {one}" for one in faults)

    def _remove_surplus(self) -> None:
        today = min(self.run.night, night_of(int(time.time()), self.run.timezone))
        kept, spared = self.config.retention, [self.run.night, *self.history.pending()]
        for night in surplus(self.folders.nights(), kept, today=today, spared=spared):
            self.folders.remove(night, self.run.run_id)

    def _stages(self, planning: Mapping[str, float]) -> dict[str, float]:
        """Seconds of all stages: reading, those inside the planning, and what follows."""
        own = {name: round(value, 3) for name, value in self.clock.stages.items()}
        return {"read": own.pop("read", 0.0), **planning, **own}

    def _note(self, notes: Sequence[str]) -> None:
        self._know(notes=(*self.run.notes, *notes))

    def _know(self, **fields: object) -> None:
        self.run = self.run.model_copy(update=fields)


def _now() -> str:
    return datetime.now(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"
