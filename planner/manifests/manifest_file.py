"""Files of the folder ``manifests/``, and the steps that a human takes with them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from models.resources import Resources

Operation = Literal["create", "merge-patch", "json-patch", "resubmit", "list", "readme"]
"""How a file is used: an object to create, a patch of one, a change of one's own manifest, or something to read."""

Phase = Literal["hold", "limit", "entitle", "start", "check", "leave", "release"]
"""What a step is for; the order in which steps of one moment are taken."""

PHASES: tuple[Phase, ...] = ("hold", "limit", "entitle", "leave", "start", "check", "release")


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """One file.

    Attributes
    ----------
    path
        Below the folder, with slashes.
    command
        What a human runs from within the folder, "" for files that are only read.
    at
        When, in seconds since the epoch; None for files without a moment.
    subject
        ``gang NS/NAME`` or ``queue NAME``, "" for files about several.
    """

    path: str
    text: str
    operation: Operation
    command: str = ""
    at: int | None = None
    subject: str = ""


@dataclass(frozen=True)
class Action:
    """One thing to do at one moment.

    Attributes
    ----------
    stem
        First part of its file name.
    name
        What it concerns, the rest of the file name.
    target
        ``TYPE/NAME`` for kubectl, "" where objects are created or pods deleted.
    body
        An object, a patch in the form of one, or the operations of a JSON patch; None where there is no file.
    pods
        Names of pods to delete where nothing else stops the gang.
    why
        One sentence.
    only_if
        Condition under which it is done, "" for always.
    warning
        What the reader must know before.
    rank
        Order among actions of the same moment and phase; then by name.
    """

    at: int
    phase: Phase
    subject: str
    stem: str
    name: str
    operation: Operation
    why: str
    body: Any = None
    target: str = ""
    namespace: str = ""
    pods: tuple[str, ...] = ()
    gpus: int = 0
    only_if: str = ""
    warning: str = ""
    rank: int = 0


@dataclass(frozen=True)
class Departure:
    """One line of the eviction list: a gang that has to be gone by a moment.

    Attributes
    ----------
    stop_by
        Last moment at which stopping it is in time (grace period and overhead deducted).
    planned
        The plan ends it; otherwise it ends by itself before, and is stopped only if it still runs.
    command
        What stops it, "" where nobody may stop it.
    """

    leave_by: int
    stop_by: int
    namespace: str
    name: str
    kind: str
    queue: str
    pool: str
    gpus: int
    grace_s: int
    planned: bool
    ends_at: str
    pods: tuple[str, ...] = ()
    command: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Unheld:
    """A gang that nothing but a limit of its queue keeps from starting, in the buckets ``[first, until)``."""

    name: str
    queue: str
    requests: Resources
    first: int
    until: int


@dataclass
class Advice:
    """All that was found.

    Attributes
    ----------
    nothing
        Gangs without an action of their own: name to sentence.
    """

    actions: list[Action] = field(default_factory=list)
    departures: list[Departure] = field(default_factory=list)
    unheld: list[Unheld] = field(default_factory=list)
    nothing: dict[str, str] = field(default_factory=dict)
