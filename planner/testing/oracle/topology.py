"""I6 and the domain tiers by trying every domain, for the oracle."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import re2

from models.cluster import HyperNode
from models.effective import EffectivePolicy
from models.resources import PODS, Resources
from models.snapshot import Snapshot
from models.workloads import Gang, NetworkTopology, Pod, SubGroupPolicy
from planner.testing.oracle.gang_options import Option, PodKind, SubGroupKey

Nodes = frozenset[str]
Sites = Mapping[PodKind, Sequence[str]]
"""Kind to the nodes of its pods, one entry per pod."""


class Forest:
    """Sets of nodes by tier: HyperNodes, or values of the policy's labels."""

    def __init__(self, snapshot: Snapshot, policy: EffectivePolicy) -> None:
        self._snapshot, self._policy = snapshot, policy
        self._keys = () if snapshot.hyper_nodes else policy.policy.topology_labels
        self.sets: list[tuple[int, Nodes]] = []
        self.names: dict[str, int] = {}
        for one in snapshot.hyper_nodes:
            self.sets.append((one.tier, frozenset(self._below(one))))
            if one.tier_name:
                self.names[one.tier_name] = one.tier
        for depth, key in enumerate(self._keys):
            tier = len(self._keys) - depth
            self.names[key] = tier
            for node in snapshot.nodes:
                self._add_path(
                    tier, self._keys[: depth + 1], [node.labels.get(k) for k in self._keys]
                )

    def roomy(self, gang: Gang, homes: Sequence[Nodes]) -> Sequence[Nodes]:
        """I10: of these domains those that have room in sum for all pods of an elastic gang."""
        if self._policy.policy.topology_prefilter != "pending":
            return homes
        pods = self._snapshot.pods_of(gang)
        asked = [pod.spec.request for pod in pods if pod.pending]
        for role in gang.templates:
            lacking = role.replicas - sum(pod.role == role.role for pod in pods)
            asked += [role.spec.request] * max(lacking, 0)
        running = [pod for pod in pods if pod.running]
        done = [*running, *(pod for pod in pods if pod.phase == "Succeeded")]
        least = max(gang.min_member - len(done), 0 if done else 1)
        if gang.roles_bind:
            gaps = gang.role_minimum.items()
            short = sum(max(n - sum(pod.role == r for pod in done), 0) for r, n in gaps)
            least = max(least, short)
        if len(asked) <= least and (least or _lacks_subgroups(gang, done)):
            return homes
        return [home for home in homes if self._sums_hold(home, asked)]

    def _sums_hold(self, home: Nodes, asked: Sequence[Resources]) -> bool:
        snapshot = self._snapshot
        nodes = [node for node in snapshot.nodes if node.name in home]
        for name in {PODS, *(name for request in asked for name in request)}:
            wanted = len(asked) if name == PODS else sum(one.amount(name) for one in asked)
            free = 0
            for node in nodes:
                held = [pod for pod in snapshot.pods if pod.holds_node and pod.node == node.name]
                used = len(held) if name == PODS else sum(p.spec.request.amount(name) for p in held)
                free += max(node.allocatable.amount(name) - used, 0)
            if wanted > free:
                return False
        return True

    def _add_path(self, tier: int, keys: Sequence[str], wanted: Sequence[str | None]) -> None:
        if not all(wanted[: len(keys)]):
            return
        inside = frozenset(
            node.name
            for node in self._snapshot.nodes
            if [node.labels.get(key) for key in keys] == list(wanted[: len(keys)])
        )
        if (tier, inside) not in self.sets:
            self.sets.append((tier, inside))

    def _below(self, one: HyperNode) -> Iterator[str]:
        for member in one.members:
            if member.type == "HyperNode":
                for other in self._snapshot.hyper_nodes:
                    if member.exact_name == other.name or (
                        not member.exact_name
                        and member.pattern
                        and re2.search(member.pattern, other.name)
                    ):
                        yield from self._below(other)
                continue
            for node in self._snapshot.nodes:
                by_name = member.exact_name == node.name
                by_pattern = (
                    not member.exact_name
                    and member.pattern
                    and re2.search(member.pattern, node.name)
                )
                by_label = member.labels is not None and member.labels.matches(node.labels)
                if by_name or by_pattern or by_label:
                    yield node.name

    @property
    def top(self) -> int:
        """Tier of the virtual domain of all nodes."""
        if self._keys:
            return len(self._keys) + 1
        return max((tier for tier, _ in self.sets), default=0) + 1

    def allowed(self, rule: NetworkTopology | None, held: Iterable[str]) -> list[Nodes] | None:
        """Domains that a hard rule allows around nodes in use; None where nothing binds."""
        if rule is None or rule.mode != "hard":
            return None
        tier = rule.highest_tier_allowed
        if tier is None:
            if not rule.highest_tier_name:
                return None
            tier = self.names.get(rule.highest_tier_name, self.top)
        if tier >= self.top:
            return None
        wanted = frozenset(held)
        return [nodes for at, nodes in self.sets if at <= tier and wanted <= nodes]

    def closest(self, node: str) -> object:
        """The domain of the lowest tier that holds a node, else the node itself."""
        around = [(tier, sorted(nodes)) for tier, nodes in self.sets if node in nodes]
        return str(min(around)) if around else node

    def levels(self) -> list[dict[str, object]]:
        """Per tier, lowest first, the place of every node; tiers with one place are left out."""
        found = []
        for tier in sorted({at for at, _ in self.sets}):
            here = [nodes for at, nodes in self.sets if at == tier]
            place: dict[str, object] = {
                node.name: next(
                    (n for n, nodes in enumerate(here) if node.name in nodes), node.name
                )
                for node in self._snapshot.nodes
            }
            if len(set(place.values())) > 1:
                found.append(place)
        return found

    def wished_by_all(self) -> bool:
        """The policy's labels make up the domains: every gang of several pods counts."""
        return bool(self._keys)


def placings(
    forest: Forest, gang: Gang, running: Sequence[Pod], option: Option
) -> Iterator[Counter[PodKind]]:
    """The option once per choice of domains, with kinds that may only go there."""
    homes = forest.allowed(gang.topology, [pod.node or "" for pod in running])
    for home in [None] if homes is None else forest.roomy(gang, homes):
        yield from _inside(forest, gang, running, option, home)


def _inside(
    forest: Forest, gang: Gang, running: Sequence[Pod], option: Option, home: Nodes | None
) -> Iterator[Counter[PodKind]]:
    groups = sorted({key for kind, _ in option.counts for key in kind.subgroups})
    choices: list[list[tuple[SubGroupKey, Nodes | None]]] = []
    for key in groups:
        policy = gang.subgroups[key[0]]
        held = [pod.node or "" for pod in running if policy.key_of(pod) == key[1]]
        allowed = forest.allowed(policy.topology, held)
        choices.append([(key, None)] if allowed is None else [(key, one) for one in allowed])
    for chosen in itertools.product(*choices):
        where = dict(chosen)
        found: Counter[PodKind] = Counter()
        for kind, count in option.counts:
            bounds = [home, *(where[key] for key in kind.subgroups)]
            nodes = tuple(n for n in kind.nodes if all(one is None or n in one for one in bounds))
            found[replace(kind, nodes=nodes)] += count
        yield found


def keeps(forest: Forest, gang: Gang, running: Sequence[Pod], sites: Sites) -> bool:
    """Whether pods at these nodes keep every hard rule of the gang."""
    whole = [node for nodes in sites.values() for node in nodes]
    whole += [pod.node or "" for pod in running]
    allowed = forest.allowed(gang.topology, whole)
    if allowed is not None and not allowed:
        return False
    for key, nodes in _groups(gang, running, sites).items():
        allowed = forest.allowed(gang.subgroups[key[0]].topology, nodes)
        if allowed is not None and not allowed:
            return False
    return all(_whole_parts(forest, gang, policy, sites) for policy in gang.subgroups)


def _whole_parts(forest: Forest, gang: Gang, policy: SubGroupPolicy, sites: Sites) -> bool:
    """Pods that do not exist yet are in domains of a hard rule by whole subgroups."""
    allowed = forest.allowed(policy.topology, ())
    nodes = _to_come(gang, policy, sites)
    if allowed is None or not nodes:
        return True
    widest = {one for one in allowed if not any(one < other for other in allowed)}
    counts = Counter(next((one for one in widest if node in one), frozenset()) for node in nodes)
    return frozenset() not in counts and not any(n % policy.size for n in counts.values())


def _to_come(gang: Gang, policy: SubGroupPolicy, sites: Sites) -> list[str]:
    """Nodes of pods that do not exist yet and that a policy will select."""
    return [
        node
        for kind, nodes in sites.items()
        if not kind.exists and joins(gang, kind.role, policy)
        for node in nodes
    ]


def _groups(
    gang: Gang, running: Sequence[Pod], sites: Sites, *, touched: bool = True
) -> dict[SubGroupKey, list[str]]:
    found: dict[SubGroupKey, list[str]] = {}
    for kind, nodes in sites.items():
        for key in kind.subgroups:
            found.setdefault(key, []).extend(nodes)
    for index, policy in enumerate(gang.subgroups):
        for pod in running:
            values = policy.key_of(pod)
            if values is not None and (not touched or (index, values) in found):
                found.setdefault((index, values), []).append(pod.node or "")
    return found


def places_of(forest: Forest, gang: Gang, running: Sequence[Pod], sites: Sites) -> tuple[int, ...]:
    """Weighted places of a started gang, level by level."""
    return tuple(
        _places(gang, running, sites, place, by_wish=forest.wished_by_all())
        for place in forest.levels()
    )


def _places(
    gang: Gang,
    running: Sequence[Pod],
    sites: Sites,
    place: Mapping[str, object],
    *,
    by_wish: bool,
) -> int:
    total = 0
    if gang.topology is not None or (by_wish and gang.min_member > 1):
        whole = [node for nodes in sites.values() for node in nodes]
        whole += [pod.node or "" for pod in running]
        total += max(gang.min_member, 1) * len({place[node] for node in whole})
    for key, nodes in _groups(gang, running, sites, touched=False).items():
        policy = gang.subgroups[key[0]]
        if policy.topology is not None:
            total += max(policy.size, 1) * len({place[node] for node in nodes})
    for policy in gang.subgroups:
        if policy.topology is not None:
            counts = Counter(place[node] for node in _to_come(gang, policy, sites))
            each = max(policy.size, 1) if policy.match_label_keys else max(counts.total(), 1)
            total += max(policy.size, 1) * sum(-(-count // each) for count in counts.values())
    return total


def joins(gang: Gang, role: str, policy: SubGroupPolicy) -> bool:
    """Whether pods of a role that do not exist yet will be in a subgroup of the policy."""
    template = gang.template(role)
    if template is None:
        return False
    marks = {"volcano.sh/task-spec": role, **template.annotations, **template.labels}
    return policy.selector.matches(marks)


def _lacks_subgroups(gang: Gang, done: Sequence[Pod]) -> bool:
    """Whether fewer subgroups are complete than the gang needs."""
    for policy in gang.subgroups:
        keys = [policy.key_of(pod) for pod in done]
        sizes = [keys.count(key) for key in {key for key in keys if key is not None}]
        if sum(size >= policy.size for size in sizes) < policy.min_subgroups:
            return True
    return False
