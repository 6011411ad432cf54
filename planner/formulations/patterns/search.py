"""A plan from patterns: bound, patterns near its prices and from balanced packings, then whole numbers of each."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.formulations.patterns.bound import PatternBound, pattern_bound, pod_prices, whole_bound
from planner.formulations.patterns.master import Master
from planner.formulations.patterns.node_fill import balanced, made_to_fit
from planner.formulations.patterns.pricing import FloatArray, Pricer
from planner.formulations.patterns.problem import PatternProblem
from planner.problem.placement import IntArray

SHARES = (0.35, 0.5, 0.6)
"""Parts of the time after which bound, balanced packings and pricing end; the rest is for whole numbers."""
POWERS = (2.0, 1.0, 4.0)
"""How much more a scarce resource counts in balanced packings."""
SLACK = 10
STALLED = 12
Spot = tuple[int, int, int]
"""Shape, node, pods."""


@dataclass(frozen=True)
class PatternPlan:
    """Pods on nodes and a bound on the GPUs of all pods of the problem."""

    spots: tuple[Spot, ...]
    bound: int


def pattern_plan(
    problem: PatternProblem, seconds: float, stopped: Callable[[], bool], *, seed: int = 0
) -> PatternPlan:
    """The best plan found within the time, and the bound."""
    began = time.perf_counter()

    def late(share: float) -> bool:
        return stopped() or time.perf_counter() - began > share * seconds

    seeds = _seeds(problem)
    bound = pattern_bound(problem, late, SHARES[0], seeds)
    master = Master(problem, sums=False)
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
    value = min(bound.value, _improve(problem, master, late))
    master.solve()
    left = max(seconds - (time.perf_counter() - began), 1.0)
    uses = master.whole(left, SLACK, seed)
    return PatternPlan(tuple(_spots(problem, master, uses)), value)


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


def _improve(problem: PatternProblem, master: Master, late: Callable[[float], bool]) -> int:
    """Patterns that keep within the nodes, priced at the prices of the strict program; the best bound on the way."""
    best = float((problem.value[problem.kind] * problem.supply).sum())
    down, up = Pricer(problem, down=True), Pricer(problem, down=False)
    last, stalled = -1.0, 0
    while stalled < STALLED and not late(SHARES[2]):
        value = master.solve()
        slots, nodes = master.slot_prices(), master.node_prices()
        types = [t for t in range(len(problem.nodes)) if problem.number[t]]
        beyond: list[int] = []
        grew = False
        priced = down.price(slots, types, {})
        own = sum(float(problem.number[t]) * one.value for t, one in priced.items())
        best = min(best, own + float(problem.supply @ pod_prices(problem, slots)))
        for t, one in priced.items():
            if one.value <= nodes[t] + 1e-6 * max(nodes[t], 1.0):
                continue
            if not problem.fits(t, one.pattern):
                beyond.append(t)
            pattern = made_to_fit(problem, t, one.pattern, slots[problem.site[t]])
            grew = master.add(t, pattern) or grew
        grew = _priced_down(problem, master, up, slots, beyond) or grew
        stalled = stalled + 1 if value <= last * (1 + 1e-5) else 0
        last = max(last, value)
        if not grew:
            break
    return whole_bound(best)


def _priced_down(
    problem: PatternProblem, master: Master, pricer: Pricer, slots: FloatArray, types: list[int]
) -> bool:
    """For nodes that the priced pattern exceeds: a price on what is exceeded, halved between too low and too high."""
    grew = False
    for t in types:
        worth = slots[problem.site[t]]
        low, high = 0.0, -1.0
        direction = np.array(
            [
                0.0 if r == pricer.resource else 1.0 / max(int(n), 1)
                for r, n in enumerate(problem.room[t])
            ]
        )
        price = float(worth.max()) / 4
        for _ in range(6):
            priced = pricer.price(slots, [t], {t: direction * price})[t]
            grew = master.add(t, made_to_fit(problem, t, priced.pattern, worth)) or grew
            if problem.fits(t, priced.pattern):
                high = price
            else:
                low = price
            price = (low + high) / 2 if high > 0 else 2 * price
    return grew


def _spots(problem: PatternProblem, master: Master, uses: IntArray) -> list[Spot]:
    """Pods of the flows on the slots of whole patterns, node by node."""
    slots: dict[tuple[int, int], list[list[int]]] = {}
    used = [0] * len(problem.nodes)
    for (t, pattern), count in zip(master.patterns, uses, strict=True):
        for _ in range(min(int(count), int(problem.number[t]) - used[t])):
            node = problem.nodes[t][used[t]]
            used[t] += 1
            for kind, n in pattern.items():
                slots.setdefault((int(problem.site[t]), kind), []).append([node, n])
    spots: list[Spot] = []
    for (site, source), pods in zip(master.flows, np.rint(master.flow()), strict=True):
        left = int(pods)
        places = slots.get((site, int(problem.kind[source])), [])
        while left and places:
            place = places[-1]
            take = min(left, place[1])
            spots.append((problem.shapes[source], place[0], take))
            place[1] -= take
            left -= take
            if not place[1]:
                places.pop()
    return spots
