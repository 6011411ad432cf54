"""Snapshots changed in ways whose effect on a plan is known (metamorphic tests)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from random import Random

from models.cluster import Node
from models.queues import DEFAULT_QUEUE, ROOT_QUEUE, Queue
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod


def reordered(snapshot: Snapshot, seed: int) -> Snapshot:
    """The same objects in another order."""
    rng = Random(seed)
    return replace(
        snapshot,
        nodes=tuple(rng.sample(snapshot.nodes, len(snapshot.nodes))),
        pods=tuple(rng.sample(snapshot.pods, len(snapshot.pods))),
        gangs=tuple(rng.sample(snapshot.gangs, len(snapshot.gangs))),
        queues=tuple(rng.sample(snapshot.queues, len(snapshot.queues))),
    )


def created_apart(snapshot: Snapshot) -> Snapshot:
    """Every gang created in a second of its own, in the old order."""
    ordered = sorted(snapshot.gangs, key=lambda gang: (gang.created, gang.full_name))
    stamps = {
        gang.full_name: f"2026-11-01T{place // 3600:02}:{place // 60 % 60:02}:{place % 60:02}Z"
        for place, gang in enumerate(ordered)
    }
    gangs = tuple(replace(gang, created=stamps[gang.full_name]) for gang in snapshot.gangs)
    return replace(snapshot, gangs=gangs)


def renamed(snapshot: Snapshot, seed: int) -> Snapshot:
    """Nodes, gangs, their pods and queues under other names, so that every sort by name turns out differently.

    The queues ``default`` and ``root`` keep theirs.
    """
    rng = Random(seed)
    nodes = _new_names(rng, "node", [node.name for node in snapshot.nodes])
    gangs = _new_names(rng, "gang", [gang.name for gang in snapshot.gangs])
    queues = _new_names(rng, "queue", [queue.name for queue in snapshot.queues])
    queues |= {name: name for name in (DEFAULT_QUEUE, ROOT_QUEUE, "")}
    return replace(
        snapshot,
        nodes=tuple(sorted((_node(node, nodes) for node in snapshot.nodes), key=_name)),
        gangs=tuple(sorted((_gang(gang, gangs, queues) for gang in snapshot.gangs), key=_name)),
        queues=tuple(sorted((_queue(queue, queues) for queue in snapshot.queues), key=_name)),
        pods=tuple(sorted((_pod(pod, gangs, nodes) for pod in snapshot.pods), key=_name)),
    )


def with_node(snapshot: Snapshot, node: Node) -> Snapshot:
    """One node more."""
    return replace(snapshot, nodes=tuple(sorted((*snapshot.nodes, node), key=_name)))


def useless_node(name: str = "zz-useless") -> Node:
    """A Ready node that offers nothing that any random gang asks for, pod slots included."""
    amounts = Resources({"hugepages-2Mi": 1024})
    return Node(name, allocatable=amounts, capacity=amounts, conditions={"Ready": "True"})


def asking_only(snapshot: Snapshot, names: Collection[str]) -> Snapshot:
    """Only these gangs may still receive pods; of the others what holds room or counts stays as it is."""
    return replace(
        snapshot,
        gangs=tuple(
            gang if gang.full_name in names else replace(gang, templates=())
            for gang in snapshot.gangs
        ),
        pods=tuple(
            pod for pod in snapshot.pods if not pod.gang or pod.gang in names or not pod.pending
        ),
    )


def _name(one: Node | Gang | Queue | Pod) -> str:
    return one.name


def _new_names(rng: Random, prefix: str, names: list[str]) -> dict[str, str]:
    numbers = rng.sample(range(1000), len(names))
    return {name: f"{prefix}-{number:03}" for name, number in zip(names, numbers, strict=True)}


def _node(node: Node, nodes: Mapping[str, str]) -> Node:
    labels = dict(node.labels)
    if "kubernetes.io/hostname" in labels:
        labels["kubernetes.io/hostname"] = nodes[node.name]
    return replace(node, name=nodes[node.name], labels=labels)


def _gang(gang: Gang, gangs: Mapping[str, str], queues: Mapping[str, str]) -> Gang:
    name = gangs[gang.name]
    aliases = (f"{gang.namespace}/{name}",)
    return replace(gang, name=name, aliases=aliases, queue=queues.get(gang.queue, gang.queue))


def _queue(queue: Queue, queues: Mapping[str, str]) -> Queue:
    return replace(queue, name=queues[queue.name], parent=queues[queue.parent])


def _pod(pod: Pod, gangs: Mapping[str, str], nodes: Mapping[str, str]) -> Pod:
    node = nodes[pod.node] if pod.node else None
    if not pod.gang:
        return replace(pod, node=node)
    old = pod.gang.rpartition("/")[2]
    annotations = {
        key: gangs[old] if value == old else value for key, value in pod.annotations.items()
    }
    return replace(
        pod,
        name=pod.name.replace(old, gangs[old], 1),
        gang=f"{pod.namespace}/{gangs[old]}",
        node=node,
        annotations=annotations,
        owner_name=gangs[old] if pod.owner_name == old else pod.owner_name,
    )
