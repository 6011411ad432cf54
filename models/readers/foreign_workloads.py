"""Workloads of Kueue, and PodGroups of KAI and of the coscheduling plugin: only how much they ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.foreign_workloads import ForeignWorkload
from models.readers.conditions import read_conditions
from models.readers.fields import count, flag, mapping, mappings, resources, text
from models.readers.metadata import MetaReader
from models.readers.pod_specs import PodSpecReader
from models.resources import NO_RESOURCES, Resources, total_of


def read_foreign_workload(
    raw: Mapping[str, Any], system: str, metas: MetaReader, specs: PodSpecReader
) -> ForeignWorkload | None:
    """One workload; None where it has ended or is switched off."""
    meta, spec, status = metas.read(raw), mapping(raw, "spec"), mapping(raw, "status")
    holds = {one.type for one in read_conditions(status, metas)}
    ended = "Finished" in holds or text(status, "phase") in ("Finished", "Failed")
    if ended or meta.terminating or flag(spec, "active") is False:
        return None
    return ForeignWorkload(
        meta.namespace,
        meta.name,
        system,
        _request(spec, specs),
        admitted="Admitted" in holds or text(status, "phase") in ("Running", "Scheduled"),
    )


def _request(spec: Mapping[str, Any], specs: PodSpecReader) -> Resources:
    parts = [
        specs.read(mapping(mapping(one, "template"), "spec")).request.times(count(one, "count", 1))
        for one in mappings(spec, "podSets")
    ]
    if not parts and spec.get("minResources"):
        return resources(spec, "minResources")
    return total_of(parts) if parts else NO_RESOURCES
