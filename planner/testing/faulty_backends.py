"""Backends that misbehave as solvers do, to test that a plan survives them."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from planner.problem.linear import LinearModel, RawSolution, TierGoal
from planner.solve.backend import BoundSink, Feature, Pin, SolveLimits


class FaultyBackend:
    """Does one of three things instead of solving.

    Parameters
    ----------
    fault
        ``hang`` (never comes back, whatever the limit), ``raise`` (an exception) or ``die`` (the process ends).
    """

    features: frozenset[Feature] = frozenset()

    def __init__(self, fault: str) -> None:
        self.name = f"faulty ({fault})"
        self._fault = fault

    def solve(
        self,
        model: LinearModel,
        goal: TierGoal,
        *,
        pins: Sequence[Pin],
        limits: SolveLimits,
        hint: Sequence[int] | None = None,
        report: BoundSink | None = None,
    ) -> RawSolution:
        """Never return a solution."""
        if self._fault == "die":
            os._exit(9)
        if self._fault == "raise":
            raise RuntimeError("the solver lost its way")
        while True:
            time.sleep(0.05)
