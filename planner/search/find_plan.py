"""From a prepared problem to the incumbent: searches, cuts for plans that break a rule on victims, and the last steps.

Every plan is offered to one :class:`SearchState`; a search that ends with an illegal plan gives cuts, and what is left
of that plan once its wrong victims stay is offered as well.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from models.findings import BackendError, NoPlanInTimeError
from planner.encode.prepared import Prepared
from planner.model.build import BuiltModel
from planner.problem.limits import Limits
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.eviction_search import EvictionSearch
from planner.search.outcome import Outcome, SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.search.plan_values import plan_values
from planner.search.stages.bound.tier_bounds import certified, kept_bounds
from planner.search.stages.complete.maximal_fill import last_pass
from planner.search.stages.evict.exact_evictions import ExactEvictions, is_small
from planner.search.stages.evict.stability_cuts import Cycle, without_faults
from planner.search.stages.evict.victim_rules import VictimRules
from planner.search.stages.evict.victim_ties import VictimTies
from planner.search.stages.improve.older_first import older_first
from planner.search.state import SearchState
from planner.solve.tiers import TierResult

MOST_SEARCHES = 12
"""Searches at most, each without what the rules on victims forbade of the plan before."""
FIRST_SHARE = 0.75
"""Part of the time (or work) of the first search; checks, a search without what they refuse and bounds follow."""
LEAST_SECONDS = 1.0
"""Seconds for bounds and ties, even where the time is up."""
MOST_EARLIER = 4
"""Incumbents before the last one that are tried where the independent check refuses it."""
SECOND_BUILDS = 2
"""Times the seconds of building the first model that have to be left for a further search."""

Search = Callable[[SearchSettings, SearchState], tuple[Outcome, bool]]
"""One search that offers its plans; returns its last plan and whether it was interrupted."""


class _Spent:
    """The time that all searches share; deterministic plans count the work of their searches."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._began = time.perf_counter()
        self.work = 0.0

    def left(self) -> float:
        """What is left of the limit, a little in any case."""
        return max(self._limits.time_limit_s - self._used(), LEAST_SECONDS)

    def over(self) -> bool:
        """Whether nothing is left."""
        return self._used() >= self._limits.time_limit_s

    def _used(self) -> float:
        return self.work if self._limits.deterministic else time.perf_counter() - self._began


class PlanFinder:
    """The searches of one plan; :meth:`offer` values any plan in the tiers of their model."""

    def __init__(
        self,
        prepared: Prepared,
        victims: Victims | None,
        classes: Sequence[GangClass],
        settings: SearchSettings,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.prepared = prepared
        self.victims = victims
        self.classes = classes
        self.settings = settings
        self.stopped = stopped
        self.state = SearchState(self.admits)
        self.rules = None if victims is None else VictimRules(prepared, victims, classes)
        self.cycle = Cycle()
        self._spent = _Spent(settings.limits)
        self._model: tuple[PlacementSearch, BuiltModel] | None = None

    def admits(self, plan: Assignment) -> bool:
        """Whether a plan keeps the rules on victims; one without evictions does."""
        return not plan.evicted or (self.rules is not None and not self.rules.faults(plan))

    def search(self) -> PlacementSearch:
        """A search of this problem whose model has no cuts; asked again it is the same one."""
        return self._made()[0]

    def incumbent(self) -> Outcome:
        """The best plan; raises BackendError where every plan broke a rule."""
        if self.state.best is None:
            raise BackendError("the search found no plan that keeps every rule")
        return self.state.best

    def candidates(self) -> Iterator[Outcome]:
        """The incumbent, then the plans that were it before, each with what still fits beside it; at last no plan.

        They are for a check that refuses what the search takes for right.
        """
        yield self.incumbent()
        earlier = self.state.incumbents[-2 : -2 - MOST_EARLIER : -1]
        search, built = self._made()
        for outcome in (*earlier, self._valued(built, Assignment({}), "nothing")):
            tiers = kept_bounds(self.incumbent().tiers, outcome.tiers)
            plan = replace(outcome, tiers=tiers, maximal=False)
            yield last_pass(search, plan, allowed=self.admits, may_wait=self._may_wait)

    def offer(self, plan: Assignment, stage: str, *, ties: bool = False) -> bool:
        """Offer a plan with its values and without bounds of its own."""
        return self.state.offer(self._valued(self._made()[1], plan, stage), stage, ties=ties)

    @staticmethod
    def _valued(built: BuiltModel, plan: Assignment, stage: str) -> Outcome:
        values = plan_values(built, plan)
        tiers = tuple(
            TierResult(goal, goal.expression.value(values), None, 0.0, stage)
            for goal in built.tiers
        )
        return Outcome(plan, tiers, len(built.form.groups), built.model.size, 0)

    def run(self, search: Search) -> bool:
        """Search until the incumbent is final but for other plans to be offered; whether a search was interrupted.

        With evictions: search, cut off what the rules on victims forbid, search again; then what small clusters
        allow, and ties.

        Raises
        ------
        NoPlanInTimeError, BackendError
            The first search ended without any plan.
        """
        if self.victims is None:
            _, interrupted = search(self.settings, self.state)
            return interrupted
        interrupted = self._searches(search)
        if self.state.best is None:
            self.offer(Assignment({}), "nothing")
        self._exact(interrupted=interrupted)
        self.finish(interrupted=interrupted)
        self._settle_ties(interrupted=interrupted)
        return interrupted

    def _searches(self, search: Search) -> bool:
        assert self.victims is not None
        assert self.rules is not None
        whole, settings = self.settings.limits, self.settings
        given = replace(whole, time_limit_s=FIRST_SHARE * whole.time_limit_s)
        outcome, interrupted = search(replace(settings, limits=given), self.state)
        to_begin = 0.0 if whole.deterministic else _building_s(outcome)
        for number in range(1, MOST_SEARCHES):
            self._spent.work += outcome.work
            plan = outcome.assignment
            faults = self.rules.faults(plan)
            self.cycle.add(faults)
            kept = without_faults(self.prepared, self.rules, self.victims, self.classes, plan)
            if faults:
                self.offer(kept, "repair")
            left = self._spent.left()
            late = left <= max(LEAST_SECONDS, SECOND_BUILDS * to_begin)
            done = not faults and (self.state.best is None or self.state.best.proved)
            if done or interrupted or late:
                break
            best = self.state.best
            settings = replace(
                settings,
                cuts=(*settings.cuts, *(self.rules.cut(plan, one) for one in faults)),
                limits=replace(whole, time_limit_s=left, seed=whole.seed + number),
                start=kept if best is None else best.assignment,
            )
            try:
                outcome, interrupted = search(settings, self.state)
            except NoPlanInTimeError:  # there is one already
                break
        return interrupted

    def _exact(self, *, interrupted: bool) -> None:
        """What the rules on victims leave open is tried in full where the cluster is small."""
        best = self.state.best
        if self.victims is None or best is None or interrupted or best.proved:
            return
        if is_small(self.prepared, self.victims, self.classes):
            exact = ExactEvictions(
                self.prepared, self.victims, self.classes, self.settings, self._late
            )
            found = exact.run(best)
            if found is not None:
                self.state.offer(found, "enumerate")

    def finish(self, *, interrupted: bool) -> None:
        """The last pass over an incumbent that had none, and bounds for its tiers that have none."""
        best = self.state.best
        if best is not None and self.settings.stays:
            best = replace(
                best, maximal=False
            )  # pods that went back to their nodes left room elsewhere
        if best is None or (best.maximal and all(map(_is_bounded, best.tiers))):
            return
        search, built = self._made()
        filled = last_pass(search, best, allowed=self.admits, may_wait=self._may_wait)
        vector = [one.value for one in filled.tiers]
        known = tuple(takewhile(_is_bounded, filled.tiers))
        if len(known) < len(filled.tiers) and len(filled.tiers) == len(built.tiers):
            limits = self.settings.limits
            seconds = LEAST_SECONDS if interrupted else self._spent.left()
            seconds = math.inf if limits.deterministic else seconds
            tiers = certified(built, known, vector, workers=limits.workers, seconds=seconds)
            filled = replace(filled, tiers=tiers)
        self.state.offer(filled, "fill")

    def _may_wait(self, plan: Assignment) -> frozenset[int]:
        if self.rules is None or not plan.evicted:
            return frozenset()
        return self.rules.may_wait(plan)

    def oldest_first(self, *, interrupted: bool) -> None:
        """Equal gangs of a queue start by age, where no tier decides between them."""
        best = self.state.best
        if best is None or interrupted or self.settings.tier_names is not None:
            return
        search = self._made()[0]
        plan = older_first(search, best.assignment, self.admits, self._late)
        if plan is not best.assignment:
            self.state.offer(replace(best, assignment=plan), "age")

    def _settle_ties(self, *, interrupted: bool) -> None:
        best = self.state.best
        if self.victims is None or best is None or interrupted or not best.assignment.evicted:
            return
        limits = replace(self.settings.limits, time_limit_s=self._spent.left())
        settings = replace(self.settings, limits=limits)
        ties = VictimTies(self.prepared.problem, self.classes, settings, stopped=self.stopped)
        self.state.offer(ties.settled(best, self.admits), "ties")

    def _late(self) -> bool:
        deterministic = self.settings.limits.deterministic
        return self.stopped() or (not deterministic and self._spent.over())

    def _made(self) -> tuple[PlacementSearch, BuiltModel]:
        if self._model is None:
            kind = PlacementSearch if self.victims is None else EvictionSearch
            given = (self.prepared.problem, self.classes, replace(self.settings, cuts=()))
            search = kind(*given, stopped=self.stopped)
            self._model = search, search.model()
        return self._model


def _is_bounded(tier: TierResult) -> bool:
    """Whether more than the ideal is known of a tier, or the ideal is reached."""
    return tier.bound is not None and (tier.closed or tier.bound != tier.goal.ideal)


def _building_s(outcome: Outcome) -> float:
    """Seconds before a search of the same cluster comes to search."""
    return outcome.stages.get("prepare", 0.0) + outcome.stages.get("build", 0.0)
