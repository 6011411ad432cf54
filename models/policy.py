"""The policy file: what the planner may assume and do."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
)

from models.findings import Finding, InputError
from models.moments import zone_of
from models.policy_domains import DomainRequestRule, DomainResource
from models.policy_lending import DemandProfile, DemandWindow, LendingPolicy
from models.prometheus import PrometheusQuery, without_password
from models.seconds_field import Seconds

QueueModelName = Literal["proportion", "capacity"]
EvictAction = Literal["preempt", "reclaim"]
Harm = Literal["idle", "gangs", "pods", "moves", "lost_work", "domains"]
FairSharing = Literal["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
"""Kueue's preemption strategies, in its own words."""
Origin = Literal[
    "default", "file", "scheduler ConfigMap", "flag", "snapshot", "scenario", "history"
]


def _moment(text: str) -> str:
    """The same time in UTC, ``2026-08-20T08:01:00Z``; a time without zone counts as UTC."""
    try:
        moment = datetime.fromisoformat(text.strip())
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("not a time such as 2026-08-20T08:01:00Z") from None
    return f"{moment.replace(tzinfo=None).isoformat()}Z"


Moment = Annotated[str, AfterValidator(_moment)]


def _each_once(values: tuple[Any, ...]) -> tuple[Any, ...]:
    twice = sorted({str(one) for one in values if values.count(one) > 1})
    if twice:
        raise ValueError(f"{twice[0]} is named twice; name each once")
    return values


EachOnce = AfterValidator(_each_once)


def _timezone(name: str) -> str:
    if zone_of(name) is None:
        raise ValueError("not a time zone such as Europe/Berlin or UTC")
    return name


TimeZone = Annotated[str, AfterValidator(_timezone)]


class GpuModelRule(BaseModel):
    """Where the GPU model of a node is read and how its values are named."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    label_keys: tuple[str, ...] = ()
    names: Mapping[str, str] = Field(default_factory=dict)
    resource_names: tuple[str, ...] = ()


class OnlineService(BaseModel):
    """An online service whose pods are never victims unless ``may_be_evicted``.

    Attributes
    ----------
    demand
        What it needs by the clock, where no demand file tells.
    prometheus
        Query of one series that tells what it needed, where no demand file tells.
    reserved_gpus
        GPUs that are kept for it and lent when idle; None takes the most of those its pods hold now, its highest
        demand known and its guarantee.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    namespace: str | None = None
    selector: Mapping[str, str] = Field(default_factory=dict)
    queue: str | None = None
    pools: tuple[str, ...] = ()
    demand_column: str | None = None
    grace_seconds: int | None = Field(default=None, ge=0)
    overhead_seconds: int = Field(default=1, ge=0)
    guarantee_gpus: int = Field(default=0, ge=0)
    may_be_evicted: bool = False
    demand: DemandProfile | None = None
    prometheus: PrometheusQuery | None = None
    reserved_gpus: int | None = Field(default=None, ge=0)


class UsePolicy(BaseModel):
    """Where measured use of GPUs is asked for, and when a gang counts as idle.

    Attributes
    ----------
    prometheus
        Query that gives use per pod in percent (0 to 100), like ``avg by (namespace, pod) (DCGM_FI_DEV_GPU_UTIL)``.
    idle_after
        Seconds without work after which a gang is called idle.
    idle_below
        Percent; GPUs used less do no work.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    prometheus: PrometheusQuery | None = None
    idle_after: Seconds = 3600
    idle_below: int = Field(default=1, ge=1, le=100)


class Checkpoint(BaseModel):
    """How often work is saved and what a restart costs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    queue: str | None = None
    selector: Mapping[str, str] = Field(default_factory=dict)
    interval_seconds: int = Field(gt=0)
    restart_seconds: int = Field(default=0, ge=0)


class Maintenance(BaseModel):
    """Nodes that are away for a while (used by time-phased plans)."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    nodes: tuple[str, ...] = ()
    selector: Mapping[str, str] = Field(default_factory=dict)
    start: Moment = Field(alias="from")
    end: Moment = Field(alias="to")


class Reservation(BaseModel):
    """Room that the calendar keeps for one queue (or for nobody) for a while; used by time-phased plans.

    ``nodes`` and ``selector`` name nodes, ``pool`` a pool; ``gpus`` limits it to so many GPUs of the pool.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: str = ""
    nodes: tuple[str, ...] = ()
    selector: Mapping[str, str] = Field(default_factory=dict)
    pool: str | None = None
    gpus: int | None = Field(default=None, gt=0)
    queue: str | None = None
    start: Moment = Field(alias="from")
    end: Moment = Field(alias="to")


DurationOrder = Literal["annotation", "active_deadline", "history", "default"]


class Durations(BaseModel):
    """How long gangs run, for time-phased plans.

    Attributes
    ----------
    order
        Sources from the first that is asked to the last; ``default`` always ends it.
    default
        For gangs that no other source tells.
    quantile, low_quantile
        Of the owner's history: what is planned with, and the short end of the range shown. The long end is the
        quantile itself or, for ``default``, twice the duration.
    history
        Owner (``namespace/name`` without the run's number, namespace, or ``queue:NAME``) to past durations.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    order: tuple[DurationOrder, ...] = ("annotation", "active_deadline", "history", "default")
    default: Seconds = 4 * 3600
    quantile: float = Field(default=0.9, gt=0, le=1)
    low_quantile: float = Field(default=0.5, ge=0, le=1)
    history: Mapping[str, tuple[Seconds, ...]] = Field(default_factory=dict)


class Policy(BaseModel):
    """All keys of the policy file with their defaults; unknown keys are refused.

    ``queue_model`` None means: from the scheduler ConfigMap, else capacity if a queue has ``deserved``, else
    proportion. ``admission`` and ``topology_prefilter`` None mean: what the scheduler does where its ConfigMap is in
    the export, else ``ignore`` and ``minimum``. See :func:`models.effective.resolve_policy` for the order in which
    sources apply.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    queue_model: QueueModelName | None = None
    hierarchy: bool | None = None
    evict: Annotated[tuple[EvictAction, ...], EachOnce] | None = None
    ancestor_reclaim_level: int = Field(default=0, ge=0)
    nodegroup: bool | None = None
    pdb: bool | None = None
    sla: bool | None = None
    revocable_zones: Mapping[str, str] | None = None
    now: Moment | None = None
    allow_moves: bool = False
    fair_sharing: Annotated[tuple[FairSharing, ...], EachOnce] = ()
    scheduler_names: Annotated[tuple[str, ...], EachOnce] = ("volcano",)
    priority_scope: Literal["queue", "cluster"] = "queue"
    objective: Literal["default", "throughput", "fair"] | tuple[str, ...] = "default"
    harm: Annotated[tuple[Harm, ...], EachOnce] = ("gangs", "pods", "moves", "lost_work", "domains")
    services: tuple[OnlineService, ...] = ()
    durations: Durations = Durations()
    lending: LendingPolicy = LendingPolicy()
    use: UsePolicy = UsePolicy()
    checkpoint: tuple[Checkpoint, ...] = ()
    topology_labels: Annotated[tuple[str, ...], EachOnce] = ()
    gpu_models: GpuModelRule = GpuModelRule()
    domain_resources: Mapping[str, DomainResource] = Field(default_factory=dict)
    maintenance: tuple[Maintenance, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    timezone: TimeZone = "UTC"
    grace_seconds: int = Field(default=30, ge=0)
    overcommit_factor: float = Field(default=1.2, ge=1.0, allow_inf_nan=False)
    admission: Literal["live", "ignore"] | None = None
    topology_prefilter: Literal["pending", "minimum"] | None = None
    limits: Mapping[str, Any] = Field(default_factory=dict)

    @property
    def prefers_idle(self) -> bool:
        """Whether idle holders are preferred as victims: by ``harm``, or by a list of tiers."""
        listed = isinstance(self.objective, tuple) and "working_evicted" in self.objective
        return listed or "idle" in self.harm


UNKNOWN_KEY = "policy_unknown_key"


def parse_policy(raw: Mapping[str, Any] | None, *, source: str) -> Policy:
    """Validate a policy mapping.

    Raises
    ------
    InputError
        Unknown key (the nearest known one is named) or a value of the wrong kind; one finding per fault.
    """
    try:
        return Policy.model_validate({str(key): value for key, value in (raw or {}).items()})
    except ValidationError as error:
        findings = [_fault(detail, source) for detail in error.errors()]
        findings.sort(key=lambda one: one.code != UNKNOWN_KEY)
        raise InputError(f"{source}: {findings[0].message}", findings) from error


def _fault(detail: Mapping[str, Any], source: str) -> Finding:
    """One fault: a key that no model has (at any depth), else a bad value."""
    known = _keys_beside(detail["loc"]) if detail["type"] == "extra_forbidden" else ()
    if known:
        return _unknown_key(".".join(map(str, detail["loc"])), known, source)
    return _invalid_value(detail, source)


def _keys_beside(location: tuple[Any, ...]) -> tuple[str, ...]:
    """Keys that the mapping around a place may have; empty where the place is in no model."""
    names = [str(part) for part in location[:-1] if not isinstance(part, int)]
    if names[:1] == ["domain_resources"] and len(names) > 1:
        names[1] = "*"  # the resource's own name
    fields = _FIELDS.get(".".join(names))
    return tuple(info.alias or name for name, info in fields.items()) if fields else ()


_FIELDS: Mapping[str, Mapping[str, Any]] = {
    "": Policy.model_fields,
    "gpu_models": GpuModelRule.model_fields,
    "services": OnlineService.model_fields,
    "services.demand": DemandProfile.model_fields,
    "use": UsePolicy.model_fields,
    "use.prometheus": PrometheusQuery.model_fields,
    "services.prometheus": PrometheusQuery.model_fields,
    "services.demand.windows": DemandWindow.model_fields,
    "lending": LendingPolicy.model_fields,
    "checkpoint": Checkpoint.model_fields,
    "maintenance": Maintenance.model_fields,
    "reservations": Reservation.model_fields,
    "durations": Durations.model_fields,
    "domain_resources.*": DomainResource.model_fields,
    "domain_resources.*.requests": DomainRequestRule.model_fields,
}


def _unknown_key(key: str, known: tuple[str, ...], source: str) -> Finding:
    near = difflib.get_close_matches(key.rpartition(".")[2], known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
    return Finding(
        UNKNOWN_KEY,
        "error",
        source,
        f"unknown policy key {key!r}: {hint}",
        "remove or rename it",
    )


def _invalid_value(detail: Mapping[str, Any], source: str) -> Finding:
    where = ".".join(str(part) for part in detail["loc"])
    what = str(detail["msg"]).removeprefix("Value error, ").replace("a valid tuple", "a list")
    return Finding(
        "policy_invalid_value",
        "error",
        source,
        f"policy key {where!r}: {what} (got {without_password(detail.get('input'))[:80]!r})",
        "give a value of the documented kind",
    )
