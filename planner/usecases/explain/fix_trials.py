"""Plans of edited snapshots: does the gang start, and what else changes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from models.checks.wording import counted
from models.edits.apply import apply_edits
from models.edits.scenario import Scenario
from models.effective import EffectivePolicy
from models.explanation import ConfirmedFix
from models.findings import InputError, PlannerError
from models.plan import PlanResult
from models.snapshot import Snapshot
from planner.explain.fixes.candidate import PLANNED
from planner.problem.limits import Limits
from planner.problem.progress import Progress, ProgressSink
from planner.search.stages.reoptimise.warm_start import WarmStart
from planner.usecases.explain.fix_candidates import PlannedChange
from planner.usecases.planning import make_plan

RUNS = ("start", "keep", "grow", "shrink", "move")
NAMES = 10
LEAST_SECONDS = 1.0
MORE_NODES = 2
"""Times that the number of new nodes is doubled where others take the first ones."""


class Trials:
    """Tries changes until the time is up; every gang that a plan starts was started by a verified plan."""

    def __init__(
        self,
        snapshot: Snapshot,
        policy: EffectivePolicy,
        base: PlanResult,
        limits: Limits,
        *,
        began: float,
        on_progress: ProgressSink | None,
        stop: threading.Event | None,
        guard: bool,
    ) -> None:
        self._snapshot, self._policy, self._limits = snapshot, policy, limits
        self._began, self._sink, self._stop, self._guard = began, on_progress, stop, guard
        self._running = _running(base)
        self._base = base
        self.plans = 0
        self.cut_short = False

    @property
    def elapsed(self) -> float:
        """Seconds since the question was asked."""
        return time.perf_counter() - self._began

    @property
    def over(self) -> bool:
        """No further plan may be made: stopped, or out of time."""
        if self._stop is not None and self._stop.is_set():
            return True
        return not self._limits.deterministic and self.elapsed >= self._limits.time_limit_s

    def say(self, progress: Progress) -> None:
        """Tell what is being tried."""
        if self._sink is not None:
            self._sink(progress)

    def confirmed(self, gang: str, change: PlannedChange, left: int) -> ConfirmedFix | None:
        """The change if a plan of the edited snapshot starts the gang; of nodes and steps as few as are found to do."""
        self.cut_short = False
        for attempt in self._attempts(change):
            result = self._planned(attempt, left)
            if result is not None and gang in _running(result):
                return self._fewer(gang, attempt, result, left)
            if self.over:
                break
        return None

    def _attempts(self, change: PlannedChange) -> Iterator[PlannedChange]:
        yield change
        nodes = change.nodes
        for step in range(1, MORE_NODES + 1):
            if nodes is not None and nodes.count << step <= 100_000:
                yield _with_nodes(change, nodes.count << step)

    def _fewer(
        self, gang: str, change: PlannedChange, result: PlanResult, left: int
    ) -> ConfirmedFix:
        """Halve the number of new nodes as long as the gang still starts."""
        nodes = change.nodes
        low, high = 1, nodes.count if nodes is not None else 1
        while low < high and not self.over:
            middle = (low + high) // 2
            attempt = _with_nodes(change, middle)
            smaller = self._planned(attempt, left)
            if smaller is not None and gang in _running(smaller):
                high, result, change = middle, smaller, attempt
            else:
                low = middle + 1
        return self._fix(gang, *self._needed(gang, change, result, left))

    def _needed(
        self, gang: str, change: PlannedChange, result: PlanResult, left: int
    ) -> tuple[PlannedChange, PlanResult]:
        """The change without steps that it does not need, the last one apart, and its plan."""
        step = len(change.steps) - 2
        while step >= 0 and not self.over:
            attempt = change.without(step)
            smaller = self._planned(attempt, left)
            if smaller is not None and gang in _running(smaller):
                change, result = attempt, smaller
            step -= 1
        return change, result

    def _planned(self, change: PlannedChange, left: int) -> PlanResult | None:
        """The plan of the edited snapshot; None where the edits do not apply or there is no plan in time."""
        try:
            edited = apply_edits(self._snapshot, self._policy, change.edits, source=change.text)
        except InputError:
            return None
        self.plans += 1
        try:
            return make_plan(
                edited.snapshot,
                edited.policy,
                self._share(left),
                stop=self._stop,
                guard=self._guard,
                baseline=False,
                fixes=False,
                warm=self._warm,
            )
        except PlannerError:
            self.cut_short = True
            return None

    @cached_property
    def _warm(self) -> WarmStart | None:
        """The plan that is explained as a beginning: what need not change then does not."""
        if self._limits.deterministic:
            return None  # its bounds would depend on the seconds that the first plan took
        return WarmStart.of(self._snapshot, self._policy, self._base)

    def _share(self, left: int) -> Limits:
        """What is left of the time, in equal parts for the changes that are left."""
        whole = self._limits.time_limit_s
        rest = whole / 2 if self._limits.deterministic else whole - self.elapsed
        return replace(self._limits, time_limit_s=max(rest / max(left, 1), LEAST_SECONDS))

    def _fix(self, gang: str, change: PlannedChange, result: PlanResult) -> ConfirmedFix:
        after = _running(result)
        known = {one.full_name for one in self._snapshot.gangs}
        starts = sorted((after - self._running - {gang}) & known)
        loses = sorted(self._running - after - set(change.objects))
        scenario = Scenario(f"start {gang}: {change.text}", change.edits)
        return ConfirmedFix(
            kind=change.kind,
            text=change.text,
            basis=PLANNED,
            edits=tuple(edit.document() for edit in change.edits),
            objects=change.objects,
            data=change.data,
            scenario=scenario.document(),
            starts=tuple(starts[:NAMES]),
            starts_total=len(starts),
            loses=tuple(loses[:NAMES]),
            loses_total=len(loses),
            pods_evicted=result.summary.pods_evicted,
            gpus_after=result.summary.gpus_after,
        )


def _running(result: PlanResult) -> set[str]:
    """Gangs that run after a plan."""
    return {one.full_name for one in result.gangs if one.decision in RUNS}


def _with_nodes(change: PlannedChange, count: int) -> PlannedChange:
    nodes = change.nodes
    if nodes is None or nodes.count == count:
        return change
    text = change.text.replace(
        f"add {counted(nodes.count, 'node')}", f"add {counted(count, 'node')}"
    )
    gpus = change.data.get("gpus", 0) * count // nodes.count
    text = text.replace(
        f"({counted(change.data.get('gpus', 0), 'GPU')})", f"({counted(gpus, 'GPU')})"
    )
    data = {**change.data, "nodes": count, **({"gpus": gpus} if gpus else {})}
    edit = nodes.model_copy(update={"count": count})
    edits = tuple(edit if one is nodes else one for one in change.edits)
    return replace(change, text=text, edits=edits, data=data)
