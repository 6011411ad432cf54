"""The document of ``gangplan inspect`` (``kind: InspectResult``): what an export holds, without a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from models.foreign_workloads import LeftOut
from models.plan import FindingEntry, Part
from models.resources import NO_RESOURCES, Resources
from models.use import MeasuredUse


class InspectSummary(Part):
    """Key figures; ``left_out`` is demand of other systems and schedulers.

    Used GPUs are those of all pods that hold a node, of any scheduler.

    Free GPUs are ``whole`` on open nodes without GPU pods, in ``fragments`` beside used ones, ``unavailable`` on nodes
    that take no pods.
    """

    nodes: int = 0
    nodes_closed: int = 0
    node_classes: int = 0
    pods: int = 0
    gangs: int = 0
    gangs_waiting: int = 0
    queues: int = 0
    gpus_allocatable: int = 0
    gpus_used: int = 0
    gpus_free_whole: int = 0
    gpus_free_fragment: int = 0
    gpus_unavailable: int = 0
    gpus_waited_for: int = 0
    gpu_slots: int = 0
    gpu_slot_cards: int = 0
    left_out: tuple[LeftOut, ...] = ()


class NodeClassEntry(Part):
    """Nodes with the same GPU model, allocatable and taints.

    ``slots_per_card`` is above 1 where GPUs are slots of shared cards.
    """

    gpu_model: str = ""
    slots_per_card: int = 1
    nodes: int = 0
    nodes_closed: int = 0
    allocatable: Resources = NO_RESOURCES
    gpus_each: int = 0
    gpus_used: int = 0
    gpus_free_whole: int = 0
    gpus_free_fragment: int = 0
    gpus_unavailable: int = 0
    taints: tuple[str, ...] = ()
    example: str = ""


class QueueStanding(Part):
    """A queue as the export describes it; ``allocated`` is counted from its running pods."""

    name: str
    weight: int = 1
    state: str = "Open"
    parent: str = ""
    implicit: bool = False
    reclaimable: bool = True
    deserved: Resources = NO_RESOURCES
    capability: Resources = NO_RESOURCES
    guarantee: Resources = NO_RESOURCES
    allocated: Resources = NO_RESOURCES
    gangs_running: int = 0
    gangs_waiting: int = 0


class WaitingGang(Part):
    """A gang that is not ready.

    ``members`` are its live pods and those that its controller has promised; ``gpus`` is the least that the pods which
    its minimum still lacks ask for, None where there are too few pods to reach it.
    """

    namespace: str
    name: str
    kind: str = ""
    queue: str = ""
    priority: int = 0
    members: int = 0
    running: int = 0
    min_member: int = 0
    gpus: int | None = None
    created: str = ""
    waited_seconds: int | None = None

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class InspectResult(Part):
    """The whole document."""

    schema_version: int = 1
    kind: str = "InspectResult"
    sentence: str = ""
    as_of: str = ""
    digest: str = ""
    sources: tuple[str, ...] = ()
    summary: InspectSummary = InspectSummary()
    node_classes: tuple[NodeClassEntry, ...] = ()
    queues: tuple[QueueStanding, ...] = ()
    waiting: tuple[WaitingGang, ...] = ()
    findings: tuple[FindingEntry, ...] = ()
    missing_kinds: Mapping[str, str] = Field(default_factory=dict)
    ignored: Mapping[str, int] = Field(default_factory=dict)
    policy: Mapping[str, Any] = Field(default_factory=dict)
    gpu_resources: tuple[str, ...] = ()
    use: MeasuredUse | None = None
