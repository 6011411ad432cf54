"""``gangplan plan --clusters``: several clusters side by side, a plan document each and one summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models.findings import UsageError
from planner.cli.engine_options import RayAddress
from planner.cli.interrupt import stop_on_interrupt
from planner.cli.option_groups import (
    SETS_OF_FILES,
    FilterOptions,
    OutputFormat,
    OutputOptions,
    PolicyOptions,
    SearchOptions,
)
from planner.cli.planning_run import limits_of
from planner.cli.progress import progress_sink
from planner.cli.sink import write_data
from planner.cli.talk import Talk

if TYPE_CHECKING:
    from models.plan import PlanResult
    from planner.report.clusters.document import Clusters


@dataclass(frozen=True)
class ClusterOptions:
    """Whether there are several clusters, and who plans them."""

    clusters: Annotated[
        bool,
        typer.Option(
            "--clusters",
            help="Every sub-folder and file of the folder (or every path) is a cluster of its own.",
            show_default=False,
        ),
    ] = False
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            min=1,
            help="Clusters planned at a time (engine local).",
            show_default="cores",
        ),
    ] = None
    engine: Annotated[
        str, typer.Option("--engine", metavar="ENGINE", help="Plans clusters: local or ray.")
    ] = "local"
    ray_address: RayAddress = None

    def refuse_without_clusters(self) -> None:
        """Raise UsageError where only the options of the engine are given."""
        given = [
            flag
            for flag, value in (
                ("--jobs", self.jobs),
                ("--engine", self.engine if self.engine != "local" else None),
                ("--ray-address", self.ray_address),
            )
            if value is not None
        ]
        if given:
            raise UsageError(f"{given[0]} needs --clusters")


@dataclass(frozen=True)
class ClustersRun:
    """Inputs of a run over several clusters."""

    paths: Sequence[str]
    policy: PolicyOptions
    search: SearchOptions
    shown: FilterOptions
    output: OutputOptions
    options: ClusterOptions
    talk: Talk
    previous: Path | None = None
    effort_s: float | None = None

    def run(self) -> int:
        """Plan, write, and say which clusters have no plan; the exit code is the highest of theirs.

        Raises
        ------
        UsageError
            Options that do not suit several clusters, or no cluster at all.
        KeyboardInterrupt
            Ctrl-C came before any plan.
        """
        self._refuse()
        result = self._planned()
        for one in result.clusters:
            if one.error:
                self.talk.error(f"{one.name}: {one.error}")
        self._write(result)
        return max((one.exit_code for one in result.clusters), default=0)

    def _refuse(self) -> None:
        if self.search.require:
            raise UsageError("--require is about one plan: use it without --clusters")
        if self.shown.namespace or self.shown.queue:
            raise UsageError("-n and -q are about one plan: use them without --clusters")
        if self.previous is not None and not self.previous.is_dir():
            raise UsageError(
                f"{self.previous} is no folder: with --clusters --previous wants one with NAME.json per cluster"
            )
        if (
            self.output.out is not None
            and self.output.out.exists()
            and not self.output.out.is_dir()
        ):
            raise UsageError(
                f"{self.output.out} is no folder: --clusters writes one plan per cluster"
            )

    def _planned(self) -> Clusters:
        from planner.execute.engines import executor_named
        from planner.runtime.machine import usable_cores
        from planner.usecases.clusters.find import clusters_of
        from planner.usecases.clusters.run import ClusterJobs, plan_clusters

        wanted = clusters_of(self.paths)
        executor = executor_named(
            self.options.engine,
            workers=self.options.jobs or usable_cores(),
            ray_address=self.options.ray_address,
        )
        shared = ClusterJobs(
            limits=limits_of(self.search),
            policy_file=self.policy.policy,
            assignments=tuple(self.policy.set_policy or ()),
            allow_incomplete=self.policy.allow_incomplete,
            previous=self.previous,
            effort_s=self.effort_s,
        )

        def say() -> None:
            self.talk.note("stopping after the clusters in work; Ctrl-C again ends at once")

        with progress_sink(self.talk) as sink, stop_on_interrupt(say) as interruption:
            result = plan_clusters(
                wanted,
                shared,
                executor,
                keep=self._keep(),
                on_progress=sink,
                stopped=interruption.stop.is_set,
            )
        if interruption.interrupted and not result.clusters:
            raise KeyboardInterrupt
        return result

    def _keep(self) -> Callable[[str, PlanResult], str]:
        """Writes the plan document of a cluster, and its report in the form that was asked for, below ``--out``."""
        folder = self.output.out
        if folder is None:
            return lambda name, plan: ""

        def keep(name: str, plan: PlanResult) -> str:
            from planner.report.formats import format_named
            from planner.report.plan_report import plan_report

            folder.mkdir(parents=True, exist_ok=True)
            report, form = plan_report(plan), self.output.output
            options = replace(self.output, output=OutputFormat.JSON, out=folder / f"{name}.json")
            write_data(report, options, self.talk)
            if form in SETS_OF_FILES:
                write_data(report, replace(self.output, out=folder / name), self.talk)
            elif form not in (OutputFormat.JSON, OutputFormat.TABLE, OutputFormat.WIDE):
                suffix = format_named(form.value).suffix
                write_data(report, replace(self.output, out=folder / f"{name}{suffix}"), self.talk)
            return f"{name}.json"

        return keep

    def _write(self, result: Clusters) -> None:
        """The summary: ``clusters.*`` below ``--out``; tables always on standard output."""
        from planner.report.clusters.report import clusters_report

        report, out = clusters_report(result), self.output.out
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            tables = self.output.output in (OutputFormat.TABLE, OutputFormat.WIDE)
            form = OutputFormat.JSON if tables else self.output.output
            write_data(report, replace(self.output, output=form), self.talk)
            if not tables:
                return
        write_data(report, replace(self.output, out=None), self.talk)
