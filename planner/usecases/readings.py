"""When a running cluster is read again: on request, or when the last reading is older than an interval."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

CLICK_S = 2.0
"""Requests this soon after the last reading began mean the same one: several visitors, or a double click."""


class Readings:
    """Numbers the readings of a server; whoever sees another number than before reads again.

    Parameters
    ----------
    every_s
        Seconds after which a reading is too old; None reads on request only.
    clock
        Seconds; for tests.
    """

    def __init__(
        self, every_s: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.every_s, self._clock = every_s, clock
        self._lock = threading.Lock()
        self._number, self._began = 1, clock()

    def number(self) -> int:
        """Number of the reading that counts now."""
        with self._lock:
            if self.every_s is not None and self._clock() - self._began >= self.every_s:
                self._next()
            return self._number

    def again(self) -> None:
        """Ask for another reading."""
        with self._lock:
            if self._clock() - self._began >= CLICK_S:
                self._next()

    def _next(self) -> None:
        self._number, self._began = self._number + 1, self._clock()
