"""Rules of a pod about other pods: affinity, anti-affinity, topology spread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.readers.fields import BadObject, count, mapping, mappings, shown, text, texts
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
        topology_key=text(term, "topologyKey"),
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
        if _one_of(one, "whenUnsatisfiable", _ACTIONS) == action:
            yield SpreadConstraint(
                topology_key=text(one, "topologyKey"),
                max_skew=max(count(one, "maxSkew", 1), 1),
                selector=read_selector(one, "labelSelector"),
                min_domains=max(count(one, "minDomains", 1), 1),
                same_labels=tuple(sorted(set(texts(one, "matchLabelKeys")))),
                ignores_affinity=_one_of(one, "nodeAffinityPolicy", ("Honor", "Ignore"))
                == "Ignore",
                honors_taints=_one_of(one, "nodeTaintsPolicy", ("Ignore", "Honor")) == "Honor",
            )


def _one_of(raw: Mapping[str, Any], key: str, known: tuple[str, ...]) -> str:
    """One of the known words, the first where none is given; another one would make the rule mean something else."""
    found = text(raw, key) or known[0]
    if found not in known:
        raise BadObject(f"{key} {shown(found)} is none of {', '.join(known)}")
    return found
