"""The pool that a node belongs to, by label, GPU model, instance type or shape."""

from __future__ import annotations

from models.cluster import Node
from models.gpu import gpu_model, gpus_in
from models.policy import GpuModelRule
from models.resources import CPU, MEMORY

POOL_LABELS = (
    "volcano.sh/nodegroup-name",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",
    "karpenter.sh/nodepool",
    "node-pool",
    "pool",
)
INSTANCE_LABEL = "node.kubernetes.io/instance-type"
GIB = 1 << 30


def pool_of(node: Node, rule: GpuModelRule, gpu_names: tuple[str, ...]) -> str:
    """Pool by label; without one the GPU model, the instance type, or the shape of the node."""
    for key in POOL_LABELS:
        if node.labels.get(key):
            return node.labels[key]
    model = gpu_model(node, rule)
    if model:
        return model
    if node.labels.get(INSTANCE_LABEL):
        return node.labels[INSTANCE_LABEL]
    gpus = gpus_in(node.allocatable, gpu_names)
    shape = (
        f"{node.allocatable.amount(CPU) // 1000} CPU, {node.allocatable.amount(MEMORY) // GIB} GiB"
    )
    return f"{gpus} GPU, {shape}" if gpus else shape
