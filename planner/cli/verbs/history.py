"""``gangplan history``: past nights, what they recommended, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.cli.history_run import HistoryRun, chosen_database
from planner.cli.option_groups import FilterOptions, OutputOptions, TalkOptions
from planner.cli.sink import write_data
from planner.cli.talk import Talk

if TYPE_CHECKING:
    from planner.report.tables import Report


@dataclass(frozen=True)
class HistoryOptions:
    """Which history, and what of it."""

    database: Annotated[
        str | None,
        typer.Option(
            "--database",
            metavar="URL",
            envvar="GANGPLAN_HISTORY",
            help="SQLite file, or URL of a database (postgresql://USER@HOST/NAME).",
            show_default=False,
            show_envvar=True,
        ),
    ] = None
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="Take the database that this nightly.yaml names.",
            show_default="nightly.yaml, if it is here",
        ),
    ] = None
    night: Annotated[
        str | None,
        typer.Option(
            "--night",
            metavar="DATE",
            help="Show one night (2026-09-15, or last).",
            show_default=False,
        ),
    ] = None
    actual: Annotated[
        bool,
        typer.Option(
            "--actual", help="Of that night: only planned against actual.", show_default=False
        ),
    ] = False
    plan: Annotated[
        bool,
        typer.Option("--plan", help="Of that night: its plan document.", show_default=False),
    ] = False
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--compare", metavar="DATE DATE", help="Compare two nights.", show_default=False
        ),
    ] = None
    gang: Annotated[
        list[str] | None,
        typer.Option(
            "--gang",
            metavar="NS/NAME",
            help="Follow this gang over the nights; -n and -q follow all of theirs. May be repeated.",
            show_default=False,
        ),
    ] = None
    last: Annotated[
        int | None,
        typer.Option(
            "--last", min=1, metavar="N", help="Only the last N nights.", show_default="all"
        ),
    ] = None
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="From this night on.", show_default=False),
    ] = None
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="DATE", help="Up to this night.", show_default=False),
    ] = None
    bring_in: Annotated[
        list[Path] | None,
        typer.Option(
            "--import",
            metavar="FOLDER",
            help="Bring in the nights of this folder (dated, or the output folder). May be repeated.",
            show_default=False,
        ),
    ] = None


def history(
    wanted: HistoryOptions, shown: FilterOptions, output: OutputOptions, talking: TalkOptions
) -> int:
    """Past nights: list, show, compare, planned against actual, gangs over the nights."""
    talk = Talk(talking)
    run = HistoryRun(wanted, tuple(shown.namespace or ()), tuple(shown.queue or ()))
    run.check()
    from planner.history.opening import open_history

    with open_history(chosen_database(wanted), create=bool(wanted.bring_in)) as opened:
        report: Report = run.report(opened)
    write_data(report, output, talk)
    return 0
