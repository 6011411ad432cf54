"""What a pod would rather have: preferred affinities with weights, and spread that schedules anyway."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from models.pod_terms import Preferences, PreferredNodes, PreferredPods
from models.readers.fields import count, mapping, mappings
from models.readers.pod_rules import read_pod_term, read_soft_spread
from models.readers.selectors import read_node_term

_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_HEAVIEST: Final = 100


def read_preferences(spec: Mapping[str, Any]) -> Preferences | None:
    """Preferred rules of a pod; None where it has none."""
    affinity = mapping(spec, "affinity")
    found = Preferences(
        nodes=tuple(_nodes(affinity)),
        near=_pods(affinity, "podAffinity"),
        apart=_pods(affinity, "podAntiAffinity"),
        spread=read_soft_spread(spec),
    )
    return None if found == Preferences() else found


def _nodes(affinity: Mapping[str, Any]) -> Iterator[PreferredNodes]:
    """Terms of the node affinity; an empty one prefers nothing."""
    for weight, one in _weighed(affinity, "nodeAffinity"):
        term = read_node_term(mapping(one, "preference"))
        if term.match_expressions or term.match_fields:
            yield PreferredNodes(weight, term)


def _pods(affinity: Mapping[str, Any], kind: str) -> tuple[PreferredPods, ...]:
    return tuple(
        PreferredPods(weight, read_pod_term(mapping(one, "podAffinityTerm")))
        for weight, one in _weighed(affinity, kind)
    )


def _weighed(affinity: Mapping[str, Any], kind: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Entries with a weight above 0, at most what the API server accepts."""
    for one in mappings(mapping(affinity, kind), _PREFERRED):
        weight = min(max(count(one, "weight", 0), 0), _HEAVIEST)
        if weight:
            yield weight, one
