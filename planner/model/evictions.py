"""Variables of evictions, and the rows that keep running gangs whole or ready.

Sets: v kinds of victims (see :mod:`planner.problem.victims`), a running gangs, g node groups.
Variables: e_vg evicted pods, y_a whether a gang is given up, h_a whether it loses a pod. Units: pods and gangs.
Where a gang can lose nothing but all, ``e_vg = n_vg y_a`` and no variable is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from models.rules import RuleId
from planner.model.variables import Terms
from planner.problem.linear import LinearModel
from planner.problem.placement import PlacementProblem
from planner.problem.victims import EACH_ALONE, VictimGang, Victims
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import NodeGroup


@dataclass
class Evictions:
    """Columns by meaning; a variable exists only where it can be other than 0.

    Attributes
    ----------
    pods
        (kind, group) to the term (column, factor) of evicted pods.
    given_up, hit
        Gang to whether it is given up, and whether it loses a pod (gangs that could receive pods only).
    domains
        Topology domain to whether it loses pods; groups of several nodes share variables per group.
    emptied
        Group to how many of its nodes lose their last pod with GPUs and receive none.
    totals, counts
        Kind to its pods in all groups, and (kind, group) to those of a group.
    """

    victims: Victims
    pods: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    given_up: dict[int, int] = field(default_factory=dict)
    hit: dict[int, int] = field(default_factory=dict)
    domains: dict[tuple[int, ...], int] = field(default_factory=dict)
    emptied: dict[int, int] = field(default_factory=dict)
    totals: dict[int, int] = field(default_factory=dict)
    by_kind: dict[int, Terms] = field(default_factory=dict)
    by_group: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    counts: dict[tuple[int, int], int] = field(default_factory=dict)

    def of_kind(self, kind: int, factor: int = 1) -> Terms:
        """Terms of ``factor * evicted pods`` of a kind."""
        return [(column, factor * pods) for column, pods in self.by_kind.get(kind, ())]

    def freed(self, group: int, dimension: int, factor: int = 1) -> Terms:
        """Terms of ``factor *`` what evictions free on a group's nodes."""
        return [
            (column, factor * pods * amount)
            for kind, column, pods in self.by_group.get(group, ())
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
    planned = {demand for one in classes for demand in one.demands}
    for index, gang in enumerate(victims.gangs):
        found.given_up[index] = model.variable(0, int(gang.whole))
        if gang.demand in planned:
            found.hit[index] = model.variable(0, 1)
    for g, group in enumerate(groups):
        for kind, count in group.victims:
            number = victims.kinds[kind].gang
            whole = number != EACH_ALONE and all_or_nothing(victims.gangs[number])
            if whole and not victims.gangs[number].whole:
                continue
            column = found.given_up[number] if whole else model.variable(0, count)
            pods = count if whole else 1
            found.pods[kind, g] = (column, pods)
            found.counts[kind, g] = count
            found.by_kind.setdefault(kind, []).append((column, pods))
            found.by_group.setdefault(g, []).append((kind, column, pods))
            found.totals[kind] = found.totals.get(kind, 0) + count
        if group.victims and group.has_gpu_pods and _can_empty(found, g, group):
            found.emptied[g] = model.variable(0, group.size)
    reached: Counter[int] = Counter()
    for kind, total in found.totals.items():
        reached[victims.kinds[kind].gang] += total
    for index, gang in enumerate(victims.gangs):
        if all_or_nothing(gang) and reached[index] < gang.running:
            model.upper[found.given_up[index]] = 0
    return found


def all_or_nothing(gang: VictimGang) -> bool:
    """Every loss costs the whole gang."""
    return min(gang.surplus, gang.running - 1) <= 0


def _can_empty(found: Evictions, g: int, group: NodeGroup) -> bool:
    """Whether all pods with GPUs of its nodes may go."""
    victims = found.victims
    held = sum(victims.gpu_pods.get(node, 0) for node in group.nodes)
    may_go = sum(
        found.counts[kind, g]
        for kind, _, _ in found.by_group.get(g, ())
        if victims.kinds[kind].gpus
    )
    return held == may_go


def gang_losses(model: LinearModel, evictions: Evictions) -> None:
    """I3: a gang loses at most its surplus or all: ``sum e <= s + (R - s) y``, ``sum e >= R y``; also by role."""
    members: dict[int, list[int]] = {}
    for kind in evictions.by_kind:
        number = evictions.victims.kinds[kind].gang
        if number != EACH_ALONE:
            members.setdefault(number, []).append(kind)
    for index, gang in enumerate(evictions.victims.gangs):
        kinds, y = members.get(index, []), evictions.given_up[index]
        if all_or_nothing(gang):
            _whole_loss(model, evictions, index)
            continue
        lost = [term for kind in kinds for term in evictions.of_kind(kind)]
        surplus = min(gang.surplus, gang.running - 1)
        model.at_most([*lost, (y, surplus - gang.running)], surplus, RuleId.GANG_READY)
        model.at_least([*lost, (y, -gang.running)], 0, RuleId.GANG_READY)
        for role, spare in gang.role_surplus.items():
            of_role = [k for k in kinds if evictions.victims.kinds[k].role == role]
            terms = [term for kind in of_role for term in evictions.of_kind(kind)]
            model.at_most([*terms, (y, -gang.running)], spare, RuleId.ROLE_MINIMUM)
        _subgroup_losses(model, evictions, gang, kinds, y)
        if index in evictions.hit:
            model.at_most([*lost, (evictions.hit[index], -gang.running)], 0, RuleId.GANG_READY)


def _whole_loss(model: LinearModel, evictions: Evictions, index: int) -> None:
    """``y <= h`` for a gang that could receive pods; its pods leave together as they have one variable."""
    if index in evictions.hit:
        terms = [(evictions.given_up[index], 1), (evictions.hit[index], -1)]
        model.at_most(terms, 0, RuleId.GANG_READY)


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
        model.at_most([*lost, (b, spare - group.running)], spare, RuleId.SUBGROUP_COMPLETE)
        model.at_least([*lost, (b, -group.running)], 0, RuleId.SUBGROUP_COMPLETE)
        if group.running >= group.size:
            complete[group.policy] = complete.get(group.policy, 0) + 1
            broken.setdefault(group.policy, []).append((b, 1))
    for policy, minimum in enumerate(gang.min_subgroups):
        terms = broken.get(policy, [])
        model.at_most(
            [*terms, (y, -minimum)], complete.get(policy, 0) - minimum, RuleId.SUBGROUP_COMPLETE
        )


def disruption_budgets(model: LinearModel, evictions: Evictions) -> None:
    """I7: ``sum e <= disruptionsAllowed`` over the pods that a budget selects."""
    kinds = evictions.victims.kinds
    for index, allowed in enumerate(evictions.victims.budgets):
        terms = [
            t for k in evictions.by_kind if index in kinds[k].budgets for t in evictions.of_kind(k)
        ]
        if terms:
            model.at_most(terms, max(allowed, 0), RuleId.DISRUPTION_BUDGET)


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
        by_domain.setdefault(key, []).extend((column, pods) for _, column, pods in members)
    for key, terms in by_domain.items():
        column = evictions.domains[key] = model.variable(0, len(key))
        most = max(held[domain] for domain in key if domain in held)
        model.at_most([*terms, (column, -most)], 0, "eviction_domains")


def needed_losses(
    model: LinearModel,
    evictions: Evictions,
    groups: Sequence[NodeGroup],
    placed: Mapping[tuple[int, int], int],
    problem: PlacementProblem,
) -> None:
    """I1, tightened: what a node cannot hold while one gang's pods stay needs them gone.

    With fit(e) pods of a shape where e units of a loss and all other possible victims have left:
    ``E x <= E fit(0) + (fit(E) - fit(0)) e`` for the E that lets most pods in per unit.
    """
    known: dict[int, tuple[dict[int, Loss], list[int]]] = {}
    asked = [
        [(d, amount) for d, amount in enumerate(row) if amount] for row in problem.requests.tolist()
    ]
    for (shape, g), column in placed.items():
        if groups[g].size > 1 or not groups[g].victims:
            continue
        if problem.cards is not None and problem.cards.count[shape]:
            continue  # what a victim frees for it depends on its card
        if g not in known:
            losses = _losses_of(evictions, g)
            known[g] = losses, _room_without(problem, evictions, groups[g].nodes[0], losses)
        losses, room = known[g]
        most = _fitting(room, room, 0, asked[shape])
        for loss, (vector, count) in losses.items():
            least = _fitting(room, vector, count, asked[shape])
            if least < most:
                fits = [_fitting(room, vector, left, asked[shape]) for left in range(count, -1, -1)]
                best = max(range(1, count + 1), key=lambda e: (fits[e] - least) / e)
                terms = [(column, best), (loss, least - fits[best])]
                model.at_most(terms, best * least, RuleId.NODE_CAPACITY)


def _fitting(
    room: Sequence[int], vector: Sequence[int], left: int, asked: Sequence[tuple[int, int]]
) -> int:
    """Pods that fit into the room while so many of a loss are there."""
    return min([max(room[d] - left * vector[d], 0) // amount for d, amount in asked])


Loss = tuple[tuple[int, ...], int]
"""What one unit of a column frees on a node, and its most units there."""


def _losses_of(evictions: Evictions, group: int) -> dict[int, Loss]:
    """Column to its loss on the node of a group."""
    found: dict[int, Loss] = {}
    victims = evictions.victims
    for kind, column, pods in evictions.by_group.get(group, ()):
        one = victims.kinds[kind]
        freed = tuple(pods * amount for amount in one.vector)
        if column == evictions.given_up.get(one.gang):
            before = found.get(column, ((0,) * len(freed), 1))[0]
            found[column] = (tuple(a + b for a, b in zip(before, freed, strict=True)), 1)
        else:
            found[column] = (freed, evictions.counts[kind, group])
    return found


def _room_without(
    problem: PlacementProblem, evictions: Evictions, node: int, losses: Mapping[int, Loss]
) -> list[int]:
    """Room of a node with all its possible victims gone."""
    excess = evictions.victims.excess.get(node)
    room = [int(amount) for amount in problem.free[node]]
    for d in range(len(room)):
        room[d] += sum(vector[d] * count for vector, count in losses.values())
        room[d] -= 0 if excess is None else int(excess[d])
    return room
