"""What each gang may receive, and the structural reasons for which it can receive nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from models.checks.wording import counted as number_of
from models.effective import EffectivePolicy
from models.extremes import Bounds
from models.plan import Reason
from models.promises import PODS_ENDED, no_more_text
from models.readiness import Supply, is_ready, pod_supply
from models.snapshot import Snapshot
from models.workloads import Gang, Pod
from planner.encode.queue_limits import QueueLimits
from planner.encode.topology import allowed_tier
from planner.encode.unsupported import unsupported_rules
from planner.problem.topology import NO_TOPOLOGY, TopologyForest


@dataclass(frozen=True)
class GangCase:
    """A gang with what matters for planning.

    Attributes
    ----------
    supplies
        Pods that may be placed.
    blocked
        Structural reasons for which nothing may be placed, whatever room there is.
    ready
        It runs; further pods are elastic.
    need, role_need
        Pods still lacking, in all and per role where role minima bind.
    """

    gang: Gang
    pods: tuple[Pod, ...]
    supplies: tuple[Supply, ...]
    blocked: tuple[Reason, ...]
    ready: bool
    need: int
    role_need: Mapping[str, int]

    @property
    def plannable(self) -> bool:
        """Pods may be placed for it."""
        return not self.blocked and bool(self.supplies)


def gang_cases(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    limits: QueueLimits,
    forest: TopologyForest = NO_TOPOLOGY,
) -> tuple[GangCase, ...]:
    """One case per gang, in the snapshot's order."""
    bounds = Bounds(snapshot.nodes)
    return tuple(_case(gang, snapshot, policy, limits, forest, bounds) for gang in snapshot.gangs)


def _case(
    gang: Gang,
    snapshot: Snapshot,
    policy: EffectivePolicy,
    limits: QueueLimits,
    forest: TopologyForest,
    bounds: Bounds,
) -> GangCase:
    pods = snapshot.pods_of(gang)
    running = [pod for pod in pods if pod.running]
    succeeded = [pod for pod in pods if pod.phase == "Succeeded"]
    ready = is_ready(gang, running, succeeded)
    supplies, withheld = pod_supply(gang, pods, policy.policy.scheduler_names)
    counted = len(running) + len(succeeded)
    need = max(gang.min_member - counted, 0 if counted else 1, 0)
    role_need = _lacking_roles(gang, [*running, *succeeded]) if gang.roles_bind else {}
    need = max(need, sum(role_need.values()))
    blocked: list[Reason] = []
    if not gang.asks_nothing:
        blocked += _queue_reasons(gang, limits)
        blocked += _unsupported_reasons(gang, supplies)
        blocked += _forest_reasons(gang, forest)
        if not ready:
            blocked += _supply_reasons(gang, supplies, withheld, need, role_need, counted)
            blocked += _dependency_reasons(gang, role_need)
            blocked += _size_reasons(supplies, need, role_need, bounds)
    elif gang.no_more and gang.no_more != PODS_ENDED:
        blocked.append(_not_enough(gang, 0, counted, {}, []))
    return GangCase(
        gang=gang,
        pods=pods,
        supplies=() if gang.asks_nothing else tuple(filter(None, map(bounds.bounded, supplies))),
        blocked=tuple(blocked),
        ready=ready,
        need=0 if ready else need,
        role_need={} if ready else role_need,
    )


def _lacking_roles(gang: Gang, counted: Iterable[Pod]) -> dict[str, int]:
    """Pods that each role lacks of its minimum."""
    roles = Counter(pod.role for pod in counted)
    return {
        role: minimum - roles[role]
        for role, minimum in sorted(gang.role_minimum.items())
        if minimum > roles[role]
    }


def _queue_reasons(gang: Gang, limits: QueueLimits) -> list[Reason]:
    if gang.missing_group:
        message = f"PodGroup {gang.full_name} is not in the snapshot: its pods are not admitted"
        return [Reason(code="admission_gate", message=message)]
    if gang.not_admitted:
        promised = sum(one.replicas for one in gang.templates)
        message = f"its Job is suspended: {number_of(promised, 'pod')} will be asked for once it is resumed"
        return [Reason(code="admission_gate", message=message, data={"pods": promised})]
    closed = limits.closed_because(gang.queue)
    return (
        [Reason(code="queue_closed", message=closed, data={"queue": gang.queue})] if closed else []
    )


def _unsupported_reasons(gang: Gang, supplies: list[Supply]) -> list[Reason]:
    names = list(unsupported_rules(gang, supplies))
    if not names:
        return []
    message = f"required rule not modelled yet: {', '.join(names)}"
    return [Reason(code="unsupported", message=message, data={"rules": names})]


def _forest_reasons(gang: Gang, forest: TopologyForest) -> list[Reason]:
    """Volcano schedules no gang with a hard topology while the HyperNodes are no forest."""
    rules = [gang.topology, *(policy.topology for policy in gang.subgroups)]
    if not forest.fault or not any(allowed_tier(forest, rule) is not None for rule in rules):
        return []
    message = f"its topology cannot be kept: {forest.fault}"
    return [Reason(code="topology", message=message, data={"fault": forest.fault})]


def _size_reasons(
    supplies: list[Supply], need: int, role_need: Mapping[str, int], bounds: Bounds
) -> list[Reason]:
    """Extreme pods of which the empty cluster holds too few."""
    held = [bounds.bounded(one) for one in supplies]
    if all(one is supply for one, supply in zip(held, supplies, strict=True)):
        return []
    by_role: Counter[str] = Counter()
    for one in held:
        if one is not None:
            by_role[one.role] += one.count // one.step * one.step
    if by_role.total() >= need and all(by_role[role] >= n for role, n in role_need.items()):
        return []
    return [bounds.reason(supplies, need)]


def _supply_reasons(
    gang: Gang,
    supplies: list[Supply],
    withheld: list[Pod],
    need: int,
    role_need: Mapping[str, int],
    counted: int,
) -> list[Reason]:
    """Too few pods to be ready: gated ones and those of other schedulers are named apart."""
    have = sum(one.count // one.step * one.step for one in supplies)
    by_role: Counter[str] = Counter()
    for one in supplies:
        by_role[one.role] += one.count // one.step * one.step
    short_roles = {role: n - by_role[role] for role, n in role_need.items() if by_role[role] < n}
    if have >= need and not short_roles and have > 0:
        return []
    found: list[Reason] = []
    gated = [pod for pod in withheld if pod.spec.scheduling_gates]
    foreign = [pod for pod in withheld if not pod.spec.scheduling_gates]
    enough_with_gated = have + len(gated) >= need and all(
        short <= sum(pod.role == role for pod in gated) for role, short in short_roles.items()
    )
    if gated:
        gates = sorted({gate for pod in gated for gate in pod.spec.scheduling_gates})
        have_gates = f"{'has' if len(gated) == 1 else 'have'} scheduling gates"
        message = f"{number_of(len(gated), 'pod')} {have_gates}: {', '.join(gates)}"
        found.append(
            Reason(
                code="admission_gate",
                message=message,
                data={"gatedPods": len(gated), "gates": gates},
            )
        )
    if not gated or not enough_with_gated:
        found.append(_not_enough(gang, have, counted, short_roles, foreign))
    return found


def _not_enough(
    gang: Gang, have: int, counted: int, short_roles: Mapping[str, int], foreign: list[Pod]
) -> Reason:
    needed = number_of(max(gang.min_member, 1), "pod")
    message = f"{have + counted:,} of at least {needed} exist or are promised"
    if short_roles:
        roles = ", ".join(
            f"{short} of role {role or '(none)'}" for role, short in short_roles.items()
        )
        message += f"; missing {roles}"
    if foreign:
        names = sorted({pod.spec.scheduler_name or "(none)" for pod in foreign})
        ask = f"{number_of(len(foreign), 'pod')} {'asks' if len(foreign) == 1 else 'ask'}"
        message += f"; {ask} for another scheduler ({', '.join(names)})"
    if gang.no_more:
        message += f"; {no_more_text(gang)}"
    data = {
        "pods": have + counted,
        "minMember": gang.min_member,
        "missingRoles": dict(short_roles),
        "podsOfOtherSchedulers": len(foreign),
        "noMore": gang.no_more,
    }
    return Reason(code="not_enough_pods", message=message, data=data)


def _dependency_reasons(gang: Gang, role_need: Mapping[str, int]) -> list[Reason]:
    """A role that can never be created because it depends on an unknown one (``dependsOn`` itself only delays)."""
    known = {template.role for template in gang.templates}
    unknown = sorted(
        {name for one in gang.templates for name in one.depends_on if name not in known}
    )
    if not unknown:
        return []
    message = f"role depends on {', '.join(unknown)}, which the job does not have"
    return [
        Reason(
            code="dependency", message=message, data={"roles": unknown, "needed": dict(role_need)}
        )
    ]
