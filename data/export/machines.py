"""Nodes of four pools with their faults, and the HyperNodes of their racks."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from data.export.fat import KubeObject, image_list, metadata, stamp

GPU = "nvidia.com/gpu"
GONE_NODE = "h100-gone"
"""A node that was deleted between the export of the nodes and that of the pods."""
NODES_PER_RACK = 16
RACKS_PER_SPINE = 8
MEMORY_UNIT = 2**20


@dataclass(frozen=True)
class Pool:
    """A kind of machine; amounts are cores, GiB and GPUs, ``share`` is its part of all nodes in percent."""

    name: str
    share: int
    cores: int
    memory_gib: int
    gpus: int
    labels: dict[str, str]
    taint: str = ""


POOLS = (
    Pool("h100", 40, 192, 2048, 8, {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}),
    Pool("a100", 22, 128, 1024, 8, {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}),
    Pool("l4", 8, 96, 384, 4, {"cloud.google.com/gke-accelerator": "nvidia-l4"}, "inference"),
    Pool("p4d", 8, 96, 1152, 8, {"node.kubernetes.io/instance-type": "p4d.24xlarge"}),
    Pool("night", 4, 128, 1024, 8, {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}),
    Pool("cpu", 18, 64, 256, 0, {"node.kubernetes.io/instance-type": "m7i.16xlarge"}),
)


@dataclass
class Host:
    """A node while it is filled: what is free of milli-CPU, MiB of memory and GPUs."""

    name: str
    pool: Pool
    gpus: int
    ready: bool = True
    cordoned: bool = False
    free_cpu: int = 0
    free_memory: int = 0
    free_gpus: int = 0
    pods: int = 0
    labels: dict[str, str] = field(default_factory=dict)

    @property
    def open(self) -> bool:
        """Whether ordinary work may have been placed here."""
        return self.ready and not self.cordoned

    def take(self, cpu: int, memory: int, gpus: int) -> bool:
        """Use milli-CPU, MiB and GPUs if they are free."""
        if cpu > self.free_cpu or memory > self.free_memory or gpus > self.free_gpus:
            return False
        self.free_cpu -= cpu
        self.free_memory -= memory
        self.free_gpus -= gpus
        self.pods += 1
        return True


def make_hosts(count: int, rng: random.Random) -> list[Host]:
    """Hosts of all pools; at least one of each, with every kind of fault on at least one of them."""
    hosts: list[Host] = []
    for pool in POOLS:
        number = max(1, count * pool.share // 100) if pool.gpus else max(1, count - len(hosts))
        hosts += [_host(pool, f"{pool.name}-{index:03}", rng) for index in range(number)]
    h100 = [host for host in hosts if host.pool.name == "h100"]
    for host in rng.sample(h100[1:], max(1, count // 100)):
        host.ready = False
    for host in rng.sample([one for one in h100[1:] if one.ready], max(1, count // 100)):
        host.cordoned = True
    return hosts


def _host(pool: Pool, name: str, rng: random.Random) -> Host:
    broken = pool.gpus and rng.random() < 0.02
    gpus = pool.gpus - (1 if broken else 0)
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "topology.kubernetes.io/zone": f"zone-{rng.choice('abc')}",
        **pool.labels,
    }
    if pool.name == "night":
        labels["volcano.sh/revocable-zone"] = "night"
    return Host(
        name,
        pool,
        gpus,
        free_cpu=(pool.cores - 2) * 1000,
        free_memory=(pool.memory_gib - 16) * 1024,
        free_gpus=gpus,
        labels=labels,
    )


def node_object(host: Host, rng: random.Random) -> KubeObject:
    """The node as ``kubectl get nodes -o json`` prints it."""
    pool = host.pool
    capacity = {
        "cpu": str(pool.cores),
        "memory": f"{pool.memory_gib * MEMORY_UNIT}Ki",
        "pods": "110",
    }
    allocatable = {
        "cpu": f"{(pool.cores - 2) * 1000}m",
        "memory": f"{(pool.memory_gib - 16) * MEMORY_UNIT}Ki",
        "pods": "110",
    }
    for amounts in (capacity, allocatable):
        amounts |= {"ephemeral-storage": "3748905484Ki", "hugepages-1Gi": "0", "hugepages-2Mi": "0"}
    if pool.gpus:
        capacity[GPU], allocatable[GPU] = str(pool.gpus), str(host.gpus)
    spec: KubeObject = {
        "podCIDR": "10.128.0.0/24",
        "providerID": f"example:///{host.name}",
        "taints": _taints(host),
    }
    if host.cordoned:
        spec["unschedulable"] = True
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata(
            "Node",
            host.name,
            minutes=-60 * 24 * 90,
            labels=host.labels,
            annotations={
                "csi.volume.kubernetes.io/nodeid": '{"csi.example":"node"}',
                "node.alpha.kubernetes.io/ttl": "0",
            },
        ),
        "spec": {key: value for key, value in spec.items() if value},
        "status": {
            "addresses": [
                {"address": host.name, "type": "Hostname"},
                {"address": "10.1.2.3", "type": "InternalIP"},
            ],
            "allocatable": allocatable,
            "capacity": capacity,
            "conditions": _conditions(host),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "images": image_list(rng),
            "nodeInfo": {
                "architecture": "amd64",
                "kernelVersion": "6.8.0",
                "kubeletVersion": "v1.33.2",
            },
        },
    }


def _taints(host: Host) -> list[KubeObject]:
    taints: list[KubeObject] = []
    if host.pool.taint:
        taints.append({"effect": "NoSchedule", "key": "dedicated", "value": host.pool.taint})
    if host.cordoned:
        taints.append(
            {
                "effect": "NoSchedule",
                "key": "node.kubernetes.io/unschedulable",
                "timeAdded": stamp(-600),
            }
        )
    if not host.ready:
        taints += [
            {"effect": effect, "key": "node.kubernetes.io/unreachable", "timeAdded": stamp(-60)}
            for effect in ("NoSchedule", "NoExecute")
        ]
    return taints


def _conditions(host: Host) -> list[KubeObject]:
    status = {
        "MemoryPressure": "False",
        "DiskPressure": "False",
        "PIDPressure": "False",
        "Ready": "True",
    }
    if not host.ready:
        status = dict.fromkeys(status, "Unknown")
    return [
        {
            "lastHeartbeatTime": stamp(114 if host.ready else -60),
            "lastTransitionTime": stamp(-60 * 24 * 30),
            "message": "kubelet reports it"
            if host.ready
            else "Kubelet stopped posting node status.",
            "reason": "KubeletReady" if host.ready else "NodeStatusUnknown",
            "status": value,
            "type": kind,
        }
        for kind, value in status.items()
    ]


def hyper_nodes(hosts: list[Host]) -> list[KubeObject]:
    """Racks of GPU nodes below spines; one rack still names a node that is gone."""
    names = [host.name for host in hosts if host.pool.gpus]
    racks = [
        names[start : start + NODES_PER_RACK] for start in range(0, len(names), NODES_PER_RACK)
    ]
    racks[0] = [*racks[0], GONE_NODE]
    found = [
        _hyper_node(f"rack-{index:02}", 1, "Node", members) for index, members in enumerate(racks)
    ]
    for start in range(0, len(racks), RACKS_PER_SPINE):
        members = [
            f"rack-{index:02}" for index in range(start, min(start + RACKS_PER_SPINE, len(racks)))
        ]
        found.append(_hyper_node(f"spine-{start // RACKS_PER_SPINE}", 2, "HyperNode", members))
    return found


def _hyper_node(name: str, tier: int, kind: str, members: list[str]) -> KubeObject:
    listed = [{"selector": {"exactMatch": {"name": member}}, "type": kind} for member in members]
    return {
        "apiVersion": "topology.volcano.sh/v1alpha1",
        "kind": "HyperNode",
        "metadata": metadata("HyperNode", name),
        "spec": {"members": listed, "tier": tier},
    }
