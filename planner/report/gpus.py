"""Which resources of a plan document count as GPUs, and how many of them a resource map holds."""

from __future__ import annotations

from collections.abc import Mapping

from models.gpu import documented_gpu_names, gpus_in
from models.plan import NodeEntry, PlanResult

#: Words in ``nodes[].conditions`` that say that a node takes no new pod, lower case without separators.
CLOSING_CONDITIONS = frozenset(
    {"unschedulable", "notready", "schedulingdisabled", "ready=false", "ready=unknown", "cordoned"}
)


def gpu_names(result: PlanResult) -> tuple[str, ...]:
    """Whole-GPU resource names of the plan's policy (``gpu_models.resource_names``), else the known ones."""
    return documented_gpu_names(result.policy)


def listed_gpus(amounts: Mapping[str, int], names: tuple[str, ...]) -> int | None:
    """GPUs in a resource map, None where it lists no GPU resource at all (a limit that does not exist)."""
    return gpus_in(amounts, names) if any(name in amounts for name in names) else None


def is_closed(node: NodeEntry) -> bool:
    """Whether a condition of the node keeps new pods away."""
    return any(
        condition.lower().replace(" ", "").replace("_", "") in CLOSING_CONDITIONS
        for condition in node.conditions
    )


def pool_of(node: NodeEntry) -> str:
    """Name under which a node is summed: its pool, else its GPU model, else a word for neither."""
    return node.pool or node.gpu_model or "no pool or GPU model"
