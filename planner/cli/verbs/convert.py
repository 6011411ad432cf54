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
PolicyPath = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        metavar="FILE",
        help="Policy file: the measured use that it asks for (use.prometheus) is written too.",
        show_default=False,
    ),
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
    policy: PolicyPath = None,
    out: OutPath = None,
) -> int:
    """Write one snapshot file (JSON) from any supported input."""
    from models.writers.snapshot_json import snapshot_to_json
    from planner.report.atomic import atomic_bytes
    from planner.usecases.inputs.inputs import read_inputs
    from planner.usecases.inputs.measured import with_use
    from planner.usecases.inputs.policies import read_policy

    talk = Talk(talking)
    known = read_policy(policy) if policy is not None else None
    snapshot = read_inputs(file)
    if known is not None:
        snapshot = with_use(snapshot, known)
    talk.findings(snapshot.findings)
    data = snapshot_to_json(_without_names(snapshot) if anonymize else snapshot)
    if out is None:
        _to_stdout(data)
    else:
        with atomic_bytes(out) as stream:
            stream.write(gzip.compress(data) if out.suffix == ".gz" else data)
        talk.note(f"wrote {out}")
    return 0


def _without_names(snapshot: Snapshot) -> Snapshot:
    from models.writers.anonymize import anonymize

    return anonymize(snapshot)


def _to_stdout(data: bytes) -> None:
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as error:
        silence_stdout()
        raise UsageError(f"cannot write standard output: {error.strerror or error}") from error
