"""The options that verbs share, in groups; one place for names, short forms and help texts."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from models.findings import UsageError
from planner.cli.values import parse_duration, parse_gap

SNAPSHOT_HELP = (
    "A running cluster (cluster: for kubectl's current context, or cluster:NAME), kubectl JSON or YAML, a directory "
    "of such files, a snapshot file, or - for standard input; .gz of each. Several are merged."
)


class OutputFormat(StrEnum):
    """How data is written."""

    TABLE = "table"
    WIDE = "wide"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"
    PARQUET = "parquet"
    MARKDOWN = "md"
    HTML = "html"


FORMS = ", ".join(OutputFormat)
SETS_OF_FILES = (OutputFormat.CSV, OutputFormat.PARQUET)

SnapshotPaths = Annotated[
    list[str], typer.Argument(metavar="SNAPSHOT", help=SNAPSHOT_HELP, show_default=False)
]


@dataclass(frozen=True)
class TalkOptions:
    """What is said on standard error, and how."""

    quiet: Annotated[
        bool, typer.Option("--quiet", help="Only errors on standard error.", show_default=False)
    ] = False
    verbose: Annotated[
        int,
        typer.Option(
            "-v", "--verbose", count=True, help="Say more; twice for debugging.", show_default=False
        ),
    ] = 0
    no_color: Annotated[
        bool,
        typer.Option("--no-color", help="No colours (as with NO_COLOR).", show_default=False),
    ] = False


@dataclass(frozen=True)
class OutputOptions:
    """Where the data goes and in which form."""

    output: Annotated[
        OutputFormat,
        typer.Option("-o", "--output", metavar="FORM", help=f"Form of the data: {FORMS}."),
    ] = OutputFormat.TABLE
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="PATH",
            help="Write the data to this file (csv, parquet: to this folder) instead of standard output.",
            show_default=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse before a long search what could not be written after it.

        Raises
        ------
        UsageError
            A form of several files without a folder to hold them, or without the library that writes it.
        """
        if self.output not in SETS_OF_FILES:
            return
        if self.out is None or (self.out.exists() and not self.out.is_dir()):
            wrong = "name a folder with --out" if self.out is None else f"{self.out} is no folder"
            raise UsageError(f"-o {self.output} writes several files: {wrong}, e.g. --out tables")
        if self.output is OutputFormat.PARQUET and importlib.util.find_spec("pyarrow") is None:
            raise UsageError(
                "-o parquet needs pyarrow: install it with `pip install 'gangplan[parquet]'`"
            )


@dataclass(frozen=True)
class FilterOptions:
    """Which gangs and queues are shown; what is planned stays the whole cluster."""

    namespace: Annotated[
        list[str] | None,
        typer.Option(
            "-n",
            "--namespace",
            metavar="NAME",
            help="Show gangs of this namespace only. May be repeated.",
            show_default=False,
        ),
    ] = None
    queue: Annotated[
        list[str] | None,
        typer.Option(
            "-q",
            "--queue",
            metavar="NAME",
            help="Show this queue and its gangs only. May be repeated.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class PolicyOptions:
    """The policy, and how much the input is trusted."""

    policy: Annotated[
        Path | None,
        typer.Option("--policy", metavar="FILE", help="Policy file (YAML).", show_default=False),
    ] = None
    set_policy: Annotated[
        list[str] | None,
        typer.Option(
            "--set-policy",
            metavar="KEY=VALUE",
            help="One policy key, before the file; the value is YAML. May be repeated.",
            show_default=False,
        ),
    ] = None
    allow_incomplete: Annotated[
        bool,
        typer.Option(
            "--allow-incomplete",
            help="Accept an export in which some objects are missing.",
            show_default=False,
        ),
    ] = False


@dataclass(frozen=True)
class SearchOptions:
    """How long and how precisely to search, and what the result must reach."""

    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            parser=parse_duration,
            metavar="DURATION",
            help="Limit of the search, like 90s or 2h30m.",
            show_default="60s",
        ),
    ] = 60.0
    gap: Annotated[
        float,
        typer.Option(
            "--gap",
            parser=parse_gap,
            metavar="PERCENT",
            help="Relative gap that is good enough, like 0.1%.",
            show_default="0",
        ),
    ] = 0.0
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, max=2**31 - 1, help="Solver seed.")
    ] = 0
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="Solver threads.",
            show_default="cores; 1 with --deterministic",
        ),
    ] = None
    deterministic: Annotated[
        bool,
        typer.Option(
            "--deterministic",
            help="Same input and seed, same document; limits count work, not seconds.",
            show_default=False,
        ),
    ] = False
    require: Annotated[
        list[str] | None,
        typer.Option(
            "--require",
            metavar="EXPR",
            help="Exit with 7 unless it holds, like gpusAfter>=400. May be repeated.",
            show_default=False,
        ),
    ] = None
