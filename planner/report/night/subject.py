"""What the sections of a night report read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from models.history.adoption import Adoption
from models.history.trend import Trend
from models.moments import epoch_seconds
from models.nightly.reader import Reader
from models.plan import PlanResult
from models.schedule import Schedule, ScheduledGang
from models.snapshot import Snapshot
from planner.manifests.manifest_file import ManifestFile
from planner.report.plan_view import PlanView


@dataclass(frozen=True)
class NightSubject:
    """One night as one reader may see it.

    Attributes
    ----------
    reader
        None for the whole report.
    snapshot
        What was planned on; None where only the plan document is at hand.
    manifests
        Files of the folder ``manifests/`` beside the report; empty where there is none.
    """

    result: PlanResult
    schedule: Schedule
    reader: Reader | None = None
    snapshot: Snapshot | None = None
    trend: Trend | None = None
    adoption: Adoption | None = None
    manifests: tuple[ManifestFile, ...] = ()

    @cached_property
    def view(self) -> PlanView:
        """Frames of the plan."""
        return PlanView(self.result)

    @cached_property
    def now(self) -> int:
        """Moment of the plan, seconds since the epoch."""
        return self.schedule.edges[0]

    @cached_property
    def starts(self) -> tuple[ScheduledGang, ...]:
        """Gangs that start within the horizon."""
        return tuple(gang for gang in self.schedule.gangs if gang.status == "starts")

    @cached_property
    def waits(self) -> tuple[ScheduledGang, ...]:
        """Gangs that do not."""
        return tuple(gang for gang in self.schedule.gangs if gang.status == "waits")

    @cached_property
    def waited_s(self) -> Mapping[str, int]:
        """Full name to seconds since the gang's creation, for gangs that wait now; unknown ones are absent."""
        found = {}
        for gang in self.result.gangs:
            created = epoch_seconds(gang.created) if gang.created else None
            if created is not None and gang.decision in ("wait", "start") and not gang.pods_before:
                found[gang.full_name] = max(self.now - created, 0)
        return found

    @property
    def hours(self) -> float:
        """Length of the horizon."""
        return (self.schedule.edges[-1] - self.schedule.edges[0]) / 3600

    def is_for(self, *kinds: str) -> bool:
        """Whether the report is whole, or for one of these kinds of reader."""
        return self.reader is None or self.reader.kind in kinds
