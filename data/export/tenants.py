"""Queues with the contradictions that grow in them, priority classes, budgets, and the scheduler's ConfigMap."""

from __future__ import annotations

from typing import Any

from data.export.fat import KubeObject, applied, metadata
from data.export.machines import GPU
from data.export.world import World

QUEUES_KIND = "queues.scheduling.volcano.sh"
SCHEDULER_CONF = """\
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
    arguments:
      overcommit-factor: 1.3
  - name: drf
    enablePreemptable: false
  - name: predicates
  - name: capacity
    enabledHierarchy: true
  - name: tdm
    arguments:
      tdm.revocable-zone.night: 22:00-06:00
      tdm.evict.period: 1m
  - name: sla
  - name: nodeorder
  - name: binpack
"""
PRIORITIES = {"production": 1000, "research": 500, "besteffort": 100}


def add_tenants(world: World) -> None:
    """Everything but the queues, whose status needs the running pods (:func:`add_queues`)."""
    for name, value in PRIORITIES.items():
        world.add(
            "priorityclasses.scheduling.k8s.io",
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": metadata(
                    "PriorityClass", name, annotations=applied("PriorityClass", name)
                ),
                "value": value,
                "preemptionPolicy": "PreemptLowerPriority",
            },
        )
    world.add(
        "poddisruptionbudgets.policy",
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": metadata("PodDisruptionBudget", "llm", "online"),
            "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "llm-000"}}},
            "status": {
                "currentHealthy": 4,
                "desiredHealthy": 2,
                "disruptionsAllowed": 2,
                "expectedPods": 4,
            },
        },
    )
    world.add(
        "configmaps",
        {
            "apiVersion": "v1",
            "data": {"volcano-scheduler.conf": SCHEDULER_CONF},
            "kind": "ConfigMap",
            "metadata": metadata("ConfigMap", "volcano-scheduler-configmap", "volcano-system"),
        },
    )


def add_queues(world: World, gpus: int) -> None:
    """The queue tree; ``gpus`` is the cluster's number of GPUs, of which the queues get parts."""

    def part(percent: int) -> dict[str, str]:
        return {GPU: str(max(1, gpus * percent // 100))}

    specs: dict[str, dict[str, Any]] = {
        "root": {},
        "default": {"weight": 1},
        "research": {"deserved": part(60), "capability": part(80)},
        "pretrain": {"parent": "research", "deserved": part(45), "capability": part(70)},
        "nlp": {"parent": "research", "deserved": part(10), "guarantee": {"resource": part(5)}},
        # With its siblings it deserves more than their parent, and has a quota for a misspelt resource.
        "vision": {
            "parent": "research",
            "deserved": part(15),
            "capability": {**part(85), "nvidia.com/gpus": "8"},
        },
        # A ceiling and no floor: the usual misunderstanding.
        "eval": {"capability": part(25), "reclaimable": True},
        "online": {"deserved": part(10), "guarantee": {"resource": part(6)}, "reclaimable": False},
        "legacy": {"weight": 1},
        "orphan": {"parent": "department-x", "deserved": part(1)},
    }
    for name, spec in specs.items():
        world.add(QUEUES_KIND, _queue(world, name, spec))


def _queue(world: World, name: str, spec: dict[str, Any]) -> KubeObject:
    inside = ("pretrain", "nlp", "vision") if name == "research" else ()
    names = world.allocated if name == "root" else {name, *inside}
    used = {"cpu": 0, "memory": 0, "pods": 0, GPU: 0}
    for one in sorted(names):
        for resource, amount in world.allocated.get(one, {}).items():
            used[resource] += amount
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": metadata("Queue", name, annotations=applied("Queue", name)),
        "spec": {"reclaimable": True, "weight": 1, **spec},
        "status": {
            "allocated": {
                "cpu": f"{used['cpu']}m",
                "memory": f"{used['memory']}Mi",
                "pods": str(used["pods"]),
                GPU: str(used[GPU]),
            },
            "state": "Closed" if name == "legacy" else "Open",
        },
    }
