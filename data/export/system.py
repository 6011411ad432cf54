"""Pods that no batch scheduler places: DaemonSets, static pods, online services, and what they leave behind."""

from __future__ import annotations

from data.export.fat import tag, uid
from data.export.machines import Host
from data.export.world import DEFAULT, PodPlan, Shape, World, pod_object

DAEMONS = (
    ("kube-system", "cni", Shape(250, 256)),
    ("monitoring", "node-exporter", Shape(100, 180)),
)
GPU_DAEMON = ("gpu-operator", "device-plugin", Shape(50, 128))
EVERY_TAINT = [{"operator": "Exists"}]
CPU_POOLS = ("cpu", "h100", "a100", "p4d")


def add_daemons(world: World) -> None:
    """One pod of every DaemonSet per node, and the static pods of three control plane nodes."""
    for index, host in enumerate(world.hosts):
        daemons = (*DAEMONS, GPU_DAEMON) if host.pool.gpus else DAEMONS
        for namespace, name, shape in daemons:
            _add_daemon(world, host, namespace, name, shape)
        if index < 3:
            _add_static(world, host)


def _add_daemon(world: World, host: Host, namespace: str, name: str, shape: Shape) -> None:
    host.take(shape.cpu, shape.memory, 0)
    plan = PodPlan(
        namespace,
        f"{name}-{tag(5, name, host.name)}",
        shape,
        node=host.name,
        phase="Running",
        scheduler=DEFAULT,
        minutes=-60 * 24 * 20,
        priority_class="system-node-critical",
        priority=2_000_001_000,
        labels={"app": name},
        owner=("apps/v1", "DaemonSet", name),
        spec={"tolerations": EVERY_TAINT},
    )
    world.add("pods", pod_object(plan))


def _add_static(world: World, host: Host) -> None:
    host.take(250, 512, 0)
    plan = PodPlan(
        "kube-system",
        f"kube-apiserver-{host.name}",
        Shape(250, 512),
        node=host.name,
        phase="Running",
        scheduler=DEFAULT,
        priority_class="system-node-critical",
        annotations={
            "kubernetes.io/config.source": "file",
            "kubernetes.io/config.mirror": uid(host.name),
        },
        owner=("v1", "Node", host.name),
    )
    world.add("pods", pod_object(plan))


def add_services(world: World, cpu_pods: int, gpu_pods: int) -> None:
    """Deployments of the default scheduler: CPU services on ordinary nodes, inference on its tainted pool."""
    for index in range(cpu_pods):
        service = f"web-{index // 6:03}"
        _add_service(world, service, Shape(1000, 2048), CPU_POOLS, index)
    for index in range(gpu_pods):
        tolerations = {
            "tolerations": [{"effect": "NoSchedule", "key": "dedicated", "operator": "Exists"}]
        }
        _add_service(
            world, f"llm-{index // 4:03}", Shape(8000, 32_768, 1), ("l4",), index, tolerations
        )


def _add_service(
    world: World,
    service: str,
    shape: Shape,
    pools: tuple[str, ...],
    index: int,
    spec: dict | None = None,
) -> None:
    host = world.place(shape, pools)
    if host is None:
        return
    plan = PodPlan(
        "online",
        f"{service}-{tag(9, service)}-{tag(5, service, index)}",
        shape,
        node=host.name,
        phase="Running" if index % 97 else "Pending",
        reason="" if index % 97 else "ContainerCreating",
        scheduler=DEFAULT,
        minutes=-60 * 24 * 3 + index % 700,
        labels={"app": service, "pod-template-hash": tag(9, service)},
        owner=("apps/v1", "ReplicaSet", f"{service}-{tag(9, service)}"),
        spec=spec or {},
    )
    world.add("pods", pod_object(plan))


def add_foreign_waiting(world: World, count: int) -> None:
    """Pending pods of other schedulers: they may take room that a plan uses."""
    for index in range(count):
        scheduler = DEFAULT if index % 4 else "stork"
        plan = PodPlan(
            "online",
            f"preview-{tag(9, 'preview')}-{tag(5, 'preview', index)}",
            Shape(4000, 16_384, index % 2),
            scheduler=scheduler,
            minutes=60 + index,
            labels={"app": "preview"},
            owner=("apps/v1", "ReplicaSet", f"preview-{tag(9, 'preview')}"),
        )
        world.add("pods", pod_object(plan))


def add_ended(world: World, count: int) -> None:
    """Succeeded, failed and evicted pods that nobody deleted; they hold nothing, whatever node they name."""
    endings = (("Succeeded", ""), ("Failed", "Error"), ("Failed", "Evicted"))
    for index in range(count):
        phase, reason = endings[index % 3]
        plan = PodPlan(
            "data",
            f"load-{index // 5:04}-{tag(5, 'load', index)}",
            Shape(16_000, 65_536, index % 3),
            node=world.hosts[index % len(world.hosts)].name,
            phase=phase,
            reason=reason,
            scheduler=DEFAULT,
            minutes=-2000 + index,
            owner=("batch/v1", "Job", f"load-{index // 5:04}"),
        )
        world.add("pods", pod_object(plan))
