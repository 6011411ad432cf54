"""PriorityClass, PodDisruptionBudget and HyperNode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from models.cluster import HyperNode, HyperNodeMember, PodDisruptionBudget, PriorityClass
from models.readers.fields import BadObject, count, flag, integer, mapping, mappings, shown, text
from models.readers.metadata import MetaReader
from models.readers.selectors import read_selector
from models.selectors import LabelSelector

_MEMBER_TYPES: Final = ("Node", "HyperNode")


def read_priority_class(raw: Mapping[str, Any], metas: MetaReader) -> PriorityClass:
    """One PriorityClass."""
    return PriorityClass(
        name=metas.read(raw, namespaced=False).name,
        value=integer(raw, "value"),
        global_default=flag(raw, "globalDefault") or False,
        preemption_policy=text(raw, "preemptionPolicy") or "PreemptLowerPriority",
    )


def read_disruption_budget(raw: Mapping[str, Any], metas: MetaReader) -> PodDisruptionBudget:
    """One PodDisruptionBudget; an empty selector selects all pods of the namespace, in v1beta1 none."""
    meta = metas.read(raw)
    selector = read_selector(mapping(raw, "spec"), "selector")
    if selector == LabelSelector() and text(raw, "apiVersion").endswith("/v1beta1"):
        selector = None
    allowed = count(mapping(raw, "status"), "disruptionsAllowed")
    return PodDisruptionBudget(meta.namespace, meta.name, selector, allowed)


def read_hyper_node(raw: Mapping[str, Any], metas: MetaReader) -> HyperNode:
    """One HyperNode; members are resolved by whoever needs the tree, which may hold cycles."""
    spec = mapping(raw, "spec")
    return HyperNode(
        name=metas.read(raw, namespaced=False).name,
        tier=count(spec, "tier"),
        tier_name=text(spec, "tierName"),
        members=tuple(_member(one) for one in mappings(spec, "members")),
    )


def _member(raw: Mapping[str, Any]) -> HyperNodeMember:
    kind = text(raw, "type")
    if kind not in _MEMBER_TYPES:
        raise BadObject(f"member type {shown(kind)} is neither Node nor HyperNode")
    selector = mapping(raw, "selector")
    return HyperNodeMember(
        type=_MEMBER_TYPES[_MEMBER_TYPES.index(kind)],
        exact_name=text(mapping(selector, "exactMatch"), "name"),
        pattern=text(mapping(selector, "regexMatch"), "pattern"),
        labels=read_selector(selector, "labelMatch"),
    )
