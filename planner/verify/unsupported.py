"""Required rules that are not modelled: nothing is placed against them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from models.cluster import Node
from models.plan import RuleViolation
from models.rules import RuleId
from models.snapshot import Snapshot
from models.workloads import Gang, PodAffinityTerm, PodSpec
from planner.verify.matching import selects
from planner.verify.state import State
from planner.verify.wording import violation

_HOSTNAME = "kubernetes.io/hostname"


def topology_rules(gang: Gang) -> list[str]:
    """Hard network topology of the gang or of one of its subgroups."""
    topologies = [gang.topology, *(policy.topology for policy in gang.subgroups)]
    bound = any(
        one is not None
        and one.mode == "hard"
        and (one.highest_tier_allowed is not None or one.highest_tier_name != "")
        for one in topologies
    )
    return ["hard networkTopology"] if bound else []


def spec_rules(spec: PodSpec) -> list[str]:
    """Required rules of a pod specification that are not modelled."""
    own = (
        ("required podAffinity", spec.pod_affinity),
        ("required podAntiAffinity", spec.pod_anti_affinity),
        ("topologySpreadConstraints (DoNotSchedule)", spec.spread),
    )
    return [*spec.special_rules, *(name for name, rules in own if rules)]


@dataclass(frozen=True, slots=True)
class Repeller:
    """A required anti-affinity term of pods that hold nodes, and the domains where they are.

    Attributes
    ----------
    namespaces
        Where its selector looks; None = everywhere (a namespaceSelector cannot be judged from a snapshot).
    """

    term: PodAffinityTerm
    namespaces: frozenset[str] | None
    domains: frozenset[str]

    def repels(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Whether the term selects a pod with these labels."""
        reach = self.namespaces is None or namespace in self.namespaces
        return reach and selects(self.term.selector, labels)

    def occupies(self, node: Node) -> bool:
        """Whether a pod with the term is in the node's domain."""
        domain = _domain(node, self.term.topology_key)
        return domain is not None and domain in self.domains


def _domain(node: Node, key: str) -> str | None:
    return node.labels.get(key, node.name if key == _HOSTNAME else None)


def repellers(snapshot: Snapshot) -> tuple[Repeller, ...]:
    """Distinct terms of all pods that hold a node (terminating ones still do)."""
    found: dict[tuple[PodAffinityTerm, frozenset[str] | None], set[str]] = {}
    for pod in snapshot.pods:
        if not pod.spec.pod_anti_affinity or not pod.holds_node:
            continue
        node = snapshot.node_by_name.get(pod.node or "")
        for term in pod.spec.pod_anti_affinity:
            namespaces = frozenset(term.namespaces or (pod.namespace,))
            key = (term, None if term.namespace_selector is not None else namespaces)
            domain = _domain(node, term.topology_key) if node else None
            found.setdefault(key, set()).update(() if domain is None else (domain,))
    return tuple(
        Repeller(term, namespaces, frozenset(domains))
        for (term, namespaces), domains in found.items()
    )


def repelled(
    against: Iterable[Repeller], namespace: str, labels: Mapping[str, str]
) -> list[Repeller]:
    """Terms that select a pod with these labels."""
    return [one for one in against if one.repels(namespace, labels)]


def check_unsupported(state: State) -> Iterator[RuleViolation]:
    """No arriving pod has an unmodelled rule, nor does such a rule of a pod in its domain select it."""
    told = "not modelled yet, so nothing may be placed against it; leave the gang waiting"
    for name in state.placed_by_gang:
        for rule in topology_rules(state.snapshot.gang_by_name[name]):
            yield violation(RuleId.UNSUPPORTED_WAITS, f"gang/{name}", f"{rule} is {told}")
    against = repellers(state.snapshot)
    for arrival in state.reading.arrivals:
        pod = arrival.pod
        for rule in spec_rules(pod.spec):
            subject = f"pod/{pod.full_name}"
            yield violation(RuleId.UNSUPPORTED_WAITS, subject, f"{rule} is {told}")
        node = state.snapshot.node_by_name.get(arrival.node)
        if node is None or not against:
            continue
        for one in repelled(against, pod.namespace, pod.labels):
            if one.occupies(node):
                where = f"of a pod in the same {one.term.topology_key} as node {node.name}"
                rule = f"required podAntiAffinity {where}"
                subject = f"pod/{pod.full_name}"
                yield violation(RuleId.UNSUPPORTED_WAITS, subject, f"{rule} is {told}")
                break
