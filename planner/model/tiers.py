"""The default objective as tiers over the placement model (conformance cases, "The default objective")."""

from __future__ import annotations

from collections.abc import Sequence

from planner.model.domain_tiers import domain_tiers
from planner.model.harm import harm_tiers
from planner.model.rows import Formulation, Shortfall
from planner.model.variables import Terms
from planner.problem.linear import Expression, TierGoal

FULL = 1000
"""Shortfall in thousandths of what a queue deserves."""
EIGHTH = FULL // 8
HARM_UNITS = {
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
    form: Formulation, *, cluster_scope: bool = False, shortfall: bool = True
) -> list[TierGoal]:
    """Shortfall, GPUs and gangs of every class and rank, highest first."""
    kinds = {(one.tier_class, one.rank) for one in form.classes if not one.growing}
    order = {"covered": 0, "rest": 1, "all": 0}
    by = (lambda k: (k[1], order[k[0]])) if cluster_scope else (lambda k: (order[k[0]], k[1]))
    found: list[TierGoal] = []
    so_far: list[int] = []
    for name, rank in sorted(kinds, key=by):
        members = [
            k
            for k, one in enumerate(form.classes)
            if not one.growing and (one.tier_class, one.rank) == (name, rank)
        ]
        so_far += members
        prefix = f"{name}.{rank}"
        if shortfall and name != "all":
            found.append(_shortfall(form, f"{prefix}.shortfall", so_far))
        found.append(_sum(form, f"{prefix}.gpus", form.problem.gpu_unit, members, gpus=True))
        found.append(_sum(form, f"{prefix}.gangs", "gangs", members, gpus=False))
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
    harm = [TierGoal(name, "min", unit, Expression(), 0) for name, unit in HARM_UNITS.items()]
    start = start_tiers(form, cluster_scope=cluster_scope)
    tail = tail_tiers(form)
    known = {tier.name: tier for tier in (*(every if waiting else ()), *start, *harm, *tail)}
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
    """Least harm where evictions are possible, elastic pods, fewest domains, GPUs left on nodes without GPU pods."""
    harm = harm_tiers(form.evictions) if form.evictions else []
    return [*harm, _elastic(form), *domain_tiers(form), _packing(form)]


def _elastic(form: Formulation) -> TierGoal:
    """Most pods beyond the minima of started gangs, and of running gangs."""
    terms: Terms = []
    ideal = 0
    pods_dimension = form.problem.pods_dimension
    for k, one in enumerate(form.classes):
        for i, item in enumerate(one.example.items):
            terms += form.variables.pods_of(k, i)
            ideal += item.count // item.step * item.step * one.size
        least = 0 if one.growing else one.example.minimum[pods_dimension]
        terms += form.variables.start_of(k, -least)
        ideal -= least * one.size
    return TierGoal("elastic", "max", "pods", _expression(terms), ideal)


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
