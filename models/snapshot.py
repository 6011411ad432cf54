"""The cluster at one moment, as one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from models.cluster import HyperNode, Node, PodDisruptionBudget, PriorityClass, SchedulerConfig
from models.findings import Finding
from models.foreign_workloads import ForeignWorkload
from models.queues import DEFAULT_QUEUE, Queue
from models.resources import PODS, Resources, total_of
from models.workloads import Gang, Pod


@dataclass(frozen=True, slots=True)
class Source:
    """One input file: name as given (never an absolute path), format, objects taken from it."""

    name: str
    format: str
    objects: int = 0


@dataclass(frozen=True, slots=True)
class PodUse:
    """What monitoring saw of the GPUs of one pod over the last week, since the pod started.

    Attributes
    ----------
    pod
        Full name.
    measured_s
        Seconds of which there are values.
    worked_permille
        Mean use over them, in thousandths of the GPUs that the pod holds.
    idle_total_s
        Seconds of them in which none of its GPUs worked.
    idle_s
        Seconds without work at the end, 0 while it works; None where values ended before the measurement.
    """

    pod: str
    measured_s: int = 0
    worked_permille: int = 0
    idle_total_s: int = 0
    idle_s: int | None = None


@dataclass(frozen=True)
class Snapshot:
    """Everything that was read, linked by names and sorted by them.

    Attributes
    ----------
    as_of
        Newest time stamp found in the export (RFC 3339, UTC), "" where there is none.
    newest
        Kind to the newest time stamp found in its objects (RFC 3339, UTC); differs where files were taken apart.
    ignored
        Kind to number of objects that were read and not used.
    missing_kinds
        Kinds that the input does not hold, with what is assumed instead.
    workloads
        Workloads of queueing systems whose rules are not read; they are counted as ignored too.
    use
        Measured use of GPUs by pod, where monitoring was asked.
    digest
        SHA-256 of the canonical JSON form without sources; set by the reader.
    """

    nodes: tuple[Node, ...] = ()
    pods: tuple[Pod, ...] = ()
    gangs: tuple[Gang, ...] = ()
    queues: tuple[Queue, ...] = ()
    priority_classes: tuple[PriorityClass, ...] = ()
    disruption_budgets: tuple[PodDisruptionBudget, ...] = ()
    hyper_nodes: tuple[HyperNode, ...] = ()
    scheduler: SchedulerConfig | None = None
    as_of: str = ""
    newest: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    ignored: Mapping[str, int] = field(default_factory=dict)
    missing_kinds: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    workloads: tuple[ForeignWorkload, ...] = ()
    use: tuple[PodUse, ...] = ()
    digest: str = ""

    @cached_property
    def node_by_name(self) -> Mapping[str, Node]:
        """Nodes by name."""
        return {node.name: node for node in self.nodes}

    @cached_property
    def pod_by_name(self) -> Mapping[str, Pod]:
        """Pods by full name."""
        return {pod.full_name: pod for pod in self.pods}

    @cached_property
    def queue_by_name(self) -> Mapping[str, Queue]:
        """Queues by name; the queue ``default`` is always there, without limits if it is not listed."""
        found = {queue.name: queue for queue in self.queues}
        found.setdefault(DEFAULT_QUEUE, Queue(DEFAULT_QUEUE, implicit=True))
        return found

    @cached_property
    def gang_by_name(self) -> Mapping[str, Gang]:
        """Gangs by every full name they have."""
        found: dict[str, Gang] = {}
        for gang in self.gangs:
            for name in (gang.full_name, *gang.aliases):
                found.setdefault(name, gang)
        return found

    @cached_property
    def use_by_pod(self) -> Mapping[str, PodUse]:
        """Measured use by full name of the pod."""
        return {one.pod: one for one in self.use}

    @cached_property
    def pods_by_gang(self) -> Mapping[str, tuple[Pod, ...]]:
        """Pods by full name of their gang, sorted by name; gangs without pods are absent."""
        found: dict[str, list[Pod]] = {}
        for pod in self.pods:
            if pod.gang:
                found.setdefault(pod.gang, []).append(pod)
        return {name: tuple(pods) for name, pods in found.items()}

    @cached_property
    def pods_by_node(self) -> Mapping[str, tuple[Pod, ...]]:
        """Pods that hold room, by node."""
        found: dict[str, list[Pod]] = {}
        for pod in self.pods:
            if pod.holds_node and pod.node is not None:
                found.setdefault(pod.node, []).append(pod)
        return {name: tuple(pods) for name, pods in found.items()}

    @cached_property
    def total(self) -> Resources:
        """Sum of allocatable over all nodes, ready or not, without ``pods``."""
        amounts = total_of(node.allocatable for node in self.nodes).as_dict()
        amounts.pop(PODS, None)
        return Resources(amounts)

    def pods_of(self, gang: Gang) -> tuple[Pod, ...]:
        """Existing pods of a gang."""
        return self.pods_by_gang.get(gang.full_name, ())
