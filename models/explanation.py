"""The document of ``gangplan explain``: why gangs wait, and changes that were planned in full and start them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from models.plan import Decision, Fix, Part, PodGroupEntry, Reason, SnapshotEntry, Summary


class ConfirmedFix(Fix):
    """A fix with what the plan of the edited snapshot does besides starting the gang.

    ``starts`` and ``loses`` name other gangs that this plan starts more, or no longer (the first ten, with the totals).
    """

    scenario: Mapping[str, Any] = Field(default_factory=dict)
    starts: tuple[str, ...] = ()
    starts_total: int = 0
    loses: tuple[str, ...] = ()
    loses_total: int = 0
    pods_evicted: int = 0
    gpus_after: int = 0


class ExplainedGang(Part):
    """One gang: what the plan does with it, why, and what would start it.

    ``tried`` changes were planned; those that did not start the gang are not shown. ``complete`` is false where time or
    a stop left some untried.
    """

    namespace: str
    name: str
    queue: str = ""
    priority: int = 0
    min_member: int = 0
    gpus: int = 0
    decision: Decision
    sentence: str = ""
    proof: str = ""
    pods: tuple[PodGroupEntry, ...] = ()
    reasons: tuple[Reason, ...] = ()
    minimal_sets: tuple[tuple[str, ...], ...] = ()
    fixes: tuple[ConfirmedFix, ...] = ()
    candidates: int = 0
    tried: int = 0
    complete: bool = True

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class Explanations(Part):
    """The whole document; ``plan`` is the summary of the plan that is explained."""

    schema_version: int = 1
    kind: str = "Explanations"
    sentence: str = ""
    snapshot: SnapshotEntry = SnapshotEntry()
    policy: Mapping[str, Any] = Field(default_factory=dict)
    plan: Summary = Summary()
    status: str = ""
    properties: str = ""
    gangs: tuple[ExplainedGang, ...] = ()
    seconds: float = 0.0
    plans: int = 0
