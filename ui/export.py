"""What a page hands out at its foot in place of the plan: its own report, and the command that makes it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from models.snapshot import Snapshot
from planner.report.tables import Report


@dataclass(frozen=True)
class Export:
    """Files and command of one result.

    Attributes
    ----------
    name
        Stem of file names, like ``schedule``.
    report
        Makes the report when somebody asks for a file.
    snapshot
        The cluster that the result is about, None for the one that the page shows.
    own_snapshot
        False where the cluster of the result is not at hand, so no snapshot is offered.
    command
        The command line that makes the result again, "" for none.
    archives
        Label to file name and what makes it, for further archives (zip).
    """

    name: str
    report: Callable[[], Report]
    snapshot: Snapshot | None = None
    command: str = ""
    own_snapshot: bool = True
    archives: tuple[tuple[str, str, Callable[[], bytes]], ...] = ()
