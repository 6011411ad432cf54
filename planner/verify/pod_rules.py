"""Gangs that rules between pods concern: counting room alone does not say whether they fit."""

from __future__ import annotations

from collections.abc import Mapping

from models.pod_terms import PodAffinityTerm
from models.policy_domains import DomainResource, domain_requests
from models.snapshot import Snapshot
from models.workloads import PodSpec
from planner.verify.pod_terms import Term, all_pods, term_of


def own_rules(spec: PodSpec) -> list[str]:
    """Names of a pod's required rules about other pods."""
    named = (
        ("required podAffinity", spec.pod_affinity),
        ("required podAntiAffinity", spec.pod_anti_affinity),
        ("topologySpreadConstraints (DoNotSchedule)", spec.spread),
    )
    return [name for name, rules in named if rules]


def ruled_gangs(snapshot: Snapshot) -> frozenset[str]:
    """Gangs with a waiting pod with such a rule or host ports, or that anti-affinity or spread of others selects."""
    found: set[str] = set()
    terms: dict[Term, None] = {}
    for pod in all_pods(snapshot):
        terms.update((term_of(rule, pod), None) for rule in pod.spec.pod_anti_affinity)
        if not pod.holds_node and pod.spec.host_ports:
            found.add(pod.gang)
        if not pod.holds_node and own_rules(pod.spec):
            found.add(pod.gang)
            counting = (PodAffinityTerm(one.topology_key, one.selector) for one in pod.spec.spread)
            terms.update((term_of(rule, pod), None) for rule in counting)
    if terms:
        for pod in all_pods(snapshot):
            waits = not pod.holds_node and pod.gang not in found
            if waits and any(term.picks(pod, doubtful=True) for term in terms):
                found.add(pod.gang)
    return frozenset(found)


def asking_gangs(snapshot: Snapshot, resources: Mapping[str, DomainResource]) -> frozenset[str]:
    """Gangs with a waiting pod that requests a resource which domains share."""
    found: set[str] = set()
    for pod in all_pods(snapshot) if resources else ():
        if pod.holds_node or pod.gang in found:
            continue
        gang = snapshot.gang_by_name.get(pod.gang)
        if domain_requests(resources, pod.namespace, pod.labels, pod.annotations, gang):
            found.add(pod.gang)
    return frozenset(found)
