"""Kubernetes Node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.cluster import Node
from models.readers.fields import flag, mapping, mappings, resources, text
from models.readers.metadata import MetaReader
from models.readers.selectors import read_taints


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
