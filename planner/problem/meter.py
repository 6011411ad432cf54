"""What a search has used of its limit: seconds of the clock, or work that is the same on every machine."""

from __future__ import annotations

import time


class Meter:
    """One account for everything that a search does; with ``deterministic`` the clock is never looked at."""

    def __init__(self, *, deterministic: bool) -> None:
        self.deterministic = deterministic
        self.work = 0.0

    def add(self, work: float) -> None:
        """Count units of work; about so many seconds of one processor."""
        self.work += work

    def now(self) -> float:
        """Seconds, or units of work so far."""
        return self.work if self.deterministic else time.perf_counter()
