"""Rules of a pod about other pods: affinity, anti-affinity, topology spread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.readers.fields import BadObject, count, mapping, mappings, one_of, text, texts
from models.readers.selectors import read_node_terms, read_selector
from models.selectors import NodeSelectorTerm

_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def read_node_affinity(affinity: Mapping[str, Any]) -> tuple[NodeSelectorTerm, ...] | None:
    """Required node affinity, None where there is none."""
    node = mapping(affinity, "nodeAffinity")
    return read_node_terms(mapping(node, _REQUIRED)) if node.get(_REQUIRED) is not None else None


def read_pod_terms(affinity: Mapping[str, Any], kind: str) -> tuple[PodAffinityTerm, ...]:
    """Required terms of ``podAffinity`` or ``podAntiAffinity``."""
    return tuple(map(read_pod_term, mappings(mapping(affinity, kind), _REQUIRED)))


def read_pod_term(term: Mapping[str, Any]) -> PodAffinityTerm:
    """One term about other pods."""
    return PodAffinityTerm(
        topology_key=_key(term),
        selector=read_selector(term, "labelSelector"),
        namespaces=tuple(sorted(texts(term, "namespaces"))),
        namespace_selector=read_selector(term, "namespaceSelector"),
        same_labels=tuple(sorted(set(texts(term, "matchLabelKeys")))),
        other_labels=tuple(sorted(set(texts(term, "mismatchLabelKeys")))),
    )


def read_spread(spec: Mapping[str, Any]) -> tuple[SpreadConstraint, ...]:
    """Topology spread constraints that must hold."""
    return tuple(_spread(spec, "DoNotSchedule"))


def read_soft_spread(spec: Mapping[str, Any]) -> tuple[SpreadConstraint, ...]:
    """Topology spread constraints that schedule anyway; Kubernetes knows no ``minDomains`` there."""
    return tuple(replace(one, min_domains=1) for one in _spread(spec, "ScheduleAnyway"))


def _spread(spec: Mapping[str, Any], action: str) -> Iterator[SpreadConstraint]:
    for one in mappings(spec, "topologySpreadConstraints"):
        if one_of(one, "whenUnsatisfiable", _ACTIONS) == action:
            yield SpreadConstraint(
                topology_key=_key(one),
                max_skew=max(count(one, "maxSkew", 1), 1),
                selector=read_selector(one, "labelSelector"),
                min_domains=max(count(one, "minDomains", 1), 1),
                same_labels=tuple(sorted(set(texts(one, "matchLabelKeys")))),
                ignores_affinity=one_of(one, "nodeAffinityPolicy", ("Honor", "Ignore")) == "Ignore",
                honors_taints=one_of(one, "nodeTaintsPolicy", ("Ignore", "Honor")) == "Honor",
            )


def _key(raw: Mapping[str, Any]) -> str:
    """The topology key, without which no rule about other pods says anything."""
    found = text(raw, "topologyKey")
    if not found:
        raise BadObject("a rule about other pods has no topologyKey")
    return found
