"""Whether a waiting gang could start if it were the only one, by evictions that are allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from models.findings import PlannerError
from planner.problem.limits import Limits
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Victims
from planner.reduce.gang_classes import GangClass
from planner.search.eviction_search import EvictionSearch
from planner.search.outcome import SearchSettings

WORK = 1.0
"""Deterministic work units for one question."""
MOST_QUESTIONS = 100
"""Questions per plan; what they leave open supports no reason."""


class LegalStarts:
    """Answers the question by a search with one gang only; equal questions are asked once."""

    def __init__(
        self,
        problem: PlacementProblem,
        victims: Victims,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._problem, self._victims, self._stopped = problem, victims, stopped
        self._known: dict[tuple[object, ...], tuple[bool | None, tuple[str, ...]]] = {}

    def __call__(self, demand: int) -> bool | None:
        """True or False; None where a limit ended the search, or the questions are used up."""
        return self._answer(demand)[0]

    def victims(self, demand: int) -> tuple[str, ...]:
        """The pods that would go for it; () where it could not start, or that is not known."""
        return self._answer(demand)[1]

    def _answer(self, demand: int) -> tuple[bool | None, tuple[str, ...]]:
        one = self._problem.demands[demand]
        starter = self._victims.starters[demand]
        groups = (one.subgroups, one.choices)
        key = (one.queue, one.items, one.need, one.role_need, groups, starter)
        if key not in self._known:
            if len(self._known) >= MOST_QUESTIONS or self._stopped():
                return None, ()
            self._known[key] = self._search(demand)
        return self._known[key]

    def _search(self, demand: int) -> tuple[bool | None, tuple[str, ...]]:
        one = self._problem.demands[demand]
        problem = replace(self._problem, demands=(one,))
        gangs = tuple(
            replace(gang, demand=0 if gang.demand == demand else -1) for gang in self._victims.gangs
        )
        victims = replace(self._victims, gangs=gangs, starters=(self._victims.starters[demand],))
        limits = Limits(time_limit_s=WORK, workers=1, deterministic=True)
        classes = (GangClass((0,), one, "rest", 1),)
        settings = SearchSettings(limits=limits, victims=victims)
        try:
            found = EvictionSearch(problem, classes, settings, stopped=self._stopped).run()
        except PlannerError:
            return None, ()
        if found.assignment.pods.get(0):
            return True, found.assignment.evicted
        return (False if found.proved else None), ()
