"""Everything that the history keeps of one night."""

from __future__ import annotations

from models.history.night import PastNight
from models.history.rows import GangOutcome, GangSighting, PastFinding, PastLoan, PastQueue
from models.part import Part
from models.plan import PlanResult


class NightRecord(Part):
    """One night with its details; the plan document is kept beside them as it was written."""

    night: PastNight
    gangs: tuple[GangOutcome, ...] = ()
    sightings: tuple[GangSighting, ...] = ()
    queues: tuple[PastQueue, ...] = ()
    loans: tuple[PastLoan, ...] = ()
    findings: tuple[PastFinding, ...] = ()
    plan: PlanResult | None = None
