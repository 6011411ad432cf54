"""Nodes that several HyperNodes of one tier name: often by a pattern without ``^`` and ``$`` (rack-1 finds rack-10)."""

from __future__ import annotations

from collections.abc import Iterator

from models.checks.check import Check, Hit
from models.checks.subject import Subject
from models.checks.wording import counted, names_text
from models.cluster import HyperNode, HyperNodeMember
from models.name_patterns import name_matcher
from models.snapshot import Snapshot


def hyper_node_shared_nodes(subject: Subject) -> Iterator[Hit]:
    """A HyperNode names nodes that one before it, of the same tier, names too; they count for the first."""
    snapshot = subject.snapshot
    holder: dict[tuple[int, str], str] = {}
    for one in sorted(snapshot.hyper_nodes, key=lambda each: (each.tier, each.name)):
        shared: dict[str, list[str]] = {}
        for name in sorted(_nodes_of(snapshot, one)):
            first = holder.setdefault((one.tier, name), one.name)
            if first != one.name:
                shared.setdefault(first, []).append(name)
        for first, names in shared.items():
            yield Hit(
                f"hypernode/{one.name}",
                f"HyperNode {one.name} (tier {one.tier}) shares {counted(len(names), 'node')} with {first}: "
                f"{names_text(names)}; what both name counts for {first}",
                amount=len(names),
            )


def _nodes_of(snapshot: Snapshot, one: HyperNode) -> set[str]:
    """Nodes that its own members name."""
    found: set[str] = set()
    for member in one.members:
        if member.type == "Node":
            found.update(_named(snapshot, member))
    return found


def _named(snapshot: Snapshot, member: HyperNodeMember) -> Iterator[str]:
    if member.exact_name:
        if member.exact_name in snapshot.node_by_name:
            yield member.exact_name
    elif member.pattern:
        matches = name_matcher(member.pattern)
        if matches is not None:
            yield from (node.name for node in snapshot.nodes if matches(node.name))
    elif member.labels is not None:
        chosen = member.labels
        yield from (node.name for node in snapshot.nodes if chosen.matches(node.labels))


CHECKS = (
    Check(
        "hyper_node_shared_nodes",
        "warning",
        "Two HyperNodes of one tier name the same nodes, but the HyperNodes must form a forest. Such nodes count for "
        "the first by name.",
        "leave each node in one HyperNode of a tier; anchor patterns with ^ and $, which else match anywhere in a name",
        noun="pairs of HyperNodes of one tier",
        phrase="share {total} nodes",
        see_all="kubectl get hypernodes -o yaml",
        find=hyper_node_shared_nodes,
    ),
)
