"""Required rules of a pod about other pods: affinity, anti-affinity, topology spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from models.readers.fields import count, mapping, mappings, text, texts
from models.readers.selectors import read_node_terms, read_selector
from models.selectors import NodeSelectorTerm
from models.workloads import PodAffinityTerm, SpreadConstraint

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def read_node_affinity(affinity: Mapping[str, Any]) -> tuple[NodeSelectorTerm, ...] | None:
    """Required node affinity, None where there is none."""
    node = mapping(affinity, "nodeAffinity")
    return read_node_terms(mapping(node, _REQUIRED)) if node.get(_REQUIRED) is not None else None


def read_pod_terms(affinity: Mapping[str, Any], kind: str) -> tuple[PodAffinityTerm, ...]:
    """Required terms of ``podAffinity`` or ``podAntiAffinity``."""
    return tuple(
        PodAffinityTerm(
            topology_key=text(term, "topologyKey"),
            selector=read_selector(term, "labelSelector"),
            namespaces=tuple(sorted(texts(term, "namespaces"))),
            namespace_selector=read_selector(term, "namespaceSelector"),
            same_labels=tuple(sorted(set(texts(term, "matchLabelKeys")))),
            other_labels=tuple(sorted(set(texts(term, "mismatchLabelKeys")))),
        )
        for term in mappings(mapping(affinity, kind), _REQUIRED)
    )


def _hard_spread(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    entries = mappings(spec, "topologySpreadConstraints")
    return [
        one for one in entries if text(one, "whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule"
    ]


def read_spread(spec: Mapping[str, Any]) -> tuple[SpreadConstraint, ...]:
    """Topology spread constraints that must hold."""
    return tuple(
        SpreadConstraint(
            topology_key=text(one, "topologyKey"),
            max_skew=max(count(one, "maxSkew", 1), 1),
            selector=read_selector(one, "labelSelector"),
            min_domains=max(count(one, "minDomains", 1), 1),
            same_labels=tuple(sorted(set(texts(one, "matchLabelKeys")))),
            ignores_affinity=text(one, "nodeAffinityPolicy", "Honor") == "Ignore",
            honors_taints=text(one, "nodeTaintsPolicy", "Ignore") == "Honor",
        )
        for one in _hard_spread(spec)
    )
