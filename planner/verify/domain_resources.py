"""Policy key ``domain_resources``: what the pods of a domain request of a shared resource stays within its capacity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from models.plan import RuleViolation
from models.policy_domains import CLUSTER, DomainResource, domain_requests
from models.rules import RuleId
from models.workloads import Pod
from planner.verify.domains import Domains
from planner.verify.residents import residents
from planner.verify.state import State
from planner.verify.wording import violation


def check_domain_resources(state: State) -> Iterator[RuleViolation]:
    """Per resource and domain with a newcomer that requests it: requests of all pods there <= capacity."""
    resources = state.policy.policy.domain_resources
    for name, one in resources.items():
        places = places_of(state, one)
        used: dict[str, int] = {}
        newcomers: dict[str, str] = {}
        for resident in residents(state):
            amount = _amount(state, resident.pod, name)
            if not amount:
                continue
            domain = places.get(resident.node)
            if domain is not None:
                used[domain] = used.get(domain, 0) + amount * resident.count
            if resident.comes:
                newcomers.setdefault(domain or "", resident.pod.full_name)
        for domain, pod in sorted(newcomers.items()):
            if not domain:
                told = f"requests {name}, but its node is in no domain of {one.per}; choose another"
                yield violation(RuleId.DOMAIN_RESOURCES, f"pod/{pod}", told)
            elif used[domain] > one.capacity_of(domain):
                unit = f" {one.unit}" if one.unit else ""
                told = (
                    f"{used[domain]:,}{unit} of {name} are requested in {one.per} {domain}, it has "
                )
                told += f"{one.capacity_of(domain):,}{unit}; place fewer of its pods there"
                yield violation(RuleId.DOMAIN_RESOURCES, f"domain/{domain}", told)


def _amount(state: State, pod: Pod, name: str) -> int:
    gang = state.snapshot.gang_by_name.get(pod.gang)
    resources = state.policy.policy.domain_resources
    asked = domain_requests(resources, pod.namespace, pod.labels, pod.annotations, gang)
    return asked.get(name, 0)


def places_of(state: State, one: DomainResource) -> Mapping[str, str]:
    """Node to the domain whose capacity its pods share; nodes in none are absent."""
    if one.per == CLUSTER:
        return {node.name: CLUSTER for node in state.snapshot.nodes}
    domains: Domains = state.domains
    tiers = {title: tier for tier, title in domains.titles.items()} | domains.names
    tier = tiers.get(one.per, int(one.per) if one.per.isascii() and one.per.isdecimal() else None)
    found: dict[str, str] = {}
    for zone in domains.zones:
        if zone.tier == tier:
            for node in sorted(zone.own):
                found.setdefault(node, zone.name)
    if found:
        return found
    return {
        node.name: node.labels[one.per] for node in state.snapshot.nodes if node.labels.get(one.per)
    }
