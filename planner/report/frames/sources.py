"""Where the data came from, what it lacks, and what of it was not used."""

from __future__ import annotations

import pandas as pd

from models.plan import SnapshotEntry
from models.snapshot import Snapshot
from planner.report.frames.build import frame_of


def sources_frame(snapshot: Snapshot) -> pd.DataFrame:
    """One row per input file: name as given, format, objects taken from it."""
    rows = [
        {"name": one.name, "format": one.format, "objects": one.objects} for one in snapshot.sources
    ]
    return frame_of(rows, {"name": "object", "format": "object", "objects": "Int64"})


def missing_frame(snapshot: SnapshotEntry) -> pd.DataFrame:
    """Kinds that the input does not hold, with what is assumed instead."""
    rows = [{"kind": kind, "assumed": assumed} for kind, assumed in snapshot.missing_kinds.items()]
    return frame_of(rows, {"kind": "object", "assumed": "object"})


def ignored_frame(snapshot: SnapshotEntry) -> pd.DataFrame:
    """Kinds that were read and not used, with their number of objects."""
    rows = [{"kind": kind, "number": count} for kind, count in snapshot.ignored.items()]
    return frame_of(rows, {"kind": "object", "number": "Int64"})
