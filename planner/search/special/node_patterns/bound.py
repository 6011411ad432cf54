"""A bound on the GPUs of any plan: patterns of nodes with the other resources in sum, priced until nothing improves.

With any prices ``p`` of slots, ``q`` of resources at a type and ``r_s = max(0, max over sites (value - p))`` of pods,
``sum supply_s r_s + sum_t nodes_t (best_t(p - q asks) + q room_t)`` bounds every plan (Lagrange). ``best`` comes from
prices rounded in favour of the bound, so that the number holds whatever the linear program's tolerances are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from planner.problem.meter import Meter
from planner.search.special.node_patterns.master import Master
from planner.search.special.node_patterns.pricing import FloatArray, Pricer
from planner.search.special.node_patterns.problem import Pattern, PatternProblem

CLOSE = 2e-4
"""Relative distance of bound and linear program at which the search for prices ends."""
MOST_ROUNDS = 2_000


@dataclass(frozen=True)
class PatternBound:
    """The bound with the prices that gave it, and the linear program over (relaxed) patterns.

    Attributes
    ----------
    value
        Upper bound on the GPUs of the pods.
    slots, loads
        Prices of slots and of resources of the last round.
    """

    value: int
    slots: FloatArray
    loads: FloatArray
    master: Master


def pattern_bound(
    problem: PatternProblem,
    late: Callable[[float], bool],
    share: float,
    seeds: Sequence[tuple[int, Pattern]] = (),
    meter: Meter | None = None,
) -> PatternBound:
    """Generate patterns, from ``seeds`` on, until the bound is close or the share of the time is spent."""
    pricer = Pricer(problem, down=True, meter=meter)
    master = Master(problem, sums=True, meter=meter)
    for t, pattern in seeds:
        master.add(t, pattern)
    types = range(len(problem.nodes))
    best = problem.most
    slots = np.tile(problem.value.astype(np.float64), (len(problem.open), 1))
    loads = np.zeros_like(problem.room, dtype=np.float64)
    for number in range(MOST_ROUNDS):
        reached = master.solve()
        if number or seeds:
            slots, loads = master.slot_prices(), master.load_prices()
        others = loads.copy()
        penalty = {t: others[t] for t in types if others[t].any()}
        priced = pricer.price(slots, types, penalty)
        total = float(problem.supply @ pod_prices(problem, slots))
        grew = False
        for t, one in priced.items():
            total += float(problem.number[t]) * (one.value + float(loads[t] @ problem.room[t]))
            grew = master.add(t, one.pattern) or grew
        best = min(best, total)
        if not grew or best - reached <= CLOSE * max(reached, 1.0) or late(share):
            break
    return PatternBound(whole_bound(best), slots, loads, master)


def whole_bound(best: float) -> int:
    """A bound in whole units, on the safe side of the arithmetic."""
    return math.floor(best * (1 + 1e-9) + 1e-6)


def pod_prices(problem: PatternProblem, slots: FloatArray) -> FloatArray:
    """``[sources]`` what a pod is worth beyond the price of its dearest slot, at least 0."""
    gain = problem.worth[None, :] - slots[:, problem.kind]
    return np.asarray(np.where(problem.open, gain, 0.0).max(axis=0, initial=0.0))
