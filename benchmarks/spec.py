"""What a generated cluster is made of, and how its objects are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

KubeObject = dict[str, Any]

GPU = "nvidia.com/gpu"
MODEL_LABEL = "nvidia.com/gpu.product"
LEAF_LABEL = "network.example.com/leaf"
SPINE_LABEL = "network.example.com/spine"
RESEARCH_TAINT = {"key": "dedicated", "value": "research", "effect": "NoSchedule"}
PRIORITIES = {"production": 1000, "normal": 500, "besteffort": 100}
PODS_PER_NODE = 5.28
"""All pods per node where ``pods`` is not given: 66,000 on 12,500 nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSpec:
    """Settings of one instance; equal settings give equal bytes.

    Attributes
    ----------
    pods
        Pods in all, pending ones included; small CPU pods fill up to it. None means 5.28 per node, or as many as the
        other settings need.
    queue_model
        ``capacity`` sets ``deserved`` and names the capacity plugin in the scheduler ConfigMap; ``proportion`` leaves
        both out and queues share by weight.
    hierarchy
        Queues become leaves below one parent per four of them (capacity only).
    topology
        HyperNodes of tier 1 (leaf) and 2 (spine), and hard topology on some of the large waiting gangs.
    topology_share
        With ``topology``: share of all waiting gangs with a topology instead, half of them hard (one leaf), half soft.
    nodes_per_leaf
        Nodes under one leaf switch; eight leaves make a spine.
    smallest
        GPUs of the smallest waiting pod and gang: 1, 2, 4 or 8. Without small ones fragments stay free.
    """

    nodes: int = 1000
    gangs: int = 300
    queues: int = 12
    seed: int = 1
    pods: int | None = None
    queue_model: Literal["capacity", "proportion"] = "capacity"
    hierarchy: bool = False
    topology: bool = False
    topology_share: float = 0.0
    nodes_per_leaf: int = 16
    smallest: int = 1

    def __post_init__(self) -> None:
        if min(self.nodes, self.gangs, self.queues, self.nodes_per_leaf) < 1:
            raise ValueError("nodes, gangs, queues and nodes per leaf must be at least 1")
        if self.hierarchy and self.queue_model != "capacity":
            raise ValueError("a queue hierarchy needs the capacity model")
        if not 0 <= self.topology_share <= 1:
            raise ValueError("the share of gangs with a topology is between 0 and 1")
        if self.smallest not in (1, 2, 4, 8):
            raise ValueError("the smallest pod has 1, 2, 4 or 8 GPUs")


@dataclass(frozen=True, slots=True)
class Shape:
    """Request of one pod: whole GPUs, milli-CPU, MiB of memory."""

    gpus: int
    cpu_milli: int
    memory_mib: int

    def requests(self) -> dict[str, str]:
        """As a pod manifest writes it."""
        found = {"cpu": cpu_text(self.cpu_milli), "memory": memory_text(self.memory_mib)}
        if self.gpus:
            found[GPU] = str(self.gpus)
        return found


def cpu_text(milli: int) -> str:
    """Milli-CPU as Kubernetes writes it."""
    return str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"


def memory_text(mib: int) -> str:
    """MiB as Kubernetes writes it."""
    return f"{mib // 1024}Gi" if mib % 1024 == 0 else f"{mib}Mi"


def time_text(minute: int) -> str:
    """RFC 3339 time, minutes after the first of August 2026, 00:00 UTC (at most 30 days)."""
    day, rest = divmod(minute, 24 * 60)
    return f"2026-08-{day + 1:02d}T{rest // 60:02d}:{rest % 60:02d}:00Z"


def pod_object(
    namespace: str,
    name: str,
    shape: Shape,
    *,
    created: int,
    owner: tuple[str, str, str],
    node: str = "",
    scheduler: str = "volcano",
    priority: str = "",
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> KubeObject:
    """One pod; ``owner`` is (apiVersion, kind, name), ``extra`` further fields of its spec."""
    requests = shape.requests()
    resources: KubeObject = {"requests": requests}
    if shape.gpus:
        resources["limits"] = {GPU: requests[GPU]}
    metadata: KubeObject = {"name": name, "namespace": namespace}
    metadata["creationTimestamp"] = time_text(created)
    if labels:
        metadata["labels"] = dict(labels)
    if annotations:
        metadata["annotations"] = dict(annotations)
    api_version, kind, owner_name = owner
    metadata["ownerReferences"] = [
        {"apiVersion": api_version, "kind": kind, "name": owner_name, "controller": True}
    ]
    spec: KubeObject = {"schedulerName": scheduler, **(extra or {})}
    if priority:
        spec["priorityClassName"] = priority
        spec["priority"] = PRIORITIES[priority]
    spec["containers"] = [{"name": "main", "resources": resources}]
    if node:
        spec["nodeName"] = node
    phase = "Running" if node else "Pending"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": spec,
        "status": {"phase": phase},
    }
