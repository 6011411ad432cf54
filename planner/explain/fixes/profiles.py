"""What pods could ask for instead, and nodes in service again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from models.cluster import Node
from models.queues import NodeGroupRules
from models.selectors import UNSCHEDULABLE_TAINT, Toleration
from planner.encode.predicates import Profile

TROUBLE = "node.kubernetes.io/"
"""Taints that the cluster itself puts on nodes that do not work."""
Change = Callable[[Profile], Profile]


def serving(node: Node, *, unschedulable: bool, broken: bool) -> Node:
    """A node in service again."""
    if unschedulable:
        taints = tuple(one for one in node.taints if one.key != UNSCHEDULABLE_TAINT.key)
        node = replace(node, unschedulable=False, taints=taints)
    if broken:
        taints = tuple(one for one in node.taints if not one.key.startswith(TROUBLE))
        node = replace(node, conditions={**node.conditions, "Ready": "True"}, taints=taints)
    return node


def tolerating(toleration: Toleration) -> Change:
    """Pods that tolerate one taint more."""
    return lambda profile: replace(profile, tolerations=(*profile.tolerations, toleration))


def unselecting(key: str) -> Change:
    """Pods that do not ask for a label."""
    return lambda profile: replace(
        profile, node_selector=tuple(pair for pair in profile.node_selector if pair[0] != key)
    )


def without_affinity(profile: Profile) -> Profile:
    """Pods without a required node affinity."""
    return replace(profile, node_affinity=None)


def opening(group: str) -> Change:
    """Pods whose queue may use one node group more."""

    def opened(profile: Profile) -> Profile:
        rules = profile.node_groups or NodeGroupRules()
        required = (*rules.required, group)
        banned = tuple(one for one in rules.anti_required if one != group)
        return replace(profile, node_groups=replace(rules, required=required, anti_required=banned))

    return opened


def same(profile: Profile) -> Profile:
    """Pods as they are."""
    return profile
