"""The output folder: one folder per night, whole or not at all, and what killed runs left behind."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from models.findings import UsageError
from models.moments import epoch_seconds
from models.nightly.run import NightRun
from planner.nightly.nights import is_night
from planner.nightly.swap import replace_folder, sync_folder

RUN_FILE = "run.json"
LATEST = "latest"
FIRST = "first"
"""Folder in that of a night: what was recommended first, where a later run of the same night planned anew."""
_HIDDEN = re.compile(r"\.(staging|old|trash)-(\d{4}-\d{2}-\d{2})-[0-9a-f]{32}")


@dataclass(frozen=True)
class Night:
    """One finished night: its folder and what its ``run.json`` says."""

    path: Path
    run: NightRun

    @property
    def name(self) -> str:
        """``2026-09-15``."""
        return self.path.name


class NightFolders:
    """The folders of one output folder; whoever changes them holds its lock."""

    def __init__(self, output: Path) -> None:
        self.output = output

    def nights(self) -> list[Night]:
        """Finished nights, oldest first; other folders, whatever their names, are not seen."""
        found = (night_in(path) for path in self.output.iterdir() if is_night(path.name))
        return sorted((one for one in found if one is not None), key=lambda one: one.name)

    def refuse_strangers(self, night: str) -> None:
        """Stop where something that is no night of ours has the night's name.

        Raises
        ------
        UsageError
            It has.
        """
        target = self.output / night
        if (target.exists() or target.is_symlink()) and night_in(target) is None:
            raise UsageError(
                f"{target} exists and is not the folder of a night (it has no {RUN_FILE} of ours); move it away"
            )

    def stage(self, night: str, run_id: str) -> Path:
        """A new hidden folder in which a night is written."""
        path = self._hidden("staging", night, run_id)
        path.mkdir()
        return path

    def keep_first(self, staged: Path, run: NightRun) -> str:
        """Copy what a night recommended first into a staged folder; when that was planned, "" where nothing was.

        A repetition on the same export, or on an older one, corrects the recommendation: it keeps no copy of it.
        """
        before = night_in(self.output / run.night)
        if before is None:
            return ""
        kept = before.path / FIRST
        first = _run_in(kept)
        if first is None and earlier(before.run, run.snapshot.as_of):
            kept, first = before.path, before.run
        if first is None:
            return ""
        shutil.copytree(kept, staged / FIRST, ignore=shutil.ignore_patterns(FIRST))
        return first.snapshot.as_of

    def publish(self, staged: Path, night: str, run_id: str) -> Path:
        """Give a staged folder its name; an earlier run of the same night is replaced and goes."""
        for folder in (staged, *(one for one in staged.rglob("*") if one.is_dir())):
            sync_folder(folder)
        target = self.output / night
        before = replace_folder(staged, target, self._hidden("old", night, run_id))
        sync_folder(self.output)
        if before is not None:
            shutil.rmtree(before, ignore_errors=True)
        self.point_latest()
        return target

    def remove(self, night: Night, run_id: str) -> None:
        """Take a night away: first out of sight in one step, then file by file."""
        hidden = self._hidden("trash", night.name, run_id)
        night.path.rename(hidden)
        shutil.rmtree(hidden, ignore_errors=True)

    def clean(self) -> int:
        """Remove what killed runs left, and put back a night that was moved aside; how many there were."""
        count = 0
        for path, kind, night in list(self._left_over()):
            target = self.output / night
            if kind == "old" and not target.exists():
                path.rename(target)
            else:
                shutil.rmtree(path, ignore_errors=True)
            count += 1
        return count

    def discard(self, staged: Path) -> None:
        """Remove a folder that will not be published."""
        shutil.rmtree(staged, ignore_errors=True)

    def point_latest(self) -> None:
        """Let ``latest`` be the newest night: a symbolic link, or a file with its name where there are no links."""
        nights = self.nights()
        link = self.output / LATEST
        if not nights or (link.exists() and not link.is_symlink() and not link.is_file()):
            return
        fresh = self.output / f".{LATEST}.new"
        fresh.unlink(missing_ok=True)
        try:
            fresh.symlink_to(nights[-1].name, target_is_directory=True)
        except (OSError, NotImplementedError):
            fresh.write_text(f"{nights[-1].name}\n", encoding="utf-8")
        fresh.replace(link)

    def _hidden(self, kind: str, night: str, run_id: str) -> Path:
        return self.output / f".{kind}-{night}-{run_id}"

    def _left_over(self) -> Iterator[tuple[Path, str, str]]:
        for path in self.output.iterdir():
            match = _HIDDEN.fullmatch(path.name)
            if match is not None:
                yield path, match[1], match[2]


def night_in(path: Path) -> Night | None:
    """The finished night in a folder, None where it holds none."""
    run = None if path.is_symlink() else _run_in(path)
    return Night(path, run) if run is not None and run.night == path.name else None


def earlier(run: NightRun, moment: str) -> bool:
    """Whether a run planned on an export that is older than a moment."""
    before, now = epoch_seconds(run.snapshot.as_of), epoch_seconds(moment)
    return before is not None and now is not None and before < now


def _run_in(path: Path) -> NightRun | None:
    try:
        run = NightRun.model_validate_json((path / RUN_FILE).read_bytes())
    except (OSError, ValidationError):
        return None
    return run if run.kind == "NightRun" else None
