"""Shares of a command's seconds: reading and preparing come first, explaining, verifying and writing last."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from planner.problem.limits import Limits

EXPLAINING = 0.06
"""Part of the limit for trying what would start waiting gangs; the search has what is left."""
CLOSING_RATIO = 0.5
"""Seconds for document, verification and writing, for each second that reading and preparing took: all grow with the
number of objects (2,500 nodes / 1,000 gangs: 3.1 s before the search, 1.2 s after it)."""
CLOSING_S = 0.3
"""Seconds for the same on the smallest cluster."""
LEAST_SHARE = 0.1
"""Part of the limit that the search has whatever came before it: a plan late is better than none."""


class Budget:
    """The time limit from the start of reading to the written answer; deterministic limits know no clock.

    Parameters
    ----------
    began
        When the command began, on ``clock``; now where it is not said.
    """

    def __init__(
        self,
        limits: Limits,
        began: float | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.limits = limits
        self._clock = clock
        self._began = clock() if began is None else began
        self._closing_s = CLOSING_S

    def prepared(self) -> None:
        """Reading and preparing have ended."""
        self._closing_s = CLOSING_S + CLOSING_RATIO * (self._clock() - self._began)

    def for_search(self, *, explaining: bool) -> Limits:
        """Limits of the search; ``explaining``: changes will be tried after it."""
        limits = self.limits
        if limits.deterministic:
            return limits
        kept = self._closing_s + (EXPLAINING * limits.time_limit_s if explaining else 0.0)
        seconds = max(self._left() - kept, LEAST_SHARE * limits.time_limit_s)
        grace = min(limits.guard_grace_s, max(1.0, 0.05 * limits.time_limit_s))
        return replace(limits, time_limit_s=seconds, guard_grace_s=grace)

    def explaining_over(self) -> bool:
        """Whether what is left is needed for the document, its verification and writing it."""
        return not self.limits.deterministic and self._left() <= self._closing_s

    def _left(self) -> float:
        return self.limits.time_limit_s - (self._clock() - self._began)
