"""Every way to place small gangs under rules between pods, judged from the definition of each rule.

Gangs are all or nothing. Affinity asks for an order: pods are placed one by one, and each must find the others that it
needs, among those that ran before and its own gang. The other rules are judged by who is where in the end.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from models.cluster import Node
from models.gpu import gpus_in
from models.pod_terms import PodAffinityTerm, SpreadConstraint
from models.policy_domains import DomainResource, domain_requests
from models.selectors import LabelSelector
from models.snapshot import Snapshot
from models.workloads import Pod

Placed = tuple[Pod, Node]
Resources = Mapping[str, DomainResource]
_GPU = ("nvidia.com/gpu",)


@dataclass(frozen=True, slots=True)
class Best:
    """GPUs and number of the gangs of the best plan: most GPUs, then most gangs."""

    gpus: int
    gangs: int


def best_start(
    snapshot: Snapshot, names: Sequence[str], resources: Resources | None = None
) -> Best:
    """The best plan that starts some of these gangs and no others."""
    there = [
        (pod, snapshot.node_by_name[pod.node])
        for pod in snapshot.pods
        if pod.node is not None and pod.holds_node
    ]
    best = Best(0, 0)
    every = [snapshot.pods_by_gang[name] for name in names]
    for chosen in itertools.product((False, True), repeat=len(every)):
        pods = [pod for take, gang in zip(chosen, every, strict=True) if take for pod in gang]
        gpus = sum(gpus_in(pod.spec.request, _GPU) for pod in pods)
        value = Best(gpus, sum(chosen))
        if (value.gpus, value.gangs) > (best.gpus, best.gangs) and _possible(
            snapshot, there, pods, resources or {}
        ):
            best = value
    return best


def _possible(
    snapshot: Snapshot, there: Sequence[Placed], pods: Sequence[Pod], resources: Resources
) -> bool:
    return any(
        legal(snapshot, there, placed) and _shared(snapshot, there, placed, resources)
        for placed in ways(snapshot, pods)
    )


def _shared(
    snapshot: Snapshot, there: Sequence[Placed], placed: Sequence[Placed], resources: Resources
) -> bool:
    """What pods of a zone, or of the cluster, request of a shared resource is within its capacity."""
    for name, one in resources.items():
        used: Counter[str] = Counter()
        touched: set[str] = set()
        for number, (pod, node) in enumerate((*placed, *there)):
            gang = snapshot.gang_by_name.get(pod.gang)
            asked = domain_requests(resources, pod.namespace, pod.labels, pod.annotations, gang)
            if not asked.get(name):
                continue
            where = "cluster" if one.per == "cluster" else node.labels.get(one.per)
            if where is not None:
                used[where] += asked[name]
            if number < len(placed):
                if where is None:
                    return False
                touched.add(where)
        if any(used[where] > one.capacity_of(where) for where in touched):
            return False
    return True


def ways(snapshot: Snapshot, pods: Sequence[Pod]) -> Iterator[list[Placed]]:
    """Every assignment; pods of one gang are equal, so only their numbers per node matter."""
    by_gang: dict[str, list[Pod]] = {}
    for pod in pods:
        by_gang.setdefault(pod.gang, []).append(pod)
    choices = [
        list(itertools.combinations_with_replacement(snapshot.nodes, len(one)))
        for one in by_gang.values()
    ]
    for nodes in itertools.product(*choices):
        yield [
            pair
            for one, where in zip(by_gang.values(), nodes, strict=True)
            for pair in zip(one, where, strict=True)
        ]


def legal(snapshot: Snapshot, there: Sequence[Placed], placed: Sequence[Placed]) -> bool:
    """Room, anti-affinity and affinity of newcomers beside what is there."""
    return (
        _room(snapshot, there, placed)
        and apart(there, placed)
        and ports_free(there, placed)
        and in_some_order(there, placed)
        and even(snapshot, there, placed)
    )


def _room(snapshot: Snapshot, there: Sequence[Placed], placed: Sequence[Placed]) -> bool:
    for node in {where.name for _, where in placed}:
        used: Counter[str] = Counter()
        for pod, where in (*there, *placed):
            if where.name == node:
                used.update({**pod.spec.request, "pods": 1})
        allocatable = snapshot.node_by_name[node].allocatable
        if any(amount > allocatable.amount(name) for name, amount in used.items()):
            return False
    return True


def domain(node: Node, key: str) -> str | None:
    """Value of a topology key."""
    return node.labels.get(key)


def picks(selector: LabelSelector | None, same: tuple[str, ...], owner: Pod, other: Pod) -> bool:
    """Whether the selector, narrowed to the owner's values of some labels, selects a pod of its namespace."""
    if selector is None or not selector.matches(other.labels) or owner.namespace != other.namespace:
        return False
    return all(other.labels.get(key) == owner.labels[key] for key in same if key in owner.labels)


def _term_picks(term: PodAffinityTerm, owner: Pod, other: Pod) -> bool:
    return picks(term.selector, term.same_labels, owner, other)


def apart(there: Sequence[Placed], placed: Sequence[Placed]) -> bool:
    """No newcomer is with a pod that a term of either keeps apart from the other."""
    everyone = [*there, *placed]
    newcomers = {id(pair) for pair in placed}
    for first, second in itertools.permutations(everyone, 2):
        if id(first) not in newcomers and id(second) not in newcomers:
            continue
        for term in first[0].spec.pod_anti_affinity:
            here = domain(first[1], term.topology_key)
            if here is None or here != domain(second[1], term.topology_key):
                continue
            if _term_picks(term, first[0], second[0]):
                return False
    return True


def ports_free(there: Sequence[Placed], placed: Sequence[Placed]) -> bool:
    """No newcomer takes a port that another pod of its node has, on the same address or where one names none."""
    newcomers = {id(pair) for pair in placed}
    for first, second in itertools.combinations((*there, *placed), 2):
        met = first[1].name == second[1].name and newcomers & {id(first), id(second)}
        for one in first[0].spec.host_ports if met else ():
            for other in second[0].spec.host_ports:
                addresses = {one.ip, other.ip}
                if (one.port, one.protocol) == (other.port, other.protocol) and (
                    len(addresses) == 1 or "" in addresses
                ):
                    return False
    return True


def in_some_order(there: Sequence[Placed], placed: Sequence[Placed]) -> bool:
    """Whether the newcomers can come one by one; who comes never takes a place from those that follow."""
    present, left = list(there), list(placed)
    if all(not pod.spec.pod_affinity for pod, _ in left):
        return True
    while left:
        able = [pair for pair in left if _near(present, *pair, first=False)]
        if able:
            present += able
            left = [pair for pair in left if pair not in able]
            continue
        firsts = [pair for pair in left if _near(present, *pair, first=True)]
        return any(
            _in_some_order_from([*present, pair], [one for one in left if one is not pair])
            for pair in firsts
        )
    return True


def _in_some_order_from(present: list[Placed], left: list[Placed]) -> bool:
    return in_some_order(present, left)


def even(snapshot: Snapshot, there: Sequence[Placed], placed: Sequence[Placed]) -> bool:
    """Every domain that receives an owner holds at most maxSkew more than the one with the fewest."""
    for owner, node in placed:
        keys = [one.topology_key for one in owner.spec.spread]
        if any(domain(node, key) is None for key in keys):
            return False
        for one in owner.spec.spread:
            eligible = {n.name for n in snapshot.nodes if _eligible(owner, one, keys, n)}
            counts: Counter[str | None] = Counter()
            for other in snapshot.nodes:
                if other.name in eligible:
                    counts[domain(other, one.topology_key)] += 0
            for pod, where in (*there, *placed):
                if (
                    where.name in eligible
                    and not pod.terminating
                    and picks(one.selector, one.same_labels, owner, pod)
                ):
                    counts[domain(where, one.topology_key)] += 1
            fewest = 0 if len(counts) < one.min_domains else min(counts.values(), default=0)
            if counts[domain(node, one.topology_key)] > fewest + one.max_skew:
                return False
    return True


def _eligible(owner: Pod, rule: SpreadConstraint, keys: Sequence[str], node: Node) -> bool:
    if any(domain(node, key) is None for key in keys):
        return False
    spec = owner.spec
    if not rule.ignores_affinity:
        if any(node.labels.get(key) != value for key, value in spec.node_selector):
            return False
        terms = spec.node_affinity
        if terms is not None and not any(one.matches(node.name, node.labels) for one in terms):
            return False
    return not rule.honors_taints or all(
        any(one.tolerates(taint) for one in spec.tolerations)
        for taint in node.taints
        if taint.effect != "PreferNoSchedule"
    )


def _near(present: Sequence[Placed], pod: Pod, node: Node, *, first: bool) -> bool:
    """Affinity of one pod: others that match all its terms are in its domains, or it is the first of its kind."""
    terms = pod.spec.pod_affinity
    if any(domain(node, term.topology_key) is None for term in terms):
        return False
    every = [
        (other, where)
        for other, where in present
        if all(_term_picks(term, pod, other) for term in terms)
    ]
    if terms and not every:
        return first and all(_term_picks(term, pod, pod) for term in terms)
    matching = [where for other, where in every if other.node is not None or other.gang == pod.gang]
    return all(
        any(domain(where, t.topology_key) == domain(node, t.topology_key) for where in matching)
        for t in terms
    )
