"""A plan from patterns: bound, patterns near its prices and from balanced packings, then whole numbers of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.problem.meter import Meter
from planner.problem.placement import IntArray
from planner.search.special.node_patterns.bound import PatternBound, pattern_bound, whole_bound
from planner.search.special.node_patterns.fewest import Fewest, fewest, least_used
from planner.search.special.node_patterns.improve import improve
from planner.search.special.node_patterns.master import SLACK, Master
from planner.search.special.node_patterns.node_fill import balanced, made_to_fit
from planner.search.special.node_patterns.problem import PatternProblem
from planner.search.special.node_patterns.spots import Spot, spots_of

SHARES = (0.35, 0.5, 0.6)
"""Parts of the time after which bound, balanced packings and pricing end; the rest is for whole numbers."""
POWERS = (2.0, 1.0, 4.0)
"""How much more a scarce resource counts in balanced packings."""


@dataclass(frozen=True)
class PatternPlan:
    """Pods on nodes and a bound on the GPUs of all pods of the problem; where all are placed, a plan on few nodes."""

    spots: tuple[Spot, ...]
    bound: int
    fewest: Fewest


def pattern_plan(
    problem: PatternProblem,
    seconds: float,
    stopped: Callable[[], bool],
    *,
    seed: int = 0,
    meter: Meter | None = None,
    bounded: Callable[[int], None] = lambda bound: None,
    below: PatternProblem | None = None,
) -> PatternPlan:
    """The best plan found within the time (units of work, where the meter counts them), and the bound.

    ``bounded`` is called with bounds as soon as they are known, before anything is searched for and after pricing.
    Bounds of a rounded problem are those of ``below``, the same problem rounded down.
    """
    meter = meter or Meter(deterministic=False)
    began = meter.now()

    def late(share: float) -> bool:
        return stopped() or meter.now() - began > share * seconds

    below = below or problem
    bounded(whole_bound(below.most))
    seeds = _seeds(below)
    bound = pattern_bound(below, late, SHARES[0], seeds, meter)
    value = bound.value
    bounded(value)
    if problem.rounded:
        seeds = _seeds(problem)
        bound = pattern_bound(problem, late, SHARES[1], seeds, meter)
    master = Master(problem, sums=False, meter=meter)
    for t, pattern in seeds:
        master.add(t, pattern)
    for power in POWERS:
        if power != POWERS[0] and late(SHARES[1]):
            break
        for t, pattern in _balanced(problem, bound, power):
            master.add(t, pattern)
    for t, pattern in bound.master.patterns:
        worth = bound.slots[problem.site[t]] - problem.asks @ bound.loads[t]
        master.add(t, made_to_fit(problem, t, pattern, worth))
    own = improve(problem, master, lambda: late(SHARES[2]))
    value = value if problem.rounded else min(value, own)
    master.solve()
    left = max(seconds - (meter.now() - began), 1.0)
    spots = spots_of(problem, master, master.whole(left, SLACK, seed))
    left = seconds - (meter.now() - began)
    if value < problem.all_gpus or left <= 0 or problem.rounded:
        return PatternPlan(spots, value, least_used(below, spots))
    return PatternPlan(spots, value, fewest(problem, master.patterns, left, stopped, seed, meter))


def _seeds(problem: PatternProblem) -> list[tuple[int, dict[int, int]]]:
    """Patterns of a balanced packing of all pods, the most numerous nodes first."""
    left = np.zeros(len(problem.value), dtype=np.int64)
    np.add.at(left, problem.kind, problem.supply)
    found: list[tuple[int, dict[int, int]]] = []
    for t in sorted(range(len(problem.nodes)), key=lambda t: -int(problem.number[t])):
        targets = np.minimum(left, problem.wanted[problem.site[t]])
        before = targets.copy()
        found += [(t, one) for one in balanced(problem, t, targets, POWERS[0])]
        left -= before - targets
    return found


def _balanced(
    problem: PatternProblem, bound: PatternBound, power: float
) -> list[tuple[int, dict[int, int]]]:
    """Patterns of a packing of what the linear program puts on each type; leftovers go on to types that follow."""
    flow = np.zeros((len(problem.open), len(problem.value)))
    for (site, source), pods in zip(bound.master.flows, bound.master.flow(), strict=True):
        flow[site, problem.kind[source]] += pods
    slots = np.zeros((len(problem.nodes), len(problem.value)))
    for (t, pattern), uses in zip(bound.master.patterns, bound.master.uses(), strict=True):
        for kind, n in pattern.items():
            slots[t, kind] += uses * n
    found: list[tuple[int, dict[int, int]]] = []
    left: dict[int, IntArray] = {}
    order = sorted(range(len(problem.nodes)), key=lambda t: -int(problem.number[t]))
    for t in reversed(order):
        site = int(problem.site[t])
        total = slots[problem.site == site].sum(axis=0)
        share = np.where(total > 1e-9, slots[t] / np.maximum(total, 1e-9), 0.0)
        targets = np.floor(share * flow[site] + 0.5).astype(np.int64)
        targets += left.pop(site, np.zeros_like(targets))
        found += [(t, one) for one in balanced(problem, t, targets, power)]
        left[site] = targets
    return found
