"""Gangs that a scheduler may serve, with the pods they still lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from models.effective import EffectivePolicy
from models.extremes import Bounds
from models.readiness import Supply, is_ready, pod_supply
from models.snapshot import Snapshot
from models.workloads import Gang, Pod
from planner.problem.rule_names import is_rule
from planner.simulate.repulsion import Repulsion
from planner.verify.pod_rules import own_rules
from planner.verify.unsupported import spec_rules, topology_rules


@dataclass(frozen=True, slots=True)
class Candidate:
    """A gang with pods to place.

    Attributes
    ----------
    supplies
        Pods that may be placed, grouped by role and specification.
    need, role_need
        Pods lacking to be ready, in all and per role where role minima bind; nothing for a ready gang.
    """

    gang: Gang
    running: tuple[Pod, ...]
    succeeded: tuple[Pod, ...]
    supplies: tuple[Supply, ...]
    ready: bool
    need: int
    role_need: Mapping[str, int]


_Asking = tuple[Gang, tuple[Pod, ...], list[Supply], bool]


def candidates(snapshot: Snapshot, policy: EffectivePolicy) -> tuple[Candidate, ...]:
    """Gangs with pods to place, in the snapshot's order.

    Left out are gangs that ended, whose PodGroup is missing, that have a rule which is not modelled (hard topology,
    special rules, pod affinity, spread) or are repelled by pods that run, and Jobs with a role that can never be
    created. Whether the queue is open is not looked at.
    """
    every = _asking(snapshot, policy)
    return tuple(_candidate(gang, pods, supplies) for gang, pods, supplies, known in every if known)


def left_out(snapshot: Snapshot, policy: EffectivePolicy) -> int:
    """Gangs with pods to place that are no candidates, because they have a rule which a greedy run does not know."""
    return sum(not known for *_, known in _asking(snapshot, policy))


def _asking(snapshot: Snapshot, policy: EffectivePolicy) -> Iterator[_Asking]:
    """Gangs with pods to place, and whether all their rules are known."""
    repulsion = Repulsion(snapshot)
    bounds = Bounds(snapshot.nodes)
    offered = {name for node in snapshot.nodes for name in node.allocatable if is_rule(name)}
    for gang in snapshot.gangs:
        pods = snapshot.pods_of(gang)
        if gang.asks_nothing or gang.not_admitted or _never_created(gang):
            continue
        supplies, _ = pod_supply(gang, pods, policy.policy.scheduler_names)
        supplies = [one for supply in supplies if (one := bounds.bounded(supply)) is not None]
        if supplies:
            strange = topology_rules(gang, pods) or _unsupported(gang, pods, supplies, repulsion)
            asked = {name for one in supplies for name in one.spec.request if is_rule(name)}
            strange = bool(strange or asked - offered)  # what whole domains share
            yield gang, pods, supplies, not strange


def _candidate(gang: Gang, pods: tuple[Pod, ...], supplies: list[Supply]) -> Candidate:
    running = tuple(pod for pod in pods if pod.running)
    succeeded = tuple(pod for pod in pods if pod.phase == "Succeeded")
    ready = is_ready(gang, running, succeeded)
    have = Counter(pod.role for pod in (*running, *succeeded))
    counted = have.total()
    roles = gang.role_minimum if gang.roles_bind else {}
    return Candidate(
        gang=gang,
        running=running,
        succeeded=succeeded,
        supplies=tuple(supplies),
        ready=ready,
        need=0 if ready else max(gang.min_member - counted, 0 if counted else 1),
        role_need={}
        if ready
        else {role: n - have[role] for role, n in sorted(roles.items()) if n > have[role]},
    )


def _never_created(gang: Gang) -> bool:
    """Some role depends on a role that the Job does not have."""
    roles = {template.role for template in gang.templates}
    return any(name not in roles for one in gang.templates for name in one.depends_on)


def _unsupported(
    gang: Gang, pods: tuple[Pod, ...], supplies: list[Supply], repulsion: Repulsion
) -> bool:
    if any(spec_rules(one.spec) or own_rules(one.spec) or one.spec.host_ports for one in supplies):
        return True
    if not repulsion:
        return False
    newcomers = [(pod.namespace, pod.labels) for pod in pods if pod.pending]
    newcomers += [(gang.namespace, template.labels) for template in gang.templates]
    return any(repulsion.against(namespace, labels) for namespace, labels in newcomers)
