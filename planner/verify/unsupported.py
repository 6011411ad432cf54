"""Required rules that are not modelled: nothing is placed against them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from models.cluster import Node
from models.plan import RuleViolation
from models.rules import RuleId
from models.snapshot import Snapshot
from models.workloads import Gang, NetworkTopology, Pod, PodAffinityTerm, PodSpec
from planner.verify.arrivals import promised
from planner.verify.matching import selects
from planner.verify.state import State
from planner.verify.wording import violation

_HOSTNAME = "kubernetes.io/hostname"
_ROLE = "volcano.sh/task-spec"


def topology_rules(gang: Gang, pods: tuple[Pod, ...]) -> list[str]:
    """A hard topology of a subgroup without keys that pods which do not exist yet will join."""
    for policy in gang.subgroups:
        rule = policy.topology
        hard = rule is not None and rule.mode == "hard"
        bound = hard and rule is not None and _has_tier(rule)
        joined = bound and any(
            selects(
                policy.selector, {_ROLE: template.role, **template.annotations, **template.labels}
            )
            for template in gang.templates
            if promised(gang, pods, template) and not template.spec.scheduling_gates
        )
        if joined and not policy.match_label_keys:
            return ["networkTopology of one subgroup of pods that do not exist yet"]
    return []


def _has_tier(rule: NetworkTopology) -> bool:
    return rule.highest_tier_allowed is not None or rule.highest_tier_name != ""


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

    def reaches(self, namespace: str) -> bool:
        """Whether the term looks at pods of a namespace."""
        return self.namespaces is None or namespace in self.namespaces

    def occupies(self, node: Node) -> bool:
        """Whether a pod with the term is in the node's domain."""
        domain = _domain(node, self.term.topology_key)
        return domain is not None and domain in self.domains


def _domain(node: Node, key: str) -> str | None:
    return node.labels.get(key, node.name if key == _HOSTNAME else None)


class Repulsion:
    """Distinct terms of all pods that hold a node (terminating ones still do), found by namespace."""

    def __init__(self, snapshot: Snapshot) -> None:
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
        self._all = tuple(
            Repeller(term, namespaces, frozenset(domains))
            for (term, namespaces), domains in found.items()
        )
        self._by_namespace: dict[str, tuple[Repeller, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self._all)

    def against(self, namespace: str, labels: Mapping[str, str]) -> list[Repeller]:
        """Terms that select a pod with these labels."""
        reaching = self._by_namespace.get(namespace)
        if reaching is None:
            reaching = tuple(one for one in self._all if one.reaches(namespace))
            self._by_namespace[namespace] = reaching
        return [one for one in reaching if selects(one.term.selector, labels)]


def check_unsupported(state: State) -> Iterator[RuleViolation]:
    """No arriving pod has an unmodelled rule, nor does such a rule of a pod in its domain select it."""
    told = "not modelled yet, so nothing may be placed against it; leave the gang waiting"
    for name in state.placed_by_gang:
        gang = state.snapshot.gang_by_name[name]
        for rule in topology_rules(gang, state.snapshot.pods_of(gang)):
            yield violation(RuleId.UNSUPPORTED_WAITS, f"gang/{name}", f"{rule} is {told}")
    repulsion = Repulsion(state.snapshot)
    for arrival in state.reading.arrivals:
        pod = arrival.pod
        for rule in spec_rules(pod.spec):
            subject = f"pod/{pod.full_name}"
            yield violation(RuleId.UNSUPPORTED_WAITS, subject, f"{rule} is {told}")
        node = state.snapshot.node_by_name.get(arrival.node)
        if node is None or not repulsion:
            continue
        for one in repulsion.against(pod.namespace, pod.labels):
            if one.occupies(node):
                where = f"of a pod in the same {one.term.topology_key} as node {node.name}"
                rule = f"required podAntiAffinity {where}"
                subject = f"pod/{pod.full_name}"
                yield violation(RuleId.UNSUPPORTED_WAITS, subject, f"{rule} is {told}")
                break
