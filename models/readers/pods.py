"""Kubernetes Pod."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from models.readers.annotations import TASK_ROLE
from models.readers.fields import BadObject, count, mapping, mappings, shown, text
from models.readers.metadata import MetaReader
from models.readers.pod_specs import PodSpecReader
from models.readers.times import lenient_time
from models.workloads import FINISHED_PHASES, Pod

_PHASES: Final = ("Pending", "Running", "Succeeded", "Failed", "Unknown")


def read_pod(raw: Mapping[str, Any], metas: MetaReader, specs: PodSpecReader) -> Pod:
    """One pod; its gang is found later, when all groups are known."""
    meta = metas.read(raw)
    spec, status = mapping(raw, "spec"), mapping(raw, "status")
    phase = text(status, "phase") or "Pending"
    if phase not in _PHASES:
        raise BadObject(f"phase {shown(phase)} is none of {', '.join(_PHASES)}")
    node = text(spec, "nodeName")
    containers = mappings(status, "containerStatuses")
    reason = text(status, "reason")
    for one in mappings(status, "conditions"):
        metas.clock.read(one.get("lastTransitionTime"))
        if not reason and one.get("type") == "PodScheduled" and one.get("status") == "False":
            reason = text(one, "reason")
    return Pod(
        namespace=meta.namespace,
        name=meta.name,
        spec=specs.with_card_rules(specs.read(spec), meta.annotations),
        role=meta.annotations.get(TASK_ROLE) or meta.labels.get(TASK_ROLE) or "",
        node=metas.name(node, "nodeName") if node else None,
        phase=_PHASES[_PHASES.index(phase)],
        terminating=meta.terminating,
        ends=meta.ends,
        labels=meta.labels,
        annotations=meta.annotations,
        owner_kind=meta.owner_kind,
        owner_name=meta.owner_name,
        created=meta.created,
        started=metas.clock.read(status.get("startTime")),
        restarts=sum(count(one, "restartCount") for one in containers),
        reason=metas.share(reason or _waiting_reason(containers), "reason"),
        finished_at=_finished_at(containers) if phase in FINISHED_PHASES else "",
    )


def _finished_at(containers: Sequence[Mapping[str, Any]]) -> str:
    """When the last container ended; not part of the time of the export, which live objects tell."""
    ends = (mapping(mapping(one, "state"), "terminated").get("finishedAt") for one in containers)
    return max((lenient_time(end) for end in ends), default="")


def _waiting_reason(containers: Any) -> str:
    """Why a container has not started, e.g. ``ImagePullBackOff``."""
    for one in containers:
        reason = text(mapping(mapping(one, "state"), "waiting"), "reason")
        if reason:
            return reason
    return ""
