"""All rows of evictions, what a plan's evictions mean as values, and cuts that a check asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from models.rules import RuleId
from planner.model.card_losses import cards_freed
from planner.model.eviction_causes import eviction_causes
from planner.model.evictions import (
    Evictions,
    disruption_budgets,
    gang_losses,
    harm_definitions,
    needed_losses,
)
from planner.model.needed_rows import victim_needed
from planner.model.rows import Formulation
from planner.model.variables import Terms


@dataclass(frozen=True, slots=True)
class EvictionCut:
    """A combination that may not come back.

    Attributes
    ----------
    at_least
        (kind, node or -1 for all nodes) to so many evicted pods.
    starts
        Demand (first of its class) to so many started gangs.
    at_most
        Classes, by first demand, that start no more gangs than so many.
    rule
        The rule that the combination broke.
    """

    at_least: Mapping[tuple[int, int], int]
    starts: Mapping[int, int]
    at_most: Mapping[int, int]
    rule: RuleId = RuleId.VICTIM_CAUSE


@dataclass(frozen=True, slots=True)
class PlanCut:
    """One combination of starts (demand to 0 or 1, all classes of one gang) and victims, and no other.

    ``evicted`` maps (kind, node) to pods, in a model with one group per node; None stands for all sets of victims.
    """

    starts: Mapping[int, int]
    evicted: Mapping[tuple[int, int], int] | None


Cuts = Sequence[EvictionCut | PlanCut]


def post_evictions(form: Formulation, evictions: Evictions, cuts: Cuts) -> None:
    """Losses of gangs, budgets, causes, and what is counted as harm."""
    gang_losses(form.model, evictions)
    needed_losses(form.model, evictions, form.groups, form.variables.spots.own, form.problem)
    for post in dict.fromkeys(EVICTION_CONSTRAINTS.values()):
        post(form, evictions, cuts)
    harm_definitions(form.model, evictions, form.groups)
    cards_freed(form, evictions)
    _receives_or_loses(form, evictions)
    _emptied_nodes(form, evictions)


def _budgets(form: Formulation, evictions: Evictions, _: Cuts) -> None:
    """I7: no budget loses more pods than it allows."""
    disruption_budgets(form.model, evictions)


def _causes(form: Formulation, evictions: Evictions, _: Cuts) -> None:
    """I7: who may evict whom, what queues deserve and what they are guaranteed."""
    eviction_causes(form.model, form.problem, form.classes, form.variables, evictions)


def _needed(form: Formulation, evictions: Evictions, _: Cuts) -> None:
    """I7: whoever may evict a victim takes some of its room."""
    victim_needed(form, evictions)


def _cuts(form: Formulation, evictions: Evictions, cuts: Cuts) -> None:
    """What depends on where newcomers are and on the next round is no row until a plan breaks it."""
    for cut in cuts:
        if isinstance(cut, PlanCut):
            plan_cut(form, evictions, cut)
        else:
            _cut(form, evictions, cut)


Post = Callable[[Formulation, Evictions, Cuts], None]
EVICTION_CONSTRAINTS: Mapping[RuleId, Post] = {
    RuleId.DISRUPTION_BUDGET: _budgets,
    RuleId.VICTIM_CAUSE: _causes,
    RuleId.VICTIM_ENTITLEMENT: _causes,
    RuleId.GUARANTEE_KEPT: _causes,
    RuleId.VICTIM_NEEDED: _needed,
    RuleId.NO_UNDOING: _cuts,
}
"""The rules on victims that have rows; :data:`~models.rules.RuleId` tags each row."""


def _receives_or_loses(form: Formulation, evictions: Evictions) -> None:
    """G4: a gang that loses pods receives none: ``u <= count (1 - h)``, ``z <= 1 - h``."""
    class_of = {one.demands[0]: k for k, one in enumerate(form.classes)}
    for gang, hit in evictions.hit.items():
        k = class_of[evictions.victims.gangs[gang].demand]
        form.model.at_most([*form.variables.start_of(k), (hit, 1)], 1, "receives_or_loses")
        for i, item in enumerate(form.classes[k].example.items):
            terms = [*form.variables.pods_of(k, i), (hit, item.count)]
            form.model.at_most(terms, item.count, "receives_or_loses")


def _emptied_nodes(form: Formulation, evictions: Evictions) -> None:
    """Nodes that hold no GPU pod any more: all theirs are evicted, and new ones fit into what the other nodes free.

    ``sum request x <= room + freed - (room of a node + what its GPU pods hold) * emptied`` for equal nodes.
    """
    victims = evictions.victims
    requests, gpus = form.asked, form.problem.shape_gpus
    for g, column in evictions.emptied.items():
        group = form.groups[g]
        held = min(victims.gpu_pods[node] for node in group.nodes)
        gone: Terms = [
            (c, -pods) for kind, c, pods in evictions.by_group[g] if victims.kinds[kind].gpus
        ]
        form.model.at_most([(column, held), *gone], 0, "emptied_nodes")
        members = [(s, c) for s, c in form.by_group.get(g, ()) if gpus[s] > 0]
        if group.size == 1:  # ``x <= most (1 - emptied)``
            for _, placed in members:
                most = form.model.upper[placed]
                form.model.at_most([(placed, 1), (column, most)], most, "emptied_nodes")
            continue
        for d in range(len(form.problem.dimensions)):
            terms = [(c, requests[s][d]) for s, c in members if d in requests[s]]
            if not terms:
                continue
            full = group.largest[d] * group.size
            form.model.at_most([*terms, (column, group.largest[d])], full, "emptied_nodes")
            if group.equal:
                lost = group.room[d] // group.size + sum(
                    victims.kinds[kind].vector[d] * count // group.size
                    for kind, count in group.victims
                    if victims.kinds[kind].gpus
                )
                terms += form.freed(g, d)
                form.model.at_most([*terms, (column, lost)], group.room[d], "emptied_nodes")


def _cut(form: Formulation, evictions: Evictions, cut: EvictionCut) -> None:
    """At least one part of the combination differs."""
    ways: Terms = []
    for (kind, node), count in cut.at_least.items():
        lost = [
            term
            for (one, g), term in evictions.pods.items()
            if one == kind and (node < 0 or node in form.groups[g].nodes)
        ]
        most = sum(form.model.upper[column] * pods for column, pods in lost)
        fewer = form.model.variable(0, 1)
        terms = [*lost, (fewer, most - count + 1)]
        form.model.at_most(terms, most, cut.rule)
        ways.append((fewer, 1))
    class_of = {one.demands[0]: k for k, one in enumerate(form.classes)}
    for demand, count in cut.starts.items():
        k = class_of[demand]
        fewer = form.model.variable(0, 1)
        size = form.classes[k].size
        terms = [*form.variables.start_of(k), (fewer, size - count + 1)]
        form.model.at_most(terms, size, cut.rule)
        ways.append((fewer, 1))
    for demand, count in cut.at_most.items():
        k = class_of[demand]
        if count < form.classes[k].size:
            more = form.model.variable(0, 1)
            terms = [*form.variables.start_of(k), (more, -(count + 1))]
            form.model.at_least(terms, 0, cut.rule)
            ways.append((more, 1))
    form.model.at_least(ways, 1, cut.rule)


def plan_cut(form: Formulation, evictions: Evictions, cut: PlanCut) -> None:
    """At least one start or victim differs: ``sum of differences >= 1``."""
    values: dict[int, int] = {}
    for k, one in enumerate(form.classes):
        for column, _ in form.variables.start_of(k):
            values[column] = cut.starts.get(one.demands[0], 0)
    evicted = cut.evicted
    for (kind, g), (column, pods) in evictions.pods.items() if evicted is not None else ():
        values[column] = (evicted or {}).get((kind, form.groups[g].nodes[0]), 0) // pods
    terms: Terms = []
    full = 0
    for column, value in values.items():
        most = form.model.upper[column]
        if value == 0:
            terms.append((column, 1))
        elif value == most:
            terms.append((column, -1))
            full += most
        else:
            terms += _differs(form, column, value)
    form.model.at_least(terms, 1 - full, "cut")


def _differs(form: Formulation, column: int, value: int) -> Terms:
    """Two switches of which one may be 1 only where the variable is less, the other only where it is more."""
    most = form.model.upper[column]
    less, more = form.model.variable(0, 1), form.model.variable(0, 1)
    form.model.at_most([(column, 1), (less, most - value + 1)], most, "cut")
    form.model.at_least([(column, 1), (more, -(value + 1))], 0, "cut")
    return [(less, 1), (more, 1)]


def eviction_values(
    form: Formulation, values: list[int], evicted: frozenset[str], receiving: Collection[int]
) -> list[int]:
    """The values with those that a plan's evictions determine; justifying variables stay 0.

    ``receiving`` holds the nodes that receive pods with GPUs.
    """
    evictions = form.evictions
    if evictions is None:
        return values
    victims = evictions.victims
    group_of = {node: g for g, group in enumerate(form.groups) for node in group.nodes}
    lost: Counter[int] = Counter()
    domains: set[int] = set()
    gpu_pods: Counter[int] = Counter()
    for one in victims.pods:
        count = sum(name in evicted for name in one.names)
        if not count:
            continue
        kind = victims.kinds[one.kind]
        g = group_of[one.node]
        column, _ = evictions.pods[one.kind, g]
        if column != evictions.given_up.get(kind.gang):
            values[column] += count
        domains.add(victims.domains[one.node])
        lost[kind.gang] += count
        gpu_pods[one.node] += count if kind.gpus else 0
    for gang, column in evictions.given_up.items():
        values[column] = int(lost[gang] == victims.gangs[gang].running)
    for gang, column in evictions.hit.items():
        values[column] = int(lost[gang] > 0)
    for key, column in evictions.domains.items():
        values[column] = len(domains.intersection(key))
    for node, count in gpu_pods.items():
        emptied = evictions.emptied.get(group_of[node])
        if emptied is not None and count == victims.gpu_pods[node] and node not in receiving:
            values[emptied] += 1
    return values
