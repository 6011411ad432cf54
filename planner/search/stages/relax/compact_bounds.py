"""Bounds of a plan without ways into domains, for searches whose time ends before ways would have proved all tiers.

Beside the optima that ways proved, the relaxation without them tells nearly as much of the last ranks, and it takes
a third of the time. On a second core it is solved for the optima while gangs are brought to nodes; what the plan misses
of them changes only sides then.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from planner.model.build import BuiltModel
from planner.problem.limits import Limits
from planner.runtime.concurrent import Meanwhile
from planner.runtime.machine import usable_cores
from planner.solve.backend import Pin
from planner.solve.generated import GeneratedBounds
from planner.solve.relaxed_chain import RelaxedChain

PROVING = 0.6
"""Part of the seconds of a relaxation with ways that proving a plan of it with ways takes."""
PLAINLY = 0.3
"""The same without ways."""
PLACING = 1.9
"""Part of these seconds that bringing gangs to nodes takes."""
MOST = 1 / 6
"""Part of the limit at most that is kept for bounds."""


class PlainBounds:
    """The tiers of a chain relaxed without ways, in a thread where there is a core for it.

    A chain that went on without ways is one already. Without a second core nothing is relaxed beforehand: what the plan
    needs is, once it is there.
    """

    def __init__(
        self,
        built: BuiltModel,
        chain: RelaxedChain,
        seconds: float,
        stopped: Callable[[], bool],
        *,
        workers: int,
    ) -> None:
        with_ways = isinstance(chain.relaxation, GeneratedBounds)
        beside = with_ways and workers != 1 and usable_cores() > 1
        until = time.perf_counter() + (seconds if beside else 0.0)
        self._work = Meanwhile(
            lambda: _beside(built, chain, until, stopped) if with_ways else chain
        )
        if beside:
            self._work.begin()

    @classmethod
    def where_hurried(
        cls,
        built: BuiltModel,
        chain: RelaxedChain,
        took_s: float,
        left_s: float,
        limits: Limits,
        stopped: Callable[[], bool],
    ) -> tuple[float, PlainBounds | None]:
        """The seconds that bounds of a plan will need, and those without ways where time is short.

        ``took_s`` is what the chain took.
        """
        short = hurried(took_s, left_s)
        needed = min((PLAINLY if short else PROVING) * took_s, limits.time_limit_s * MOST)
        if not short:
            return needed, None
        return needed, cls(built, chain, left_s, stopped, workers=limits.workers)

    def chain(self) -> RelaxedChain:
        """The tiers as far as they were relaxed in time."""
        return self._work.result()


def hurried(relaxed_s: float, left_s: float) -> bool:
    """Whether ``left_s`` seconds do not suffice to place gangs and to prove the plan with ways."""
    return left_s < (PLACING + PROVING) * relaxed_s


def _beside(
    built: BuiltModel, chain: RelaxedChain, until: float, stopped: Callable[[], bool]
) -> RelaxedChain:
    """Tier after tier beside the pins of another chain, until a time of the clock."""
    found = RelaxedChain(built.model, built.tiers, workers=1)
    for step in chain.steps:
        left = until - time.perf_counter()
        if left <= 0 or stopped() or not found.extend(step.goal, seconds=left):
            break
        found.relaxation.pin(Pin(step.goal, step.pin))
    return found
