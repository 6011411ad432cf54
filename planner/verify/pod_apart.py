"""I2, required pod anti-affinity: no two pods that a term keeps apart share a domain of its topology key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from models.plan import RuleViolation
from models.rules import RuleId
from models.workloads import Pod
from planner.verify.pod_terms import Term, domain_of, term_of
from planner.verify.residents import Resident, residents
from planner.verify.state import State
from planner.verify.wording import violation


def check_pod_anti_affinity(state: State) -> Iterator[RuleViolation]:
    """Every pair with a newcomer: neither the newcomer's terms nor those of the pods around it keep them apart."""
    everyone = list(residents(state))
    owners = [one for one in everyone if one.pod.spec.pod_anti_affinity]
    if not owners or not any(one.comes for one in everyone):
        return
    picked: dict[Term, dict[str, list[Resident]]] = {}
    for owner in owners:
        for rule in owner.pod.spec.pod_anti_affinity:
            term = term_of(rule, owner.pod)
            if term not in picked:
                picked[term] = _by_domain(state, term, everyone)
            domain = domain_of(state.snapshot.node_by_name.get(owner.node), rule.topology_key)
            other = _repelled(owner, picked[term].get(domain or "", ()))
            if domain is not None and other is not None:
                told = f"required anti-affinity: {other.pod.full_name} is in the same "
                told += f"{rule.topology_key} {domain}; choose another node for one of them"
                subject = f"pod/{owner.pod.full_name}"
                yield violation(RuleId.POD_ANTI_AFFINITY, subject, told)


def _by_domain(state: State, term: Term, everyone: list[Resident]) -> dict[str, list[Resident]]:
    nodes = state.snapshot.node_by_name
    found: dict[str, list[Resident]] = {}
    for one in everyone:
        if term.picks(one.pod, doubtful=True):
            domain = domain_of(nodes.get(one.node), term.rule.topology_key)
            if domain is not None:
                found.setdefault(domain, []).append(one)
    return found


def _repelled(owner: Resident, others: Sequence[Resident]) -> Resident | None:
    """Someone who must not be there; pods that are there already may stay with each other."""
    for other in others:
        if other is owner and owner.count < 2:
            continue
        if owner.comes or other.comes:
            return other
    return None


def kept_apart(state: State, pod: Pod, node: str, comers: Sequence[tuple[Pod, str]]) -> bool:
    """Whether a pod could not be on its node because of newcomers (pod, node): a term of one selects the other."""
    nodes = state.snapshot.node_by_name
    for comer, place in comers:
        for owner, other in ((pod, comer), (comer, pod)):
            for rule in owner.spec.pod_anti_affinity:
                here = domain_of(nodes.get(node), rule.topology_key)
                there = domain_of(nodes.get(place), rule.topology_key)
                same = here is not None and here == there
                if same and term_of(rule, owner).picks(other, doubtful=True):
                    return True
    return False
