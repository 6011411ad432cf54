"""The topology forest of a snapshot: HyperNodes, or node labels where the policy names them and there are none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from models.checks.hyper_nodes import hyper_node_circles
from models.cluster import HyperNodeMember
from models.name_patterns import name_matcher
from models.snapshot import Snapshot
from models.workloads import NetworkTopology
from planner.problem.topology import Domain, Level, TopologyForest


def topology_forest(snapshot: Snapshot, labels: tuple[str, ...]) -> TopologyForest:
    """Domains of all HyperNodes (Volcano ``topology.volcano.sh``); without any those of the topology labels.

    Labels run from coarse to fine: the finest is tier 1, a domain is a path of values. HyperNodes that cross others
    lose the nodes that they share with those of a lower tier (then first name): Volcano asks for a forest.
    """
    if snapshot.hyper_nodes:
        return _of_hyper_nodes(snapshot)
    return _of_labels(snapshot, labels) if labels else TopologyForest()


def allowed_tier(forest: TopologyForest, rule: NetworkTopology | None) -> int | None:
    """Highest tier of a domain that must hold everything; None where nothing binds.

    A name that no tier has binds nothing, like a tier above all.
    """
    if rule is None or not rule.binds:
        return None
    tier = rule.highest_tier_allowed
    if tier is None:
        tier = dict(forest.tier_of_name).get(rule.highest_tier_name, forest.top_tier)
    return tier if tier < forest.top_tier else None


def _of_hyper_nodes(snapshot: Snapshot) -> TopologyForest:
    sets = _Members(snapshot)
    order = sorted(snapshot.hyper_nodes, key=lambda one: (one.tier, one.name))
    domains = _nested([(one.name, one.tier, sets.nodes_of(one.name)) for one in order])
    tiers = {one.tier for one in order}
    names: dict[int, set[str]] = {}
    for one in order:
        names.setdefault(one.tier, set()).update({one.tier_name} - {""})
    titles = {
        tier: next(iter(names[tier])) if len(names[tier]) == 1 else f"tier{tier}" for tier in tiers
    }
    circles = hyper_node_circles(snapshot.hyper_nodes)
    return TopologyForest(
        domains=domains,
        levels=_levels(snapshot, domains, titles),
        top_tier=max(tiers) + 1,
        tier_of_name=tuple(sorted((one.tier_name, one.tier) for one in order if one.tier_name)),
        fault=f"HyperNodes contain each other: {circles[0]}" if circles else "",
    )


class _Members:
    """Nodes below every HyperNode; one that is met again on the way down adds nothing."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._number = {node.name: index for index, node in enumerate(snapshot.nodes)}
        self._objects = {one.name: one for one in snapshot.hyper_nodes}
        self._own: dict[str, tuple[set[int], list[str]]] = {}

    def nodes_of(self, name: str) -> set[int]:
        """Indices of the nodes in a HyperNode and in those below it."""
        found: set[int] = set()
        seen, open_names = {name}, [name]
        while open_names:
            nodes, below = self._direct(open_names.pop())
            found |= nodes
            open_names += [one for one in below if one not in seen]
            seen.update(below)
        return found

    def _direct(self, name: str) -> tuple[set[int], list[str]]:
        if name not in self._own:
            nodes: set[int] = set()
            below: list[str] = []
            for member in self._objects[name].members:
                if member.type == "HyperNode":
                    below += _matching(member, self._objects)
                else:
                    nodes.update(self._nodes(member))
            self._own[name] = (nodes, below)
        return self._own[name]

    def _nodes(self, member: HyperNodeMember) -> Iterator[int]:
        if member.labels is not None and not member.exact_name and not member.pattern:
            for index, node in enumerate(self._snapshot.nodes):
                if member.labels.matches(node.labels):
                    yield index
        else:
            yield from (self._number[name] for name in _matching(member, self._number))


def _matching(member: HyperNodeMember, names: Mapping[str, object]) -> list[str]:
    if member.exact_name:
        return [member.exact_name] if member.exact_name in names else []
    if not member.pattern:
        return []
    matches = name_matcher(member.pattern)
    if matches is None:
        return []  # a finding of the input names it
    return [name for name in names if matches(name)]


def _nested(sets: Sequence[tuple[str, int, set[int]]]) -> tuple[Domain, ...]:
    """Domains in the given order, each without the nodes of earlier ones that it crosses."""
    holding: dict[int, list[int]] = {}
    kept: list[set[int]] = []
    domains: list[Domain] = []
    for name, tier, nodes in sets:
        shared = Counter(one for node in nodes for one in holding.get(node, ()))
        for other, count in shared.items():
            if count < len(kept[other]) and not kept[other] >= nodes:
                nodes = nodes - kept[other]
        for node in nodes:
            holding.setdefault(node, []).append(len(kept))
        kept.append(nodes)
        domains.append(Domain(name, tier, tuple(sorted(nodes))))
    return tuple(domains)


def _of_labels(snapshot: Snapshot, keys: tuple[str, ...]) -> TopologyForest:
    found: dict[tuple[str, ...], list[int]] = {}
    for index, node in enumerate(snapshot.nodes):
        path: tuple[str, ...] = ()
        for key in keys:
            if not node.labels.get(key):
                break
            path = (*path, node.labels[key])
            found.setdefault(path, []).append(index)
    domains = tuple(
        Domain("/".join(path), len(keys) + 1 - len(path), tuple(nodes))
        for path, nodes in sorted(found.items(), key=lambda one: (-len(one[0]), one[0]))
    )
    titles = {len(keys) - position: key for position, key in enumerate(keys)}
    return TopologyForest(
        domains=domains,
        levels=_levels(snapshot, domains, titles),
        top_tier=len(keys) + 1,
        tier_of_name=tuple(sorted((key, tier) for tier, key in titles.items())),
    )


def _levels(
    snapshot: Snapshot, domains: Sequence[Domain], titles: Mapping[int, str]
) -> tuple[Level, ...]:
    """Levels from the finest tier up; a tier with one place says nothing and is left out."""
    found: list[Level] = []
    taken: set[str] = set()
    for tier in sorted({one.tier for one in domains}):
        place: list[int] = [-1] * len(snapshot.nodes)
        names: list[str] = []
        for one in domains:
            if one.tier == tier and any(place[node] < 0 for node in one.nodes):
                for index in one.nodes:
                    place[index] = len(names) if place[index] < 0 else place[index]
                names.append(one.name)
        for index, node in enumerate(snapshot.nodes):
            if place[index] < 0:
                place[index] = len(names)
                names.append(node.name)
        if len(set(place)) > 1:
            found.append(Level(_level_name(titles[tier], taken), tier, tuple(place), tuple(names)))
    return tuple(found)


def _level_name(title: str, taken: set[str]) -> str:
    """Name of a level in tier names: without the prefix of a label key, dots and spaces; unique."""
    name = re.sub(r"[\s.]+", "-", title.rpartition("/")[2]) or "level"
    while name in taken:
        name += "-"
    taken.add(name)
    return name
