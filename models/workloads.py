"""Pods, and the gangs that they form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.host_ports import HostPort
from models.pod_terms import PodAffinityTerm, Preferences, SpreadConstraint
from models.resources import NO_RESOURCES, Resources
from models.selectors import LabelSelector, NodeSelectorTerm, Toleration

FINISHED_PHASES = ("Succeeded", "Failed")
SYSTEM_NAMESPACE = "kube-system"
CRITICAL_CLASSES = ("system-cluster-critical", "system-node-critical")


@dataclass(frozen=True, slots=True)
class PodSpec:
    """What the scheduler looks at in a pod; one value is shared by all pods with the same specification.

    Attributes
    ----------
    preferences
        What it would rather have, None where it prefers nothing.
    marks
        Set while planning: names of rules between pods that count the pod.
    wish
        Set while planning: number of what preferred rules can tell of the pod, 0 = nothing.
    request
        Effective request without zeros: max(containers + sidecars, largest init step) + overhead, limits filling
        missing requests. ``pods`` is not part of it (each pod counts as one).
    node_affinity
        Required node affinity terms, OR-ed; None where there is none, () where nothing can match.
    special_rules
        Names of required rules that no field here describes (``resourceClaims``, ``gpuShare``, ``persistentVolume`` …).
    host_ports
        Ports of its node that it takes, ascending, each once.
    card_rules
        Annotations that say which GPU cards a pod with vGPUs accepts (sharing mode, models), as (key, value).
    requests_without_limit
        Extended resources that a container requests without a limit; the API server refuses such a pod.
    """

    request: Resources = NO_RESOURCES
    node_selector: tuple[tuple[str, str], ...] = ()
    node_affinity: tuple[NodeSelectorTerm, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()
    pod_affinity: tuple[PodAffinityTerm, ...] = ()
    pod_anti_affinity: tuple[PodAffinityTerm, ...] = ()
    spread: tuple[SpreadConstraint, ...] = ()
    special_rules: tuple[str, ...] = ()
    scheduling_gates: tuple[str, ...] = ()
    scheduler_name: str = ""
    priority_class_name: str = ""
    priority: int | None = None
    preemption_policy: str = ""
    grace_seconds: int | None = None
    active_deadline_seconds: int | None = None
    requests_without_limit: tuple[str, ...] = ()
    card_rules: tuple[tuple[str, str], ...] = ()
    preferences: Preferences | None = None
    wish: int = 0
    marks: tuple[str, ...] = ()
    host_ports: tuple[HostPort, ...] = ()


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod of the export.

    Attributes
    ----------
    gang
        Full name ``namespace/name`` of the gang it belongs to, "" for none.
    role
        Task of a Volcano Job (``volcano.sh/task-spec``), "" where there is none.
    owner_kind, owner_name
        The controlling owner reference.
    ends
        When a terminating pod is gone at the latest (``deletionTimestamp``, RFC 3339), "" where that is not known.
    finished_at
        When the last container of a finished pod ended (RFC 3339), "" where that is not known.
    """

    namespace: str
    name: str
    spec: PodSpec
    gang: str = ""
    role: str = ""
    node: str | None = None
    phase: str = "Pending"
    terminating: bool = False
    ends: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    owner_kind: str = ""
    owner_name: str = ""
    created: str = ""
    started: str = ""
    restarts: int = 0
    reason: str = ""
    finished_at: str = ""

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def holds_node(self) -> bool:
        """Takes room on a node: bound and not finished (terminating pods still do)."""
        return self.node is not None and self.phase not in FINISHED_PHASES

    @property
    def running(self) -> bool:
        """Bound, not finished and not on its way out: counts for its gang and queue."""
        return self.holds_node and not self.terminating

    @property
    def pending(self) -> bool:
        """Waits for a node (gated pods included)."""
        return self.node is None and self.phase == "Pending" and not self.terminating

    @property
    def preemptable(self) -> bool:
        """``volcano.sh/preemptable``: annotation before label, missing means true."""
        key = "volcano.sh/preemptable"
        return self.annotations.get(key, self.labels.get(key, "true")).lower() != "false"


@dataclass(frozen=True, slots=True)
class NetworkTopology:
    """``networkTopology`` of a gang or subgroup; with neither tier nor tier name, mode hard binds nothing."""

    mode: str = "hard"
    highest_tier_allowed: int | None = None
    highest_tier_name: str = ""

    @property
    def binds(self) -> bool:
        """Mode hard with a tier."""
        return self.mode == "hard" and (
            self.highest_tier_allowed is not None or bool(self.highest_tier_name)
        )


@dataclass(frozen=True, slots=True)
class SubGroupPolicy:
    """``subGroupPolicy``: pods matched by selector, one subgroup per value tuple of the keys."""

    name: str = ""
    selector: LabelSelector = LabelSelector()
    match_label_keys: tuple[str, ...] = ()
    size: int = 1
    min_subgroups: int = 0
    topology: NetworkTopology | None = None

    def key_of(self, pod: Pod) -> tuple[str, ...] | None:
        """Subgroup of a pod (values of the keys, missing = ""), or None where the policy does not select it."""
        marks = {**pod.annotations, **pod.labels}
        if not self.selector.matches(marks):
            return None
        return tuple(marks.get(key, "") for key in self.match_label_keys)


@dataclass(frozen=True, slots=True)
class RoleTemplate:
    """Pods of one role as the controller would create them.

    Attributes
    ----------
    replicas
        Pods of the role in all; those that exist already are part of it.
    depends_on
        Roles that must reach their minimum before pods of this one are created.
    """

    role: str
    spec: PodSpec
    replicas: int
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    partition_size: int = 0


@dataclass(frozen=True, slots=True)
class GangCondition:
    """What a controller or the scheduler says of a gang now: type, reason word, and since when (RFC 3339 or "")."""

    type: str
    reason: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True)
class Gang:
    """A PodGroup, a Volcano Job, or the group that Volcano makes for pods without one.

    Attributes
    ----------
    name, aliases
        ``name`` is the Job's where a Job owns the PodGroup, else the PodGroup's; ``aliases`` holds every full name
        (``namespace/name``) under which the gang is known.
    kind
        ``Job``, ``PodGroup``, or ``implicit`` (no PodGroup in the export; min_member 1 unless annotated).
    min_member
        Pods it needs to run at all (0 = any number).
    role_minimum
        Role to minimum pods; binds only if min_member >= the sum.
    templates
        Pods that the controller has promised (Volcano Job tasks, or minResources / minMember).
    priority
        Value of its PriorityClass.
    created
        RFC 3339 or "".
    finished
        A terminal Job, a completed PodGroup or one that nothing will fill, without live pods: it asks for nothing.
    ending
        Its Volcano Job has ended, ends, or restarts: what is left of its pods waits for nothing.
    no_more
        What speaks against pods beyond those that exist, one of :data:`models.promises.NO_MORE`; "" for nothing.
    owner_kind
        Kind of the PodGroup's owner, "" where it has none.
    finished_at
        When a Job's controller declared it ended (RFC 3339), "" where that is not known.
    suspended
        Its owner waits for a person or controller to resume it and makes no pods until then.
    online
        Online work (a Deployment under Volcano), no batch gang.
    missing_group
        Its pods name a PodGroup that the export does not hold.
    preemptable
        The PodGroup's own mark; None where it has none.
    uid
        Of the Volcano Job, "" where the export does not tell it or there is none.
    failed_pods
        Pods that its status counts as failed, those that are gone included.
    conditions
        Those that hold now.
    """

    namespace: str
    name: str
    kind: str = "PodGroup"
    aliases: tuple[str, ...] = ()
    queue: str = "default"
    min_member: int = 1
    role_minimum: Mapping[str, int] = field(default_factory=dict)
    subgroups: tuple[SubGroupPolicy, ...] = ()
    templates: tuple[RoleTemplate, ...] = ()
    min_resources: Resources | None = None
    topology: NetworkTopology | None = None
    priority_class_name: str = ""
    priority: int = 0
    preemptable: bool | None = None
    created: str = ""
    phase: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    finished: bool = False
    suspended: bool = False
    online: bool = False
    missing_group: bool = False
    restarts_on_eviction: bool = False
    retry_count: int = 0
    max_retry: int | None = None
    reported_running: int = 0
    finished_at: str = ""
    uid: str = ""
    failed_pods: int = 0
    conditions: tuple[GangCondition, ...] = ()
    ending: bool = False
    no_more: str = ""
    owner_kind: str = ""

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def asks_nothing(self) -> bool:
        """No pod of it is to be placed, whatever pods there are."""
        return self.finished or self.ending

    @property
    def not_admitted(self) -> bool:
        """Volcano has nothing to place: no PodGroup, or a suspended ``batch`` Job without pods and group."""
        return self.missing_group or (self.suspended and self.kind == "implicit")

    @property
    def roles_bind(self) -> bool:
        """Role minima count only where min_member covers their sum (Volcano ``CheckTaskReady``)."""
        return bool(self.role_minimum) and self.min_member >= sum(self.role_minimum.values())

    def template(self, role: str) -> RoleTemplate | None:
        """Template of a role, or None."""
        return next((one for one in self.templates if one.role == role), None)
