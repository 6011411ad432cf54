"""Dated folders into a history: nights that a locked or absent database missed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from models.findings import Finding, InputError
from models.history.night import PastNight
from models.snapshot import Snapshot
from planner.history.store import History
from planner.nightly.folders import RUN_FILE, Night, night_in
from planner.nightly.nights import is_night
from planner.nightly.writers import PLAN_FILE, SNAPSHOT_FILE
from planner.usecases.inputs.inputs import read_inputs
from planner.usecases.inputs.plan_documents import read_plan


def import_nights(history: History, folders: Sequence[Path]) -> tuple[PastNight, ...]:
    """Record every night of the folders: dated folders, or output folders that hold some; oldest first.

    Raises
    ------
    InputError
        A folder holds no night, or one of its files cannot be read; nights before it are recorded.
    HistoryError
        The database fails.
    """
    nights = {one.path.resolve(): one for folder in folders for one in nights_of(folder)}
    return tuple(
        record_night(history, night) for night in sorted(nights.values(), key=lambda one: one.name)
    )


def record_night(history: History, night: Night) -> PastNight:
    """Record what a dated folder holds; without its snapshot the night shows nothing of gangs that ran."""
    return history.record(night.run, read_plan(night.path / PLAN_FILE), _snapshot(night))


def _snapshot(night: Night) -> Snapshot | None:
    path = night.path / SNAPSHOT_FILE
    return read_inputs([path]) if path.exists() else None


def nights_of(folder: Path) -> Iterator[Night]:
    """The night in a folder, else all nights in the folders below it.

    Raises
    ------
    InputError
        There is none.
    """
    resolved = folder.resolve()  # `latest` is a link to a night
    own = night_in(resolved)
    if own is not None:
        yield own
        return
    found = [night_in(path) for path in _below(resolved) if is_night(path.name)]
    nights = [one for one in found if one is not None]
    if not nights:
        what = f"holds no night: neither {RUN_FILE} of ours nor dated folders with one"
        remedy = "give a dated folder that `gangplan nightly` wrote, or its output folder"
        finding = Finding("history_no_folder", "error", str(folder), what, remedy)
        raise InputError(f"{folder} {what}", [finding])
    yield from nights


def _below(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
