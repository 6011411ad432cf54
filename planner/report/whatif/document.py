"""The document of ``gangplan whatif`` (``kind: WhatIf``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from models.plan import FindingEntry, Part
from planner.report.compare_document import PlanMark, QueueChange
from planner.report.whatif.timing import ScheduleDelta

Judgement = Literal["better", "worse", "same", "undecided"]
Fate = Literal[
    "starts",
    "delayed",
    "evicted",
    "spared",
    "stopped",
    "starts anew",
    "new, starts",
    "new, waits",
    "removed",
]


class Verdict(Part):
    """How a scenario's plan compares with the base's.

    Attributes
    ----------
    by
        ``tiers`` where the same gangs stand in the same tiers: the first tier that differs decides. ``figures``
        elsewhere: GPUs allocated, then started gangs.
    tier
        The tier (or figure) that decides, or that is open.
    """

    judgement: Judgement
    by: Literal["tiers", "figures"]
    tier: str = ""
    message: str = ""


class FigureDelta(Part):
    """One key figure of both plans.

    Attributes
    ----------
    slack
        How far the open gaps of both plans might still move it; null where a bound is missing or none applies.
    undecided
        The figures differ, and by no more than the slack.
    """

    key: str
    label: str
    unit: str
    base: int
    value: int
    slack: int | None = None
    undecided: bool = False

    @property
    def change(self) -> int:
        """Scenario less base."""
        return self.value - self.base


class GangFate(Part):
    """A gang that fares differently."""

    namespace: str
    name: str
    queue: str
    gpus: int
    fate: Fate
    base_decision: str = ""
    decision: str = ""
    nodes: str = ""
    reasons: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class TierPair(Part):
    """One tier of both certificates; null where a plan has no such tier or no bound."""

    name: str
    unit: str
    sense: Literal["max", "min"]
    base_value: int | None = None
    base_bound: int | None = None
    value: int | None = None
    bound: int | None = None


class ScenarioOutcome(Part):
    """One scenario beside the base.

    Attributes
    ----------
    scenario
        Its document, to be saved and replayed.
    edits
        The edits as phrases.
    notes
        What the edits imply beyond their words.
    error
        Why there is no plan; everything below is empty then.
    waits
        Reason code to the gangs that wait for it.
    gpu_resources
        Resource names of which one unit is a GPU.
    schedule
        Both schedules, where the comparison runs over time and not for now.
    """

    name: str
    scenario: Mapping[str, Any] = Field(default_factory=dict)
    edits: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    error: str = ""
    sentence: str = ""
    verdict: Verdict | None = None
    plan: PlanMark = PlanMark()
    status: str = ""
    properties: str = ""
    seconds: float = 0.0
    figures: tuple[FigureDelta, ...] = ()
    waits: Mapping[str, int] = Field(default_factory=dict)
    gangs: tuple[GangFate, ...] = ()
    queues: tuple[QueueChange, ...] = ()
    gpu_resources: tuple[str, ...] = ()
    findings_new: tuple[FindingEntry, ...] = ()
    findings_gone: tuple[FindingEntry, ...] = ()
    tiers: tuple[TierPair, ...] = ()
    schedule: ScheduleDelta | None = None

    def figure(self, key: str) -> FigureDelta | None:
        """The figure of this key."""
        return next((one for one in self.figures if one.key == key), None)


class MarginalValue(Part):
    """What one more of something is worth.

    Attributes
    ----------
    kind
        ``node``: one more node of a kind; ``quota``: one more GPU of a queue's deserved or capability.
    dual
        GPUs of starts per unit by the linear relaxation; null where it was not solved.
    gpus, gangs
        Started beyond the base's plan, by planning anew; null where the new plan failed.
    gain
        The gains are decided: larger than what the open gaps might move.
    """

    kind: Literal["node", "quota"]
    name: str
    edit: Mapping[str, Any] = Field(default_factory=dict)
    gpus_each: int = 0
    dual: float | None = None
    gpus: int | None = None
    gangs: int | None = None
    decided: bool = False
    sentence: str = ""


class WhatIf(Part):
    """Base and scenarios side by side."""

    schema_version: int = 1
    kind: str = "WhatIf"
    sentence: str = ""
    base: PlanMark = PlanMark()
    base_status: str = ""
    base_seconds: float = 0.0
    policy_digest: str = ""
    figures: Mapping[str, int] = Field(default_factory=dict)
    gpu_resources: tuple[str, ...] = ()
    base_queues: Mapping[str, int] = Field(default_factory=dict)
    base_waits: Mapping[str, int] = Field(default_factory=dict)
    scenarios: tuple[ScenarioOutcome, ...] = ()
    marginal: tuple[MarginalValue, ...] = ()
    versions: Mapping[str, str] = Field(default_factory=dict)
