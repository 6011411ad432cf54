"""A tiny cluster as kubectl exports it at some moment: one node with GPUs and a few gangs of two pods."""

from __future__ import annotations

import json
from typing import Any

QUEUE_API = "scheduling.volcano.sh/v1beta1"


def tiny_export(moment: str, *, gangs: int = 2, gpus: int = 8) -> str:
    """JSON text; ``moment`` (RFC 3339) is the newest time in it, each pod of the waiting gangs asks for two GPUs."""
    items: list[dict[str, Any]] = [_node(moment, gpus), _queue()]
    for number in range(gangs):
        name = f"train-{number}"
        items.append(_pod_group(name))
        items += [_pod(name, index) for index in range(2)]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def _node(moment: str, gpus: int) -> dict[str, Any]:
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": moment}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "gpu-1"},
        "status": {
            "allocatable": {
                "cpu": "64",
                "memory": "512Gi",
                "pods": "110",
                "nvidia.com/gpu": str(gpus),
            },
            "conditions": [ready],
        },
    }


def _queue() -> dict[str, Any]:
    return {
        "apiVersion": QUEUE_API,
        "kind": "Queue",
        "metadata": {"name": "research"},
        "spec": {"weight": 1},
        "status": {"state": "Open"},
    }


def _pod_group(name: str) -> dict[str, Any]:
    return {
        "apiVersion": QUEUE_API,
        "kind": "PodGroup",
        "metadata": {
            "namespace": "ml",
            "name": name,
            "creationTimestamp": "2026-09-01T10:00:00Z",
            "annotations": {"gangplan.io/runtime": "1h"},
        },
        "spec": {"minMember": 2, "queue": "research"},
        "status": {"phase": "Pending"},
    }


def _pod(gang: str, index: int) -> dict[str, Any]:
    requests = {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "2"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "ml",
            "name": f"{gang}-{index}",
            "annotations": {"scheduling.k8s.io/group-name": gang},
        },
        "spec": {
            "schedulerName": "volcano",
            "containers": [{"name": "main", "resources": {"requests": requests}}],
        },
        "status": {"phase": "Pending"},
    }
