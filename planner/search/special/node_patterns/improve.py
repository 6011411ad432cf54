"""More patterns for the strict program, whose patterns keep within the nodes, at its own prices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from planner.search.special.node_patterns.bound import pod_prices, whole_bound
from planner.search.special.node_patterns.master import Master
from planner.search.special.node_patterns.node_fill import made_to_fit
from planner.search.special.node_patterns.pricing import FloatArray, Priced, Pricer
from planner.search.special.node_patterns.problem import PatternProblem

STALLED = 12
"""Rounds without any progress after which no more patterns are priced."""


def improve(problem: PatternProblem, master: Master, late: Callable[[], bool]) -> int:
    """Patterns that keep within the nodes, priced at the prices of the strict program; the best bound on the way."""
    best = problem.most
    growth = Growth(problem, master)
    last, stalled = -1.0, 0
    while stalled < STALLED and not late():
        value = master.solve()
        priced, grew = growth.step()
        own = sum(float(problem.number[t]) * one.value for t, one in priced.items())
        best = min(best, own + float(problem.supply @ pod_prices(problem, master.slot_prices())))
        stalled = stalled + 1 if value <= last * (1 + 1e-5) else 0
        last = max(last, value)
        if not grew:
            break
    return whole_bound(best)


class Growth:
    """Adds the patterns that a solved master program lacks most."""

    def __init__(self, problem: PatternProblem, master: Master) -> None:
        self._problem, self._master = problem, master
        self._down = Pricer(problem, down=True, meter=master.meter)
        self._up = Pricer(problem, down=False, meter=master.meter)

    def step(self) -> tuple[dict[int, Priced], bool]:
        """The best pattern of each type at the present prices (perhaps beyond a node), and whether any was added."""
        problem, master = self._problem, self._master
        slots, nodes = master.slot_prices(), master.node_prices() + master.costs
        types = [t for t in range(len(problem.nodes)) if problem.number[t]]
        beyond: list[int] = []
        grew = False
        priced = self._down.price(slots, types, {})
        for t, one in priced.items():
            if one.value <= nodes[t] + 1e-6 * max(nodes[t], 1.0):
                continue
            if not problem.fits(t, one.pattern):
                beyond.append(t)
            pattern = made_to_fit(problem, t, one.pattern, slots[problem.site[t]])
            grew = master.add(t, pattern) or grew
        return priced, priced_down(problem, master, self._up, slots, beyond) or grew


def priced_down(
    problem: PatternProblem, master: Master, pricer: Pricer, slots: FloatArray, types: list[int]
) -> bool:
    """For nodes that a priced pattern exceeds: a price on what is exceeded, halved between too low and too high."""
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
