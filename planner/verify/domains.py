"""Topology domains as the verifier sees them: HyperNodes or label values, and the places that gangs use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from models.cluster import HyperNode, HyperNodeMember, Node
from models.effective import EffectivePolicy
from models.name_patterns import name_matcher
from models.snapshot import Snapshot
from models.workloads import NetworkTopology
from planner.verify.matching import selects

Nodes = frozenset[str]


@dataclass(frozen=True, slots=True)
class Zone:
    """Nodes of one domain; ``whole`` are all nodes that it names, ``own`` those left where domains cross."""

    name: str
    tier: int
    whole: Nodes
    own: Nodes


@dataclass
class Domains:
    """All domains of a snapshot.

    Attributes
    ----------
    zones
        By tier, then name.
    titles
        Tier to the name of its level.
    top
        Tier of the virtual domain above all.
    circular
        HyperNodes contain each other: no rule about topology can be kept.
    """

    nodes: tuple[str, ...]
    zones: list[Zone] = field(default_factory=list)
    titles: dict[int, str] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    top: int = 1
    circular: bool = False
    _known: dict[int, list[Nodes]] = field(default_factory=dict)

    def tier_of(self, rule: NetworkTopology | None) -> int | None:
        """Highest tier that a hard rule allows, None where it binds nothing."""
        if rule is None or rule.mode != "hard":
            return None
        tier = rule.highest_tier_allowed
        if tier is None:
            tier = self.names.get(rule.highest_tier_name, self.top)
        return None if tier >= self.top else tier

    def share(self, nodes: Iterable[str], tier: int) -> bool:
        """Whether some domain of at most this tier names all these nodes."""
        wanted = frozenset(nodes)
        return any(zone.tier <= tier and wanted <= zone.whole for zone in self.zones)

    def choices(self, tier: int, running: Iterable[str]) -> list[Nodes]:
        """Largest domains of at most a tier that hold the running pods' nodes."""
        held = frozenset(running)
        return [one for one in self._largest(tier) if held <= one]

    def _largest(self, tier: int) -> list[Nodes]:
        """Domains of at most a tier that are inside no other such domain, large ones first."""
        if tier not in self._known:
            inside: set[str] = set()
            found = []
            allowed = {zone.own for zone in self.zones if zone.tier <= tier and zone.own}
            for one in sorted(allowed, key=lambda nodes: (-len(nodes), min(nodes))):
                if not one <= inside:
                    inside |= one
                    found.append(one)
            self._known[tier] = found
        return self._known[tier]

    @cached_property
    def places(self) -> dict[str, dict[str, str]]:
        """Level name to the place of every node, the finest level first; levels with one place are left out."""
        found: dict[str, dict[str, str]] = {}
        for tier, title in sorted(self.titles.items()):
            place: dict[str, str] = {}
            for number, zone in enumerate(self.zones):
                if zone.tier == tier:
                    for node in zone.own:
                        place.setdefault(node, f"domain {number}")
            full = {node: place.get(node, f"node {node}") for node in self.nodes}
            if len(set(full.values())) > 1:
                name = re.sub(r"[\s.]+", "-", title.rpartition("/")[2]) or "level"
                while name in found:
                    name += "-"
                found[name] = full
        return found


def domains_of(snapshot: Snapshot, policy: EffectivePolicy) -> Domains:
    """Domains of the HyperNodes; without any, of the policy's topology labels (from coarse to fine)."""
    names = tuple(node.name for node in snapshot.nodes)
    keys = policy.policy.topology_labels
    if snapshot.hyper_nodes:
        return _hyper_nodes(snapshot, names)
    return _labels(snapshot.nodes, names, keys) if keys else Domains(names)


def _hyper_nodes(snapshot: Snapshot, names: tuple[str, ...]) -> Domains:
    objects = {one.name: one for one in snapshot.hyper_nodes}
    members = {one.name: _below(one, objects, snapshot.node_by_name) for one in objects.values()}
    order = sorted(objects.values(), key=lambda one: (one.tier, one.name))
    titles: dict[int, str] = {}
    for tier in {one.tier for one in order}:
        told = {one.tier_name for one in order if one.tier == tier and one.tier_name}
        titles[tier] = told.pop() if len(told) == 1 else f"tier{tier}"
    found = Domains(
        names,
        titles=titles,
        names={one.tier_name: one.tier for one in order if one.tier_name},
        top=max(one.tier for one in order) + 1,
        circular=any(_contains_itself(name, objects) for name in objects),
    )
    for one in order:
        found.zones.append(_zone(one.name, one.tier, members[one.name], found.zones))
    return found


def _zone(name: str, tier: int, nodes: Nodes, before: list[Zone]) -> Zone:
    """The domain without what it shares with earlier ones that it crosses."""
    own = nodes
    for other in before:
        if own.isdisjoint(other.own) or other.own <= own or own <= other.own:
            continue
        own -= other.own
    return Zone(name, tier, nodes, own)


def _children(one: HyperNode, objects: Mapping[str, HyperNode]) -> set[str]:
    found = _exact_children(one, objects)
    patterns = [m for m in one.members if m.type == "HyperNode" and m.pattern and not m.exact_name]
    return found | {name for member in patterns for name in objects if _named(member, name)}


def _below(one: HyperNode, objects: Mapping[str, HyperNode], nodes: Mapping[str, Node]) -> Nodes:
    """Nodes in a HyperNode and in all below it."""
    inside, open_names = {one.name}, [one.name]
    found: set[str] = set()
    while open_names:
        current = objects[open_names.pop()]
        direct = [member for member in current.members if member.type != "HyperNode"]
        found.update({member.exact_name for member in direct} & set(nodes))
        for member in direct:
            if not member.exact_name:
                found.update(name for name, node in nodes.items() if _holds(member, node))
        fresh = _children(current, objects) - inside
        inside |= fresh
        open_names += sorted(fresh)
    return frozenset(found)


def _contains_itself(name: str, objects: Mapping[str, HyperNode]) -> bool:
    seen: set[str] = set()
    following = _exact_children(objects[name], objects)
    while following:
        seen |= following
        if name in seen:
            return True
        following = {
            below for one in following for below in _exact_children(objects[one], objects)
        } - seen
    return False


def _exact_children(one: HyperNode, objects: Mapping[str, HyperNode]) -> set[str]:
    named = {member.exact_name for member in one.members if member.type == "HyperNode"}
    return named & set(objects)


def _named(member: HyperNodeMember, name: str) -> bool:
    if member.exact_name:
        return member.exact_name == name
    matches = name_matcher(member.pattern) if member.pattern else None
    return matches is not None and matches(name)


def _holds(member: HyperNodeMember, node: Node) -> bool:
    if member.pattern:
        return _named(member, node.name)
    return member.labels is not None and selects(member.labels, node.labels)


def _labels(nodes: Iterable[Node], names: tuple[str, ...], keys: tuple[str, ...]) -> Domains:
    paths: dict[tuple[str, ...], set[str]] = {}
    for node in nodes:
        values = [node.labels.get(key, "") for key in keys]
        for depth in range(1, len(keys) + 1):
            if all(values[:depth]):
                paths.setdefault(tuple(values[:depth]), set()).add(node.name)
    tiers = {key: len(keys) - position for position, key in enumerate(keys)}
    found = Domains(
        names, titles={t: key for key, t in tiers.items()}, names=tiers, top=len(keys) + 1
    )
    for path, inside in sorted(paths.items(), key=lambda one: (-len(one[0]), one[0])):
        held = frozenset(inside)
        found.zones.append(Zone("/".join(path), len(keys) + 1 - len(path), held, held))
    return found
