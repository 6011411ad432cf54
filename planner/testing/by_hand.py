"""Short words for snapshots that a test writes by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from models.cards.kinds import MILLI_RESOURCE
from models.cluster import HyperNode, HyperNodeMember, Node
from models.queues import Queue
from models.resources import CPU, MEMORY, PODS, Resources
from models.snapshot import Snapshot
from models.workloads import Gang, NetworkTopology, Pod, PodSpec
from planner.testing.random_nodes import GIB, GPU


@dataclass(frozen=True)
class Work:
    """A gang with its pods."""

    gang: Gang
    pods: tuple[Pod, ...]


def gpu_node(name: str, gpus: int = 8, *, cpu_milli: int = 64000, pods: int = 110) -> Node:
    """A Ready node with 512 GiB of memory."""
    amounts = Resources({CPU: cpu_milli, MEMORY: 512 * GIB, PODS: pods, GPU: gpus})
    return Node(name, allocatable=amounts.without_zeros(), capacity=amounts)


def gpu_queue(name: str, *, deserved: int | None = None, capability: int | None = None) -> Queue:
    """A queue with GPU amounts only; None leaves the dimension out."""
    return Queue(
        name,
        deserved=Resources({} if deserved is None else {GPU: deserved}),
        capability=Resources({} if capability is None else {GPU: capability}),
    )


def work(
    name: str,
    pods: int = 1,
    gpus: int = 1,
    *,
    minimum: int | None = None,
    queue: str = "q",
    priority: int = 0,
    created: int = 0,
    nodes: tuple[str, ...] = (),
) -> Work:
    """A gang of equal pods with 1 CPU and some GPUs each; the first pods run on ``nodes``, the others wait.

    Parameters
    ----------
    minimum
        ``minMember``; all pods where it is not given.
    created
        Minute of creation.
    """
    request = Resources({CPU: 1000, GPU: gpus}).without_zeros()
    spec = PodSpec(request=request, scheduler_name="volcano")
    gang = Gang(
        "ml",
        name,
        aliases=(f"ml/{name}",),
        queue=queue,
        min_member=pods if minimum is None else minimum,
        priority=priority,
        created=f"2026-11-01T00:{created:02}:00Z",
    )
    made = [
        Pod(
            "ml",
            f"{name}-{place}",
            spec,
            gang=gang.full_name,
            node=nodes[place] if place < len(nodes) else None,
            phase="Running" if place < len(nodes) else "Pending",
            annotations={"scheduling.k8s.io/group-name": name},
        )
        for place in range(pods)
    ]
    return Work(gang, tuple(made))


def shares(name: str, pods: int, milli: int, **options: Any) -> Work:
    """Like :func:`work`, each pod with a share of a GPU in thousandths."""
    plain = work(name, pods, 0, **options)
    request = Resources({CPU: 1000, MILLI_RESOURCE: milli})
    return Work(
        plain.gang,
        tuple(replace(pod, spec=replace(pod.spec, request=request)) for pod in plain.pods),
    )


def leaf(name: str, *nodes: str, tier: int = 1) -> HyperNode:
    """A HyperNode of nodes."""
    return HyperNode(name, tier, "", tuple(HyperNodeMember("Node", one) for one in nodes))


def spine(name: str, *below: str, tier: int = 2) -> HyperNode:
    """A HyperNode of HyperNodes."""
    return HyperNode(name, tier, "", tuple(HyperNodeMember("HyperNode", one) for one in below))


def together(one: Work, tier: int | None = 1, mode: str = "hard") -> Work:
    """The same work with a topology of its gang."""
    topology = NetworkTopology(mode, highest_tier_allowed=tier)
    return replace(one, gang=replace(one.gang, topology=topology))


def snapshot_of(*parts: Node | Queue | Work | HyperNode) -> Snapshot:
    """A snapshot of nodes, queues, HyperNodes and work in any order."""
    works = [part for part in parts if isinstance(part, Work)]
    pods = [pod for one in works for pod in one.pods]
    return Snapshot(
        nodes=tuple(sorted((p for p in parts if isinstance(p, Node)), key=lambda n: n.name)),
        queues=tuple(sorted((p for p in parts if isinstance(p, Queue)), key=lambda q: q.name)),
        gangs=tuple(sorted((one.gang for one in works), key=lambda gang: gang.full_name)),
        pods=tuple(sorted(pods, key=lambda pod: pod.full_name)),
        hyper_nodes=tuple(part for part in parts if isinstance(part, HyperNode)),
    )
