"""Nodes with three GPU models, their faults and taints, and the network above them."""

from __future__ import annotations

import random
from dataclasses import dataclass

from benchmarks.spec import (
    GPU,
    LEAF_LABEL,
    MODEL_LABEL,
    RESEARCH_TAINT,
    SPINE_LABEL,
    ClusterSpec,
    KubeObject,
    cpu_text,
    memory_text,
)

LEAVES_PER_SPINE = 8
RESERVED_CPU_MILLI = 2000
RESERVED_MEMORY_MIB = 16 * 1024
UNHEALTHY_GPU_SHARE = 0.02
RESEARCH_SHARE, NOT_READY_SHARE, CORDONED_SHARE = 0.05, 0.005, 0.005


@dataclass(frozen=True, slots=True)
class MachineType:
    """A hardware configuration on sale; cpu in cores, memory in GiB."""

    name: str
    model: str
    gpus: int
    cpu: int
    memory_gib: int
    share: float


MACHINES = (
    MachineType("h100-8-192", "NVIDIA-H100-80GB-HBM3", 8, 192, 2048, 0.30),
    MachineType("h100-8-128", "NVIDIA-H100-80GB-HBM3", 8, 128, 1536, 0.14),
    MachineType("a100-8-128", "NVIDIA-A100-SXM4-80GB", 8, 128, 1024, 0.24),
    MachineType("a100-8-96", "NVIDIA-A100-SXM4-80GB", 8, 96, 1152, 0.12),
    MachineType("l40s-8-128", "NVIDIA-L40S", 8, 128, 768, 0.12),
    MachineType("l40s-4-64", "NVIDIA-L40S", 4, 64, 512, 0.08),
)
MODELS = tuple(dict.fromkeys(machine.model for machine in MACHINES))


@dataclass(slots=True)
class Host:
    """A node while pods are put on it: free amounts and what decides who may go there."""

    name: str
    machine: MachineType
    gpus: int
    cpu_milli: int
    memory_mib: int
    research: bool
    broken: bool


def make_hosts(spec: ClusterSpec, rng: random.Random) -> tuple[list[Host], list[KubeObject]]:
    """Hosts with their node objects; machines come in racks of four of one type."""
    hosts: list[Host] = []
    objects: list[KubeObject] = []
    weights = [machine.share for machine in MACHINES]
    machine = MACHINES[0]
    for index in range(spec.nodes):
        if index % 4 == 0:
            machine = rng.choices(MACHINES, weights)[0]
        faulty = rng.random() < UNHEALTHY_GPU_SHARE * machine.gpus
        host = Host(
            name=f"gpu-{index:05d}",
            machine=machine,
            gpus=machine.gpus - faulty,
            cpu_milli=machine.cpu * 1000 - RESERVED_CPU_MILLI,
            memory_mib=machine.memory_gib * 1024 - RESERVED_MEMORY_MIB,
            research=rng.random() < RESEARCH_SHARE,
            broken=False,
        )
        fault = rng.random()
        host.broken = fault < NOT_READY_SHARE + CORDONED_SHARE
        hosts.append(host)
        leaf = index // spec.nodes_per_leaf
        objects.append(_node_object(host, leaf, not_ready=fault < NOT_READY_SHARE))
    return hosts, objects


def _node_object(host: Host, leaf: int, *, not_ready: bool) -> KubeObject:
    machine = host.machine
    node_spec: KubeObject = {}
    if host.research:
        node_spec["taints"] = [RESEARCH_TAINT]
    if host.broken and not not_ready:
        node_spec["unschedulable"] = True
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": host.name,
            "creationTimestamp": "2026-05-04T07:00:00Z",
            "labels": {
                "kubernetes.io/hostname": host.name,
                "node.kubernetes.io/instance-type": machine.name,
                MODEL_LABEL: machine.model,
                LEAF_LABEL: f"leaf-{leaf:04d}",
                SPINE_LABEL: f"spine-{leaf // LEAVES_PER_SPINE:03d}",
            },
        },
        "spec": node_spec,
        "status": {
            "capacity": _amounts(machine.cpu * 1000, machine.memory_gib * 1024, machine.gpus),
            "allocatable": _amounts(host.cpu_milli, host.memory_mib, host.gpus),
            "conditions": [{"type": "Ready", "status": "False" if not_ready else "True"}],
        },
    }


def _amounts(cpu_milli: int, memory_mib: int, gpus: int) -> dict[str, str]:
    return {
        "cpu": cpu_text(cpu_milli),
        "memory": memory_text(memory_mib),
        "pods": "110",
        GPU: str(gpus),
    }


def make_hyper_nodes(nodes: list[KubeObject]) -> list[KubeObject]:
    """HyperNodes: tier 1 holds the nodes of a leaf, tier 2 the leaves of a spine."""
    leaves: dict[str, list[str]] = {}
    spines: dict[str, dict[str, None]] = {}
    for node in nodes:
        labels = node["metadata"]["labels"]
        leaves.setdefault(labels[LEAF_LABEL], []).append(node["metadata"]["name"])
        spines.setdefault(labels[SPINE_LABEL], {})[labels[LEAF_LABEL]] = None
    found = [hyper_node(name, 1, "Node", members) for name, members in leaves.items()]
    found += [hyper_node(name, 2, "HyperNode", list(below)) for name, below in spines.items()]
    return found


def hyper_node(name: str, tier: int, member_type: str, members: list[str]) -> KubeObject:
    """One HyperNode with its members by name."""
    return {
        "apiVersion": "topology.volcano.sh/v1alpha1",
        "kind": "HyperNode",
        "metadata": {"name": name},
        "spec": {
            "tier": tier,
            "members": [
                {"type": member_type, "selector": {"exactMatch": {"name": member}}}
                for member in members
            ],
        },
    }
