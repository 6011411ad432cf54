"""The documents of ``gangplan history``: nights, one night, gangs over the nights."""

from __future__ import annotations

from datetime import date
from typing import Literal

from models.history.adoption import Adoption
from models.history.night import PastNight
from models.history.rows import GangOutcome, GangSighting, PastFinding, PastLoan, PastQueue
from models.part import Part

Now = Literal["runs", "partly", "waits", "ended", "gone"]


class PastNights(Part):
    """Nights, oldest first; ``database`` is the history's URL without password."""

    schema_version: int = 1
    kind: str = "PastNights"
    sentence: str = ""
    database: str = ""
    nights: tuple[PastNight, ...] = ()


class NightDetails(Part):
    """One night with what became of its plan; ``has_plan``: the plan document is kept."""

    schema_version: int = 1
    kind: str = "NightDetails"
    sentence: str = ""
    database: str = ""
    night: PastNight
    has_plan: bool = False
    adoption: Adoption | None = None
    gangs: tuple[GangOutcome, ...] = ()
    sightings: tuple[GangSighting, ...] = ()
    queues: tuple[PastQueue, ...] = ()
    loans: tuple[PastLoan, ...] = ()
    findings: tuple[PastFinding, ...] = ()


class GangStory(Part):
    """One gang over the nights.

    Attributes
    ----------
    now
        What the newest snapshot shows; ``gone``: it is not there (ended or deleted: unknown).
    nights_waited
        Nights in which it waited when the snapshot was taken.
    recommended_on, planned_start
        First night whose plan starts it, and the start planned by the last plan before it ran.
    waited_s
        From its creation to its start, or to the last snapshot in which it waited; None where one is unknown.
    reasons
        Codes of the last night in which it waited without a start.
    """

    namespace: str
    name: str
    queue: str = ""
    created: str = ""
    gpus: int = 0
    now: Now
    first_night: date
    last_night: date
    nights_waited: int = 0
    recommended_on: date | None = None
    planned_start: str = ""
    started_at: str = ""
    ended_at: str = ""
    waited_s: int | None = None
    late_s: int | None = None
    retries: int = 0
    restarts: int = 0
    reasons: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class GangHistory(Part):
    """Gangs over the nights, sorted by name and creation."""

    schema_version: int = 1
    kind: str = "GangHistory"
    sentence: str = ""
    database: str = ""
    first_night: date | None = None
    last_night: date | None = None
    gangs: tuple[GangStory, ...] = ()
