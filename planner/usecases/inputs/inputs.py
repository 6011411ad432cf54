"""Reading the snapshot of a run, with every way in which input can be unreadable."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from models.findings import Finding, InputError, PlannerError
from models.readers.input_files import MemoryFile
from models.snapshot import Snapshot
from planner.samples import named_sample, sample_path

if TYPE_CHECKING:
    from models.readers.snapshot_reader import SnapshotPath

CLUSTER: Final = "cluster:"
log = logging.getLogger(__name__)


def read_inputs(
    paths: Sequence[str | Path | MemoryFile], *, stdin: BinaryIO | None = None
) -> Snapshot:
    """Read and merge files, folders and standard input (``-``, by default the process's) into one snapshot.

    ``sample:NAME`` is a sample that ships with the product, ``cluster:CONTEXT`` (``cluster:`` the current one) a
    running cluster, unless a file has this name.

    Raises
    ------
    InputError
        Something cannot be read.
    UsageError
        There is no such sample, or the extra ``live`` is not installed.
    """
    from models.readers import read_snapshot

    paths = [snapshot_path(path) for path in paths]

    if stdin is None and sys.stdin is not None:
        stdin = sys.stdin.buffer
    try:
        return read_snapshot([_opened(path) for path in paths], stdin=stdin)
    except (PlannerError, MemoryError):
        raise
    except Exception as error:
        log.debug("reader failed", exc_info=True)
        raise _unreadable(paths, error) from error


def snapshot_path(path: str | Path | MemoryFile) -> str | Path | MemoryFile:
    """The file behind ``sample:NAME``; everything else stays as it is.

    Raises
    ------
    UsageError
        There is no such sample.
    """
    name = named_sample(path) if isinstance(path, str) else ""
    return sample_path(name) if name else path


def is_cluster(path: object) -> bool:
    """Whether a snapshot is a running cluster: ``cluster:CONTEXT``, and no file has this name."""
    return isinstance(path, str) and path.startswith(CLUSTER) and not Path(path).exists()


def _opened(path: str | Path | MemoryFile) -> SnapshotPath:
    if not isinstance(path, str) or not is_cluster(path):
        return path
    from planner.live.api_server import ApiServer
    from planner.live.cluster import LiveCluster

    return LiveCluster(path, ApiServer(path.removeprefix(CLUSTER)))


def _unreadable(paths: Sequence[str | Path | MemoryFile], error: Exception) -> InputError:
    names = ", ".join(path.name if isinstance(path, MemoryFile) else str(path) for path in paths)
    if isinstance(error, OSError):
        what = error.strerror or str(error)
    elif isinstance(error, RecursionError):
        what = "it is nested too deeply"
    else:
        what = f"{type(error).__name__}: {str(error)[:200]}"
    finding = Finding(
        "unreadable",
        "error",
        names,
        f"cannot be read: {what}",
        "export it again with `kubectl get … -o json`",
    )
    return InputError(f"{names}: cannot be read: {what}", (finding,))
