"""Volcano PodGroup (``scheduling.volcano.sh``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from models.readers.annotations import PREEMPTABLE
from models.readers.conditions import read_conditions
from models.readers.fields import (
    count,
    mapping,
    mappings,
    one_of,
    optional_integer,
    printable,
    resources,
    text,
    texts,
)
from models.readers.metadata import Meta, MetaReader, valid_name
from models.readers.selectors import read_selector
from models.selectors import LabelSelector
from models.workloads import Gang, NetworkTopology, SubGroupPolicy


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """A PodGroup as a gang under its own name, and the owner that may give it another.

    Attributes
    ----------
    had_pods
        Its status tells of pods, now or earlier.
    ended_pods
        Pods that its status counts as succeeded or failed.
    """

    gang: Gang
    owner_kind: str
    owner_name: str
    owner_group: str = ""
    had_pods: bool = False
    ended_pods: int = 0


def read_pod_group(raw: Mapping[str, Any], metas: MetaReader) -> GroupRecord:
    """One PodGroup; templates and the Job's fields are added when all objects are known."""
    meta = metas.read(raw)
    spec, status = mapping(raw, "spec"), mapping(raw, "status")
    phase = metas.share(text(status, "phase"), "phase")
    minimum = mapping(spec, "minResources")
    gang = Gang(
        namespace=meta.namespace,
        name=meta.name,
        kind="PodGroup",
        queue=queue_name(spec),
        min_member=count(spec, "minMember"),
        role_minimum=role_minima(spec),
        subgroups=tuple(_subgroup(one) for one in mappings(spec, "subGroupPolicy")),
        min_resources=resources(spec, "minResources") if minimum else None,
        topology=read_network_topology(spec),
        priority_class_name=class_name(spec),
        preemptable=preemptable_mark(meta),
        created=meta.created,
        phase=phase,
        labels=meta.labels,
        annotations=meta.annotations,
        finished=phase == "Completed",
        online=meta.owner_kind == "ReplicaSet",
        owner_kind=meta.owner_kind,
        reported_running=count(status, "running"),
        failed_pods=count(status, "failed"),
        conditions=read_conditions(status, metas),
    )
    ended = gang.failed_pods + count(status, "succeeded")
    return GroupRecord(
        gang,
        meta.owner_kind,
        meta.owner_name,
        meta.owner_group,
        had_pods=phase == "Running" or gang.reported_running + ended > 0,
        ended_pods=ended,
    )


def queue_name(spec: Mapping[str, Any]) -> str:
    """Queue of a PodGroup or Job, ``default`` where it names none."""
    return valid_name(text(spec, "queue") or "default", "queue")


def class_name(spec: Mapping[str, Any]) -> str:
    """Priority class, "" where none is named."""
    return text(spec, "priorityClassName")


def role_minima(spec: Mapping[str, Any]) -> dict[str, int]:
    """``minTaskMember``, sorted by role."""
    listed = mapping(spec, "minTaskMember")
    return {printable(role, "minTaskMember"): count(listed, role) for role in sorted(listed)}


def preemptable_mark(meta: Meta) -> bool | None:
    """``volcano.sh/preemptable`` of the group itself: annotation before label, None where it has neither."""
    mark = meta.annotations.get(PREEMPTABLE, meta.labels.get(PREEMPTABLE))
    return None if mark is None else mark.lower() != "false"


def read_network_topology(spec: Mapping[str, Any]) -> NetworkTopology | None:
    """``networkTopology``, None where it is missing or empty."""
    raw = mapping(spec, "networkTopology")
    if not raw:
        return None
    return NetworkTopology(
        mode=one_of(raw, "mode", ("hard", "soft")),
        highest_tier_allowed=optional_integer(raw, "highestTierAllowed"),
        highest_tier_name=text(raw, "highestTierName"),
    )


def _subgroup(raw: Mapping[str, Any]) -> SubGroupPolicy:
    return SubGroupPolicy(
        name=text(raw, "name"),
        selector=read_selector(raw, "labelSelector") or LabelSelector(),
        match_label_keys=texts(raw, "matchLabelKeys"),
        size=count(raw, "subGroupSize") or 1,
        min_subgroups=count(raw, "minSubGroups"),
        topology=read_network_topology(raw),
    )
