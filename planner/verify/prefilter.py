"""I10: where Volcano's pre-filter counts all pods that a gang asks for, domains with less room are closed to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from models.plan import RuleViolation
from models.resources import PODS
from models.rules import RuleId
from models.workloads import Gang, Pod, PodSpec
from planner.verify.arrivals import promised
from planner.verify.domains import Nodes
from planner.verify.readiness import is_ready, role_gaps
from planner.verify.state import State, Usage
from planner.verify.subgroups import group_key
from planner.verify.wording import amount_text, violation

Asked = Sequence[tuple[PodSpec, int]]


def passes_prefilter(state: State, gang: Gang, nodes: Nodes) -> bool:
    """Whether a domain that is free as before the plan is open to a gang; it is where the gang needs all its pods."""
    if not state.policy.prefilters_pending:
        return True
    asked = _asked(state, gang)
    if sum(count for _, count in asked) <= _lacking(state, gang):
        return True
    return not _short(state, nodes, asked, frozenset())


def check_prefilter(state: State) -> Iterator[RuleViolation]:
    """The domain of a gang or subgroup that receives pods holds all that it asks for, victims of the plan gone."""
    if not state.policy.prefilters_pending:
        return
    gone = frozenset(state.reading.evicted)
    for name, arrivals in state.placed_by_gang.items():
        gang = state.snapshot.gang_by_name[name]
        tier = state.domains.tier_of(gang.topology)
        if tier is not None:
            nodes = {one.node for one in arrivals} | {pod.node or "" for pod in state.staying(gang)}
            yield from _closed(state, gang, tier, nodes, _asked(state, gang), gone)
        for policy in gang.subgroups:
            tier = state.domains.tier_of(policy.topology)
            if tier is None:
                continue
            keys = {group_key(policy, one.pod) for one in arrivals if one.exists} - {None}
            for key in sorted(key for key in keys if key is not None):
                mine = [
                    pod for pod in state.snapshot.pods_of(gang) if group_key(policy, pod) == key
                ]
                nodes = {
                    one.node for one in arrivals if one.exists and group_key(policy, one.pod) == key
                }
                nodes |= {pod.node or "" for pod in mine if pod in state.staying(gang)}
                waiting = [(pod.spec, 1) for pod in mine if pod.pending]
                if len(waiting) > max(policy.size - sum(pod.running for pod in mine), 0):
                    yield from _closed(state, gang, tier, nodes, waiting, gone)


def _closed(
    state: State, gang: Gang, tier: int, nodes: set[str], asked: Asked, gone: frozenset[str]
) -> Iterator[RuleViolation]:
    homes = state.domains.choices(tier, nodes)
    if not homes:
        return  # told by the rule about hard topologies
    short = min((_short(state, home, asked, gone) for home in homes), key=len)
    if short:
        told = "; ".join(
            f"asks for {amount_text(name, amount)} of {name}, the domain has {amount_text(name, free)}"
            for name, amount, free in short
        )
        yield violation(
            RuleId.TOPOLOGY_PREFILTER,
            f"gang/{gang.full_name}",
            f"{told} free in sum; leave it waiting or place it elsewhere",
        )


def _asked(state: State, gang: Gang) -> list[tuple[PodSpec, int]]:
    """Pods that do not run yet: waiting ones, and those that the gang's templates promise."""
    pods = state.snapshot.pods_of(gang)
    found = [(pod.spec, 1) for pod in pods if pod.pending]
    return found + [(one.spec, promised(gang, pods, one)) for one in gang.templates]


def _lacking(state: State, gang: Gang) -> int:
    """Pods without which the gang is not ready."""
    running, done = state.running_before(gang), state.succeeded(gang)
    if is_ready(gang, running, done):
        return 0
    counted = [*running, *done]
    total = max(gang.min_member - len(counted), 0 if counted else 1)
    return max(total, sum(role_gaps(gang, counted).values()))


def _short(
    state: State, nodes: Iterable[str], asked: Asked, gone: frozenset[str]
) -> list[tuple[str, int, int]]:
    """Resource, amount asked and amount free, where the nodes have too little in sum without these pods."""
    total: Usage = {PODS: 0}
    for spec, count in asked:
        total[PODS] += count
        state.add(total, spec, count)
    found = []
    for name, amount in sorted(total.items()):
        free = sum(_free(state, node, name, gone) for node in nodes)
        if amount > free:
            found.append((name, amount, free))
    return found


def _free(state: State, name: str, resource: str, gone: frozenset[str]) -> int:
    node = state.snapshot.node_by_name.get(name)
    if node is None:
        return 0
    stays: list[Pod] = [
        pod for pod in state.snapshot.pods_by_node.get(name, ()) if pod.full_name not in gone
    ]
    held = len(stays) if resource == PODS else sum(p.spec.request.amount(resource) for p in stays)
    return max(node.allocatable.amount(resource) - held, 0)
