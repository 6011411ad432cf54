"""Running gangs, formed from the pods that were put on the hosts."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from benchmarks.hardware import Host
from benchmarks.spec import (
    PRIORITIES,
    RESEARCH_TAINT,
    KubeObject,
    Shape,
    pod_object,
    time_text,
)
from benchmarks.tenants import Tenant

GROUP_ANNOTATION = "scheduling.k8s.io/group-name"
TRAINING_OWNER = ("kubeflow.org/v1", "PyTorchJob")
PRIORITY_WEIGHTS = (2, 5, 3)
WHOLE_NODE_SIZES = (1, 1, 2, 4, 8, 16)
PART_NODE_SIZES = (1, 1, 2, 4)
ELASTIC_SHARE = 0.2


def choose_priority(rng: random.Random) -> str:
    """Name of a priority class."""
    return rng.choices(tuple(PRIORITIES), PRIORITY_WEIGHTS)[0]


def tolerations(tolerated: bool) -> KubeObject:
    """Fields of a pod specification for work that may use the research nodes."""
    return {"tolerations": [{**RESEARCH_TAINT, "operator": "Equal"}]} if tolerated else {}


def pod_group(
    namespace: str,
    name: str,
    *,
    minute: int,
    phase: str,
    spec: Mapping[str, Any],
    owner: KubeObject | None = None,
) -> KubeObject:
    """One PodGroup."""
    metadata: KubeObject = {
        "name": name,
        "namespace": namespace,
        "creationTimestamp": time_text(minute),
    }
    if owner:
        metadata["ownerReferences"] = [owner]
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": metadata,
        "spec": dict(spec),
        "status": {"phase": phase},
    }


class RunningGangs:
    """Collects running pods of equal shape and deals them out to gangs of several tenants."""

    def __init__(self, tenants: list[Tenant], rng: random.Random) -> None:
        self._tenants = tenants
        self._rng = rng
        self._slots: dict[tuple[Shape, str, bool], list[str]] = {}

    def add(self, host: Host, shape: Shape) -> None:
        """A pod of this shape runs on the host."""
        key = (shape, host.machine.model, host.research)
        self._slots.setdefault(key, []).append(host.name)

    def objects(self) -> tuple[list[KubeObject], list[KubeObject]]:
        """Pods and PodGroups of all running gangs."""
        pods: list[KubeObject] = []
        groups: list[KubeObject] = []
        for (shape, _, research), nodes in self._slots.items():
            self._rng.shuffle(nodes)
            while nodes:
                sizes = WHOLE_NODE_SIZES if shape.gpus >= 8 else PART_NODE_SIZES
                size = min(self._rng.choice(sizes), len(nodes))
                members, nodes = nodes[:size], nodes[size:]
                groups.append(
                    self._gang(f"train-{len(groups):05d}", shape, members, research, pods)
                )
        return pods, groups

    def _gang(
        self, name: str, shape: Shape, nodes: list[str], research: bool, pods: list[KubeObject]
    ) -> KubeObject:
        rng = self._rng
        tenant = rng.choices(self._tenants, [one.running_load for one in self._tenants])[0]
        priority, minute = choose_priority(rng), rng.randrange(60, 18 * 24 * 60)
        for index, node in enumerate(nodes):
            tenant.takes(shape)
            pods.append(
                pod_object(
                    tenant.namespace,
                    f"{name}-{index}",
                    shape,
                    created=minute,
                    owner=(*TRAINING_OWNER, name),
                    node=node,
                    priority=priority,
                    annotations={GROUP_ANNOTATION: name},
                    extra=tolerations(research),
                )
            )
        elastic = len(nodes) > 1 and rng.random() < ELASTIC_SHARE
        spec = {
            "minMember": len(nodes) // 2 if elastic else len(nodes),
            "queue": tenant.name,
            "priorityClassName": priority,
        }
        return pod_group(tenant.namespace, name, minute=minute, phase="Running", spec=spec)
