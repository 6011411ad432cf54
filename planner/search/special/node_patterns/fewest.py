"""All pods on few nodes: the GPUs of nodes that become used, minimised over patterns, with a bound from their prices.

With prices ``p`` of slots no plan that places all pods uses fewer GPUs than
``sum_s supply_s min over sites p_s - sum_t nodes_t max(0, best_t(p) - gpus_t)`` (Lagrange).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from planner.problem.meter import Meter
from planner.search.special.node_patterns.improve import STALLED, Growth
from planner.search.special.node_patterns.master import SLACK, Master
from planner.search.special.node_patterns.pricing import Priced
from planner.search.special.node_patterns.problem import Pattern, PatternProblem
from planner.search.special.node_patterns.spots import Spot, spots_of

CLOSE = 2e-4
"""Relative distance of bound and linear program at which no more patterns are priced."""
PRICING_SHARE = 0.5


@dataclass(frozen=True)
class Fewest:
    """A plan of all pods (or no ``spots``), and the least GPUs of nodes that become used.

    Attributes
    ----------
    gpus, placed
        Plans that place so many GPUs (``placed``) need at least ``gpus`` on nodes without GPU pods so far.
    """

    spots: tuple[Spot, ...]
    gpus: int
    placed: int


def fewest(
    problem: PatternProblem,
    patterns: Iterable[tuple[int, Pattern]],
    seconds: float,
    stopped: Callable[[], bool],
    seed: int,
    meter: Meter,
) -> Fewest:
    """Begin with these patterns, which place all pods; more are priced for half of the time (or work)."""
    began = meter.now()
    master = Master(problem, sums=False, fewest=True, meter=meter)
    for t, pattern in patterns:
        master.add(t, pattern)
    growth = Growth(problem, master)
    best = _of_cards(problem, int(problem.on_cards[problem.kind] @ problem.supply))
    last, stalled = math.inf, 0
    while stalled < STALLED:
        used = -master.solve()
        priced, grew = growth.step()
        best = max(best, _least(problem, master, priced))
        stalled = stalled + 1 if used >= last * (1 - 1e-5) else 0
        last = min(last, used)
        late = stopped() or meter.now() - began > PRICING_SHARE * seconds
        if not grew or late or used - best <= CLOSE * max(used, 1.0):
            break
    master.solve()
    uses = master.whole(max(seconds - (meter.now() - began), 1.0), SLACK, seed)
    spots = spots_of(problem, master, uses) if master.solved else ()
    return Fewest(spots, _whole(problem, best), problem.all_gpus)


def _least(problem: PatternProblem, master: Master, priced: Mapping[int, Priced]) -> float:
    slots = master.slot_prices()[:, problem.kind]
    cheapest = np.where(problem.open, slots, np.inf).min(axis=0)
    beyond = sum(
        float(problem.number[t]) * max(one.value - float(problem.gpus[t]), 0.0)
        for t, one in priced.items()
    )
    return float(problem.supply @ cheapest) - beyond


def _whole(problem: PatternProblem, best: float) -> int:
    """A bound in whole nodes' GPUs, on the safe side of the arithmetic."""
    unit = int(np.gcd.reduce(problem.gpus)) or 1
    return max(math.ceil((best * (1 - 1e-9) - 1e-6) / unit), 0) * unit


def least_used(problem: PatternProblem, spots: Iterable[Spot]) -> Fewest:
    """A bound only: the cards of nodes that become used have to hold as many GPUs as are placed here."""
    source = {shape: index for index, shape in enumerate(problem.shapes)}
    pods = np.zeros(len(problem.shapes), dtype=np.int64)
    for shape, _, number in spots:
        pods[source[shape]] += number
    steps, worth = problem.on_cards[problem.kind], problem.worth
    placed = int(pods @ worth)
    if (worth * steps[0] != steps * worth[0]).any():
        return Fewest((), 0, placed)  # as many GPUs may take less of the cards
    return Fewest((), _whole(problem, _of_cards(problem, int(pods @ steps))), placed)


def _of_cards(problem: PatternProblem, steps: int) -> float:
    """GPUs of nodes that become used, at least, when so many steps of cards are taken."""
    held = problem.held
    fresh = (problem.gpus > 0) & (held > 0)
    needed = steps - int((held * problem.number)[~fresh].sum())
    if needed <= 0 or not fresh.any():
        return 0.0
    return needed * float((problem.gpus[fresh] / held[fresh]).min())
