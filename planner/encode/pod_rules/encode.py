"""A snapshot whose rules between pods are rooms of nodes and closed nodes: what the preparation knows already."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from models.cluster import Node
from models.effective import EffectivePolicy
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.encode.pod_rules.apart import Apart
from planner.encode.pod_rules.domains_by_key import KeyDomains
from planner.encode.pod_rules.even import Even, Evenly
from planner.encode.pod_rules.faces import Faces
from planner.encode.pod_rules.near import Near
from planner.encode.pod_rules.ports import Ports
from planner.encode.pod_rules.shared import Shared
from planner.encode.pod_rules.stance import Stance
from planner.encode.pod_rules.tied import Tied
from planner.encode.victims.victim_protection import why_protected
from planner.problem.rule_names import RULE_PREFIX
from planner.problem.spreads import Spread

OPEN = "open"
"""Value of a rule's label on nodes that are open to its pods."""


_NO_RULES: Final[Mapping[str, Any]] = MappingProxyType(
    {"pod_anti_affinity": (), "pod_affinity": (), "spread": (), "host_ports": ()}
)


@dataclass(frozen=True, slots=True)
class Ruled:
    """A snapshot with rules as room and labels, and gangs that must be in one domain of some key."""

    snapshot: Snapshot
    tied: Tied
    shared: tuple[Shared, ...] = ()
    even: tuple[Even, ...] = ()
    domains: KeyDomains | None = None

    def spreads(self, ruled: Snapshot, specs: list[PodSpec]) -> tuple[Spread, ...]:
        """Spread constraints over shapes (a specification each)."""
        if self.domains is None:
            return ()
        found = (one.spread(ruled, self.domains, specs) for one in self.even)
        return tuple(one for one in found if one is not None)


def with_rules(snapshot: Snapshot, policy: EffectivePolicy) -> Ruled:
    """The snapshot with requests, allocatable amounts and labels that stand for rules; itself where there are none.

    What nothing stands for is named in the pods' special rules.
    """
    if not _any_rule(snapshot):
        return Ruled(snapshot, {})
    faces, domains = Faces(snapshot), KeyDomains(snapshot.nodes)
    stances: dict[int, Stance] = {}
    largest = _largest(snapshot)
    apart = Apart(faces, domains, stances, largest)
    ports = Ports(faces, domains.nodes, stances, largest)
    evenly = Evenly(snapshot, faces, domains, stances, evicts=bool(policy.evict))
    for term in apart.between:
        evenly.keep_apart(*term)
    near = Near(faces, domains, stances, snapshot.pods, _stays(snapshot, policy))
    return Ruled(
        _Encoder(faces, stances, {**apart.rooms, **ports.rooms}).snapshot(snapshot),
        near.tied,
        tuple(apart.shared),
        tuple(evenly.found),
        domains,
    )


def _largest(snapshot: Snapshot) -> dict[str, int]:
    """Most that a node has of every resource."""
    found: dict[str, int] = {}
    for allocatable in {node.allocatable for node in snapshot.nodes}:
        for name, amount in allocatable.items():
            found[name] = max(found.get(name, 0), amount)
    return found


def _stays(snapshot: Snapshot, policy: EffectivePolicy) -> Callable[[Pod], bool]:
    """Whether no plan may evict a pod."""

    def stays(pod: Pod) -> bool:
        gang = snapshot.gang_by_name.get(pod.gang)
        if not policy.evict or gang is None or gang.missing_group:
            return True
        return bool(why_protected(pod, gang, policy))

    return stays


def _any_rule(snapshot: Snapshot) -> bool:
    specs = {id(pod.spec): pod.spec for pod in snapshot.pods}
    specs |= {id(one.spec): one.spec for gang in snapshot.gangs for one in gang.templates}
    return any(map(_has_rules, specs.values()))


def _has_rules(spec: PodSpec) -> bool:
    return bool(spec.pod_anti_affinity or spec.pod_affinity or spec.spread or spec.host_ports)


class _Encoder:
    """Rewrites pods, templates and nodes."""

    def __init__(
        self, faces: Faces, stances: Mapping[int, Stance], rooms: Mapping[str, Mapping[str, int]]
    ) -> None:
        self._faces, self._stances, self._rooms = faces, stances, dict(rooms)
        self._specs: dict[int, PodSpec] = {}
        self._labels: dict[tuple[str, frozenset[str]], str] = {}

    def snapshot(self, old: Snapshot) -> Snapshot:
        """All of it; nodes last, when every label is known."""
        pods = tuple(self._pod(pod) for pod in old.pods)
        gangs = tuple(self._gang(gang) for gang in old.gangs)
        return replace(old, pods=pods, gangs=gangs, nodes=tuple(map(self._node, old.nodes)))

    def _pod(self, pod: Pod) -> Pod:
        if not (pod.holds_node or pod.pending):
            return pod
        spec = self._spec(self._faces.of_pod(pod))
        return pod if spec is pod.spec else replace(pod, spec=spec)

    def _gang(self, gang: Gang) -> Gang:
        if not gang.templates:
            return gang
        templates = tuple(
            replace(one, spec=self._spec(self._faces.of_template(gang, number)))
            for number, one in enumerate(gang.templates)
        )
        return replace(gang, templates=templates)

    def _spec(self, index: int) -> PodSpec:
        if index not in self._specs:
            self._specs[index] = self._made(self._faces.all[index].spec, self._stances.get(index))
        return self._specs[index]

    def _made(self, old: PodSpec, stance: Stance | None) -> PodSpec:
        if stance is None:
            return replace(old, **_NO_RULES) if _has_rules(old) else old
        closed = [(self._label(words, nodes), OPEN) for words, nodes in stance.shut.items()]
        return replace(
            old,
            request=old.request.plus(stance.asks) if stance.asks else old.request,
            node_selector=(*old.node_selector, *sorted(closed)),
            special_rules=(*old.special_rules, *sorted(stance.why)),
            marks=(*old.marks, *sorted(stance.marks)),
            **_NO_RULES,
        )

    def _label(self, words: str, nodes: frozenset[str]) -> str:
        """Key of the label that open nodes carry."""
        key = (words, nodes)
        if key not in self._labels:
            self._labels[key] = f"{RULE_PREFIX}{len(self._labels)}/{words}"
        return self._labels[key]

    def _node(self, old: Node) -> Node:
        labels = {
            label: OPEN for (_, nodes), label in self._labels.items() if old.name not in nodes
        }
        if not labels and not self._rooms:
            return old
        return replace(
            old,
            labels={**old.labels, **labels},
            allocatable=old.allocatable.plus(
                {name: room[old.name] for name, room in self._rooms.items()}
            ),
        )
