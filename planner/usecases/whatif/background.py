"""Comparisons, sweeps and marginal values in the background, for whoever shows them while they run."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from models.edits.edit import Situation
from models.edits.scenario import Scenario
from models.edits.sweep import Sweep
from models.plan import PlanResult
from planner.execute.jobs import Executor
from planner.problem.progress import ProgressSink
from planner.report.whatif.build import what_if
from planner.report.whatif.document import MarginalValue, WhatIf
from planner.report.whatif.sweep_document import SweepResult
from planner.usecases.inputs.checked_input import CheckedInput
from planner.usecases.jobs.background import PlanRequest
from planner.usecases.jobs.background_job import BackgroundJob
from planner.usecases.whatif.base import Base, Planned
from planner.usecases.whatif.hasty import better_of, hasty_base, is_open
from planner.usecases.whatif.marginal import marginal_values
from planner.usecases.whatif.scenarios import (
    Prepared,
    numbered,
    plan_scenarios,
    prepare_scenarios,
)
from planner.usecases.whatif.sweep import check_sweep, run_sweep
from planner.usecases.whatif.timed import OverTime

MOST_KNOWN = 24
"""Scenarios that are remembered of one base."""


@dataclass(frozen=True)
class Question:
    """What is asked beside one base.

    Attributes
    ----------
    request
        The base: snapshot, policy and limits.
    plan
        Its verified plan, None where it has still to be planned.
    scenarios
        Edit lists to compare with it.
    sweep, marginal
        A grid to plan, or whether to price one more of everything; then there are no scenarios.
    over_time, demand
        What makes the plans schedules, with a digest of its demand; None and "" for plans for now.
    """

    request: PlanRequest
    plan: PlanResult | None = None
    scenarios: tuple[Scenario, ...] = ()
    sweep: Sweep | None = None
    marginal: bool = False
    over_time: OverTime | None = None
    demand: str = ""

    @property
    def base_key(self) -> str:
        """Digest over everything that decides the base's plan."""
        timed = self.over_time
        if timed is None:
            return self.request.key
        return f"{self.request.key} {self.demand} {timed.horizon_s} {timed.bucket_s}"

    @property
    def key(self) -> str:
        """Digest; two questions with the same key have the same answer."""
        wanted: list[Any] = [self.base_key, [one.document() for one in self.scenarios]]
        wanted += [self.sweep.document() if self.sweep else None, self.marginal]
        text = json.dumps(wanted, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Answer:
    """What came of a question.

    Attributes
    ----------
    base_plan
        The verified plan of the base.
    planned
        Scenarios with their situations and plans, in order; those that a stop left out are missing.
    """

    question: Question
    base_plan: PlanResult
    document: WhatIf
    planned: tuple[Planned, ...] = ()
    sweep: SweepResult | None = None


@dataclass
class Known:
    """Bases and scenarios that were planned before: what has not changed is not planned again."""

    bases: dict[str, Base] = field(default_factory=dict)
    planned: dict[tuple[str, str], Planned] = field(default_factory=dict)

    def add(self, key: tuple[str, str], planned: Planned) -> None:
        """Remember a scenario; the oldest ones are forgotten, since plans of large clusters are large."""
        self.planned[key] = planned
        while len(self.planned) > MOST_KNOWN:
            del self.planned[next(iter(self.planned))]

    def keep_only(self, base: str) -> None:
        """Forget everything that belongs to another base."""
        self.bases = {key: one for key, one in self.bases.items() if key == base}
        self.planned = {key: one for key, one in self.planned.items() if key[0] == base}


class WhatIfJob(BackgroundJob[Answer]):
    """Answers one question; scenarios twice, where there is more to find: a first answer soon, the better one later.

    Parameters
    ----------
    known
        What was planned before; the job adds to it.
    executor
        Makes what plans the points of sweeps and the marginal values.
    guard
        Search in a child process that can be ended from outside.
    """

    def __init__(
        self,
        question: Question,
        known: Known,
        executor: Callable[[], Executor],
        *,
        guard: bool = True,
    ) -> None:
        self.question, self._known, self._executor, self._guard = question, known, executor, guard
        self._situations: dict[tuple[str, str], Situation] = {}
        super().__init__(
            self._answer, name="the comparison", time_limit_s=question.request.limits.time_limit_s
        )

    def start(self) -> WhatIfJob:
        """Begin; returns the job itself.

        Raises
        ------
        InputError
            An edit or a grid key does not suit the snapshot; nothing runs.
        """
        asked = self.question
        if asked.sweep is not None:
            check_sweep(asked.request.snapshot, asked.request.policy, asked.sweep, asked.over_time)
        for scenario in numbered(asked.scenarios):
            if self._key(scenario) not in self._known.planned:
                self._situation(scenario)
        self.begin()
        return self

    def _key(self, scenario: Scenario) -> tuple[str, str]:
        return (self.question.base_key, _digest(scenario.document()))

    def _situation(self, scenario: Scenario) -> Situation:
        """The base changed by the scenario; edits of large clusters take a while, so they are applied once.

        Raises
        ------
        InputError
            An edit does not suit the snapshot.
        """
        found = self._situations.get(self._key(scenario))
        if found is None:
            asked = self.question
            one = prepare_scenarios(
                asked.request.snapshot, asked.request.policy, (scenario,), asked.over_time
            )
            found = self._situations[self._key(scenario)] = one.situations[0]
        return found

    def _answer(self, say: ProgressSink, stop: threading.Event) -> Answer:
        asked = self.question
        base = self._base(say, stop)
        marginal: tuple[MarginalValue, ...] = ()
        sweep = None
        if asked.sweep is not None:
            sweep = run_sweep(
                base, asked.sweep, self._executor(), on_progress=say, stopped=stop.is_set
            )
        if asked.marginal:
            marginal = marginal_values(base, self._executor(), on_progress=say, stopped=stop.is_set)
        planned = self._scenarios(base, say, stop)
        return self._told(base, planned, marginal, sweep)

    def _told(
        self,
        base: Base,
        planned: tuple[Planned, ...],
        marginal: tuple[MarginalValue, ...] = (),
        sweep: SweepResult | None = None,
    ) -> Answer:
        document = what_if(base.plan, [one.outcome for one in planned], marginal)
        return Answer(self.question, base.plan, document, planned, sweep)

    def _base(self, say: ProgressSink, stop: threading.Event) -> Base:
        asked = self.question
        key = asked.base_key
        self._known.keep_only(key)
        found = self._known.bases.get(key)
        if found is None or (asked.plan is not None and found.plan is not asked.plan):
            given = CheckedInput(
                asked.request.snapshot, asked.request.policy, asked.request.findings
            )
            self._known.planned.clear()
            found = Base.of(
                given,
                asked.request.limits,
                plan=asked.plan,
                on_progress=say,
                stop=stop,
                guard=self._guard,
                over_time=asked.over_time,
            )
            self._known.bases[key] = found
        return found

    def _scenarios(
        self, base: Base, say: ProgressSink, stop: threading.Event
    ) -> tuple[Planned, ...]:
        """Those that are known at once, the others planned: soon first, then as well as the effort allows."""
        named = numbered(self.question.scenarios)
        found = {
            one.name: self._known.planned[self._key(one)]
            for one in named
            if self._key(one) in self._known.planned
        }
        new = [one for one in named if one.name not in found]
        hasty = hasty_base(base)
        if hasty is not None:
            for scenario in new:
                self._plan(hasty, scenario, found, say, stop)
            new = [one for one in new if one.name in found and is_open(base, found[one.name])]
            if new and not stop.is_set():
                self._give_first(self._told(base, _in_order(named, found)))
        for scenario in new:
            self._plan(base, scenario, found, say, stop)
        return _in_order(named, found)

    def _plan(
        self,
        base: Base,
        scenario: Scenario,
        found: dict[str, Planned],
        say: ProgressSink,
        stop: threading.Event,
    ) -> None:
        """Plan one scenario, from its first plan where there is one; nothing once the job is stopped."""
        one = Prepared((scenario,), (self._situation(scenario),))
        first = found.get(scenario.name)
        beside = (first.warm,) if first is not None and first.warm is not None else ()
        for planned in plan_scenarios(base, one, beside=beside, on_progress=say, stop=stop):
            done = found[scenario.name] = better_of(first, planned)
            final = base.warm.effort_s > 0 or not is_open(base, done)
            if final and done.plan is not None and not stop.is_set():
                self._known.add(self._key(scenario), done)


def _in_order(named: Sequence[Scenario], found: Mapping[str, Planned]) -> tuple[Planned, ...]:
    return tuple(found[one.name] for one in named if one.name in found)


def _digest(document: Mapping[str, Any]) -> str:
    return json.dumps(document, sort_keys=True, default=str)
