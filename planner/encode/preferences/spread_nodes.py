"""Nodes whose domains count for a topology spread constraint that schedules anyway."""

from __future__ import annotations

from collections.abc import Iterable

from models.cluster import Node
from models.pod_terms import SpreadConstraint
from models.workloads import PodSpec
from planner.encode.pod_rules.domains_by_key import KeyDomains
from planner.encode.pod_rules.even import is_selected, is_tolerated


def counting_nodes(
    nodes: Iterable[Node], domains: KeyDomains, spec: PodSpec, one: SpreadConstraint
) -> frozenset[str]:
    """Nodes with the labels of all such constraints of the pod, that its selectors and tolerations admit as it says."""
    wanted = spec.preferences.spread if spec.preferences is not None else ()
    keyed = [domains.of(each.topology_key) for each in wanted]
    return frozenset(
        node.name
        for node in nodes
        if all(node.name in of for of in keyed)
        and (one.ignores_affinity or is_selected(spec, node))
        and (not one.honors_taints or is_tolerated(spec, node))
    )
