"""Which pods a rule about other pods selects, judged by the verifier itself.

Semantics: Kubernetes inter-pod affinity. ``matchLabelKeys`` narrow the selector to the owner's own values. Labels of
namespaces are not part of a snapshot, except that each carries its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from models.cluster import Node
from models.pod_labels import created_labels
from models.pod_terms import PodAffinityTerm
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.verify.matching import all_hold, selects

_HOSTNAME = "kubernetes.io/hostname"
_NAME_OF_NAMESPACE = "kubernetes.io/metadata.name"


@dataclass(frozen=True, slots=True)
class Term:
    """A term as one owner has it: ``same`` and ``other`` are label values that selected pods have, or have not."""

    rule: PodAffinityTerm
    home: str
    same: tuple[tuple[str, str], ...]
    other: tuple[tuple[str, str], ...]

    def picks(self, pod: Pod, *, doubtful: bool) -> bool:
        """Whether it selects a pod; ``doubtful`` is the answer where only labels of its namespace would tell."""
        if not selects(self.rule.selector, pod.labels):
            return False
        if any(pod.labels.get(key) != value for key, value in self.same):
            return False
        if any(pod.labels.get(key) == value for key, value in self.other):
            return False
        return self._looks_into(pod.namespace, doubtful)

    def _looks_into(self, namespace: str, doubtful: bool) -> bool:
        chosen = self.rule.namespace_selector
        if not self.rule.namespaces and chosen is None:
            return namespace == self.home
        if namespace in self.rule.namespaces:
            return True
        if chosen is None:
            return False
        keys = {key for key, _ in chosen.match_labels}
        keys.update(one.key for one in chosen.match_expressions)
        if keys - {_NAME_OF_NAMESPACE}:
            return doubtful
        marks = {_NAME_OF_NAMESPACE: namespace}
        named = all(value == namespace for _, value in chosen.match_labels)
        return named and all_hold(chosen.match_expressions, marks)


def term_of(rule: PodAffinityTerm, owner: Pod) -> Term:
    """A rule with the owner's own label values."""
    marks = owner.labels
    return Term(
        rule,
        owner.namespace,
        tuple((key, marks[key]) for key in rule.same_labels if key in marks),
        tuple((key, marks[key]) for key in rule.other_labels if key in marks),
    )


def domain_of(node: Node | None, key: str) -> str | None:
    """A node's value of a topology key, None where it has none; its name stands for a missing hostname."""
    if node is None:
        return None
    return node.labels.get(key, node.name if key == _HOSTNAME else None)


def with_created_labels(pod: Pod, snapshot: Snapshot) -> Pod:
    """A pod that is still to be created, with the labels that its controller will give it."""
    gang = snapshot.gang_by_name.get(pod.gang)
    template = gang.template(pod.role) if gang is not None else None
    if gang is None or template is None or pod.full_name in snapshot.pod_by_name:
        return pod
    return replace(pod, labels=created_labels(gang, template))


def all_pods(snapshot: Snapshot) -> Iterator[Pod]:
    """Pods that hold a node or wait, and one for every template whose pods are still to be created."""
    for pod in snapshot.pods:
        if pod.holds_node or pod.pending:
            yield pod
    for gang in snapshot.gangs:
        existing: dict[str, int] = {}
        for pod in snapshot.pods_of(gang) if gang.templates else ():
            existing[pod.role] = existing.get(pod.role, 0) + 1
        for template in gang.templates:
            if template.replicas > existing.get(template.role, 0) and not gang.asks_nothing:
                yield Pod(
                    namespace=gang.namespace,
                    name=f"{gang.name}-{template.role}-*",
                    spec=template.spec,
                    gang=gang.full_name,
                    role=template.role,
                    labels=created_labels(gang, template),
                    annotations=template.annotations,
                )
