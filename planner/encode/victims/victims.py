"""From a snapshot to the possible victims: everything that I7 lets some waiting gang take."""

from __future__ import annotations

from collections.abc import Sequence

from models.resources import PODS
from models.workloads import Gang, Pod
from planner.encode.harm_domains import node_domains
from planner.encode.prepared import Prepared
from planner.encode.victims.victim_kinds import KindTable, budgets_of, may_be_reclaimed
from planner.encode.victims.victim_protection import why_protected
from planner.encode.victims.victim_shares import (
    entitlement_levels,
    exceeded_levels,
    node_excess,
    queue_excess,
    shares,
)
from planner.problem.rule_names import is_rule, names_only
from planner.problem.victims import Starter, VictimPods, Victims


def possible_victims(prepared: Prepared) -> Victims | None:
    """All pods that may be evicted, deserved and guarantee aside; None where the policy or the cluster has none."""
    policy = prepared.policy
    if not policy.evict:
        return None
    starters = _starters(prepared)
    causes = _Causes(prepared, starters)
    table = KindTable(prepared)
    demand_of = {demand.gang: index for index, demand in enumerate(prepared.problem.demands)}
    for index, case in enumerate(prepared.cases):
        running = [pod for pod in case.pods if pod.running]
        allowed = [pod for pod in running if _allowed(pod, case.gang, prepared, causes)]
        if allowed:
            table.add(case.gang, case.pods, allowed, demand_of.get(index, -1))
    return _victims(prepared, starters, table) if table.pods else None


def _victims(prepared: Prepared, starters: tuple[Starter, ...], table: KindTable) -> Victims:
    policy, problem, limits = prepared.policy, prepared.problem, prepared.limits
    names = sorted({kind.queue for kind in table.kinds} | set(problem.queue_names))
    level = policy.policy.ancestor_reclaim_level if policy.hierarchy else 0
    dimensions = {d for kind in table.kinds for d in kind.request}
    dimensions.update(names_only(problem.dimensions))
    number = {queue: index for index, queue in enumerate(problem.queue_names)}
    return Victims(
        kinds=tuple(table.kinds),
        gangs=tuple(table.gangs),
        pods=tuple(
            VictimPods(kind, node, table.in_order(pods))
            for (kind, node), pods in sorted(table.pods.items())
        ),
        budgets=tuple(one.disruptions_allowed for one in prepared.snapshot.disruption_budgets),
        starters=starters,
        shares=shares(prepared, names, dimensions - {PODS}),
        preempt="preempt" in policy.evict,
        reclaim="reclaim" in policy.evict,
        proportional=limits.proportional,
        entitlement_levels={name: entitlement_levels(limits, name, level) for name in names},
        exceeded_levels={name: exceeded_levels(limits, name, level) for name in names},
        queue_chains={
            name: tuple(number[one] for one in limits.limiting(name) if one in number)
            for name in names
        },
        excess=node_excess(prepared),
        queue_excess=queue_excess(prepared),
        gpu_pods=_gpu_pods(prepared),
        harm=policy.policy.harm,
        domains=_domains(prepared),
    )


def _domains(prepared: Prepared) -> tuple[int, ...]:
    """Per node the number of its topology domain."""
    by_name = node_domains(prepared.snapshot, prepared.policy.policy.topology_labels)
    number = {domain: index for index, domain in enumerate(dict.fromkeys(by_name.values()))}
    return tuple(number[by_name[name]] for name in prepared.problem.node_names)


def _gpu_pods(prepared: Prepared) -> dict[int, int]:
    """Node to its pods with GPUs, of every scheduler, terminating ones included."""
    found: dict[int, int] = {}
    for index, name in enumerate(prepared.problem.node_names):
        pods = prepared.snapshot.pods_by_node.get(name, ())
        count = sum(prepared.measure.holds(pod.spec.request) for pod in pods)
        if count:
            found[index] = count
    return found


def _starters(prepared: Prepared) -> tuple[Starter, ...]:
    problem, found = prepared.problem, []
    for demand in problem.demands:
        case = prepared.cases[demand.gang]
        specs = [pod.spec for pod in case.pods] or [one.spec for one in case.gang.templates]
        never = any(spec.preemption_policy == "Never" for spec in specs)
        asked = sum(problem.requests[item.shape] for item in demand.items)
        live = sum(pod.running for pod in case.pods)
        found.append(
            Starter(
                priority=case.gang.priority,
                causes=not demand.ready and not never,
                lacking=max(case.gang.min_member - live, 1),
                asks=frozenset(
                    name
                    for name, amount in zip(problem.dimensions[:-1], asked[:-1], strict=True)
                    if amount and not is_rule(name)
                ),
            )
        )
    return tuple(found)


class _Causes:
    """Which pods some waiting gang might preempt or reclaim."""

    def __init__(self, prepared: Prepared, starters: Sequence[Starter]) -> None:
        self._highest: dict[str, int] = {}
        self._asks: dict[str, set[str]] = {}
        problem, evict = prepared.problem, prepared.policy.evict
        for demand, one in zip(problem.demands, starters, strict=True):
            if not one.causes:
                continue
            queue = problem.queue_names[demand.queue]
            if "preempt" in evict:
                self._highest[queue] = max(one.priority, self._highest.get(queue, one.priority))
            if "reclaim" in evict:
                self._asks.setdefault(queue, set()).update(one.asks)

    def any(self, pod: Pod, gang: Gang, *, reclaimable: bool) -> bool:
        """Whether I7 may allow it for one of them."""
        if gang.priority < self._highest.get(gang.queue, gang.priority):
            return True
        return reclaimable and any(
            queue != gang.queue and not asks.isdisjoint(pod.spec.request)
            for queue, asks in self._asks.items()
        )


def _allowed(pod: Pod, gang: Gang, prepared: Prepared, causes: _Causes) -> bool:
    if gang.missing_group or why_protected(pod, gang, prepared.policy):
        return False
    if prepared.policy.pdb and any(
        prepared.snapshot.disruption_budgets[index].disruptions_allowed <= 0
        for index in budgets_of(pod, prepared.snapshot)
    ):
        return False
    queue = prepared.limits.queues.get(gang.queue)
    return causes.any(pod, gang, reclaimable=may_be_reclaimed(queue))
