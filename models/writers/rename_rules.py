"""Selectors, pod specifications and HyperNodes under new names; they still select what they selected."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from models.cluster import HyperNode, HyperNodeMember
from models.name_patterns import name_matcher
from models.pod_terms import PodAffinityTerm, Preferences, SpreadConstraint
from models.selectors import Expression, LabelSelector, NodeSelectorTerm, Taint, Toleration
from models.workloads import PodSpec
from models.writers.renaming import Renaming

_NOTHING = "^$"


class RuleRenamer:
    """Renames rules; equal pod specifications stay one value."""

    def __init__(self, renaming: Renaming) -> None:
        self._new = renaming
        self._specs: dict[PodSpec, PodSpec] = {}

    def selector(self, old: LabelSelector | None) -> LabelSelector | None:
        """A label selector, None for None."""
        if old is None:
            return None
        return LabelSelector(
            self._pairs(old.match_labels), self._expressions(old.match_expressions)
        )

    def taint(self, old: Taint) -> Taint:
        """A taint."""
        return replace(old, key=self._new.key(old.key), value=self._new.value(old.key, old.value))

    def spec(self, old: PodSpec) -> PodSpec:
        """A pod specification."""
        if old not in self._specs:
            self._specs[old] = self._spec(old)
        return self._specs[old]

    def hyper_node(
        self, old: HyperNode, nodes: Iterable[str], hyper_nodes: Iterable[str]
    ) -> HyperNode:
        """A HyperNode; patterns become lists of what they matched among the old names."""
        names = {"Node": tuple(nodes), "HyperNode": tuple(hyper_nodes)}
        return replace(
            old,
            name=self._new.name(old.name),
            tier_name=self._new.value("", old.tier_name),
            members=tuple(self._member(one, names.get(one.type, ())) for one in old.members),
        )

    def _member(self, old: HyperNodeMember, names: tuple[str, ...]) -> HyperNodeMember:
        return replace(
            old,
            exact_name=self._new.name(old.exact_name),
            pattern=self._pattern(old.pattern, names) if old.pattern else "",
            labels=self.selector(old.labels),
        )

    def _pattern(self, old: str, names: tuple[str, ...]) -> str:
        matches = name_matcher(old)
        if matches is None:
            return _NOTHING
        found = sorted(self._new.name(name) for name in names if matches(name))
        return f"^(?:{'|'.join(map(re.escape, found))})$" if found else _NOTHING

    def _spec(self, old: PodSpec) -> PodSpec:
        affinity = old.node_affinity
        return replace(
            old,
            request=self._new.resources(old.request),
            requests_without_limit=tuple(sorted(map(self._new.key, old.requests_without_limit))),
            node_selector=self._pairs(old.node_selector),
            node_affinity=None if affinity is None else tuple(map(self._term, affinity)),
            tolerations=tuple(map(self._toleration, old.tolerations)),
            pod_affinity=tuple(map(self._pod_term, old.pod_affinity)),
            pod_anti_affinity=tuple(map(self._pod_term, old.pod_anti_affinity)),
            spread=tuple(map(self._spread, old.spread)),
            preferences=self._preferences(old.preferences),
            host_ports=tuple(
                sorted(replace(one, ip=self._new.name(one.ip)) for one in old.host_ports)
            ),
            scheduling_gates=tuple(self._new.value(name, name) for name in old.scheduling_gates),
            priority_class_name=self._new.name(old.priority_class_name),
        )

    def _preferences(self, old: Preferences | None) -> Preferences | None:
        if old is None:
            return None
        return Preferences(
            nodes=tuple(replace(one, term=self._term(one.term)) for one in old.nodes),
            near=tuple(replace(one, term=self._pod_term(one.term)) for one in old.near),
            apart=tuple(replace(one, term=self._pod_term(one.term)) for one in old.apart),
            spread=tuple(map(self._spread, old.spread)),
        )

    def _pairs(self, old: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple(
            sorted((self._new.key(key), self._new.value(key, value)) for key, value in old)
        )

    def _expressions(self, old: Iterable[Expression]) -> tuple[Expression, ...]:
        return tuple(
            replace(
                one,
                key=self._new.key(one.key),
                values=tuple(self._new.value(one.key, v) for v in one.values),
            )
            for one in old
        )

    def _term(self, old: NodeSelectorTerm) -> NodeSelectorTerm:
        return NodeSelectorTerm(
            self._expressions(old.match_expressions), self._expressions(old.match_fields)
        )

    def _toleration(self, old: Toleration) -> Toleration:
        return replace(old, key=self._new.key(old.key), value=self._new.value(old.key, old.value))

    def _pod_term(self, old: PodAffinityTerm) -> PodAffinityTerm:
        return PodAffinityTerm(
            topology_key=self._new.key(old.topology_key),
            selector=self.selector(old.selector),
            namespaces=tuple(sorted(map(self._new.name, old.namespaces))),
            namespace_selector=self.selector(old.namespace_selector),
            same_labels=tuple(sorted(map(self._new.key, old.same_labels))),
            other_labels=tuple(sorted(map(self._new.key, old.other_labels))),
        )

    def _spread(self, old: SpreadConstraint) -> SpreadConstraint:
        return replace(
            old,
            topology_key=self._new.key(old.topology_key),
            selector=self.selector(old.selector),
            same_labels=tuple(sorted(map(self._new.key, old.same_labels))),
        )
