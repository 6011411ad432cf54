"""What must hold of an output folder at every moment, whatever happened to the runs that wrote it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from models.plan import PlanResult
from planner.nightly.folders import LATEST, NightFolders, night_in
from planner.nightly.nights import is_night


def broken_nights(output: Path) -> list[str]:
    """Faults of the folders that a user sees: nights that are not whole, a link that leads nowhere."""
    found = []
    for path in sorted(one for one in output.iterdir() if is_night(one.name)):
        night = night_in(path)
        if night is None:
            found.append(f"{path.name} has no run.json of its night")
            continue
        for one in night.run.files:
            file = path / one.path
            if not file.is_file():
                found.append(f"{path.name} lacks {one.path}")
            elif hashlib.sha256(file.read_bytes()).hexdigest() != one.sha256:
                found.append(f"{path.name}/{one.path} is not what run.json says")
        if not found:
            PlanResult.model_validate_json((path / "plan.json").read_bytes())
    link = output / LATEST
    if link.is_symlink() and night_in(output / link.readlink()) is None:
        found.append(f"latest leads to {link.readlink()}, which is no night")
    return found


def left_over(output: Path) -> list[str]:
    """What a finished run must not leave: staged, moved or half removed folders, markers, parts of files."""
    kinds = (".staging-", ".old-", ".trash-", ".latest.", ".pending-")
    return sorted(
        one.name
        for one in output.iterdir()
        if one.name.startswith(kinds) or one.name.endswith(".part")
    )


def night_names(output: Path) -> list[str]:
    """Names of finished nights, oldest first."""
    return [one.name for one in NightFolders(output).nights()]
