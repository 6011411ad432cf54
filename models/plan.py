"""The plan document (``kind: PlanResult``): the only thing reports, pages and the verifier read of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from models.foreign_workloads import LeftOut as LeftOut
from models.part import Part as Part
from models.part import TimeText
from models.reasons import Reason as Reason
from models.resources import NO_RESOURCES, Resources
from models.schedule import Schedule
from models.use import MeasuredUse

Decision = Literal["keep", "start", "grow", "shrink", "evict", "move", "wait"]
PodAction = Literal["keep", "place", "evict", "move"]
Status = Literal["OPTIMAL", "FEASIBLE", "INFEASIBLE", "NO_SOLUTION_IN_TIME"]


OPTIMAL_GAP = 1e-3
"""Largest gap of any tier at which a plan is called OPTIMAL."""


class Summary(Part):
    """Key figures; GPUs are whole GPUs of running pods of every scheduler.

    ``missed_returns`` are GPU-seconds that online services lack within the horizon of a schedule.
    ``left_out`` is demand of other queueing systems and schedulers, for which nothing is planned. ``gpu_slots`` of the
    allocatable GPUs are slots (time-slicing, MPS) of ``gpu_slot_cards`` cards.
    """

    sentence: str = ""
    gpus_allocatable: int = 0
    gpus_before: int = 0
    gpus_after: int = 0
    gangs_started: int = 0
    gangs_grown: int = 0
    gangs_waiting: int = 0
    gangs_evicted: int = 0
    gangs_unsupported: int = 0
    pods_placed: int = 0
    pods_evicted: int = 0
    missed_returns: int = 0
    left_out: tuple[LeftOut, ...] = ()
    gpu_slots: int = 0
    gpu_slot_cards: int = 0


class FindingEntry(Part):
    """One finding about the input or the plan."""

    code: str
    severity: Literal["error", "warning", "info"]
    object: str
    message: str
    remedy: str = ""


class SnapshotEntry(Part):
    """What was planned on."""

    as_of: TimeText = ""
    digest: str = ""
    sources: tuple[str, ...] = ()
    nodes: int = 0
    pods: int = 0
    node_classes: int = 0
    gang_classes: int = 0
    findings: tuple[FindingEntry, ...] = ()
    missing_kinds: Mapping[str, str] = Field(default_factory=dict)
    ignored: Mapping[str, int] = Field(default_factory=dict)


class Tier(Part):
    """Certificate of one tier of the objective; bound and gap are None where nothing is proved."""

    name: str
    sense: Literal["max", "min"]
    unit: str
    value: int
    bound: int | None = None
    gap: float | None = None
    conditional: bool = False
    seconds: float = 0.0
    backend: str = ""


class EarlierPlan(Part):
    """The earlier plan that a plan comes from, and what became of its starts.

    Attributes
    ----------
    as_of, digest
        Time and digest of the snapshot that it was made for.
    started
        Gangs that it starts: those ``kept`` have all pods of both plans where it has them, role by role; those
        ``moved`` do not, those ``waiting`` do not start now, those ``gone`` do not wait here any more.
    added
        Gangs that start now and not in the earlier plan.
    searched
        ``changes``: what the change left open was put beside the rest, rank by rank. ``everything``: all gangs were
        searched, from the earlier plan on. ``anew``: nothing could be taken over.
    """

    as_of: TimeText = ""
    digest: str = ""
    started: int = 0
    kept: int = 0
    moved: int = 0
    waiting: int = 0
    gone: int = 0
    added: int = 0
    searched: Literal["changes", "everything", "anew"] = "everything"


class StageEntry(Part):
    """A stage of the run, or what one step of the search did.

    Attributes
    ----------
    work
        Deterministic work of the search up to the end of the step; 0 where the limit was one of seconds.
    seconds
        What the stage took; of a step of the search those since it began. 0 in deterministic documents.
    tier
        The first tier that the step changed, with its value and bound before and after; None for a stage.
    """

    stage: str
    work: float = 0.0
    seconds: float = 0.0
    tier: str | None = None
    value_before: int | None = None
    value_after: int | None = None
    bound_before: int | None = None
    bound_after: int | None = None


def stage_entries(stages: Mapping[str, float]) -> tuple[StageEntry, ...]:
    """Stages of a run by name and seconds."""
    return tuple(StageEntry(stage=name, seconds=round(s, 3)) for name, s in stages.items())


class Certificate(Part):
    """How good the plan is, proved.

    Attributes
    ----------
    scope
        ``planned``: demand is left out, so that what is proved holds for the planned gangs alone.
    approximations
        What the model simplified because the cluster is large; the bounds hold all the same.
    earlier
        The earlier plan that was given, where it is about this cluster.
    """

    status: Status = "FEASIBLE"
    tiers: tuple[Tier, ...] = ()
    properties: Literal["proved", "maximal"] = "maximal"
    scope: Literal["all", "planned"] = "all"
    reproducible: bool = False
    seconds: float = 0.0
    stages: tuple[StageEntry, ...] = ()
    seed: int = 0
    workers: int = 1
    deterministic: bool = False
    versions: Mapping[str, str] = Field(default_factory=dict)
    policy_digest: str = ""
    approximations: tuple[str, ...] = ()
    earlier: EarlierPlan | None = None

    @field_validator("stages", mode="before")
    @classmethod
    def _named_seconds(cls, value: object) -> object:
        """Documents of before list seconds by name."""
        if isinstance(value, Mapping):
            return stage_entries({str(name): float(seconds) for name, seconds in value.items()})
        return value

    def stage_seconds(self) -> dict[str, float]:
        """Seconds per stage of the run, without the steps of the search."""
        return {one.stage: one.seconds for one in self.stages if one.tier is None}

    @property
    def closed(self) -> bool:
        """Every tier is proved, as far as the scope goes."""
        if self.scope == "all":
            return self.status == "OPTIMAL"
        return all(tier.gap is not None and tier.gap <= OPTIMAL_GAP for tier in self.tiers)


class RuleViolation(Part):
    """A broken rule."""

    rule: str
    object: str
    message: str


class Verification(Part):
    """Result of the independent check."""

    violations: tuple[RuleViolation, ...] = ()
    rules: int = 0
    undecided: tuple[str, ...] = ()


class PodGroupEntry(Part):
    """Pods of one gang and role with the same action on the same node.

    ``cards`` lists, where pods share GPU cards, the cards of each pod: first those of ``names``, then the others.
    """

    role: str = ""
    action: PodAction
    node: str | None = None
    from_node: str | None = None
    count: int
    names: tuple[str, ...] = ()
    cards: tuple[tuple[int, ...], ...] = ()


class UnmetPreference(Part):
    """A preferred rule that new pods of a gang do not get: how many pods, and the points that they lose together."""

    rule: str
    pods: int
    points: int


class GangEntry(Part):
    """What the plan does with one gang.

    ``startable``, ``tier_class`` (covered, rest) and ``rank`` are the classification by the default objective for
    gangs that waited before the plan, None otherwise. ``topology`` is what it asks for (``hard, tier 1``, ``soft``),
    "" for nothing; ``domains`` is, per topology level from the finest up, how many domains hold its pods after the
    plan (gangs that receive pods). ``gpus`` are those of the minimum that the gang still lacks (waiting gangs) or of
    its running pods; ``milli_gpus`` says the same in thousandths where shares or slices exist. ``unmet`` are preferred
    rules that its new pods do not get; the points of all gangs are the value of tier ``preferences``. ``pods_pending``
    are existing pods of a running gang (decision keep or grow) that the plan leaves waiting; ``reasons`` say why.
    """

    namespace: str
    name: str
    kind: str = ""
    queue: str = ""
    priority: int = 0
    min_member: int = 0
    decision: Decision
    pods: tuple[PodGroupEntry, ...] = ()
    reasons: tuple[Reason, ...] = ()
    gpus: int = 0
    milli_gpus: int | None = None
    pods_before: int = 0
    pods_after: int = 0
    pods_pending: int = 0
    created: str = ""
    startable: bool | None = None
    tier_class: str | None = None
    rank: int | None = None
    topology: str = ""
    domains: Mapping[str, int] = Field(default_factory=dict)
    unmet: tuple[UnmetPreference, ...] = ()

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class Loan(Part):
    """What a queue borrows of one resource from one lender; ``from`` is empty for what nobody deserves."""

    resource: str
    lender: str = Field(default="", validation_alias="from", serialization_alias="from")
    amount: int


class QueueEntry(Part):
    """Shares of one queue; ``limit`` leaves out dimensions without a limit.

    ``fair_share`` is the weighted max-min optimum beside the scheduler's own ``deserved``; ``loans`` says from whom
    the queue borrows what is in ``borrowed``.
    """

    name: str
    parent: str = ""
    weight: int = 1
    state: str = "Open"
    guarantee: Resources = NO_RESOURCES
    deserved: Resources = NO_RESOURCES
    capability: Resources = NO_RESOURCES
    limit: Resources = NO_RESOURCES
    requested: Resources = NO_RESOURCES
    before: Resources = NO_RESOURCES
    after: Resources = NO_RESOURCES
    borrowed: Resources = NO_RESOURCES
    lent: Resources = NO_RESOURCES
    loans: tuple[Loan, ...] = ()
    fair_share: Resources = NO_RESOURCES
    gangs_waiting: int = 0
    gangs_started: int = 0


class CardEntry(Part):
    """One GPU card that pods share; amounts per unit, ``assumed`` where a pod on it does not tell its card."""

    name: str
    capacity: Mapping[str, int] = Field(default_factory=dict)
    before: Mapping[str, int] = Field(default_factory=dict)
    after: Mapping[str, int] = Field(default_factory=dict)
    assumed: bool = False


class NodeEntry(Part):
    """One node; ``node_class`` is ``class`` in JSON, ``domain`` the path of its topology domains."""

    name: str
    node_class: str = Field(default="", alias="class")
    pool: str = ""
    domain: str = ""
    gpu_model: str = ""
    allocatable: Resources = NO_RESOURCES
    before: Resources = NO_RESOURCES
    after: Resources = NO_RESOURCES
    conditions: tuple[str, ...] = ()
    cards: tuple[CardEntry, ...] = ()


class TradedGang(Part):
    """A gang that starts on one side only: in the plan, or in the baseline; GPUs of the pods that it receives."""

    name: str
    gpus: int = 0
    priority: int = 0


class Baseline(Part):
    """What Volcano's scheduler would do with the same snapshot; ``node_order`` are the weights of its node scores.

    ``gangs_left_out`` have rules that it does not know (spread, shared cards, what domains share, …); it starts none
    of them. ``only_plan`` are the gangs that only the plan starts, ``only_baseline`` those that only the
    scheduler starts; the most GPUs first.
    """

    name: str = "gang scheduler that looks at one gang at a time"
    gpus_after: int = 0
    gangs_started: int = 0
    pods_evicted: int = 0
    node_order: str = ""
    gangs_left_out: int = 0
    only_plan: tuple[TradedGang, ...] = ()
    only_baseline: tuple[TradedGang, ...] = ()


class Fix(Part):
    """A change that starts a waiting gang.

    ``basis`` says what it was tried on: ``beside this plan`` (everything else stays as the plan has it) or ``planned in
    full`` (the edited snapshot was planned, verified, and the gang starts). ``edits`` are those of a scenario file,
    written for the first gang of its class; ``objects`` are the queues, nodes, gangs or pods concerned.
    """

    kind: str
    text: str
    basis: str
    edits: tuple[Mapping[str, Any], ...] = ()
    objects: tuple[str, ...] = ()
    data: Mapping[str, int] = Field(default_factory=dict)


class WaitingClass(Part):
    """Gangs that ask for the same, in the same queue and at the same place: why they wait, and what would start one.

    ``minimal_sets`` are sets of reason codes: with the set it waits, without any one of it it would not. ``gpus`` are
    those of the minimum that one gang still lacks.
    """

    queue: str
    gangs: tuple[str, ...]
    gpus: int = 0
    priority: int = 0
    codes: tuple[str, ...] = ()
    minimal_sets: tuple[tuple[str, ...], ...] = ()
    fixes: tuple[Fix, ...] = ()


class PlanResult(Part):
    """The whole document.

    ``fair_share_rule`` tells how ``fair_share`` of the queues was found: ``joint`` (several resources together),
    ``per resource``, ``all met`` (every demand fits), or empty where there is none.
    """

    schema_version: int = 1
    kind: str = "PlanResult"
    summary: Summary = Summary()
    snapshot: SnapshotEntry = SnapshotEntry()
    policy: Mapping[str, Any] = Field(default_factory=dict)
    certificate: Certificate = Certificate()
    verification: Verification | None = None
    gangs: tuple[GangEntry, ...] = ()
    queues: tuple[QueueEntry, ...] = ()
    fair_share_rule: str = ""
    nodes: tuple[NodeEntry, ...] = ()
    waiting: tuple[WaitingClass, ...] = ()
    baseline: Baseline | None = None
    schedule: Schedule | None = None
    use: MeasuredUse | None = None

    @property
    def violations(self) -> tuple[RuleViolation, ...]:
        """What the independent check found broken."""
        return () if self.verification is None else self.verification.violations
