"""Required rules that the formulation does not model: a gang with one waits, it is never placed against it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from models.readiness import Supply
from models.snapshot import Snapshot
from models.workloads import Gang, PodAffinityTerm, PodSpec

_ROLE_KEY = "volcano.sh/task-spec"


def unsupported_rules(gang: Gang, supplies: Sequence[Supply]) -> tuple[str, ...]:
    """Names of the gang's own required rules that are not modelled, sorted."""
    found: set[str] = set()
    if _keyless_subgroup_to_come(gang, supplies):
        found.add("networkTopology of one subgroup of pods that do not exist yet")
    for supply in supplies:
        found.update(rules_of_spec(supply.spec))
    return tuple(sorted(found))


def _keyless_subgroup_to_come(gang: Gang, supplies: Iterable[Supply]) -> bool:
    """Promised pods will all be one subgroup with a topology of its own, whatever their number."""
    keyless = [
        policy
        for policy in gang.subgroups
        if policy.topology is not None and policy.topology.binds and not policy.match_label_keys
    ]
    return any(
        policy.selector.matches({_ROLE_KEY: supply.role, **template.annotations, **template.labels})
        for policy in keyless
        for supply in supplies
        if supply.promised and (template := gang.template(supply.role)) is not None
    )


def rules_of_spec(spec: PodSpec) -> set[str]:
    """Names of a pod specification's required rules that are not modelled."""
    found = set(spec.special_rules)
    if spec.pod_affinity:
        found.add("podAffinity")
    if spec.pod_anti_affinity:
        found.add("podAntiAffinity")
    if spec.spread:
        found.add("topologySpreadConstraints")
    return found


class Repulsion:
    """Required anti-affinity of pods that run already: it may forbid nodes to newcomers.

    A gang with a pod that such a term selects waits, wherever the pods with the term are; the exact treatment is
    left to the modelling of pod affinity.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._terms: dict[tuple[PodAffinityTerm, str], None] = {}
        for pod in snapshot.pods:
            if pod.holds_node:
                for term in pod.spec.pod_anti_affinity:
                    self._terms[term, pod.namespace] = None

    def __bool__(self) -> bool:
        return bool(self._terms)

    def selects(self, namespace: str, labels: Iterable[tuple[str, str]]) -> bool:
        """Whether some term of a running pod repels a pod with these labels."""
        marks = dict(labels)
        return any(_matches(term, owner, namespace, marks) for term, owner in self._terms)


def _matches(term: PodAffinityTerm, owner: str, namespace: str, labels: dict[str, str]) -> bool:
    if term.selector is None or not term.selector.matches(labels):
        return False
    if term.namespace_selector is not None:
        return True  # the labels of namespaces are not in the snapshot: assume that it matches
    return namespace in (term.namespaces or (owner,))
