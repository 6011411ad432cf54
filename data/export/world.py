"""The export while it is made: hosts, objects by kind, and what each queue has allocated."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from data.export.fat import KubeObject, container, metadata, pod_status, volumes
from data.export.machines import GPU, Host

VOLCANO, DEFAULT = "volcano", "default-scheduler"


@dataclass(frozen=True)
class Shape:
    """What one pod requests: milli-CPU, MiB, GPUs."""

    cpu: int
    memory: int
    gpus: int = 0

    @property
    def requests(self) -> dict[str, str]:
        """As quantities."""
        found = {"cpu": f"{self.cpu}m", "memory": f"{self.memory}Mi"}
        return found | ({GPU: str(self.gpus)} if self.gpus else {})


@dataclass
class World:
    """All objects made so far; kinds are the fully qualified names that kubectl takes."""

    hosts: list[Host]
    rng: random.Random
    objects: dict[str, list[KubeObject]] = field(default_factory=dict)
    allocated: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, kind: str, *objects: KubeObject) -> None:
        """Add objects to a kind."""
        self.objects.setdefault(kind, []).extend(objects)

    def place(self, shape: Shape, pools: tuple[str, ...]) -> Host | None:
        """Take room on some open host of these pools, the fuller ones first; None where there is none."""
        fitting = [
            h for h in self.hosts if h.pool.name in pools and h.open and h.free_gpus >= shape.gpus
        ]
        fitting.sort(key=lambda host: (host.free_gpus, host.name))
        for host in fitting:
            if host.take(shape.cpu, shape.memory, shape.gpus):
                return host
        return None

    def charge(self, queue: str, shape: Shape) -> None:
        """Count a running pod in its queue's status."""
        used = self.allocated.setdefault(queue, Counter())
        used.update(cpu=shape.cpu, memory=shape.memory, pods=1)
        if shape.gpus:
            used[GPU] += shape.gpus


@dataclass(frozen=True)
class PodPlan:
    """One pod to print; ``phase`` Pending with a node is a pod that is being created."""

    namespace: str
    name: str
    shape: Shape
    node: str = ""
    phase: str = "Pending"
    scheduler: str = VOLCANO
    minutes: float = 0
    reason: str = ""
    priority_class: str = ""
    priority: int | None = None
    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    owner: tuple[str, str, str] = ("", "", "")
    terminating: bool = False
    spec: dict[str, Any] = field(default_factory=dict)


def pod_object(plan: PodPlan) -> KubeObject:
    """The pod as ``kubectl get pods -o json`` prints it."""
    version, kind, owner = plan.owner
    owners = [
        {
            "apiVersion": version,
            "blockOwnerDeletion": True,
            "controller": True,
            "kind": kind,
            "name": owner,
        }
    ]
    extra: dict[str, Any] = {"labels": plan.labels, "annotations": plan.annotations}
    if kind:
        extra["ownerReferences"] = owners
    if plan.terminating:
        extra |= {"deletionTimestamp": "2026-09-14T07:54:00Z", "deletionGracePeriodSeconds": 30}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata("Pod", plan.name, plan.namespace, minutes=plan.minutes, **extra),
        "spec": _pod_spec(plan),
        "status": pod_status(
            plan.name, plan.phase, plan.minutes, node=plan.node, reason=plan.reason
        ),
    }


def _pod_spec(plan: PodPlan) -> KubeObject:
    spec: KubeObject = {
        "containers": [container(plan.name, plan.shape.requests)],
        "dnsPolicy": "ClusterFirst",
        "nodeName": plan.node,
        "priority": plan.priority,
        "priorityClassName": plan.priority_class,
        "restartPolicy": "Never",
        "schedulerName": plan.scheduler,
        "securityContext": {"runAsUser": 1000},
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [
            {
                "effect": "NoExecute",
                "key": f"node.kubernetes.io/{what}",
                "operator": "Exists",
                "tolerationSeconds": 300,
            }
            for what in ("not-ready", "unreachable")
        ],
        "volumes": volumes(),
    }
    spec |= plan.spec
    return {key: value for key, value in spec.items() if value not in ("", None)}
