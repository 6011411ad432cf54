"""The default objective as tiers over the placement model (conformance cases, "The default objective")."""

from __future__ import annotations

from collections.abc import Sequence

from planner.model.domain_tiers import domain_tiers
from planner.model.harm import harm_tier, harm_tiers
from planner.model.rows import Formulation, Shortfall
from planner.model.variables import Terms
from planner.problem.linear import Expression, TierGoal
from planner.problem.tier_names import ALL_COVERED
from planner.reduce.gang_classes import RankKind, in_tier_order

FULL = 1000
"""Shortfall in thousandths of what a queue deserves."""
EIGHTH = FULL // 8
HARM_UNITS = {
    "working_evicted": "GPUs",
    "gangs_given_up": "gangs",
    "pods_evicted": "pods",
    "pods_moved": "pods",
    "lost_work": "GPU-seconds",
    "eviction_domains": "domains",
}
SLOPES = tuple(2**eighth for eighth in range(8))


def shortfall_cost(thousandths: int) -> int:
    """f(u): convex, piecewise linear, slope 1, 2, 4 … 128 on the eighths of 0…1000."""
    total = 0
    for eighth, slope in enumerate(SLOPES):
        total += slope * min(max(thousandths - eighth * EIGHTH, 0), EIGHTH)
    return total


def shortfall_of(deserved_milli: int, gpus: int, scale: int = 1000) -> int:
    """U = ceil(1000 (deserved - gpus) / deserved), at least 0; deserved in thousandths, ``scale`` of them per unit."""
    return max(-(-FULL * (deserved_milli - scale * gpus) // deserved_milli), 0)


def start_tiers(
    form: Formulation, *, cluster_scope: bool = False, fair: bool = False
) -> list[TierGoal]:
    """Shortfall, GPUs, gangs and elastic pods of every class and rank, highest first.

    Elastic pods have a tier where gangs of the rank can receive any. ``fair``: the shortfall of class covered is one
    tier over all its ranks, before the others.
    """
    starting: dict[RankKind, list[int]] = {}
    growing: dict[RankKind, list[int]] = {}
    for k, one in enumerate(form.classes):
        if not one.growing:
            starting.setdefault((one.tier_class, one.rank), []).append(k)
        if one.most_elastic > 0:
            growing.setdefault((one.grows_in, one.rank), []).append(k)
    covered = [k for kind, members in starting.items() for k in members if kind[0] == "covered"]
    found: list[TierGoal] = []
    so_far: list[int] = []
    if fair and covered:
        found.append(_shortfall(form, ALL_COVERED, covered))
        so_far += covered
    for name, rank in in_tier_order((*starting, *growing), cluster_scope=cluster_scope):
        prefix = f"{name}.{rank}"
        members = starting.get((name, rank), [])
        if members:
            together = fair and name == "covered"
            if not together:
                so_far += members
            if name != "all" and not together:
                found.append(_shortfall(form, f"{prefix}.shortfall", so_far))
            found.append(_sum(form, f"{prefix}.gpus", form.problem.gpu_unit, members, gpus=True))
            found.append(_sum(form, f"{prefix}.gangs", "gangs", members, gpus=False))
        if (name, rank) in growing:
            found.append(_elastic(form, f"{prefix}.elastic", growing[name, rank]))
    return found


def named_tiers(
    form: Formulation, names: Sequence[str], *, cluster_scope: bool = False
) -> list[TierGoal]:
    """A policy's own list, in its order; tiers that count nothing here are left out.

    Without evictions the tiers of harm are 0. Where nothing of the list counts, the tail decides.
    """
    waiting = [k for k, one in enumerate(form.classes) if not one.growing]
    every = (
        _sum(form, "all.1.gpus", form.problem.gpu_unit, waiting, gpus=True),
        _sum(form, "all.1.gangs", "gangs", waiting, gpus=False),
    )
    anyone = range(len(form.classes))
    elastic = [_elastic(form, name, anyone) for name in ("elastic", "all.1.elastic")]
    harm = [TierGoal(name, "min", unit, Expression(), 0) for name, unit in HARM_UNITS.items()]
    start = start_tiers(form, cluster_scope=cluster_scope)
    tail = tail_tiers(form)
    idle = [harm_tier(form.evictions, "idle")] if form.evictions else []
    tiers = (*(every if waiting else ()), *elastic, *start, *harm, *idle, *tail)
    known = {tier.name: tier for tier in tiers}
    return [known[name] for name in names if name in known] or tail


def _sum(
    form: Formulation, name: str, unit: str, members: Sequence[int], *, gpus: bool
) -> TierGoal:
    terms: Terms = []
    ideal = 0
    for k in members:
        weight = form.classes[k].example.gpus if gpus else 1
        if weight:
            terms += form.variables.start_of(k, weight)
            ideal += weight * form.classes[k].size
    return TierGoal(name, "max", unit, _expression(terms), ideal)


def _shortfall(form: Formulation, name: str, members: Sequence[int]) -> TierGoal:
    """Sum of f(u_q): ``D v_q >= 1000 (D - scale (R_q + S_q))`` and ``F_q >= line_e(v_q)`` for the eighths e.

    A queue that no further gang is in since an earlier tier has its columns.
    """
    problem, model = form.problem, form.model
    started: dict[int, Terms] = {}
    most: dict[int, int] = {}
    for k in members:
        demand = form.classes[k].example
        if demand.gpus:
            started.setdefault(demand.queue, []).extend(form.variables.start_of(k, demand.gpus))
            most[demand.queue] = most.get(demand.queue, 0) + demand.gpus * form.classes[k].size
    known = {(one.queue, one.started): one for one in form.shortfalls}
    terms: Terms = []
    constant = ideal = 0
    for queue, deserved in problem.deserved_milli_gpus.items():
        running = problem.running_gpus.get(queue, 0)
        scale = problem.gpu_scale
        now = shortfall_of(deserved, running, scale)
        best = shortfall_of(deserved, running + most.get(queue, 0), scale)
        ideal += shortfall_cost(best)
        if now == best:
            constant += shortfall_cost(now)
            continue
        gains = tuple(started[queue])
        one = known.get((queue, gains))
        if one is None:
            v = model.variable(best, now)
            f = model.variable(shortfall_cost(best), shortfall_cost(now))
            one = Shortfall(queue, v, f, deserved, running, gains)
            form.shortfalls.append(one)
            gained = [(column, FULL * scale * c) for column, c in gains]
            least = FULL * (deserved - scale * running)
            model.at_least([(v, deserved), *gained], least, "shortfall")
            for start, slope in _lines(best, now):
                least = shortfall_cost(start) - slope * start
                model.at_least([(f, 1), (v, -slope)], least, "shortfall")
        terms.append((one.cost, 1))
    return TierGoal(name, "min", "points", _expression(terms, constant), ideal)


def _lines(low: int, high: int) -> list[tuple[int, int]]:
    """Start and slope of the eighths between two shortfalls: no other line is above them there."""
    ends = [(eighth * EIGHTH, slope) for eighth, slope in enumerate(SLOPES)]
    return [(start, slope) for start, slope in ends if start < high and low < start + EIGHTH]


def tail_tiers(form: Formulation) -> list[TierGoal]:
    """Least harm where evictions are possible, fewest domains, GPUs left on nodes without GPU pods."""
    harm = harm_tiers(form.evictions) if form.evictions else []
    return [*harm, *domain_tiers(form), _packing(form)]


def _elastic(form: Formulation, name: str, members: Sequence[int]) -> TierGoal:
    """Most pods beyond the minima of started gangs, and of running gangs."""
    terms: Terms = []
    ideal = 0
    for k in members:
        one = form.classes[k]
        for i in range(len(one.example.items)):
            terms += form.variables.pods_of(k, i)
        least = 0 if one.growing else one.example.minimum[form.problem.pods_dimension]
        terms += form.variables.start_of(k, -least)
        ideal += one.most_elastic * one.size
    return TierGoal(name, "max", "pods", _expression(terms), ideal)


def _packing(form: Formulation) -> TierGoal:
    """GPUs of nodes on which no GPU pod is after the plan."""
    problem = form.problem
    idle = int(problem.node_gpus[~problem.node_has_gpu_pods].sum())
    terms = [(column, -form.groups[g].gpus) for g, column in form.variables.used.items()]
    ideal = idle
    for g, column in form.evictions.emptied.items() if form.evictions else ():
        terms.append((column, form.groups[g].gpus))
        ideal += form.groups[g].gpus * form.groups[g].size
    return TierGoal("packing", "max", problem.gpu_unit, _expression(terms, idle), ideal)


def _expression(terms: Terms, constant: int = 0) -> Expression:
    merged: dict[int, int] = {}
    for column, coefficient in terms:
        merged[column] = merged.get(column, 0) + coefficient
    kept = {column: c for column, c in merged.items() if c}
    return Expression(tuple(kept), tuple(kept.values()), constant)
