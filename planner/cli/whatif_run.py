"""One run of ``gangplan whatif``: read everything, plan the base, then what varies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from models.findings import NoPlanInTimeError, UsageError, VerificationError
from planner.cli.exit_codes import REQUIREMENT_MISSED
from planner.cli.interrupt import Interruption, stop_on_interrupt
from planner.cli.option_groups import FilterOptions, PolicyOptions, SearchOptions
from planner.cli.planning_run import limits_of, read_input, requirements_of, save_withheld
from planner.cli.progress import progress_sink
from planner.cli.talk import Talk
from planner.cli.whatif_options import EditOptions, RunOptions
from planner.problem.progress import Progress, ProgressSink

if TYPE_CHECKING:
    from models.edits.scenario import Scenario
    from models.edits.sweep import Sweep
    from planner.execute.jobs import Executor
    from planner.report.tables import Report
    from planner.usecases.inputs.checked_input import CheckedInput
    from planner.usecases.requirements import Requirement
    from planner.usecases.whatif.base import Base, Planned
    from planner.usecases.whatif.timed import OverTime

NOTHING = (
    "say what varies: --scenario FILE, --add, --remove, --drain, --fail, --set, --multiply, --scale, --pin, "
    "--forbid, --sweep FILE or --marginal"
)


@dataclass(frozen=True)
class WhatIfRun:
    """Inputs of one run."""

    paths: Sequence[str | Path]
    edits: EditOptions
    running: RunOptions
    policy: PolicyOptions
    search: SearchOptions
    talk: Talk

    def scenarios(self, shown: FilterOptions) -> tuple[Report, int]:
        """Base and scenarios side by side, and the exit code."""
        from planner.report.whatif.report import what_if_report
        from planner.report.whatif.selection import select_what_if
        from planner.usecases.whatif.files import keep_files
        from planner.usecases.whatif.marginal import marginal_values
        from planner.usecases.whatif.scenarios import (
            document_of,
            plan_scenarios,
            prepare_scenarios,
        )

        wanted = self._wanted()
        requirements = requirements_of(self.search)
        self._check_running()
        with self._planning() as (sink, given, interruption):
            over_time = self._over_time(given)
            prepared = prepare_scenarios(given.snapshot, given.policy, wanted, over_time)
            base = self._base(given, sink, interruption, over_time)
            planned = plan_scenarios(base, prepared, on_progress=sink, stop=interruption.stop)
            marginal = (
                marginal_values(
                    base, self._executor(), on_progress=sink, stopped=interruption.stop.is_set
                )
                if self.edits.marginal
                else ()
            )
        if self.running.keep is not None:
            for path in keep_files(planned, self.running.keep):
                self.talk.note(f"wrote {path}")
        self._bundles(planned)
        document = select_what_if(
            document_of(base, planned, marginal),
            namespaces=tuple(shown.namespace or ()),
            queues=tuple(shown.queue or ()),
        )
        return what_if_report(document), self._code(planned, requirements)

    def sweep(self) -> tuple[Report, int]:
        """All points of the grid, and the exit code."""
        from planner.report.whatif.sweep_report import sweep_report
        from planner.usecases.whatif.files import read_sweep
        from planner.usecases.whatif.sweep import check_sweep, run_sweep

        sweep = read_sweep(self._sweep_file())
        requirements = requirements_of(self.search)
        if requirements:
            raise UsageError("--require applies to scenarios, not to the points of a sweep")
        executor = self._executor()
        with self._planning() as (sink, given, interruption):
            over_time = self._over_time(given)
            check_sweep(given.snapshot, given.policy, sweep, over_time)
            base = self._base(given, sink, interruption, over_time)
            result = run_sweep(
                base,
                sweep,
                executor,
                journal=self._journal(sweep),
                on_progress=sink,
                stopped=interruption.stop.is_set,
            )
        if interruption.interrupted and not result.rows:
            raise KeyboardInterrupt
        return sweep_report(result), 0

    def _check_running(self) -> None:
        """Options that scenarios do not use are slips; wrong ones are told before anything is planned."""
        running = self.running
        if running.journal is not None:
            raise UsageError("--journal needs --sweep FILE: scenarios keep none")
        if not self.edits.marginal and (running.engine != "local" or running.ray_address):
            raise UsageError("--engine and --ray-address need --sweep FILE or --marginal")
        if running.keep is not None and running.keep.exists() and not running.keep.is_dir():
            raise UsageError(f"--keep {running.keep}: is a file; name a folder")

    def _sweep_file(self) -> Path:
        edits = self.edits
        if edits.sweep is None:
            raise UsageError(NOTHING)
        if edits.scenario or self._flags() or edits.marginal or edits.save:
            raise UsageError(
                "--sweep stands alone: write common edits into its file, below 'scenario'"
            )
        return edits.sweep

    def _wanted(self) -> tuple[Scenario, ...]:
        """Scenarios of the files, then that of the short forms."""
        from planner.usecases.whatif.files import (
            read_scenario,
            scenario_of_flags,
            write_scenario,
        )

        found = [read_scenario(path) for path in self.edits.scenario or ()]
        flags = self._flags()
        if flags:
            made = scenario_of_flags(flags, name=self.edits.name)
            found.append(made)
            if self.edits.save is not None:
                write_scenario(made, self.edits.save)
                self.talk.note(f"wrote {self.edits.save}")
        elif self.edits.save is not None:
            raise UsageError("--save keeps the short forms (--add, --set …); there are none")
        if not found and not self.edits.marginal:
            raise UsageError(NOTHING)
        return tuple(found)

    def _flags(self) -> list[tuple[str, str, str]]:
        """The short forms as (flag as typed, key, value)."""
        edits = self.edits
        found: list[tuple[str, str, str]] = []
        for flag, family, texts in (
            ("--add", "add", edits.add),
            ("--set", "", edits.set_),
            ("--multiply", "multiply", edits.multiply),
            ("--scale", "scale", edits.scale),
        ):
            for text in texts or ():
                key, equals, value = text.partition("=") if not family else text.rpartition("=")
                if not equals or not key.strip():
                    raise UsageError(f"{flag} {text!r}: write it as KEY=VALUE")
                name = f"{family}/{key.strip()}" if family else key.strip()
                if flag == "--set" and any(name == other for _, other, _ in found):
                    raise UsageError(f"--set {name} is given twice")
                found.append((f"{flag} {text}", name, value.strip()))
        for flag, texts in (("remove", edits.remove), ("drain", edits.drain), ("fail", edits.fail)):
            if any(not text.strip() for text in texts or ()):
                raise UsageError(f"--{flag} names no nodes")
            found += [(f"--{flag} {text}", flag, text.strip()) for text in texts or ()]
        for flag, texts in (("pin", edits.pin), ("forbid", edits.forbid)):
            for text in texts or ():
                gang, equals, nodes = text.partition("=")
                if not equals or not gang.strip() or not nodes.strip():
                    raise UsageError(f"--{flag} {text!r}: write it as GANG=NODES")
                found.append((f"--{flag} {text}", f"{flag}/{gang.strip()}", nodes.strip()))
        return found

    @contextmanager
    def _planning(self) -> Iterator[tuple[ProgressSink, CheckedInput, Interruption]]:
        """Input, progress and Ctrl-C."""
        with progress_sink(self.talk) as sink:
            sink(Progress("read", 0.0))
            given = read_input(self.paths, self.policy)
            if not self.policy.allow_incomplete:
                given.refuse_incomplete()
            self.talk.findings(given.findings)
            with stop_on_interrupt(self._say_stop) as interruption:
                yield sink, given, interruption

    def _say_stop(self) -> None:
        self.talk.note("stopping with what is done; Ctrl-C again ends at once")

    def _over_time(self, given: CheckedInput) -> OverTime | None:
        """What makes the plans schedules; None without ``--demand``."""
        running = self.running
        if not running.demand:
            if running.horizon is not None or running.bucket is not None:
                raise UsageError("--horizon and --bucket need --demand FILE")
            return None
        if self.edits.marginal:
            raise UsageError("--marginal prices plans for now; leave --demand out")
        if running.bucket is not None and running.bucket < 60:
            raise UsageError("--bucket is below a minute; give a time like 15m")
        from planner.usecases.inputs.demand_files import read_demand, with_services
        from planner.usecases.whatif.timed import DAY_S, OverTime

        horizon = int(running.horizon or DAY_S)
        if horizon < max(60, int(running.bucket or 0)):
            raise UsageError("--horizon is shorter than a minute or than --bucket")
        bucket = None if running.bucket is None else int(running.bucket)
        samples = with_services(read_demand(running.demand), given.policy.policy)
        return OverTime(samples, horizon, bucket)

    def _base(
        self,
        given: CheckedInput,
        sink: ProgressSink,
        interruption: Interruption,
        over_time: OverTime | None,
    ) -> Base:
        from planner.usecases.whatif.base import Base, read_base_plan

        path = self.running.base
        plan = read_base_plan(path, given) if path is not None else None
        if plan is not None and (plan.schedule is None) is not (over_time is None):
            raise UsageError("--base is a plan for now beside --demand, or a schedule without it")
        try:
            return Base.of(
                given,
                limits_of(self.search),
                plan=plan,
                effort_s=self.running.effort,
                on_progress=sink,
                stop=interruption.stop,
                over_time=over_time,
            )
        except VerificationError as error:
            save_withheld(self.talk, given, error, "plan")
            raise
        except NoPlanInTimeError:
            if interruption.interrupted:
                raise KeyboardInterrupt from None
            raise

    def _executor(self) -> Executor:
        from planner.execute.engines import executor_named
        from planner.runtime.machine import usable_cores

        jobs = self.running.jobs or usable_cores()
        return executor_named(
            self.running.engine, workers=jobs, ray_address=self.running.ray_address
        )

    def _journal(self, sweep: Sweep) -> Path:
        stem = Path(sweep.source).stem or "sweep"
        return self.running.journal or Path(f"{stem}.journal.jsonl")

    def _bundles(self, planned: Sequence[Planned]) -> None:
        from planner.usecases.inputs.checked_input import CheckedInput

        for one in planned:
            if isinstance(one.failure, VerificationError):
                varied = CheckedInput(one.situation.snapshot, one.situation.policy, ())
                save_withheld(self.talk, varied, one.failure, "plan")

    def _code(self, planned: Sequence[Planned], requirements: Sequence[Requirement]) -> int:
        """The worst of: a scenario without a plan, a requirement that one misses, 0."""
        from planner.usecases.requirements import missed_requirements

        missed = False
        for one in planned:
            if one.outcome.error:
                self.talk.error(f"{one.scenario.name}: {one.outcome.error}")
            if one.plan is not None:
                for sentence in missed_requirements(requirements, one.plan.summary):
                    missed = True
                    self.talk.error(f"{one.scenario.name}: {sentence}")
        worst = max((one.code for one in planned), default=0)
        return worst or (REQUIREMENT_MISSED if missed else 0)
