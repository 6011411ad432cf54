"""Readers: any supported input to one snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from models.readers.snapshot_reader import SnapshotPath
    from models.snapshot import Snapshot


def read_snapshot(paths: Sequence[SnapshotPath], *, stdin: BinaryIO | None = None) -> Snapshot:
    """Read files, folders and standard input; see :func:`models.readers.snapshot_reader.read_snapshot`."""
    from models.readers import snapshot_reader

    return snapshot_reader.read_snapshot(paths, stdin=stdin)


__all__ = ["read_snapshot"]
