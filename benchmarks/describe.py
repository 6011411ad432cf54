"""What an instance holds: counts that tell whether it is as hard as it should be."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from benchmarks.spec import GPU, MODEL_LABEL, KubeObject

FACTORS = {"Ki": 1024, "Mi": 1024**2, "Gi": 1024**3}


@dataclass(frozen=True, slots=True)
class Description:
    """Figures of one instance.

    Attributes
    ----------
    node_classes
        Distinct (GPU model, taints, schedulable, free GPUs, free CPU, free memory, free pods).
    cpu_or_memory_bound
        Nodes with free GPUs whose free CPU or memory is less than the median waiting pod needs per free GPU.
    demand_gpus
        GPUs of the minima of waiting PodGroups that have pods.
    """

    objects: int
    nodes: int
    pods: int
    pending_pods: int
    waiting_gangs: int
    queues: int
    gpus_allocatable: int
    gpus_unhealthy: int
    gpus_used: int
    gpus_free: int
    demand_gpus: int
    node_classes: int
    cpu_or_memory_bound: int

    def lines(self) -> list[str]:
        """One line per figure."""
        used = 100 * self.gpus_used / max(1, self.gpus_allocatable)
        bound = 100 * self.cpu_or_memory_bound / max(1, self.nodes)
        return [
            f"{self.objects:,} objects: {self.nodes:,} nodes, {self.pods:,} pods "
            f"({self.pending_pods:,} pending), {self.queues} queues",
            f"{self.gpus_allocatable:,} GPUs allocatable, {self.gpus_unhealthy:,} unhealthy, "
            f"{self.gpus_used:,} used ({used:.1f} %), {self.gpus_free:,} free",
            f"{self.waiting_gangs:,} gangs wait; those with pods ask for {self.demand_gpus:,} GPUs",
            f"{self.node_classes:,} node classes; CPU or memory binds before the GPUs on "
            f"{self.cpu_or_memory_bound:,} nodes ({bound:.1f} %)",
        ]


def describe(objects: Iterable[KubeObject]) -> Description:
    """Count what an instance holds."""
    kinds: dict[str, list[KubeObject]] = {}
    for one in objects:
        kinds.setdefault(one["kind"], []).append(one)
    nodes, pods = kinds.get("Node", []), kinds.get("Pod", [])
    free = {node["metadata"]["name"]: _amounts(node["status"]["allocatable"]) for node in nodes}
    pending = [pod for pod in pods if "nodeName" not in pod["spec"]]
    used = 0
    for pod in pods:
        if "nodeName" in pod["spec"]:
            request = _request(pod)
            used += request[0]
            left = free[pod["spec"]["nodeName"]]
            free[pod["spec"]["nodeName"]] = _minus(left, request)
    allocatable = sum(_amounts(node["status"]["allocatable"])[0] for node in nodes)
    return Description(
        objects=sum(map(len, kinds.values())),
        nodes=len(nodes),
        pods=len(pods),
        pending_pods=len(pending),
        waiting_gangs=sum(
            group["status"]["phase"] != "Running" for group in kinds.get("PodGroup", [])
        ),
        queues=len(kinds.get("Queue", [])),
        gpus_allocatable=allocatable,
        gpus_unhealthy=sum(_amounts(node["status"]["capacity"])[0] for node in nodes) - allocatable,
        gpus_used=used,
        gpus_free=allocatable - used,
        demand_gpus=_demand(kinds.get("PodGroup", []), pending),
        node_classes=len({_class_of(node, free) for node in nodes}),
        cpu_or_memory_bound=_bound_nodes(free.values(), pending),
    )


Vector = tuple[int, int, int, int]
"""GPUs, milli-CPU, bytes of memory, pods."""


def _amounts(amounts: dict[str, str]) -> Vector:
    return (
        int(amounts.get(GPU, "0")),
        _milli(amounts["cpu"]),
        _bytes(amounts["memory"]),
        int(amounts.get("pods", "1")),
    )


def _milli(text: str) -> int:
    return int(text[:-1]) if text.endswith("m") else int(text) * 1000


def _bytes(text: str) -> int:
    return int(text[:-2]) * FACTORS[text[-2:]]


def _request(pod: KubeObject) -> Vector:
    return _amounts(pod["spec"]["containers"][0]["resources"]["requests"])


def _minus(left: Vector, right: Vector) -> Vector:
    gpus, cpu, memory, pods = (have - takes for have, takes in zip(left, right, strict=True))
    return gpus, cpu, memory, pods


def _class_of(node: KubeObject, free: dict[str, Vector]) -> tuple[Any, ...]:
    metadata, spec = node["metadata"], node["spec"]
    ready = node["status"]["conditions"][0]["status"]
    state = (len(spec.get("taints", ())), spec.get("unschedulable", False), ready)
    return (metadata["labels"][MODEL_LABEL], *state, *free[metadata["name"]])


def _demand(groups: list[KubeObject], pending: list[KubeObject]) -> int:
    per_pod: dict[tuple[str, str], int] = {}
    for pod in pending:
        metadata = pod["metadata"]
        key = (metadata["namespace"], metadata["annotations"]["scheduling.k8s.io/group-name"])
        per_pod[key] = max(per_pod.get(key, 0), _request(pod)[0])
    total = 0
    for group in groups:
        key = (group["metadata"]["namespace"], group["metadata"]["name"])
        roles = group["spec"].get("minTaskMember", {"worker": group["spec"]["minMember"]})
        total += per_pod.get(key, 0) * roles["worker"]
    return total


def _bound_nodes(free: Iterable[Vector], pending: list[KubeObject]) -> int:
    requests = [request for request in map(_request, pending) if request[0]]
    if not requests:
        return 0
    cpu = statistics.median_low([request[1] // request[0] for request in requests])
    memory = statistics.median_low([request[2] // request[0] for request in requests])
    return sum(
        left[0] > 0 and (left[1] < cpu * left[0] or left[2] < memory * left[0]) for left in free
    )
