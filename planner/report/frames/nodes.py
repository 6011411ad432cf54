"""One row per node with the state of each of its GPUs, and their sums per pool."""

from __future__ import annotations

from typing import Any

import pandas as pd

from models.gpu import gpus_in
from models.plan import NodeEntry, PlanResult
from planner.report.frames.build import frame_of
from planner.report.gpus import gpu_names, is_closed, pool_of

COLUMNS = {
    "node": "object",
    "class": "object",
    "pool": "object",
    "gpu_model": "object",
    "domain": "object",
    "conditions": "object",
    "open": "boolean",
}
#: States of a GPU, in the order in which charts stack them.
GPU_STATES = (
    "gpus_used",
    "gpus_planned",
    "gpus_free_whole",
    "gpus_free_fragment",
    "gpus_unavailable",
)
NUMBERS = (
    "gpus_allocatable",
    *GPU_STATES,
    "gpus_overcommitted",
    "cpu_milli_allocatable",
    "cpu_milli_before",
    "cpu_milli_after",
    "memory_bytes_allocatable",
    "memory_bytes_before",
    "memory_bytes_after",
    "pods_allocatable",
    "pods_before",
    "pods_after",
)


def nodes_frame(result: PlanResult) -> pd.DataFrame:
    """All nodes in the order of the document.

    Every allocatable GPU is in exactly one state: ``used`` (before and after the plan), ``planned`` (more GPUs used
    after than before), ``unavailable`` (free, but the node takes no pods), ``free_whole`` (free on a node whose GPUs
    are all free) or ``free_fragment`` (free beside used ones). GPUs that pods hold beyond allocatable (devices that
    became unhealthy under them) are ``overcommitted``. A card that carries shares is used, however little of it.
    """
    names = gpu_names(result)
    return frame_of([_row(node, names) for node in result.nodes], COLUMNS, NUMBERS)


def pools_frame(nodes: pd.DataFrame) -> pd.DataFrame:
    """GPU states summed per pool, with the number of its nodes; pools without GPUs are left out."""
    with_gpus = nodes[(nodes["gpus_allocatable"] > 0) | (nodes["gpus_overcommitted"] > 0)]
    sums = ["gpus_allocatable", *GPU_STATES, "gpus_overcommitted"]
    grouped = with_gpus.groupby("pool", sort=True)
    found = grouped[sums].sum()
    found.insert(0, "nodes", grouped.size())
    models = grouped["gpu_model"].agg(lambda values: ", ".join(sorted(set(values) - {""})))
    found.insert(1, "gpu_models", models)
    return found.reset_index()


def _row(node: NodeEntry, names: tuple[str, ...]) -> dict[str, Any]:
    is_open = not is_closed(node)
    row: dict[str, Any] = {
        "node": node.name,
        "class": node.node_class,
        "pool": pool_of(node),
        "gpu_model": node.gpu_model,
        "domain": node.domain,
        "conditions": ", ".join(node.conditions),
        "open": is_open,
        **_gpu_states(node, names, is_open=is_open),
    }
    for resource, column in (("cpu", "cpu_milli"), ("memory", "memory_bytes"), ("pods", "pods")):
        for moment in ("allocatable", "before", "after"):
            row[f"{column}_{moment}"] = getattr(node, moment).amount(resource)
    return row


def _gpu_states(node: NodeEntry, names: tuple[str, ...], *, is_open: bool) -> dict[str, int]:
    allocatable = gpus_in(node.allocatable, names)
    cards_before = sum(any(card.before.values()) for card in node.cards)
    cards_after = sum(any(card.after.values()) for card in node.cards)
    before = max(gpus_in(node.before, names), min(cards_before, allocatable))
    after = max(gpus_in(node.after, names), min(cards_after, allocatable))
    shown = min(after, allocatable)
    used = min(before, shown)
    free = allocatable - shown
    whole = free if is_open and after == 0 else 0
    return {
        "gpus_allocatable": allocatable,
        "gpus_used": used,
        "gpus_planned": shown - used,
        "gpus_free_whole": whole,
        "gpus_free_fragment": free - whole if is_open else 0,
        "gpus_unavailable": 0 if is_open else free,
        "gpus_overcommitted": max(0, after - allocatable),
    }
