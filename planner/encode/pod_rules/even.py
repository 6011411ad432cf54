"""Topology spread constraints (``DoNotSchedule``) as counts per domain.

Semantics: Kubernetes ``podtopologyspread``: pods of the owner's namespace that the selector matches and that are not on
their way out count on nodes that have the labels of all keys, that the owner's node selector and affinity admit (unless
``nodeAffinityPolicy: Ignore``) and whose taints it tolerates (with ``nodeTaintsPolicy: Honor``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from models.cluster import Node
from models.pod_terms import SpreadConstraint
from models.selectors import UNSCHEDULABLE_TAINT, first_untolerated
from models.snapshot import Snapshot
from models.workloads import PodSpec
from planner.encode.pod_rules.domains_by_key import KeyDomains
from planner.encode.pod_rules.faces import Faces
from planner.encode.pod_rules.reach import Reach, spread_reach
from planner.encode.pod_rules.stance import Stance
from planner.problem.rule_names import domain_name
from planner.problem.spreads import Spread


@dataclass(frozen=True, slots=True)
class _Rule:
    """A constraint with whom it counts, and on which nodes."""

    key: str
    skew: int
    least: int
    reach: Reach
    nodes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Even:
    """A constraint that is modelled, by the name under which its owners ask for it.

    ``marked``: those that count carry the name as a mark; else they are the owners.
    """

    name: str
    rule: _Rule
    held: Mapping[str, int]
    marked: bool = False
    title: str = ""

    def spread(self, ruled: Snapshot, domains: KeyDomains, specs: list[PodSpec]) -> Spread | None:
        """The constraint over shapes (a specification each); None where no shape owns it."""
        shapes = frozenset(i for i, one in enumerate(specs) if one.request.amount(self.name))
        if not shapes:
            return None
        counted = frozenset(i for i, one in enumerate(specs) if self.name in one.marks)
        of = domains.of(self.rule.key)
        names = sorted({of[node] for node in self.rule.nodes})
        number = {name: index for index, name in enumerate(names)}
        place = [
            number[of[node.name]] if node.name in self.rule.nodes else -1 for node in ruled.nodes
        ]
        return Spread(
            key=self.rule.key,
            skew=self.rule.skew,
            place=np.array(place, dtype=np.int64),
            names=tuple(names),
            held=np.array([self.held.get(name, 0) for name in names], dtype=np.int64),
            from_zero=len(names) < self.rule.least,
            shapes=shapes,
            counted=counted if self.marked else None,
            title=self.title,
        )


class Evenly:
    """Sets stances for spread constraints; ``found`` are those that are modelled."""

    def __init__(
        self,
        snapshot: Snapshot,
        faces: Faces,
        domains: KeyDomains,
        stances: dict[int, Stance],
        *,
        evicts: bool,
    ) -> None:
        self.found: list[Even] = []
        self.domains = domains
        self._snapshot, self._faces, self._stances = snapshot, faces, stances
        self._nodes = {node.name: node for node in snapshot.nodes}
        owners: dict[_Rule, set[int]] = {}
        for index in faces.waiting():
            face = faces.all[index]
            for one in face.spec.spread:
                reach = spread_reach(one, face.namespace, face.labels)
                nodes = self._counting(face.spec, one)
                rule = _Rule(one.topology_key, one.max_skew, one.min_domains, reach, nodes)
                owners.setdefault(rule, set()).add(index)
        for rule, faces_of in owners.items():
            self._set(rule, faces_of, evicts)

    def _counting(self, spec: PodSpec, one: SpreadConstraint) -> frozenset[str]:
        keyed = [self.domains.of(each.topology_key) for each in spec.spread]
        return frozenset(
            name
            for name, node in self._nodes.items()
            if all(name in of for of in keyed)
            and (one.ignores_affinity or is_selected(spec, node))
            and (not one.honors_taints or is_tolerated(spec, node))
        )

    def _set(self, rule: _Rule, owners: set[int], evicts: bool) -> None:
        matching = {
            index
            for index in self._faces.selected(rule.reach, doubtful=False)
            if self._faces.all[index].waiting and self._faces.all[index].pods
        }
        alone = not matching  # nobody who waits is counted: the counts stay as they are
        if evicts:
            for index in owners:
                self._stance(index).why.add("topologySpreadConstraints while the policy evicts")
            return
        held = self._held(rule)
        closed = frozenset(self._nodes) - rule.nodes
        name = domain_name(f"even/{len(self.found)}/{rule.key}")
        for index in owners:
            stance = self._stance(index)
            stance.close(f"topologySpreadConstraints: no domain of {rule.key} counts it", closed)
            if alone:
                stance.close(f"topologySpreadConstraints over {rule.key}", self._full(rule, held))
            else:
                stance.asks[name] = 1
        if not alone:
            self._count(name, rule, held, None if matching == owners else matching)

    def keep_apart(self, key: str, reach: Reach, owners: set[int], others: set[int]) -> None:
        """Waiting pods of both sets never share a domain of the key."""
        nodes = frozenset(name for name in self._nodes if name in self.domains.of(key))
        name = domain_name(f"even/{len(self.found)}/{key}")
        for index in owners:
            self._stance(index).asks[name] = 1
        rule = _Rule(key, 0, len(self._nodes) + 1, reach, nodes)
        self._count(name, rule, {}, others, f"podAntiAffinity against {reach.words()}")

    def _count(
        self,
        name: str,
        rule: _Rule,
        held: Mapping[str, int],
        counted: set[int] | None,
        title: str = "",
    ) -> None:
        for index in counted or ():
            self._stance(index).marks.add(name)
        self.found.append(Even(name, rule, held, counted is not None, title))

    def _stance(self, index: int) -> Stance:
        return self._stances.setdefault(index, Stance())

    def _held(self, rule: _Rule) -> dict[str, int]:
        of = self.domains.of(rule.key)
        found: dict[str, int] = {of[node]: 0 for node in rule.nodes}
        for pod in self._snapshot.pods:
            counts = pod.running and pod.node in rule.nodes
            if counts and rule.reach.selects(pod.namespace, pod.labels):
                found[of[pod.node or ""]] += 1
        return found

    def _full(self, rule: _Rule, held: Mapping[str, int]) -> frozenset[str]:
        """Nodes of domains that hold too many already."""
        of = self.domains.of(rule.key)
        fewest = 0 if len(held) < rule.least else min(held.values(), default=0)
        return frozenset(node for node in rule.nodes if held[of[node]] > fewest + rule.skew)


def is_selected(spec: PodSpec, node: Node) -> bool:
    """Whether node selector and required affinity of a pod admit a node."""
    if any(node.labels.get(key) != value for key, value in spec.node_selector):
        return False
    terms = spec.node_affinity
    return terms is None or any(term.matches(node.name, node.labels) for term in terms)


def is_tolerated(spec: PodSpec, node: Node) -> bool:
    """Whether a pod tolerates the taints of a node, a cordon included."""
    taints = (*node.taints, UNSCHEDULABLE_TAINT) if node.unschedulable else node.taints
    return first_untolerated(taints, spec.tolerations) is None
