"""Writing a night into its staged folder: every writer, every file on disk, every digest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from models.findings import PlannerError
from models.nightly.run import NightFile, NightRun
from planner.nightly.folders import RUN_FILE
from planner.nightly.outcome import NightOutcome, Writer
from planner.report.atomic import atomic_text

_CHUNK = 1 << 20


class OutputError(PlannerError):
    """The output folder cannot be written."""


@contextmanager
def told(place: Path) -> Iterator[None]:
    """Turn errors of the operating system into one message that says which place and why."""
    try:
        yield
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else place
        raise OutputError(
            f"cannot write {where}: {error.strerror or error}; the nights before are untouched"
        ) from error


def write_night(
    night: NightOutcome, folder: Path, writers: Sequence[Writer]
) -> tuple[NightFile, ...]:
    """Let every writer write below ``folder``; what is there then, on disk and with digests.

    Raises
    ------
    OSError, UsageError
        The folder cannot be written.
    """
    for write in writers:
        write(night, folder)
    return tuple(_settled(path, folder) for path in sorted(folder.rglob("*")) if path.is_file())


def _settled(path: Path, folder: Path) -> NightFile:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
        size = stream.tell()
        os.fsync(stream.fileno())
    return NightFile(
        path=path.relative_to(folder).as_posix(), size_bytes=size, sha256=digest.hexdigest()
    )


def write_run(run: NightRun, folder: Path) -> None:
    """``run.json``, the last file of a night."""
    write_document(run, folder / RUN_FILE)


def write_document(run: NightRun, path: Path) -> None:
    """A run as JSON, whole or not at all."""
    with atomic_text(path) as stream:
        stream.write(f"{run.model_dump_json(by_alias=True, indent=2)}\n")
        stream.flush()
        os.fsync(stream.fileno())
