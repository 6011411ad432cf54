"""Planned against actual: what became of the recommendations of one night by the snapshot of the next."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Literal

from pydantic import Field

from models.part import Part

Fate = Literal["runs", "partly", "ended", "waits", "not due", "gone", "replaced"]
"""What the next snapshot shows of a gang: enough of its pods run, some do, it has finished, it still waits, it waits
and its planned start lies after that snapshot, it is not there any more (ended or deleted in between: unknown), or
another gang has its name."""


class AdoptedGang(Part):
    """One gang that the plan of the night wanted started, grown, moved or evicted.

    Attributes
    ----------
    recommended
        ``start``, ``start later``, ``evict``, or the decision as it is.
    adopted
        Whether it happened; None where the next snapshot cannot tell.
    late_s
        Seconds from the planned to the actual start (negative: earlier); None where one is unknown.
    nodes_planned, nodes_actual
        Node to pods; ``pods_as_planned`` of them lie where the plan put them (None: no nodes were planned, or nothing
        runs).
    """

    namespace: str
    name: str
    queue: str = ""
    gpus: int = 0
    recommended: str
    fate: Fate
    adopted: bool | None
    planned_start: str = ""
    actual_start: str = ""
    late_s: int | None = None
    planned_end: str = ""
    actual_end: str = ""
    pods_planned: int = 0
    pods_as_planned: int | None = None
    nodes_planned: Mapping[str, int] = Field(default_factory=dict)
    nodes_actual: Mapping[str, int] = Field(default_factory=dict)
    note: str = ""

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class Adoption(Part):
    """All recommendations of a night that a next snapshot can be held against.

    Attributes
    ----------
    next_night
        Night whose snapshot tells; None where none was kept yet.
    starts, starts_adopted, starts_unknown
        Recommended starts that were due, those that happened, and those of which nothing is known.
    gpus_recommended, gpus_adopted
        GPUs of the first two.
    unplanned
        Gangs that started although the plan let them wait.
    """

    schema_version: int = 1
    kind: str = "Adoption"
    sentence: str = ""
    night: date
    as_of: str = ""
    next_night: date | None = None
    next_as_of: str = ""
    starts: int = 0
    starts_adopted: int = 0
    starts_unknown: int = 0
    starts_not_due: int = 0
    gpus_recommended: int = 0
    gpus_adopted: int = 0
    pods_compared: int = 0
    pods_as_planned: int = 0
    evictions: int = 0
    evictions_adopted: int = 0
    gangs: tuple[AdoptedGang, ...] = ()
    unplanned: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
