"""Points that newcomers lose because they do not get what they prefer, counted from snapshot and plan alone.

An unmet term of a preferred affinity, an untolerated ``PreferNoSchedule`` taint and a pod too many under
``ScheduleAnyway`` cost their weight, or 100 where they have none. Pods that are there already are not asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from models.cluster import Node
from models.pod_terms import PreferredPods, SpreadConstraint
from models.workloads import Pod
from planner.verify.matching import covered, repelling_taint, selects, term_admits
from planner.verify.pod_terms import Term, domain_of, term_of
from planner.verify.residents import Resident, residents
from planner.verify.state import State

_UNWEIGHED = 100
_SOFT = "PreferNoSchedule"


def preference_points(state: State) -> int:
    """Points lost in all."""
    if not _anything_preferred(state):
        return 0
    everyone = list(residents(state))
    comers = [one for one in everyone if one.comes]
    nodes = state.snapshot.node_by_name
    total = 0
    for one in comers:
        node = nodes.get(one.node)
        if node is not None:
            total += one.count * _of_node(one.pod, node)
    wishing = [one for one in comers if one.pod.spec.preferences is not None]
    if wishing:
        total += _of_pods(state, wishing, everyone) + _of_spread(state, wishing, everyone)
    return total


def _anything_preferred(state: State) -> bool:
    soft = any(one.effect == _SOFT for node in state.snapshot.nodes for one in node.taints)
    return soft or any(one.pod.spec.preferences is not None for one in state.reading.arrivals)


def _of_node(pod: Pod, node: Node) -> int:
    """For the node alone."""
    wanted = pod.spec.preferences
    terms = wanted.nodes if wanted is not None else ()
    unmet = sum(one.weight for one in terms if not term_admits(one.term, node))
    soft = [taint for taint in node.taints if taint.effect == _SOFT]
    repelled = sum(not covered(taint, pod.spec.tolerations) for taint in soft)
    return unmet + _UNWEIGHED * repelled


def _of_pods(state: State, wishing: list[Resident], everyone: list[Resident]) -> int:
    """For the company of other pods, and for its absence."""
    known: dict[Term, Counter[str]] = {}

    def others(one: Resident, term: Term, domain: str) -> int:
        if term not in known:
            known[term] = _by_domain(state, everyone, term)
        return known[term][domain] - int(term.picks(one.pod, doubtful=False))

    total = 0
    for one in wishing:
        for near, wish in _terms(one.pod):
            domain = domain_of(state.snapshot.node_by_name.get(one.node), wish.term.topology_key)
            company = domain is not None and others(one, term_of(wish.term, one.pod), domain) > 0
            if company != near:
                total += wish.weight * one.count
    return total


def _terms(pod: Pod) -> Iterator[tuple[bool, PreferredPods]]:
    wanted = pod.spec.preferences
    if wanted is not None:
        yield from ((True, one) for one in wanted.near)
        yield from ((False, one) for one in wanted.apart)


def _by_domain(state: State, everyone: list[Resident], term: Term) -> Counter[str]:
    found: Counter[str] = Counter()
    for one in everyone:
        domain = domain_of(state.snapshot.node_by_name.get(one.node), term.rule.topology_key)
        if domain is not None and term.picks(one.pod, doubtful=False):
            found[domain] += one.count
    return found


Rule = tuple[object, ...]


def _of_spread(state: State, wishing: list[Resident], everyone: list[Resident]) -> int:
    """For pods too many in a domain, constraint by constraint."""
    owners: dict[Rule, list[Resident]] = {}
    counts: dict[Rule, tuple[dict[str, str], Counter[str], int]] = {}
    for one in wishing:
        wanted = one.pod.spec.preferences
        for rule in dict.fromkeys(wanted.spread if wanted is not None else ()):
            domains = _eligible(state, one.pod, rule)
            own = tuple((key, one.pod.labels.get(key)) for key in rule.same_labels)
            nodes = frozenset(domains)
            key: Rule = (
                rule.topology_key,
                rule.max_skew,
                one.pod.namespace,
                rule.selector,
                own,
                nodes,
            )
            owners.setdefault(key, []).append(one)
            if key not in counts:
                matching = _matching(one.pod, rule, everyone, domains)
                counts[key] = (domains, matching, rule.max_skew)
    return _UNWEIGHED * sum(_too_many(owners[key], *counts[key]) for key in owners)


def _too_many(
    owners: list[Resident], domains: dict[str, str], matching: Counter[str], skew: int
) -> int:
    came: Counter[str] = Counter()
    outside = 0
    for one in owners:
        if one.node in domains:
            came[domains[one.node]] += one.count
        else:
            outside += one.count
    fewest = min((matching[domain] for domain in set(domains.values())), default=0)
    beyond = (min(new, matching[domain] - fewest - skew) for domain, new in came.items())
    return outside + sum(max(pods, 0) for pods in beyond)


def _matching(
    owner: Pod, rule: SpreadConstraint, everyone: list[Resident], domains: dict[str, str]
) -> Counter[str]:
    same = {key: owner.labels[key] for key in rule.same_labels if key in owner.labels}
    found: Counter[str] = Counter()
    for one in everyone:
        labels = one.pod.labels
        inside = one.node in domains and one.pod.namespace == owner.namespace
        if not inside or one.pod.terminating or not selects(rule.selector, labels):
            continue
        if all(labels.get(key) == value for key, value in same.items()):
            found[domains[one.node]] += one.count
    return found


def _eligible(state: State, owner: Pod, rule: SpreadConstraint) -> dict[str, str]:
    """Node to domain, of nodes that count for the constraint."""
    wanted = owner.spec.preferences
    keys = [one.topology_key for one in (wanted.spread if wanted is not None else ())]
    found: dict[str, str] = {}
    for node in state.snapshot.nodes:
        domain = domain_of(node, rule.topology_key)
        if domain is None or any(domain_of(node, key) is None for key in keys):
            continue
        if not rule.ignores_affinity and not _admitted(owner, node):
            continue
        if rule.honors_taints and repelling_taint(node, owner.spec.tolerations) is not None:
            continue
        found[node.name] = domain
    return found


def _admitted(owner: Pod, node: Node) -> bool:
    spec = owner.spec
    if any(node.labels.get(key) != value for key, value in spec.node_selector):
        return False
    return spec.node_affinity is None or any(term_admits(one, node) for one in spec.node_affinity)
