"""I7, causes: every victim is preempted inside its queue, or reclaimed by an entitled gang of another queue.

Variables: p_qw whether some gang of queue q above priority w starts, r_v reclaimed pods of kind v, n_k entitled gangs
of class k. A pod that may be preempted needs no reclaimer, so r_v may be less than what is evicted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from models.rules import RuleId
from planner.model.entitlement import entitled_gangs
from planner.model.evictions import Evictions
from planner.model.over_deserved import at_once, over_deserved
from planner.model.variables import PlacementVariables, Terms
from planner.problem.linear import LinearModel
from planner.problem.placement import PlacementProblem
from planner.reduce.gang_classes import GangClass


@dataclass
class Causes:
    """Columns of causes: reclaimed pods per kind, entitled gangs per class.

    ``freely`` holds kinds that may be reclaimed without a look at their queue: the switch that some entitled gang sets.
    """

    reclaimed: dict[int, int] = field(default_factory=dict)
    freely: dict[int, int] = field(default_factory=dict)
    entitled: dict[int, Terms] = field(default_factory=dict)


def eviction_causes(
    model: LinearModel,
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    variables: PlacementVariables,
    evictions: Evictions,
) -> Causes:
    """``sum_g e_vg <= r_v + total_v p``, and all rules that r has to satisfy."""
    victims = evictions.victims
    causes = Causes()
    if victims.reclaim:
        causes.entitled = entitled_gangs(model, problem, classes, variables, evictions)
        _reclaimed(model, problem, classes, evictions, causes)
        over_deserved(model, problem, classes, evictions, causes.reclaimed, causes.entitled)
    preempting: dict[tuple[str, int], int | None] = {}
    for kind, total in evictions.totals.items():
        one = victims.kinds[kind]
        key = (one.queue, one.priority)
        if key not in preempting:
            preempting[key] = _preempting(model, problem, classes, variables, evictions, key)
        terms = evictions.of_kind(kind)
        if kind in causes.reclaimed:
            terms.append((causes.reclaimed[kind], -1))
        elif kind in causes.freely:
            terms.append((causes.freely[kind], -total))
        column = preempting[key]
        if column is not None:
            terms.append((column, -total))
        model.at_most(terms, 0, RuleId.VICTIM_CAUSE)
    return causes


def _preempting(
    model: LinearModel,
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    variables: PlacementVariables,
    evictions: Evictions,
    key: tuple[str, int],
) -> int | None:
    """p: some gang of the queue, above the priority and not barred from preempting, starts."""
    if not evictions.victims.preempt:
        return None
    queue, priority = key
    starts: Terms = []
    for k, one in enumerate(classes):
        starter = evictions.victims.starters[one.demands[0]]
        same = problem.queue_names[one.example.queue] == queue
        if same and starter.causes and starter.priority > priority:
            starts += variables.start_of(k)
    if not starts:
        return None
    column = model.variable(0, 1)
    model.at_most([(column, 1), *((c, -f) for c, f in starts)], 0, RuleId.VICTIM_CAUSE)
    return column


def _free_kinds(evictions: Evictions) -> set[int]:
    """Kinds of queues from which any pod may be taken at any time: nothing deserved or guaranteed counts."""
    victims = evictions.victims
    bound = {
        one.queue
        for kind in evictions.totals
        if not at_once(one := victims.kinds[kind], victims.shares[one.queue])
        or victims.shares[one.queue].guarantee
        or victims.exceeded_levels[one.queue]
    }
    return {kind for kind in evictions.totals if victims.kinds[kind].queue not in bound}


def _reclaimed(
    model: LinearModel,
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    evictions: Evictions,
    causes: Causes,
) -> None:
    """r_v, where some entitled gang of another queue asks for a dimension that the pod holds."""
    victims = evictions.victims
    switches: dict[tuple[int, ...], int] = {}
    free = _free_kinds(evictions)
    for kind, total in evictions.totals.items():
        one = victims.kinds[kind]
        if not one.reclaimable:
            continue
        members = tuple(
            k
            for k in causes.entitled
            if problem.queue_names[classes[k].example.queue] != one.queue
            and not victims.starters[classes[k].demands[0]].asks.isdisjoint(one.request)
        )
        if not members:
            continue
        if members not in switches:
            switches[members] = model.variable(0, 1)
            terms = [(c, -f) for k in members for c, f in causes.entitled[k]]
            model.at_most([(switches[members], 1), *terms], 0, RuleId.VICTIM_CAUSE)
        if kind in free:
            causes.freely[kind] = switches[members]
            continue
        causes.reclaimed[kind] = model.variable(0, total)
        terms = [(causes.reclaimed[kind], 1), (switches[members], -total)]
        model.at_most(terms, 0, RuleId.VICTIM_CAUSE)
