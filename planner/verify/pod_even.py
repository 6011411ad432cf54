"""I2, topology spread with DoNotSchedule: domains that receive pods stay even.

Semantics: Kubernetes ``podtopologyspread``, judged by who is where after the plan.
"""

from __future__ import annotations

from collections.abc import Iterator

from models.cluster import Node
from models.plan import RuleViolation
from models.pod_terms import SpreadConstraint
from models.rules import RuleId
from models.workloads import Pod, PodSpec
from planner.verify.matching import repelling_taint, selects, term_admits
from planner.verify.pod_terms import domain_of
from planner.verify.residents import Resident, residents
from planner.verify.state import State
from planner.verify.wording import violation


def check_topology_spread(state: State) -> Iterator[RuleViolation]:
    """Per newcomer and constraint: matching pods of its domain <= fewest of an eligible domain + maxSkew."""
    everyone = [one for one in residents(state) if not one.pod.terminating]
    asking = [one for one in everyone if one.comes and one.pod.spec.spread]
    known: dict[tuple[object, ...], dict[str, int]] = {}
    told: set[tuple[object, ...]] = set()
    for one in asking:
        for rule in one.pod.spec.spread:
            marks = tuple((key, one.pod.labels.get(key)) for key in rule.same_labels)
            key = (id(one.pod.spec), one.pod.namespace, rule, marks)
            if key not in known:
                known[key] = _counts(state, one.pod, rule, everyone)
            fault = _fault(state, one, rule, known[key])
            domain = domain_of(state.snapshot.node_by_name.get(one.node), rule.topology_key)
            if fault and (key, domain) not in told:
                told.add((key, domain))
                yield violation(RuleId.TOPOLOGY_SPREAD, f"pod/{one.pod.full_name}", fault)


def _fault(state: State, one: Resident, rule: SpreadConstraint, counts: dict[str, int]) -> str:
    domain = domain_of(state.snapshot.node_by_name.get(one.node), rule.topology_key)
    if domain is None or domain not in counts:
        return f"node {one.node} is in no {rule.topology_key} that counts for its topology spread; choose another"
    fewest = 0 if len(counts) < rule.min_domains else min(counts.values())
    if counts[domain] <= fewest + rule.max_skew:
        return ""
    return (
        f"{rule.topology_key} {domain} holds {counts[domain]:,} pods that its topology spread counts, another one "
        f"{fewest:,}: more than maxSkew {rule.max_skew:,} apart; spread them"
    )


def _counts(
    state: State, owner: Pod, rule: SpreadConstraint, everyone: list[Resident]
) -> dict[str, int]:
    """Eligible domain to the pods that count there."""
    nodes = {
        node.name: domain
        for node in state.snapshot.nodes
        if _counts_for(owner.spec, rule, node)
        and (domain := domain_of(node, rule.topology_key)) is not None
    }
    found = dict.fromkeys(nodes.values(), 0)
    for one in everyone:
        if one.node in nodes and _matches(owner, rule, one.pod):
            found[nodes[one.node]] += one.count
    return found


def _matches(owner: Pod, rule: SpreadConstraint, pod: Pod) -> bool:
    if pod.namespace != owner.namespace or not selects(rule.selector, pod.labels):
        return False
    return all(
        pod.labels.get(key) == owner.labels[key] for key in rule.same_labels if key in owner.labels
    )


def _counts_for(spec: PodSpec, rule: SpreadConstraint, node: Node) -> bool:
    """Whether pods on a node count: it has all keys, and the pod's selectors and tolerations admit it."""
    if any(domain_of(node, one.topology_key) is None for one in spec.spread):
        return False
    if not rule.ignores_affinity:
        if any(node.labels.get(key) != value for key, value in spec.node_selector):
            return False
        terms = spec.node_affinity
        if terms is not None and not any(term_admits(term, node) for term in terms):
            return False
    return not rule.honors_taints or repelling_taint(node, spec.tolerations) is None
