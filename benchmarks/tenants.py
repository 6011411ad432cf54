"""Queues with weights and entitlements, priority classes and the scheduler's configuration."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.hardware import Host
from benchmarks.spec import (
    GPU,
    PRIORITIES,
    ClusterSpec,
    KubeObject,
    Shape,
    cpu_text,
    memory_text,
    time_text,
)

DESERVED_SHARE = 0.95
CAPPED_SHARE, CAPABILITY_FACTOR = 0.6, 1.6
GUARANTEED_SHARE, GUARANTEE_FACTOR = 0.25, 0.2
QUEUES_PER_PARENT = 4

Amounts = tuple[int, int, int]
"""GPUs, milli-CPU, MiB of memory."""


@dataclass(slots=True)
class Tenant:
    """A queue in the making: its weight, how much of the running and waiting work it owns, and what runs."""

    name: str
    namespace: str
    weight: int
    running_load: float
    waiting_load: float
    gpus: int = 0
    cpu_milli: int = 0
    memory_mib: int = 0

    def takes(self, shape: Shape) -> None:
        """Count a running pod."""
        self.gpus += shape.gpus
        self.cpu_milli += shape.cpu_milli
        self.memory_mib += shape.memory_mib


def make_tenants(spec: ClusterSpec, rng: random.Random) -> list[Tenant]:
    """Queues whose loads differ from their weights, so that some lend and some borrow."""
    found = []
    for index in range(spec.queues):
        weight = rng.choice((1, 2, 2, 3, 4, 6))
        running, waiting = rng.uniform(0.4, 1.6), rng.uniform(0.3, 1.7)
        name = f"team-{index:02d}"
        found.append(Tenant(name, f"ns-{index:02d}", weight, weight * running, weight * waiting))
    return found


def make_queues(
    spec: ClusterSpec, tenants: list[Tenant], hosts: list[Host], rng: random.Random
) -> list[KubeObject]:
    """Queue objects; a capability is never below what runs already."""
    weights = sum(tenant.weight for tenant in tenants)
    found = []
    entitlements: dict[str, list[tuple[dict[str, str], dict[str, str]]]] = {}
    total = _total(hosts)
    for index, tenant in enumerate(tenants):
        share = DESERVED_SHARE * tenant.weight / weights
        body: KubeObject = {"weight": tenant.weight, "reclaimable": rng.random() < 0.85}
        with_base = rng.random() < 0.5
        deserved = _scaled(total, share)
        if spec.queue_model == "capacity":
            body["deserved"] = _amounts(deserved, base=with_base)
        if rng.random() < CAPPED_SHARE:
            ceiling = _largest(_scaled(total, share * CAPABILITY_FACTOR), tenant)
            body["capability"] = _amounts(ceiling, base=with_base)
        if rng.random() < GUARANTEED_SHARE:
            reserved = _amounts(_scaled(total, share * GUARANTEE_FACTOR), base=False)
            body["guarantee"] = {"resource": reserved}
        if spec.hierarchy:
            parent = f"org-{index // QUEUES_PER_PARENT:02d}"
            body["parent"] = parent
            guarantee = body.get("guarantee", {}).get("resource", {})
            entitlements.setdefault(parent, []).append((body["deserved"], guarantee))
        found.append(_queue(tenant.name, index, body))
    parents = [
        _queue(name, 0, {"weight": 1, "reclaimable": True, **_sums(children)})
        for name, children in entitlements.items()
    ]
    return parents + found


def _sums(children: Iterable[tuple[dict[str, str], dict[str, str]]]) -> KubeObject:
    """GPU entitlements of a parent, which the queue webhook wants to cover those of its children."""
    listed = list(children)
    deserved = sum(int(one[GPU]) for one, _ in listed)
    guarantee = sum(int(one.get(GPU, "0")) for _, one in listed)
    return {
        "deserved": {GPU: str(deserved)},
        "guarantee": {"resource": {GPU: str(guarantee)}},
    }


def _queue(name: str, minute: int, body: KubeObject) -> KubeObject:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name, "creationTimestamp": time_text(minute)},
        "spec": body,
        "status": {"state": "Open"},
    }


def _total(hosts: list[Host]) -> Amounts:
    gpus = sum(host.machine.gpus for host in hosts)
    cpu = sum(host.machine.cpu * 1000 for host in hosts)
    return gpus, cpu, sum(host.machine.memory_gib * 1024 for host in hosts)


def _scaled(total: Amounts, share: float) -> Amounts:
    gpus, cpu, memory = (int(amount * share) for amount in total)
    return max(gpus, 1), cpu - cpu % 1000, memory - memory % 1024


def _largest(ceiling: Amounts, tenant: Tenant) -> Amounts:
    return (
        max(ceiling[0], tenant.gpus),
        max(ceiling[1], tenant.cpu_milli),
        max(ceiling[2], tenant.memory_mib),
    )


def _amounts(amounts: Amounts, *, base: bool) -> dict[str, str]:
    gpus, cpu, memory = amounts
    found = {GPU: str(gpus)}
    if base:
        found |= {"cpu": cpu_text(cpu), "memory": memory_text(memory)}
    return found


def make_priority_classes() -> list[KubeObject]:
    """The three priority classes of batch work and the one of online work."""
    values = {**PRIORITIES, "online-serving": 10_000}
    return [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
        }
        for name, value in values.items()
    ]


def make_scheduler_config(spec: ClusterSpec) -> KubeObject:
    """The Volcano scheduler ConfigMap: nothing is evicted, the queue model as asked for."""
    plugin = "capacity" if spec.queue_model == "capacity" else "proportion"
    switch = "\n    enabledHierarchy: true" if spec.hierarchy else ""
    text = f"""actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: predicates
  - name: {plugin}{switch}
  - name: nodeorder
  - name: binpack
"""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"},
        "data": {"volcano-scheduler.conf": text},
    }
