"""``gangplan convert``: any supported input to one snapshot file."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from models.findings import UsageError
from planner.cli.guard import silence_stdout
from planner.cli.option_groups import SnapshotPaths, TalkOptions
from planner.cli.talk import Talk

if TYPE_CHECKING:
    from models.snapshot import Snapshot

Anonymize = Annotated[
    bool, typer.Option("--anonymize", help="Replace every name; sizes and structure stay.")
]
OutPath = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="PATH",
        help="Write to this file (.gz compresses) instead of standard output.",
        show_default=False,
    ),
]


def convert(
    file: SnapshotPaths,
    talking: TalkOptions,
    anonymize: Anonymize = False,
    out: OutPath = None,
) -> int:
    """Write one snapshot file (JSON) from any supported input."""
    from models.writers.anonymize import anonymize as without_names

    from planner.service.inputs import read_inputs

    talk = Talk(talking)
    snapshot = read_inputs(file)
    talk.findings(snapshot.findings)
    if anonymize:
        snapshot = without_names(snapshot)
    if out is None:
        _to_stdout(snapshot)
    else:
        _to_file(snapshot, out)
        talk.note(f"wrote {out}")
    return 0


def _to_stdout(snapshot: Snapshot) -> None:
    from models.writers.snapshot_json import write_snapshot

    try:
        write_snapshot(snapshot, sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as error:
        silence_stdout()
        raise UsageError(f"cannot write standard output: {error.strerror or error}") from error


def _to_file(snapshot: Snapshot, path: Path) -> None:
    from models.writers.snapshot_json import write_snapshot

    from planner.report.atomic import atomic_text

    if path.suffix != ".gz":
        with atomic_text(path) as stream:
            write_snapshot(snapshot, stream)
        return
    try:
        with gzip.open(path, "wt", encoding="utf-8") as stream:
            write_snapshot(snapshot, stream)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
