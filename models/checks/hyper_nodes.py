"""HyperNodes must form a forest with tiers that grow towards the roots (Volcano ``topology.volcano.sh``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from models.checks.check import Check, Hit
from models.checks.subject import Subject
from models.checks.wording import counted, names_text
from models.cluster import HyperNode, HyperNodeMember
from models.name_patterns import unreadable_pattern

_NODE, _HYPER_NODE = "Node", "HyperNode"


def hyper_node_cycle(subject: Subject) -> Iterator[Hit]:
    """A HyperNode contains itself by way of its members; one hit per cycle."""
    for cycle in _cycles(subject.snapshot.hyper_nodes):
        yield Hit(
            f"hypernode/{min(cycle)}",
            f"HyperNodes contain each other in a circle: {_round_trip(cycle)}",
        )


def hyper_node_circles(hyper_nodes: Iterable[HyperNode]) -> list[str]:
    """Circles of HyperNodes as ``a > b > a``; empty where they form a forest."""
    return [_round_trip(cycle) for cycle in _cycles(hyper_nodes)]


def _round_trip(cycle: tuple[str, ...]) -> str:
    return " > ".join((*cycle, cycle[0]))


def _cycles(hyper_nodes: Iterable[HyperNode]) -> Iterator[tuple[str, ...]]:
    members = {one.name: _child_names(one) for one in hyper_nodes}
    done: set[str] = set()
    for start in members:
        cycle = _cycle_from(start, members, done)
        if cycle:
            yield cycle


def _child_names(one: HyperNode) -> tuple[str, ...]:
    return tuple(m.exact_name for m in one.members if m.type == _HYPER_NODE and m.exact_name)


def _cycle_from(
    start: str, members: Mapping[str, tuple[str, ...]], done: set[str]
) -> tuple[str, ...]:
    """First cycle met on a depth-first walk; without recursion, chains may be long."""
    path: list[str] = []
    open_names: dict[str, int] = {}
    stack: list[tuple[str, bool]] = [(start, True)]
    cycle: tuple[str, ...] = ()
    while stack:
        name, entering = stack.pop()
        if not entering:
            path.pop()
            del open_names[name]
            done.add(name)
        elif name in open_names:
            cycle = cycle or tuple(path[open_names[name] :])
        elif name in members and name not in done:
            open_names[name] = len(path)
            path.append(name)
            stack.append((name, False))
            stack.extend((child, True) for child in members[name])
    return cycle


def hyper_node_unknown_member(subject: Subject) -> Iterator[Hit]:
    """A HyperNode names a node or HyperNode that the export does not hold, or has a pattern nobody can read."""
    snapshot = subject.snapshot
    known = {
        _NODE: frozenset(snapshot.node_by_name),
        _HYPER_NODE: frozenset(one.name for one in snapshot.hyper_nodes),
    }
    for one in snapshot.hyper_nodes:
        unknown = [
            f"{member.type} {member.exact_name}"
            for member in one.members
            if member.exact_name and member.exact_name not in known.get(member.type, frozenset())
        ]
        unknown += [
            f"pattern {member.pattern!r} ({fault})"
            for member in one.members
            if (fault := unreadable_pattern(member.pattern)) is not None
        ]
        unknown += [f"{m.type} without a selector" for m in one.members if _names_nothing(m)]
        if unknown:
            yield Hit(
                f"hypernode/{one.name}",
                f"HyperNode {one.name} (tier {one.tier}) has {counted(len(unknown), 'unknown member')}: "
                f"{names_text(unknown)}",
                amount=len(unknown),
            )


def _names_nothing(member: HyperNodeMember) -> bool:
    """No name, no pattern, and no labels, which select nodes only."""
    labels = member.labels is not None and member.type == _NODE
    return not (member.exact_name or member.pattern or labels)


def hyper_node_two_parents(subject: Subject) -> Iterator[Hit]:
    """A HyperNode is named as a member by more than one other."""
    parents: dict[str, list[str]] = {}
    for one in subject.snapshot.hyper_nodes:
        for child in dict.fromkeys(_child_names(one)):
            parents.setdefault(child, []).append(one.name)
    for child, names in sorted(parents.items()):
        if len(names) > 1:
            yield Hit(
                f"hypernode/{child}",
                f"HyperNode {child} is a member of {len(names)} HyperNodes: {names_text(names)}",
            )


def hyper_node_tier_order(subject: Subject) -> Iterator[Hit]:
    """A HyperNode's tier is not above the tier of a HyperNode inside it."""
    tiers = {one.name: one.tier for one in subject.snapshot.hyper_nodes}
    for one in subject.snapshot.hyper_nodes:
        wrong = [
            f"{child} (tier {tiers[child]})"
            for child in _child_names(one)
            if child != one.name and tiers.get(child, one.tier - 1) >= one.tier
        ]
        if wrong:
            yield Hit(
                f"hypernode/{one.name}",
                f"HyperNode {one.name} (tier {one.tier}) contains {names_text(wrong)}: "
                "a domain must have a higher tier than those inside it",
            )


CHECKS = (
    Check(
        "hyper_node_cycle",
        "warning",
        "HyperNodes contain each other in a circle. Volcano then schedules no gang with a topology at all.",
        "remove one of the member entries so that the HyperNodes form a tree",
        noun="circles of HyperNodes",
        phrase="were found",
        see_all="kubectl get hypernodes -o yaml",
        find=hyper_node_cycle,
    ),
    Check(
        "hyper_node_unknown_member",
        "warning",
        "A HyperNode names a node or HyperNode that the export does not hold, or its pattern is "
        "none of RE2 (Go's regular expressions), or a member has no selector (labels select nodes only).",
        "correct the member (patterns: no look-around, no back-references), or export nodes and HyperNodes at one time",
        noun="HyperNodes",
        phrase="have {total} unknown members",
        see_all="kubectl get hypernodes -o yaml",
        find=hyper_node_unknown_member,
    ),
    Check(
        "hyper_node_two_parents",
        "warning",
        "A HyperNode is a member of several others, but the HyperNodes must form a forest.",
        "leave the HyperNode in one of them",
        noun="HyperNodes",
        phrase="have more than one parent",
        see_all="kubectl get hypernodes -o yaml",
        find=hyper_node_two_parents,
    ),
    Check(
        "hyper_node_tier_order",
        "warning",
        "A HyperNode's tier is not above that of a HyperNode inside it, so that tiers say nothing about distance.",
        "number the tiers from the leaves (smallest) to the roots",
        noun="HyperNodes",
        phrase="contain HyperNodes of the same or a higher tier",
        see_all="kubectl get hypernodes",
        find=hyper_node_tier_order,
    ),
)
