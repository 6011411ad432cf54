"""From a snapshot and needs to the drill by index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.cluster import Node
from models.drill import DrillQuestion
from models.effective import EffectivePolicy
from models.gpu import gpus_in
from models.resources import PODS, Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod
from planner.drill.leaving import LeavingRules
from planner.drill.needs import Claimant, gang_of, matches
from planner.encode.harm_domains import node_domains
from planner.encode.minimum import ExactLeast
from planner.encode.predicates import Predicates, Profile, node_signatures
from planner.encode.prepared import Prepared, prepare
from planner.encode.queue_limits import QueueLimits
from planner.encode.victims.victim_kinds import KindTable
from planner.encode.victims.victim_shares import exceeded_levels, shares
from planner.problem.drill import DrillNeed, DrillProblem, Ending, QueueRoom, Vector
from planner.problem.placement import IntArray
from planner.problem.victims import VictimPods, Victims


@dataclass(frozen=True)
class PreparedDrill:
    """A drill with the values it was made from.

    Attributes
    ----------
    prepared
        Of the running work and the needs; ``snapshot`` is the whole one.
    closed
        Per claimant: node to why it is closed to its pods, among the nodes of the kind that is asked for.
    """

    snapshot: Snapshot
    prepared: Prepared
    claimants: tuple[Claimant, ...]
    question: DrillQuestion
    rules: LeavingRules
    problem: DrillProblem
    closed: tuple[Mapping[str, str], ...]


def drill_policy(policy: EffectivePolicy) -> EffectivePolicy:
    """The policy under which a drill judges victims.

    Budgets count unless a person has switched them off: an eviction by hand meets them whatever the scheduler does.
    """
    budgets = policy.pdb or policy.origins.get("pdb", "default") not in ("file", "flag")
    return replace(policy, pdb=budgets, evict=("preempt", "reclaim"))


def prepare_drill(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    claimants: Sequence[Claimant],
    question: DrillQuestion,
    least: ExactLeast,
) -> PreparedDrill:
    """Build the drill under a policy from :func:`drill_policy`."""
    prepared = _prepared(snapshot, policy, claimants, least)
    rules = LeavingRules(
        prepared, claimants, overhead_s=question.overhead_seconds, by_hand=question.by_hand
    )
    closed = [_closed(one, snapshot, prepared) for one in claimants]
    needs = tuple(_need(one, prepared, why) for one, why in zip(claimants, closed, strict=True))
    victims = _victims(prepared, rules, needs)
    compared = frozenset(
        number
        for number, kind in enumerate(victims.kinds)
        if rules.compared and not rules.preempted(kind.queue, kind.priority)
    )
    problem = DrillProblem(
        dimensions=prepared.problem.dimensions,
        node_names=prepared.problem.node_names,
        deadline=question.deadline_seconds,
        needs=needs,
        room=_room(prepared),
        endings=_endings(prepared, rules),
        victims=_without_shared(victims, prepared, claimants),
        queue_rooms=_queue_rooms(prepared, claimants, needs, victims),
        compared=compared,
    )
    told = tuple({node: why for node, why in one.items() if why} for one in closed)
    return PreparedDrill(snapshot, prepared, tuple(claimants), question, rules, problem, told)


def _prepared(
    snapshot: Snapshot, policy: EffectivePolicy, claimants: Sequence[Claimant], least: ExactLeast
) -> Prepared:
    """Running work and the needs as waiting gangs; other waiting work counts in shares only."""
    scheduler = next(iter(policy.policy.scheduler_names), "volcano")
    asked = [gang_of(one, number, scheduler) for number, one in enumerate(claimants)]
    held = [pod for pod in snapshot.pods if pod.holds_node or pod.phase == "Succeeded"]
    gangs = [replace(gang, templates=()) for gang in snapshot.gangs]
    small = _with(snapshot, gangs, held, asked)
    prepared = prepare(small, policy, least)
    counted = [one for one, claimant in zip(asked, claimants, strict=True) if claimant.queue]
    full = _with(snapshot, snapshot.gangs, snapshot.pods, counted)
    return replace(prepared, limits=QueueLimits(full, policy))


def _with(
    snapshot: Snapshot,
    gangs: Sequence[Gang],
    pods: Sequence[Pod],
    asked: Sequence[tuple[Gang, tuple[Pod, ...]]],
) -> Snapshot:
    more_gangs, more_pods = [gang for gang, _ in asked], [pod for _, own in asked for pod in own]
    return replace(
        snapshot,
        gangs=tuple(sorted((*gangs, *more_gangs), key=lambda one: one.full_name)),
        pods=tuple(sorted((*pods, *more_pods), key=lambda one: one.full_name)),
    )


def _closed(claimant: Claimant, snapshot: Snapshot, prepared: Prepared) -> dict[str, str]:
    """Nodes of the kind that is asked for: name to why it is closed, "" where it is open."""
    queue = prepared.limits.queues.get(claimant.queue)
    predicates = Predicates(prepared.policy)
    predicates.node_groups = predicates.node_groups and bool(claimant.queue)
    profile = Profile(
        node_selector=claimant.spec.node_selector,
        node_affinity=claimant.spec.node_affinity,
        tolerations=claimant.spec.tolerations,
        revocable=claimant.revocable,
        node_groups=queue.node_groups if queue and predicates.node_groups else None,
    )
    known: dict[int, str] = {}
    found: dict[str, str] = {}
    signatures = node_signatures(snapshot.nodes, [profile])
    for node, signature in zip(snapshot.nodes, signatures, strict=True):
        if not _of_kind(claimant, node, prepared):
            continue
        if signature not in known:
            known[signature] = predicates.why_closed(profile, node)
        found[node.name] = known[signature].partition(":")[2]
    state = queue.state if queue else "Open"
    if state != "Open":
        return dict.fromkeys(found, f"queue {claimant.queue} is {state}")
    return found


def _of_kind(claimant: Claimant, node: Node, prepared: Prepared) -> bool:
    offers = gpus_in(node.allocatable, prepared.gpu_names) > 0
    return offers and matches(claimant.need, claimant.pools, node, prepared.policy)


def _need(claimant: Claimant, prepared: Prepared, closed: Mapping[str, str]) -> DrillNeed:
    problem = prepared.problem
    return DrillNeed(
        gpus=claimant.gpus,
        pods=claimant.pods,
        request=_vector(claimant.spec.request, problem.dimensions),
        nodes=tuple(
            index for index, name in enumerate(problem.node_names) if closed.get(name) == ""
        ),
    )


def _vector(request: Resources, dimensions: tuple[str, ...]) -> Vector:
    return (*(request.amount(name) for name in dimensions[:-1]), 1)


def _room(prepared: Prepared) -> IntArray:
    dimensions = prepared.problem.dimensions
    room = np.zeros((len(prepared.snapshot.nodes), len(dimensions)), dtype=np.int64)
    for row, node in enumerate(prepared.snapshot.nodes):
        amounts = [node.allocatable.amount(name) for name in dimensions[:-1]]
        amounts.append(node.allocatable.amount(PODS))
        for pod in prepared.snapshot.pods_by_node.get(node.name, ()):
            held = _vector(pod.spec.request, dimensions)
            amounts = [a - b for a, b in zip(amounts, held, strict=True)]
        room[row] = amounts
    return room


def _endings(prepared: Prepared, rules: LeavingRules) -> dict[int, tuple[Ending, ...]]:
    """What terminating pods leave; overdue ones are not counted on."""
    found: dict[int, list[Ending]] = {}
    number = {name: index for index, name in enumerate(prepared.problem.node_names)}
    for pod in prepared.snapshot.pods:
        index = number.get(pod.node or "")
        if pod.terminating and pod.holds_node and index is not None:
            second = rules.ends(pod)
            if second is not None:
                amounts = _vector(pod.spec.request, prepared.problem.dimensions)
                found.setdefault(index, []).append(Ending(second, amounts))
    return {node: tuple(sorted(ends, key=lambda e: e.second)) for node, ends in found.items()}


def _victims(prepared: Prepared, rules: LeavingRules, needs: Sequence[DrillNeed]) -> Victims:
    """Pods that may leave, of gangs that hold anything on the open nodes."""
    names = prepared.problem.node_names
    useful = {names[index] for need in needs for index in need.nodes}
    table = KindTable(prepared, leaves=rules.seconds)
    for case in prepared.cases:
        running = [pod for pod in case.pods if pod.running]
        allowed = [pod for pod in running if rules.why_stays(pod, case.gang) is None]
        if any(pod.node in useful for pod in allowed):
            table.add(case.gang, case.pods, allowed, -1)
    queues = sorted({kind.queue for kind in table.kinds})
    dimensions = {d for kind in table.kinds for d in kind.request} | set(
        prepared.problem.dimensions
    )
    policy = prepared.policy.policy
    domains = node_domains(prepared.snapshot, policy.topology_labels)
    number = {domain: index for index, domain in enumerate(dict.fromkeys(domains.values()))}
    return Victims(
        kinds=tuple(table.kinds),
        gangs=tuple(table.gangs),
        pods=tuple(
            VictimPods(kind, node, table.in_order(pods))
            for (kind, node), pods in sorted(table.pods.items())
        ),
        budgets=tuple(one.disruptions_allowed for one in prepared.snapshot.disruption_budgets),
        starters=(),
        shares=shares(prepared, queues, dimensions - {PODS}),
        preempt=True,
        reclaim=True,
        proportional=prepared.limits.proportional,
        entitlement_levels={},
        exceeded_levels=dict.fromkeys(queues, ()),
        queue_chains={},
        excess={},
        queue_excess={},
        gpu_pods={},
        harm=policy.harm,
        domains=tuple(number[domains[name]] for name in names),
    )


def _without_shared(victims: Victims, prepared: Prepared, claimants: Sequence[Claimant]) -> Victims:
    """With ``ancestor_reclaim_level`` ancestors count that no claimant shares at the same height."""
    policy, limits = prepared.policy, prepared.limits
    level = policy.policy.ancestor_reclaim_level if policy.hierarchy else 0
    paths = {one.queue: exceeded_levels(limits, one.queue, level) for one in claimants}
    found: dict[str, tuple[str, ...]] = {}
    for name in victims.exceeded_levels:
        path = exceeded_levels(limits, name, level)
        found[name] = tuple(
            ancestor
            for place, ancestor in enumerate(path)
            if not any(other[place : place + 1] == (ancestor,) for other in paths.values())
        )
    return replace(victims, exceeded_levels=found)


def _queue_rooms(
    prepared: Prepared,
    claimants: Sequence[Claimant],
    needs: Sequence[DrillNeed],
    victims: Victims,
) -> tuple[QueueRoom, ...]:
    """Limits of the claimants' queues and their ancestors, in the dimensions that new pods request.

    A queue above its limit takes nothing more, whoever leaves.
    """
    limits, dimensions = prepared.limits, prepared.problem.dimensions
    levels = dict.fromkeys(
        level for one in claimants if one.queue for level in limits.chain(one.queue)
    )
    found = []
    for level in levels:
        inside = [
            n for n, one in enumerate(claimants) if one.queue and level in limits.chain(one.queue)
        ]
        used = prepared.usage_below(level)
        for d, name in enumerate(dimensions[:-1]):
            asked = {n: needs[n].request[d] for n in inside if needs[n].request[d]}
            limit = limits.limit(level, name)
            if not asked or limit is None:
                continue
            room = limit - used.amount(name)
            returned = {
                number: kind.vector[d]
                for number, kind in enumerate(victims.kinds)
                if kind.vector[d] and room >= 0 and level in limits.chain(kind.queue)
            }
            found.append(QueueRoom(level, name, max(room, 0), asked, returned))
    return tuple(found)
