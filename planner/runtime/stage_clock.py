"""How long the stages of a run take, and what it tells meanwhile."""

from __future__ import annotations

import time

from planner.problem.progress import Progress, ProgressSink


class StageClock:
    """Seconds per stage, and progress messages."""

    def __init__(self, sink: ProgressSink | None) -> None:
        self._sink = sink
        self._started = self._since = time.perf_counter()
        self._stage = ""
        self.stages: dict[str, float] = {}

    def stage(self, name: str) -> None:
        """Begin a stage and end the one before."""
        now = time.perf_counter()
        if self._stage:
            self.stages[self._stage] = self.stages.get(self._stage, 0.0) + now - self._since
        self._stage, self._since = name, now
        if name and self._sink is not None:
            self._sink(Progress(name, now - self._started))

    def tier(self, name: str, value: int | None, bound: int | None) -> None:
        """Tell about a tier of the search."""
        if self._sink is None:
            return
        gap = None
        if value is not None and bound is not None:
            gap = abs(bound - value) / max(1, abs(value))
        elapsed = time.perf_counter() - self._started
        self._sink(Progress("solve", elapsed, name, value, bound, gap))

    def message(self, text: str) -> None:
        """Tell what the stage is at."""
        if self._sink is not None:
            self._sink(Progress(self._stage, time.perf_counter() - self._started, message=text))
