"""Variables of evictions, and the rows that keep running gangs whole or ready.

Sets: v kinds of victims (see :mod:`planner.problem.victims`), a running gangs, g node groups.
Variables: e_vg evicted pods, y_a whether a gang is given up, h_a whether it loses a pod. Units: pods and gangs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from planner.formulations.placement.variables import Terms
from planner.prepare.gang_classes import GangClass
from planner.prepare.node_groups import NodeGroup
from planner.problem.linear import LinearModel
from planner.problem.victims import EACH_ALONE, VictimGang, Victims


@dataclass
class Evictions:
    """Columns by meaning; a variable exists only where it can be other than 0.

    Attributes
    ----------
    pods
        (kind, group) to evicted pods.
    given_up, hit
        Gang to whether it is given up, and whether it loses a pod (gangs that could receive pods only).
    domains
        Topology domain to whether it loses pods; groups of several nodes share variables per group.
    emptied
        Group to how many of its nodes lose their last pod with GPUs and receive none.
    totals
        Kind to its pods in all groups.
    """

    victims: Victims
    pods: dict[tuple[int, int], int] = field(default_factory=dict)
    given_up: dict[int, int] = field(default_factory=dict)
    hit: dict[int, int] = field(default_factory=dict)
    domains: dict[tuple[int, ...], int] = field(default_factory=dict)
    emptied: dict[int, int] = field(default_factory=dict)
    totals: dict[int, int] = field(default_factory=dict)
    by_kind: dict[int, list[int]] = field(default_factory=dict)
    by_group: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def of_kind(self, kind: int, factor: int = 1) -> Terms:
        """Terms of ``factor * evicted pods`` of a kind."""
        return [(column, factor) for column in self.by_kind.get(kind, ())]

    def freed(self, group: int, dimension: int, factor: int = 1) -> Terms:
        """Terms of ``factor *`` what evictions free on a group's nodes."""
        return [
            (column, factor * amount)
            for kind, column in self.by_group.get(group, ())
            if (amount := self.victims.kinds[kind].vector[dimension])
        ]

    def returned(self, queue: int, dimension: int, factor: int = 1) -> Terms:
        """Terms of ``factor *`` what evictions give back to a queue."""
        found: Terms = []
        for kind in self.by_kind:
            one = self.victims.kinds[kind]
            if one.vector[dimension] and queue in self.victims.queue_chains[one.queue]:
                found += self.of_kind(kind, factor * one.vector[dimension])
        return found


def create_evictions(
    model: LinearModel, victims: Victims, groups: Sequence[NodeGroup], classes: Sequence[GangClass]
) -> Evictions:
    """Add the variables of evictions."""
    found = Evictions(victims)
    for g, group in enumerate(groups):
        for kind, count in group.victims:
            column = model.variable(0, count)
            found.pods[kind, g] = column
            found.by_kind.setdefault(kind, []).append(column)
            found.by_group.setdefault(g, []).append((kind, column))
            found.totals[kind] = found.totals.get(kind, 0) + count
        if group.victims and group.has_gpu_pods and _can_empty(victims, group):
            found.emptied[g] = model.variable(0, group.size)
    planned = {demand for one in classes for demand in one.demands}
    for index, gang in enumerate(victims.gangs):
        found.given_up[index] = model.variable(0, int(gang.whole))
        if gang.demand in planned:
            found.hit[index] = model.variable(0, 1)
    return found


def _can_empty(victims: Victims, group: NodeGroup) -> bool:
    """Whether all pods with GPUs of its nodes may go."""
    held = sum(victims.gpu_pods.get(node, 0) for node in group.nodes)
    return held == sum(count for kind, count in group.victims if victims.kinds[kind].gpus)


def gang_losses(model: LinearModel, evictions: Evictions) -> None:
    """I3: a gang loses at most its surplus or all: ``sum e <= s + (R - s) y``, ``sum e >= R y``; also by role."""
    members: dict[int, list[int]] = {}
    for kind in evictions.by_kind:
        number = evictions.victims.kinds[kind].gang
        if number != EACH_ALONE:
            members.setdefault(number, []).append(kind)
    for index, gang in enumerate(evictions.victims.gangs):
        kinds, y = members.get(index, []), evictions.given_up[index]
        lost = [term for kind in kinds for term in evictions.of_kind(kind)]
        surplus = min(gang.surplus, gang.running - 1)
        model.at_most([*lost, (y, surplus - gang.running)], surplus, "gang_ready")
        model.at_least([*lost, (y, -gang.running)], 0, "gang_ready")
        for role, spare in gang.role_surplus.items():
            of_role = [k for k in kinds if evictions.victims.kinds[k].role == role]
            terms = [term for kind in of_role for term in evictions.of_kind(kind)]
            model.at_most([*terms, (y, -gang.running)], spare, "role_minimum")
        _subgroup_losses(model, evictions, gang, kinds, y)
        if index in evictions.hit:
            model.at_most([*lost, (evictions.hit[index], -gang.running)], 0, "gang_ready")


def _subgroup_losses(
    model: LinearModel, evictions: Evictions, gang: VictimGang, kinds: Sequence[int], y: int
) -> None:
    """A subgroup stays as it is, keeps its size, or loses all (b_j); enough complete ones stay."""
    broken: dict[int, Terms] = {}
    complete: dict[int, int] = {}
    for number, group in enumerate(gang.subgroups):
        of_group = [k for k in kinds if number in evictions.victims.kinds[k].subgroups]
        lost = [term for kind in of_group for term in evictions.of_kind(kind)]
        b = model.variable(0, 1)
        spare = max(group.running - group.size, 0)
        model.at_most([*lost, (b, spare - group.running)], spare, "subgroup_complete")
        model.at_least([*lost, (b, -group.running)], 0, "subgroup_complete")
        if group.running >= group.size:
            complete[group.policy] = complete.get(group.policy, 0) + 1
            broken.setdefault(group.policy, []).append((b, 1))
    for policy, minimum in enumerate(gang.min_subgroups):
        terms = broken.get(policy, [])
        model.at_most(
            [*terms, (y, -minimum)], complete.get(policy, 0) - minimum, "subgroup_complete"
        )


def disruption_budgets(model: LinearModel, evictions: Evictions) -> None:
    """I7: ``sum e <= disruptionsAllowed`` over the pods that a budget selects."""
    kinds = evictions.victims.kinds
    for index, allowed in enumerate(evictions.victims.budgets):
        terms = [
            t for k in evictions.by_kind if index in kinds[k].budgets for t in evictions.of_kind(k)
        ]
        if terms:
            model.at_most(terms, max(allowed, 0), "disruption_budget")


def harm_definitions(model: LinearModel, evictions: Evictions, groups: Sequence[NodeGroup]) -> None:
    """Domains that lose pods: ``sum_v e_vg <= most pods of a node * n`` with one n per domain.

    The nodes of a group may lie in several domains: then n counts them, at least as many as the pods need.
    """
    held: dict[int, int] = {}
    for one in evictions.victims.pods:
        domain = evictions.victims.domains[one.node]
        held[domain] = held.get(domain, 0) + len(one.names)
    by_domain: dict[tuple[int, ...], Terms] = {}
    for g, members in evictions.by_group.items():
        key = tuple(sorted({evictions.victims.domains[node] for node in groups[g].nodes}))
        by_domain.setdefault(key, []).extend((column, 1) for _, column in members)
    for key, terms in by_domain.items():
        column = evictions.domains[key] = model.variable(0, len(key))
        most = max(held[domain] for domain in key if domain in held)
        model.at_most([*terms, (column, -most)], 0, "eviction_domains")
