"""The topology domain of every node, for counting where pods are evicted."""

from __future__ import annotations

from collections.abc import Mapping

from models.cluster import HyperNode, HyperNodeMember, Node
from models.name_patterns import name_matcher
from models.snapshot import Snapshot

Domain = tuple[str, ...]


def node_domains(snapshot: Snapshot, labels: tuple[str, ...]) -> Mapping[str, Domain]:
    """Node name to its closest HyperNode; without HyperNodes its topology labels; without those the node itself."""
    closest: dict[str, Domain] = {}
    ranked = sorted(snapshot.hyper_nodes, key=lambda one: (one.tier, one.name), reverse=True)
    for hyper_node in ranked:
        for node in snapshot.nodes:
            if _holds(hyper_node, node):
                closest[node.name] = ("hypernode", hyper_node.name)
    by_label = labels if not snapshot.hyper_nodes else ()
    return {
        node.name: closest.get(node.name) or _labelled(node, by_label) or ("node", node.name)
        for node in snapshot.nodes
    }


def _labelled(node: Node, keys: tuple[str, ...]) -> Domain:
    if not keys or any(key not in node.labels for key in keys):
        return ()
    return ("labels", *(node.labels[key] for key in keys))


def _holds(hyper_node: HyperNode, node: Node) -> bool:
    return any(_names(one, node) for one in hyper_node.members if one.type == "Node")


def _names(member: HyperNodeMember, node: Node) -> bool:
    if member.exact_name:
        return member.exact_name == node.name
    if member.pattern:
        matches = name_matcher(member.pattern)
        return matches is not None and matches(node.name)
    return member.labels is not None and member.labels.matches(node.labels)
