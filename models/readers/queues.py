"""Volcano Queue (``scheduling.volcano.sh``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.queues import NodeGroupRules, Queue
from models.readers.fields import count, flag, integer, mapping, resources, text, texts
from models.readers.metadata import MetaReader, valid_name


def read_queue(raw: Mapping[str, Any], metas: MetaReader) -> Queue:
    """One queue; what is not written has Volcano's default (weight 1, reclaimable, Open)."""
    meta = metas.read(raw, namespaced=False)
    spec, status = mapping(raw, "spec"), mapping(raw, "status")
    parent = text(spec, "parent")
    affinity = mapping(spec, "affinity")
    return Queue(
        name=meta.name,
        parent=valid_name(parent, "parent") if parent else "",
        weight=count(spec, "weight") or 1,
        capability=resources(spec, "capability"),
        deserved=resources(spec, "deserved"),
        guarantee=resources(mapping(spec, "guarantee"), "resource"),
        reclaimable=flag(spec, "reclaimable") is not False,
        priority=integer(spec, "priority"),
        state=text(status, "state") or "Open",
        node_groups=_node_groups(affinity) if affinity else None,
        allocated=resources(status, "allocated"),
        created=meta.created,
    )


def _node_groups(affinity: Mapping[str, Any]) -> NodeGroupRules:
    wanted, unwanted = (
        mapping(affinity, "nodeGroupAffinity"),
        mapping(affinity, "nodeGroupAntiAffinity"),
    )
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    return NodeGroupRules(
        required=texts(wanted, required),
        preferred=texts(wanted, preferred),
        anti_required=texts(unwanted, required),
        anti_preferred=texts(unwanted, preferred),
    )
