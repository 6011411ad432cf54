"""The document of a sweep (``kind: Sweep``): one row per point of the grid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from models.plan import Part
from planner.report.compare_document import PlanMark
from planner.report.whatif.document import Judgement


class Axis(Part):
    """One key of the grid with its values, in the order of the file."""

    key: str
    values: tuple[Any, ...]


class SweepRow(Part):
    """One point.

    Attributes
    ----------
    number
        Place in the grid, the last key varying fastest.
    point
        Key to value.
    gap_gpus
        Largest open gap of its GPU tiers; null where one has no bound.
    work_gpu_seconds, starts
        With a schedule: work done and gangs that start within the horizon.
    queues
        GPUs allocated after the plan, by queue.
    attempts
        Times that it was tried (more than 1 where a worker died; 0 where the engine does not tell).
    """

    number: int
    point: Mapping[str, Any]
    error: str = ""
    gpus_allocatable: int | None = None
    gpus_after: int | None = None
    gangs_started: int | None = None
    gangs_waiting: int | None = None
    gangs_evicted: int | None = None
    pods_evicted: int | None = None
    gap_gpus: int | None = None
    judgement: Judgement | None = None
    status: str = ""
    seconds: float = 0.0
    work_gpu_seconds: int | None = None
    starts: int | None = None
    attempts: int = 1
    queues: Mapping[str, int] = Field(default_factory=dict)


class SweepResult(Part):
    """All points that were planned.

    Attributes
    ----------
    resumed
        Points taken from the journal of an earlier run.
    """

    schema_version: int = 1
    kind: str = "Sweep"
    sentence: str = ""
    name: str = ""
    edits: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    points: int = 0
    resumed: int = 0
    engine: str = "local"
    seconds: float = 0.0
    base: PlanMark = PlanMark()
    figures: Mapping[str, int] = Field(default_factory=dict)
    rows: tuple[SweepRow, ...] = ()
    versions: Mapping[str, str] = Field(default_factory=dict)

    @property
    def planned(self) -> tuple[SweepRow, ...]:
        """Rows with a plan."""
        return tuple(row for row in self.rows if not row.error)
