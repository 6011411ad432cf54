"""Kubernetes Node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from models.checks.wording import amounts_text
from models.cluster import Node
from models.extremes import MOST_OF_A_NODE
from models.findings import Finding
from models.readers.fields import flag, mapping, mappings, resources, text
from models.readers.metadata import MetaReader
from models.readers.selectors import read_taints
from models.resources import Resources


def read_node(raw: Mapping[str, Any], metas: MetaReader) -> Node:
    """One node; heartbeats are not kept but tell how new the export is."""
    meta = metas.read(raw, namespaced=False)
    spec, status = mapping(raw, "spec"), mapping(raw, "status")
    conditions = {}
    for one in mappings(status, "conditions"):
        kind = metas.share(text(one, "type"), "condition")
        conditions[kind] = metas.share(text(one, "status", "Unknown"), "condition")
        metas.clock.read(one.get("lastHeartbeatTime"))
        metas.clock.read(one.get("lastTransitionTime"))
    return Node(
        name=meta.name,
        allocatable=resources(status, "allocatable").without_zeros(),
        capacity=resources(status, "capacity").without_zeros(),
        labels=meta.labels,
        annotations=meta.annotations,
        taints=read_taints(spec),
        conditions=conditions,
        unschedulable=flag(spec, "unschedulable") or False,
        created=meta.created,
    )


def odd_amounts(node: Node) -> Finding | None:
    """A finding about amounts that no machine has."""
    odd = {name: amount for name, amount in node.allocatable.items() if amount > MOST_OF_A_NODE}
    if not odd:
        return None
    what = f"node {node.name} offers {amounts_text(odd)}: no machine has so much, it counts as 0"
    remedy = "correct what reports the amount (device plugin, kubelet) and export again"
    return Finding("node_amount_odd", "error", f"node/{node.name}", what, remedy)


def within_reason(node: Node) -> Node:
    """The node without the amounts that :func:`odd_amounts` tells; mostly itself."""
    if all(amount <= MOST_OF_A_NODE for amount in node.allocatable.values()):
        return node
    held = {name: a for name, a in node.allocatable.items() if a <= MOST_OF_A_NODE}
    return replace(node, allocatable=Resources(held))
