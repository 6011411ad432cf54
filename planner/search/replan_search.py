"""Plan again after a small change: what the change does not touch stays, only what it leaves open is searched."""

from __future__ import annotations

import math
import time
from dataclasses import replace

from models.plan import Certificate
from planner.model.build import BuiltModel
from planner.problem.tier_names import is_ranked, is_start
from planner.reduce.disaggregate import Assignment
from planner.reduce.elastic import without_elastic
from planner.reduce.node_groups import NodeGroup
from planner.reduce.spread_filter import without_uneven
from planner.search.construct.fill import room_after
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.outcome import Outcome
from planner.search.placement_search import PlacementSearch
from planner.search.plan_values import plan_values, revalued, within_gap
from planner.search.stages.bound.tier_bounds import kept_bounds
from planner.search.stages.improve.stay_in_place import kept_in_place, unmoved
from planner.search.stages.presolve.initial_groups import columns_of, fewest_groups
from planner.search.stages.reoptimise.tier_reoptimise import RankByRank
from planner.solve.backend import SolveLimits
from planner.solve.tiers import SMALL_MODEL

PART = 0.1
"""Part of the earlier search's seconds that planning again may use."""
LEAST_S = 2.0
"""Seconds of relaxing after which no further tier is relaxed; more where placing took longer, or the effort lasts."""

RANK_WORK = 1.0
"""Deterministic work of a small search."""


class ReplanSearch(PlacementSearch):
    """The search from an earlier plan.

    New gangs, those that lost a node and those that waited are put into the earlier plan rank by rank
    (:class:`Newcomers`). The linear relaxation bounds tier after tier; where it is above the
    plan, its starts say which gangs of the rank to prefer. Its model takes all nodes that admit the same pods as one
    group: it bounds starts nearly as well as that of all groups and is a third of its size. What then is open is
    searched as usual, from this plan, while ``effort_s`` lasts, if it was asked for: such a search moves most gangs.
    Models solved in a moment are searched at once.
    """

    _groups: tuple[NodeGroup, ...] | None = None
    _allowed_until = 0.0

    def search(self) -> Outcome:
        """See :meth:`PlacementSearch.search`."""
        simple = self.problem.cards is None and self.settings.tier_names is None
        simple = simple and not self._grows_between()
        if not simple or self.settings.start is None or self._is_small():
            return self._whole()
        fine = self._first_groups()
        self._groups = fewest_groups(self.grouping, fine)
        built = self._build(self._groups)
        self.offer(self._without_bounds(built, self._beginning(), 0, {}), "earlier plan")
        quick = self.offer(self._quick(built), "reoptimise")
        left = self._effort_left()
        done = self.settings.changes_only or self._enough_again(quick)
        if done or left <= 0 or self.stopped():
            return quick
        self._groups = fine
        self.settings = replace(self.settings, start=quick.assignment, effort_s=left)
        self._effort = left
        wide = super().search()
        wide = unmoved(self, kept_in_place(self, wide, quick.assignment), quick.assignment)
        return replace(wide, tiers=kept_bounds(quick.tiers, wide.tiers))

    def _grows_between(self) -> bool:
        """Elastic pods go before gangs that wait, or starts of several ranks share a tier: no rank stands alone."""
        ranks = [one.rank for one in self.classes if not one.growing]
        elastic = [one.rank for one in self.classes if one.most_elastic > 0]
        return self.settings.fair or bool(elastic and ranks and min(elastic) < max(ranks))

    def _is_small(self) -> bool:
        """The model of all node groups is solved in a moment."""
        fine = self._first_groups()
        return columns_of(fine) <= SMALL_MODEL and self._build(fine).model.size <= SMALL_MODEL

    def _enough_again(self, quick: Outcome) -> bool:
        """What is proved is within the gap; of starts only where a gap is asked for."""
        gap = self.settings.limits.gap
        starts = [one for one in quick.tiers if is_ranked(one.goal.name) or gap == 0]
        return within_gap(starts, gap)

    def _whole(self) -> Outcome:
        """The usual search from the earlier plan, as long as the time limit says."""
        self._effort = max(self.settings.effort_s, self.settings.limits.time_limit_s)
        self.settings = replace(self.settings, effort_s=self._effort)
        told = self._beginning()
        return unmoved(self, kept_in_place(self, super().search(), told), told)

    def _first_groups(self) -> tuple[NodeGroup, ...]:
        if self._groups is None:
            self._groups = super()._first_groups()
        return self._groups

    def _effort_left(self) -> float:
        """Seconds of effort that are left; deterministic work is all left, only the usual search uses it."""
        if self.settings.limits.deterministic:
            return self.settings.effort_s
        return min(self.settings.effort_s - (time.perf_counter() - self.started_at), self._left())

    def _relaxing_left(self, relaxed_s: float) -> float:
        """Seconds left for relaxations: in any case as many as placing took, and some, whatever searching took."""
        if self.settings.limits.deterministic:
            return math.inf
        until = self._allowed_until - time.perf_counter()
        return min(max(self._effort_left(), until, LEAST_S - relaxed_s), self._left())

    def _searching(self) -> SolveLimits | None:
        """Limits of a small search; None where no time is left for it."""
        limits = self.settings.limits
        until = self._allowed_until - time.perf_counter()
        seconds = max(min(until, self._left()), self._effort_left())
        seconds = RANK_WORK if limits.deterministic else seconds
        if seconds <= 0:
            return None
        return SolveLimits(seconds, limits.gap, limits.seed, limits.workers, limits.deterministic)

    def _quick(self, built: BuiltModel) -> Outcome:
        """The earlier plan with what has changed put into it, and bounds."""
        began = time.perf_counter()
        told = self._beginning()
        earlier = without_elastic(self.problem, told)
        ranks = RankByRank(
            built,
            earlier,
            self.settings.limits,
            relaxing=lambda: self._relaxing_left(ranks.relaxation.seconds),
            searching=self._searching,
            stopped=self.stopped,
        )
        self._timed("place", began)
        began = time.perf_counter()
        self._allowed_until = 2 * began - self.started_at
        for index, goal in enumerate(built.tiers):
            if not is_start(goal.name):
                break
            ranks.decide(index)
            if self.report is not None:
                decided = ranks.relaxation.results[-1]
                self.report(goal, decided.value, decided.bound)
        self._timed("solve", began)
        began = time.perf_counter()
        plan = ranks.plan
        self._completed(plan, told)
        self._timed("place", began)
        began = time.perf_counter()
        values = plan_values(built, plan)
        relaxation = ranks.relaxation
        for goal in built.tiers[len(relaxation.results) :]:
            left = self._relaxing_left(relaxation.seconds)
            relaxation.decide(goal, goal.expression.value(values), left)
        tiers = tuple(
            revalued(one, one.goal.expression.value(values)) for one in relaxation.results
        )
        self._timed("certify", began)
        found = self._outcome(plan, tiers, built, 1, maximal=not self.stopped())
        found = replace(found, changes_only=True)
        moved = any(plan.pods.get(d, items) != items for d, items in told.pods.items())
        return kept_in_place(self, found, told) if moved else found

    def _completed(self, plan: Assignment, told: Assignment) -> None:
        """What still fits starts, and elastic pods go where they were, then anywhere."""
        room = room_after(self.problem, without_uneven(self.problem, plan))
        self.fill_in_turn(self.problem, self.classes, plan, room, exact_fit, told)


def effort_after(earlier: Certificate, *, deterministic: bool) -> float:
    """Seconds for planning again: a tenth of the earlier plan's search.

    With deterministic limits only relaxations are solved: the seconds of a document must not change a plan.
    """
    if deterministic:
        return 0.0
    return PART * earlier.stage_seconds().get("solve", earlier.seconds)
