"""Pods that hold their nodes already: DaemonSets, online services, running gangs and CPU work."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from benchmarks.gangs import RunningGangs
from benchmarks.hardware import Host
from benchmarks.spec import RESEARCH_TAINT, KubeObject, Shape, pod_object
from benchmarks.tenants import Tenant

DAEMON = Shape(0, 250, 512)
ONLINE_CLASS = {"priorityClassName": "online-serving", "priority": 10_000}
TOLERATES_RESEARCH = {
    "tolerations": [{**RESEARCH_TAINT, "operator": "Equal"}],
}
PER_GPU = ((6000, 48 * 1024), (10_000, 96 * 1024))
"""milli-CPU and MiB per GPU of running work; an even number of these fits every machine."""

FULL = ((8,), (8,), (8,), (4, 4), (4, 2, 2), (4, 2, 1, 1))
FULL_OF_SEVEN = ((4, 2, 1), (4, 1, 1, 1))
FULL_OF_FOUR = ((4,), (2, 2))
PARTS = ((1,), (2,), (4,), (4, 1), (4, 2), (2, 1))
PARTS_OF_FOUR = ((1,), (2,), (2, 1))
FULL_SHARE, PART_SHARE = 0.46, 0.30
"""Shares of nodes whose GPUs are all taken, and of nodes with some taken; together 55 to 70 % of the GPUs."""

ONLINE_SHARE = 0.3
CPU_HOG_SHARE = 0.45
"""Share of partly used nodes where CPU work leaves less CPU than their free GPUs want."""

HOG_LEAVES_CPU = (4000, 16_000)
SMALL_CPU_WORK = Shape(0, 2000, 8 * 1024)
CPU_PODS_PER_ROUND = 4
SERVICES = ("chat", "embed", "rerank", "speech", "vision")


@dataclass(slots=True)
class Residents:
    """Objects of the pods that run, and the gangs they form."""

    pods: list[KubeObject] = field(default_factory=list)
    gangs: list[KubeObject] = field(default_factory=list)


def make_residents(hosts: list[Host], tenants: list[Tenant], rng: random.Random) -> Residents:
    """Fill the hosts with DaemonSet pods, online pods and running gangs; counts what the queues use."""
    found = Residents()
    running = RunningGangs(tenants, rng)
    for index, host in enumerate(hosts):
        found.pods.append(_daemon_pod(host))
        put(host, DAEMON)
        if host.broken:
            continue
        for size in parts_for(host, rng):
            shape = shape_for(host, size, rng)
            if shape is None:
                continue
            put(host, shape)
            if size <= 2 and rng.random() < ONLINE_SHARE:
                found.pods.append(_online_pod(host, shape, f"{index:05d}-{len(found.pods)}", rng))
            else:
                running.add(host, shape)
        if 0 < host.gpus < host.machine.gpus and rng.random() < CPU_HOG_SHARE:
            found.pods.append(_cpu_hog(host, index, rng))
    pods, groups = running.objects()
    found.pods += pods
    found.gangs += groups
    return found


def fill_with_cpu_work(hosts: list[Host], count: int, rng: random.Random) -> list[KubeObject]:
    """``count`` small pods without GPUs, on hosts without free GPUs first so that nodes stay alike.

    Raises
    ------
    ValueError
        The hosts have no room for so many.
    """
    ordered = [host for host in hosts if not host.broken]
    rng.shuffle(ordered)
    ordered.sort(key=lambda host: host.gpus > 0)
    pods: list[KubeObject] = []
    while len(pods) < count:
        before = len(pods)
        for host in ordered:
            room = min(CPU_PODS_PER_ROUND, count - len(pods))
            for _ in range(room):
                if _fits(host, SMALL_CPU_WORK):
                    put(host, SMALL_CPU_WORK)
                    pods.append(_cpu_pod(host, SMALL_CPU_WORK, f"features-{len(pods):05d}"))
        if len(pods) == before:
            raise ValueError(f"no room for {count - before:,} of {count:,} further CPU pods")
    return pods


def parts_for(host: Host, rng: random.Random) -> tuple[int, ...]:
    """GPUs of the pods that run on a host."""
    chance = rng.random()
    if chance < FULL_SHARE:
        options = {8: FULL, 7: FULL_OF_SEVEN, 4: FULL_OF_FOUR}.get(host.gpus, PARTS_OF_FOUR)
        return rng.choice(options)
    if chance < FULL_SHARE + PART_SHARE:
        return rng.choice(PARTS if host.gpus > 4 else PARTS_OF_FOUR)
    return ()


def shape_for(host: Host, gpus: int, rng: random.Random) -> Shape | None:
    """A running pod with so many GPUs that fits; None where none does."""
    for cpu, memory in rng.sample(PER_GPU, k=len(PER_GPU)):
        shape = Shape(gpus, cpu * gpus, memory * gpus)
        if _fits(host, shape):
            return shape
    return None


def _fits(host: Host, shape: Shape) -> bool:
    return (
        shape.gpus <= host.gpus
        and shape.cpu_milli <= host.cpu_milli
        and shape.memory_mib <= host.memory_mib
    )


def put(host: Host, shape: Shape) -> None:
    """Take the room of a pod."""
    host.gpus -= shape.gpus
    host.cpu_milli -= shape.cpu_milli
    host.memory_mib -= shape.memory_mib


def _daemon_pod(host: Host) -> KubeObject:
    return pod_object(
        "kube-system",
        f"node-agent-{host.name}",
        DAEMON,
        created=0,
        owner=("apps/v1", "DaemonSet", "node-agent"),
        node=host.name,
        scheduler="default-scheduler",
        extra={"priorityClassName": "system-node-critical", "priority": 2_000_001_000},
    )


def _online_pod(host: Host, shape: Shape, suffix: str, rng: random.Random) -> KubeObject:
    service = rng.choice(SERVICES)
    return pod_object(
        "serving",
        f"{service}-{suffix}",
        shape,
        created=rng.randrange(1, 1000),
        owner=("apps/v1", "ReplicaSet", f"{service}-7d4b9"),
        node=host.name,
        scheduler="default-scheduler",
        labels={"app": service},
        extra={**ONLINE_CLASS, **(TOLERATES_RESEARCH if host.research else {})},
    )


def _cpu_hog(host: Host, index: int, rng: random.Random) -> KubeObject:
    left = rng.choice(HOG_LEAVES_CPU)
    cpu = max(1000, (host.cpu_milli - left) // 1000 * 1000)
    shape = Shape(0, min(cpu, host.cpu_milli), min(32 * 1024, host.memory_mib))
    put(host, shape)
    return _cpu_pod(host, shape, f"tokenizer-{index:05d}")


def _cpu_pod(host: Host, shape: Shape, name: str) -> KubeObject:
    return pod_object(
        "data",
        name,
        shape,
        created=30,
        owner=("apps/v1", "ReplicaSet", name.rpartition("-")[0]),
        node=host.name,
        scheduler="default-scheduler",
        extra=TOLERATES_RESEARCH if host.research else None,
    )
