"""Random nodes, and room for running pods on them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from models.cluster import Node
from models.resources import CPU, MEMORY, PODS, Resources
from models.selectors import Taint
from models.workloads import PodSpec
from planner.testing.random_sizes import Size

GPU = "nvidia.com/gpu"
SECOND_GPU = "amd.com/gpu"
NETWORK_CARD = "rdma/hca"
MODEL_LABEL = "nvidia.com/gpu.product"
MODELS = ("NVIDIA-A100", "NVIDIA-H100")
POOL_LABEL = "pool"
POOLS = ("blue", "green")
DEDICATED = Taint("dedicated", "NoSchedule", "batch")
NODE_GROUP_LABEL = "volcano.sh/nodegroup-name"
NODE_GROUPS = ("g1", "g2")
ZONE_LABEL = "volcano.sh/revocable-zone"
ZONE = "lent"
GIB = 1024**3


def random_nodes(rng: Random, size: Size) -> tuple[Node, ...]:
    """Nodes with 0 to 8 GPUs, a model and a pool label, at times tainted, cordoned or not Ready."""
    count = rng.randint(*size.nodes)
    extras = rng.random() < size.rare
    width = len(str(count))
    found: list[Node] = []
    for place in range(count):
        name = f"n{place:0{width}}"
        twin = found and rng.random() < size.twins
        found.append(_like(found[-1], name) if twin else _node(rng, size, name, extras))
    return tuple(found)


def _like(node: Node, name: str) -> Node:
    return replace(node, name=name, labels={**node.labels, "kubernetes.io/hostname": name})


def _node(rng: Random, size: Size, name: str, extras: bool) -> Node:
    gpus = rng.choice((0, 2, 4, 4, 8, 8))
    amounts = {
        CPU: rng.choice((4000, 8000, 16000, 32000)),
        MEMORY: rng.choice((16, 32, 64, 128)) * GIB,
        PODS: rng.choice((3, 6, 10, 110, 110)),
    }
    if gpus:
        second = extras and rng.random() < 0.4
        amounts[SECOND_GPU if second else GPU] = gpus
    if extras and rng.random() < 0.5:
        amounts[NETWORK_CARD] = rng.choice((1, 2, 4))
    labels = {"kubernetes.io/hostname": name, POOL_LABEL: rng.choice(POOLS)}
    if gpus:
        labels[MODEL_LABEL] = rng.choice(MODELS)
    if rng.random() < 0.8:
        labels[NODE_GROUP_LABEL] = rng.choice(NODE_GROUPS)
    if rng.random() < size.rare:
        labels[ZONE_LABEL] = ZONE
    ready = "True" if rng.random() > size.rare / 2 else rng.choice(("False", "Unknown"))
    return Node(
        name=name,
        allocatable=Resources(amounts),
        capacity=Resources(amounts),
        labels=labels,
        taints=(DEDICATED,) if rng.random() < size.rare else (),
        conditions={"Ready": ready},
        unschedulable=rng.random() < size.rare / 2,
        created="2026-01-01T00:00:00Z",
    )


class Occupancy:
    """Free room while running pods are put onto nodes."""

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        self._left = {node.name: dict(node.allocatable.items()) for node in nodes}

    def take(self, rng: Random, spec: PodSpec) -> str | None:
        """Book a pod on a random node with room; None where no node has any."""
        need = {PODS: 1, **spec.request}
        open_nodes = [
            name
            for name, left in self._left.items()
            if all(left.get(dimension, 0) >= amount for dimension, amount in need.items())
        ]
        if not open_nodes:
            return None
        chosen = rng.choice(open_nodes)
        for dimension, amount in need.items():
            self._left[chosen][dimension] -= amount
        return chosen
