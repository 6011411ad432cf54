"""Which clusters a command means: one per path, or one per entry of a folder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models.findings import UsageError
from planner.usecases.inputs.inputs import CLUSTER, is_cluster

SUFFIXES = (".gz", ".json", ".yaml", ".yml")
SUMMARY = "clusters"
"""Name of the files with the summary."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster to be planned by itself: its name in files, and where its snapshot is."""

    name: str
    path: str


def clusters_of(paths: Sequence[str]) -> tuple[Cluster, ...]:
    """Clusters in the order of their names.

    A single folder holds one cluster per sub-folder and snapshot file (hidden ones aside); several paths are one
    cluster each.

    Raises
    ------
    UsageError
        Standard input, a folder without entries, or two clusters of one name.
    """
    if "-" in paths:
        raise UsageError("--clusters reads folders and files, not standard input")
    running = [Cluster(_context_name(path), path) for path in paths if is_cluster(path)]
    entries = [Path(path) for path in paths if not is_cluster(path)]
    if len(paths) == len(entries) == 1 and entries[0].is_dir():
        folder = entries[0]
        entries = [one for one in folder.iterdir() if _is_snapshot(one)]
        if not entries:
            raise UsageError(
                f"{folder} has neither a sub-folder nor a snapshot file (.json, .yaml, .yml, .gz of each): "
                "--clusters wants one per cluster"
            )
    found = sorted(
        [*running, *(Cluster(_name(one), str(one)) for one in entries)], key=lambda one: one.name
    )
    twice = [name for name, count in Counter(one.name for one in found).items() if count > 1]
    if twice:
        raise UsageError(
            f"two clusters are called {twice[0]!r}; rename one of the folders or files"
        )
    if any(one.name == SUMMARY for one in found):
        raise UsageError(
            f"a cluster may not be called {SUMMARY!r}: that is the file of the summary"
        )
    return tuple(found)


def _is_snapshot(path: Path) -> bool:
    if path.name.startswith("."):
        return False
    return path.is_dir() or path.suffix in SUFFIXES


def _context_name(path: str) -> str:
    """The context as part of a file name; managed clusters have slashes and colons in theirs."""
    context = path.removeprefix(CLUSTER) or "current"
    return re.sub(r"[^A-Za-z0-9._@-]", "-", context)


def _name(path: Path) -> str:
    """The name without the suffixes of snapshot files."""
    name = path.resolve().name if path.name in ("", ".", "..") else path.name
    if path.is_dir():
        return name
    for suffix in SUFFIXES:
        name = name.removesuffix(suffix)
    return name
