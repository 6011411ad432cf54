"""Waiting gangs: sizes that ask for twice the free GPUs, roles, elastic pods, jobs without pods."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.gangs import (
    GROUP_ANNOTATION,
    TRAINING_OWNER,
    choose_priority,
    pod_group,
    tolerations,
)
from benchmarks.hardware import MODELS
from benchmarks.spec import MODEL_LABEL, ClusterSpec, KubeObject, Shape, pod_object, time_text
from benchmarks.tenants import Tenant

SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
"""GPUs of a gang at its minimum."""

DEMAND_FACTOR = 2.0
PER_GPU = ((6000, 48), (10_000, 96), (14_000, 64), (8000, 180))
PER_GPU_WEIGHTS = (4, 4, 1, 1)
MASTER = Shape(0, 4000, 16 * 1024)
ROLES_SHARE, ELASTIC_SHARE, JOB_SHARE = 0.15, 0.15, 0.10
SELECTS_MODEL_SHARE, UNKNOWN_MODEL_SHARE, TOLERATES_SHARE = 0.30, 0.01, 0.10
TOPOLOGY_SHARE, TOPOLOGY_PODS = 0.2, 3
UNKNOWN_MODEL = "NVIDIA-B200"
FIRST_MINUTE, LAST_MINUTE = 18 * 24 * 60, 20 * 24 * 60
TASK_ANNOTATION = "volcano.sh/task-spec"


@dataclass(slots=True)
class Waiting:
    """Objects of the gangs that wait."""

    groups: list[KubeObject] = field(default_factory=list)
    jobs: list[KubeObject] = field(default_factory=list)
    pods: list[KubeObject] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class WaitingGang:
    """One gang before it becomes objects; ``roles`` maps role to (shape, minimum, replicas), ``topology`` is a mode."""

    name: str
    tenant: Tenant
    priority: str
    minute: int
    roles: dict[str, tuple[Shape, int, int]]
    pod_spec: KubeObject
    topology: str

    @property
    def minimum(self) -> int:
        """``minMember``."""
        return sum(minimum for _, minimum, _ in self.roles.values())

    def group_spec(self) -> KubeObject:
        """``spec`` of the PodGroup."""
        spec: KubeObject = {
            "minMember": self.minimum,
            "queue": self.tenant.name,
            "priorityClassName": self.priority,
        }
        if len(self.roles) > 1:
            spec["minTaskMember"] = {role: minimum for role, (_, minimum, _) in self.roles.items()}
        if self.topology:
            tier = {"highestTierAllowed": 1} if self.topology == "hard" else {}
            spec["networkTopology"] = {"mode": self.topology, **tier}
        return spec


def make_waiting(
    spec: ClusterSpec, tenants: list[Tenant], free_gpus: int, rng: random.Random
) -> Waiting:
    """Waiting gangs that ask, at their minima, for about twice the free GPUs."""
    sizes = tuple(size for size in SIZES if size >= spec.smallest)
    weights = size_weights(sizes, DEMAND_FACTOR * free_gpus / spec.gangs)
    loads = [tenant.waiting_load for tenant in tenants]
    found = Waiting()
    for index in range(spec.gangs):
        gpus = rng.choices(sizes, weights)[0]
        tenant = rng.choices(tenants, loads)[0]
        gang = waiting_gang(spec, f"exp-{index:05d}", tenant, gpus, rng)
        if rng.random() < JOB_SHARE:
            _add_job(found, gang)
        else:
            _add_pods(found, gang)
    return found


def size_weights(sizes: Sequence[int], mean_gpus: float) -> list[float]:
    """Weights of gang sizes, proportional to size^(-a), with a mean as near to ``mean_gpus`` as a in [-2, 4] gives."""
    low, high = -2.0, 4.0
    for _ in range(50):
        exponent = (low + high) / 2
        if _mean(sizes, exponent) > mean_gpus:
            low = exponent
        else:
            high = exponent
    return [math.pow(size, -(low + high) / 2) for size in sizes]


def _mean(sizes: Sequence[int], exponent: float) -> float:
    weights = [math.pow(size, -exponent) for size in sizes]
    return sum(size * weight for size, weight in zip(sizes, weights, strict=True)) / sum(weights)


def waiting_gang(
    spec: ClusterSpec, name: str, tenant: Tenant, gpus: int, rng: random.Random
) -> WaitingGang:
    """One gang with so many GPUs at its minimum."""
    per_pod = _gpus_per_pod(gpus, spec.smallest, rng)
    cpu, memory_gib = rng.choices(PER_GPU, PER_GPU_WEIGHTS)[0]
    shape = Shape(per_pod, cpu * per_pod, memory_gib * 1024 * per_pod)
    workers = gpus // per_pod
    chance = rng.random()
    roles = {"worker": (shape, workers, workers)}
    if chance < ROLES_SHARE:
        roles = {"master": (MASTER, 1, 1), **roles}
    elif chance < ROLES_SHARE + ELASTIC_SHARE:
        roles = {"worker": (shape, workers, workers + workers // 2 + 1)}
    pod_spec = tolerations(rng.random() < TOLERATES_SHARE)
    choice = rng.random()
    if choice < SELECTS_MODEL_SHARE:
        model = UNKNOWN_MODEL if choice < UNKNOWN_MODEL_SHARE else rng.choice(MODELS)
        pod_spec["nodeSelector"] = {MODEL_LABEL: model}
    topology = _topology(spec, workers, rng)
    minute = rng.randrange(FIRST_MINUTE, LAST_MINUTE)
    return WaitingGang(name, tenant, choose_priority(rng), minute, roles, pod_spec, topology)


def _topology(spec: ClusterSpec, workers: int, rng: random.Random) -> str:
    """Mode of the gang's topology, "" for none."""
    if not spec.topology:
        return ""
    if spec.topology_share:
        return rng.choice(("hard", "soft")) if rng.random() < spec.topology_share else ""
    return "hard" if workers >= TOPOLOGY_PODS and rng.random() < TOPOLOGY_SHARE else ""


def _gpus_per_pod(gpus: int, smallest: int, rng: random.Random) -> int:
    largest = min(gpus, 8)
    options = [size for size in SIZES if smallest <= size <= largest and gpus // size <= 16]
    weights = [4.0 ** options.index(size) for size in options]
    return rng.choices(options, weights)[0]


def _add_pods(found: Waiting, gang: WaitingGang) -> None:
    namespace = gang.tenant.namespace
    found.groups.append(
        pod_group(namespace, gang.name, minute=gang.minute, phase="Inqueue", spec=gang.group_spec())
    )
    for role, (shape, _, replicas) in gang.roles.items():
        annotations = {GROUP_ANNOTATION: gang.name}
        if len(gang.roles) > 1:
            annotations[TASK_ANNOTATION] = role
        found.pods += [
            pod_object(
                namespace,
                f"{gang.name}-{role}-{index}",
                shape,
                created=gang.minute,
                owner=(*TRAINING_OWNER, gang.name),
                priority=gang.priority,
                annotations=annotations,
                extra=gang.pod_spec,
            )
            for index in range(replicas)
        ]


def _add_job(found: Waiting, gang: WaitingGang) -> None:
    namespace = gang.tenant.namespace
    owner = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "name": gang.name,
        "controller": True,
    }
    spec = gang.group_spec()
    spec["minTaskMember"] = {role: minimum for role, (_, minimum, _) in gang.roles.items()}
    found.groups.append(
        pod_group(
            namespace,
            f"{gang.name}-job",
            minute=gang.minute,
            phase="Pending",
            spec=spec,
            owner=owner,
        )
    )
    found.jobs.append(_job_object(gang))


def _job_object(gang: WaitingGang) -> KubeObject:
    tasks = [
        {
            "name": role,
            "replicas": replicas,
            "minAvailable": minimum,
            "template": {"spec": {**gang.pod_spec, "containers": [_container(shape)]}},
        }
        for role, (shape, minimum, replicas) in gang.roles.items()
    ]
    spec = gang.group_spec()
    spec["minAvailable"] = spec.pop("minMember")
    spec.pop("minTaskMember", None)
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {
            "name": gang.name,
            "namespace": gang.tenant.namespace,
            "creationTimestamp": time_text(gang.minute),
        },
        "spec": {"schedulerName": "volcano", **spec, "tasks": tasks},
        "status": {"state": {"phase": "Pending"}},
    }


def _container(shape: Shape) -> KubeObject:
    return {"name": "main", "resources": {"requests": shape.requests()}}
