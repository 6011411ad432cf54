"""``gangplan nightly``: the unattended run that leaves one dated folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.early_signals import SIGNALS, ending_on_signals
from planner.cli.interrupt import stop_on_interrupt
from planner.cli.option_groups import (
    FORMS,
    OutputFormat,
    OutputOptions,
    PolicyOptions,
    SearchOptions,
    TalkOptions,
)
from planner.cli.planning_run import limits_of, requirements_of
from planner.cli.progress import progress_sink
from planner.cli.sink import write_data
from planner.cli.talk import Talk

if TYPE_CHECKING:
    from planner.nightly.run import NightEnd
    from planner.problem.progress import Progress


ConfigFile = Annotated[
    Path,
    typer.Option(
        "--config",
        metavar="FILE",
        help="What to read and where to write (nightly.yaml).",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class NightOptions:
    """What is told of the run."""

    fail_on_change: Annotated[
        bool,
        typer.Option("--fail-on-change", help="Exit with 1 if the plan differs from the last one."),
    ] = False
    output: Annotated[
        OutputFormat | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FORM",
            help=f"Also write what run.json tells as data: {FORMS}.",
            show_default=False,
        ),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="PATH",
            help="Write that data to this file (csv, parquet: to this folder) instead of standard output.",
            show_default=False,
        ),
    ] = None


def nightly(
    config: ConfigFile,
    night: NightOptions,
    policy: PolicyOptions,
    search: SearchOptions,
    talking: TalkOptions,
) -> int:
    """Read, schedule, report: one dated folder, one line on standard error, an exit code; made for cron."""
    with ending_on_signals():
        from planner.nightly.config_file import read_config
        from planner.nightly.run import NightlyOptions, run_night

    talk = Talk(talking)
    shown = OutputOptions(night.output or OutputFormat.TABLE, night.out)
    options = NightlyOptions(
        limits=limits_of(search),
        policy_file=policy.policy,
        assignments=policy.set_policy or (),
        allow_incomplete=policy.allow_incomplete,
        requirements=requirements_of(search),
        fail_on_change=night.fail_on_change,
    )
    given = read_config(config)

    searching = False

    def say() -> None:
        if searching:  # else there is nothing to keep, and the one message tells that
            talk.note("stopping with the best schedule so far; a second signal ends at once")

    with progress_sink(_unattended(talk)) as sink, stop_on_interrupt(say, SIGNALS) as interruption:

        def follow(event: Progress) -> None:
            nonlocal searching
            searching = searching or event.stage == "solve"
            sink(event)

        end = run_night(given, options, on_progress=follow, stop=interruption.stop)
    _tell(end, talk)
    if night.output is not None or night.out is not None:
        from planner.report.night_run_report import night_run_report

        write_data(night_run_report(end.run), shown, talk)
    return end.run.exit_code


def _unattended(talk: Talk) -> Talk:
    """Nobody watches a log: progress is for terminals and for ``-v``."""
    if talk.verbose or talk.console.is_terminal:
        return talk
    return Talk(TalkOptions(quiet=True, no_color=talk.no_color))


def _tell(end: NightEnd, talk: Talk) -> None:
    """One line, after what is wrong; findings are in the report and shown with ``-v`` only."""
    from planner.report.night_run_report import summary_line

    if talk.verbose:
        talk.findings(end.findings)
    for fault in end.faults:
        talk.error(fault)
    if talk.verbose:
        for note in end.run.notes:
            talk.note(note)
    talk.note(summary_line(end.run, end.folder))
