"""Search for a placement plan: first a greedy one, then tier by tier over groups, refined until it packs."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from planner.model.build import BuiltModel
from planner.model.rank_scope import RankScope
from planner.problem.linear import TierGoal
from planner.problem.tier_names import is_ranked, rank_of_elastic
from planner.reduce.disaggregate import Assignment, GroupPacking
from planner.reduce.node_groups import NodeGroup
from planner.search.outcome import Outcome
from planner.search.plan_values import plan_values, within_gap, worse
from planner.search.search_steps import SearchSteps
from planner.search.stages.bound.tier_bounds import certified, enough_proved, kept_bounds, sharpened
from planner.search.stages.complete.drop_unpackable import without_unpacked
from planner.search.stages.complete.keep_decided import keep_decided
from planner.search.stages.improve.consolidate import gathered
from planner.search.stages.presolve.aggregated_relaxation import counted_bounds, counts_first
from planner.search.stages.presolve.initial_groups import packed_together
from planner.search.stages.relax.compact_bounds import PlainBounds
from planner.search.stages.relax.relax_and_round import VertexStart, vertex_start
from planner.search.stages.round.nearest_solution import nearest_solution
from planner.search.stages.round.widened_rounding import wider_start
from planner.search.stages.special.packing_start import PACKING_SHARE, PackedStart, packing_start
from planner.search.stages.special.pattern_start import (
    PATTERN_SHARE,
    PatternStart,
    first_gpus,
    pattern_start,
)
from planner.solve.known import known_tiers
from planner.solve.relaxed_chain import RelaxedChain
from planner.solve.tiers import Lexicographic, TierResult, TierSearch

LARGE_MODEL = 8_000
"""Variables above which a first answer searches in integers for GPUs only."""
IN_TIME = 0.75
"""Part of the time that is left after building, below which a quick plan is sent before the model is relaxed."""
VERTEX_SHARE = 0.5
"""Share of the time that is left for relaxing and rounding one model."""
LOOSE_SHARE = 0.8
"""The same where the model does not say who is in which domain: a search after it would not know either."""
VERTEX_ROUNDS = 3
"""Models of ever finer groups that are relaxed and rounded before any is searched."""
PATTERNS_SUFFICE = 1_500
"""Variables above which such a plan is the last word; smaller models are searched for the tiers that it leaves open."""
MOST_ROUNDS = 12
"""Refinements of node groups at most."""


class PlacementSearch(SearchSteps):
    """One search; :meth:`run` returns the best plan found."""

    _counting: PlacementSearch | None = None

    def run(self) -> Outcome:
        """The incumbent once the search has ended: whatever its last step found, nothing better is lost."""
        found = self.search()
        best = self.offer(found, "search")
        best = replace(best, stages=found.stages, rounds=found.rounds, work=self.meter.work)
        return replace(best, changes_only=found.changes_only)

    def search(self) -> Outcome:
        """Greedy plan, then rounds of solving and refining until proved, stopped or out of time."""
        groups = self._first_groups()
        counted = self._counted(groups)
        found = self._near_vertex(groups) if counted is None else None
        if found is not None:
            groups, best = found
            # A search cannot tell which gangs find a domain.
            last = self._build(groups).loose and (best.rounds > 0 or self._late())
            if best.proved or self._enough(best) or last:
                return best
        else:
            best = counted or self.offer(self._greedy(groups), "construct")
            if counted is not None and (best.proved or self._enough(best)):
                return best
        packed = self._packed(groups, best)
        if packed is not None:
            best = self.offer(packed, "special")
            packing = self.problem.cards is None
            if best.maximal and (packing or best.proved or best.variables > PATTERNS_SUFFICE):
                return best
        for number in range(1, MOST_ROUNDS + 1):
            if self.stopped() or (self._left() <= 0 and number > 1):
                break
            outcome, failed = self._round(groups, best, number)
            # Every model is a relaxation of the plans that there are: what another one proved holds as well.
            best = self.offer(outcome, "solve tiers")
            if best.proved or not failed or within_gap(best.tiers, self.settings.limits.gap):
                break
            if self._effort <= 0:
                break
            finer = self._refined(groups, failed)
            if finer is None:
                break
            groups = finer
        return self._bounded_by_counts(best)

    def _near_vertex(
        self, groups: tuple[NodeGroup, ...]
    ) -> tuple[tuple[NodeGroup, ...], Outcome] | None:
        """Large models: relaxed, rounded and packed; finer groups while pods do not pack and the gap is open.

        Returns the groups of the last model with the best plan; None for other models, or where nothing was rounded.
        """
        settings = self.settings
        special = settings.start is not None or settings.tier_names or self.problem.cards
        first = self._build(groups)
        if special or (first.model.size <= LARGE_MODEL and not first.loose):
            return None
        quick: Outcome | None = None
        if first.loose or self._left() < IN_TIME * settings.limits.time_limit_s:
            quick = self._quickly(first)
        best: Outcome | None = None
        for number in range(1, VERTEX_ROUNDS + 1):
            built = self._build(groups)
            share = LOOSE_SHARE if built.loose else VERTEX_SHARE
            limits = replace(self._solve_limits(), seconds=max(self._left(), 0.0) * share)
            # Bounds of such a model come from here alone: they go before a plan of the relaxation.
            spare = self._closing() - limits.seconds if built.loose else 0.0
            began = time.perf_counter()
            chains: list[RelaxedChain] = []
            start = vertex_start(
                built, limits, self.stopped, spare=max(spare, 0.0), proved=chains.append
            )
            self._timed("solve", began)
            if start is not None and start.inside is not None:
                took_s, left_s = time.perf_counter() - began, self._closing()
                self._proving_s, self._plain = PlainBounds.where_hurried(
                    built, start.chain, took_s, left_s, settings.limits, self.stopped
                )
            if built.loose and quick is not None and chains:
                best = self._with_bounds(built, quick.assignment, chains[0])
            if start is None:
                break
            before = best
            best, packing = self._at_vertex(built, groups, start, best, number)
            if not (built.loose or self._enough(best) or self._late()):
                tiers = () if best is before else best.tiers
                best, packing = self._wider(built, groups, start, tiers, best, packing, number)
            best = self.offer(replace(best, rounds=number), "relax and round")
            if self._enough(best) or self._left() <= 0 or self.stopped() or built.loose:
                break
            placed = built.placed(start.values)
            finer = packed_together(self.grouping, groups, packing.failed, placed)
            if finer is None:
                break
            groups = finer
            if not packing.missing:
                break  # what is open is not for want of packing: a search finds it, another vertex seldom does
        return None if best is None else (groups, best)

    def _wider(
        self,
        built: BuiltModel,
        groups: Sequence[NodeGroup],
        start: VertexStart,
        tiers: Sequence[TierResult],
        best: Outcome,
        packing: GroupPacking,
        number: int,
    ) -> tuple[Outcome, GroupPacking]:
        """The same with gangs in the room that rounding left, where that is better; see :func:`wider_start`."""
        began = time.perf_counter()
        limits = self._solve_limits()
        limits = replace(limits, seconds=limits.seconds * VERTEX_SHARE)
        wider = wider_start(built, start, tiers, limits, self.stopped)
        self._timed("solve", began)
        if wider is None:
            return best, packing
        other, again = self._at_vertex(built, groups, wider, best, number)
        return (best, packing) if other is best else (other, again)

    def _counted(self, groups: tuple[NodeGroup, ...]) -> Outcome | None:
        """The plan of a model that only counts over domains, see counted_first; None for other models."""
        few = not counts_first(self.problem, self.settings)
        if few or self._build(groups).model.size <= LARGE_MODEL:
            return None
        limits = replace(self.settings.limits, time_limit_s=self._left() / 2)
        search = PlacementSearch(
            replace(self.problem, counts_domains=True),
            self.classes,
            replace(self.settings, limits=limits),
            report=self.report,
            publish=lambda outcome: self.offer(outcome, "count domains"),
            stopped=self.stopped,
        )
        found = search.run()
        for stage, taken in search.stages.items():
            self.stages[stage] = self.stages.get(stage, 0.0) + taken
        self._greedy_s = search._greedy_s
        self.meter.add(search.meter.work)
        self._counting = search
        return found

    def _bounded_by_counts(self, best: Outcome) -> Outcome:
        """The plan with bounds of the model that it began with, which are tighter where the search did not get to."""
        search = self._counting
        if search is None or search._last is None or best.proved:
            return best
        began = time.perf_counter()
        built, limits = search._last[1], self.settings.limits
        seconds = math.inf if limits.deterministic else max(self._left(), 2 * self._greedy_s)
        vector = self._vector(built, best.assignment)
        best = counted_bounds(built, vector, best, limits, seconds)
        self._timed("certify", began)
        return replace(best, stages=dict(self.stages))

    def _quickly(self, built: BuiltModel) -> Outcome:
        """A plan that takes a moment, sent before what takes its time: the search may be ended from outside."""
        began = time.perf_counter()
        quick = Assignment({})
        self._fill(quick, exact=False)
        found = self._without_bounds(built, quick, 0, {})
        self.offer(found, "construct")
        self._greedy_s = time.perf_counter() - began
        return found

    def _with_bounds(
        self, built: BuiltModel, assignment: Assignment, chain: RelaxedChain
    ) -> Outcome:
        """A plan, and what a chain of relaxations tells of it at once: sent before the chain's own plan is made."""
        vector = self._vector(built, assignment)
        tiers = certified(built, (), vector, workers=1, seconds=0.0, chain=chain)
        found = self._outcome(assignment, tiers, built, 0)
        self.offer(found, "relax")
        return found

    def _at_vertex(
        self,
        built: BuiltModel,
        groups: Sequence[NodeGroup],
        start: VertexStart,
        best: Outcome | None,
        number: int,
    ) -> tuple[Outcome, GroupPacking]:
        """The plan of a rounded solution, or the best so far where that is no worse, with bounds."""
        began = time.perf_counter()
        started, packing = self._on_nodes(built, groups, start.values, start.inside)
        filled = started.copy()
        self._fill(filled, exact=True)
        filled = self._displaced(built, filled, start.values)
        old = None if best is None else self._vector(built, best.assignment)
        ahead = self._ahead(built, filled, start.chain, old)
        assignment = self._gathered(filled)
        self._timed("place", began)
        placed_s = time.perf_counter() - began
        vector = self._vector(built, assignment)
        if best is not None and old is not None and not worse(built.tiers, old, vector):
            if ahead is not None:
                ahead.finish()
            if best.rounds > 0:
                return best, packing
            # The quick plan has only what prices of the chain tell of it.
            assignment, vector, ahead = best.assignment, old, None
        began = time.perf_counter()
        known = () if ahead is None else ahead.holding(vector)
        seconds = max(self._closing(), 1.0)
        plain = None if self._plain is None else self._plain.chain()
        tiers = certified(
            built, known, vector, workers=1, seconds=seconds, chain=start.chain, plain=plain
        )
        if best is not None:
            tiers = kept_bounds(best.tiers, tiers)
        self._timed("certify", began)
        self._greedy_s = placed_s + time.perf_counter() - began
        for tier in tiers if self.report is not None else ():
            self._reached(built, number, tier.goal, tier.value, tier.bound)
        maximal = not self.stopped()
        return self._outcome(assignment, tiers, built, number, maximal=maximal), packing

    def _enough(self, outcome: Outcome) -> bool:
        """Whether what is proved is within the gap that was asked for."""
        return enough_proved(outcome.tiers, self.settings.limits.gap, outcome.variables)

    def _packed(self, groups: Sequence[NodeGroup], best: Outcome) -> Outcome | None:
        """A plan of a special kind of problem, with bounds: shared cards, or pods to be packed; else None.

        It is ``maximal`` where it is so close to its bounds that large models are not searched any more; a packing
        is, where other tiers than its own are open.
        """
        began = time.perf_counter()
        found = self._special(groups, best)
        if found is None:
            return None
        self._timed("packing" if self.problem.cards is None else "patterns", began)
        began = time.perf_counter()
        built = self._build(groups)
        assignment, vector = best.assignment, self._vector(built, best.assignment)
        for plan in found.plans:
            without_unpacked(self.problem, plan)
            self._fill(plan, exact=True)
            without_unpacked(self.problem, plan)
            values = self._vector(built, plan)
            if not worse(built.tiers, values, vector):
                assignment, vector = plan, values
        self._timed("place", began)
        self._bounds = found.bounds(built)
        began = time.perf_counter()
        limits = self.settings.limits
        tiers = found.certified(built, vector, limits, self._left())
        self._timed("certify", began)
        done = found.enough(tiers, limits, self._left()) and not self.stopped()
        return self._outcome(assignment, tiers, built, 0, maximal=done)

    def _special(
        self, groups: Sequence[NodeGroup], best: Outcome
    ) -> PatternStart | PackedStart | None:
        settings, limits = self.settings, self.settings.limits
        if settings.victims or settings.tier_names or self.problem.admission_room:
            return None
        if self.problem.cards is not None:
            seconds = PATTERN_SHARE * limits.time_limit_s
            given = (self.problem, self.classes, groups, seconds, self.stopped, limits.seed)
            return pattern_start(
                *given, self.meter, lambda bound: self._publish_bounded(groups, best, bound)
            )
        if settings.start is not None or settings.backend is not None or not settings.aggregate:
            return None
        seconds = PACKING_SHARE * self._left()
        return packing_start(self.problem, self.classes, limits, seconds, self.stopped)

    def _publish_bounded(self, groups: Sequence[NodeGroup], best: Outcome, bound: int) -> None:
        """Send a plan with a bound on its first tier of GPUs that was proved just now, and what holds of itself."""
        built = self._build(groups)
        values = self._vector(built, best.assignment)
        tiers = certified(built, (), values, workers=1, seconds=0.0)
        bounded = replace(best, tiers=sharpened(tiers, first_gpus(built, bound)))
        self.offer(bounded, "node patterns")

    def _greedy(self, groups: Sequence[NodeGroup]) -> Outcome:
        began = time.perf_counter()
        assignment = self._beginning()
        if not assignment.evicted:  # what evictions make room for is decided together with them
            self._fill(assignment, exact=False)
            assignment = gathered(self.problem, assignment, self.stopped)
        self._timed("place", began)
        built = self._build(groups)
        outcome = self._without_bounds(built, assignment, 0, {})
        self._greedy_s = time.perf_counter() - began
        return outcome

    def _beginning(self) -> Assignment:
        """The plan that the caller knows, if it is legal, else none."""
        start = self.settings.start
        if start is None or (start.evicted and not self.legal(start)):
            return Assignment({})
        return start.copy()

    def _reached(
        self, built: BuiltModel, number: int, goal: TierGoal, value: int | None, bound: int | None
    ) -> None:
        """Tell about a decided tier, and send the plan so far, so that an end from outside loses little."""
        if self.report is not None:
            self.report(goal, value, bound)
        values, assignment = self._known
        if goal is built.tiers[0]:
            self._decided = {}
        self._decided[goal.name] = bound
        if values and value == goal.expression.value(values) and goal.name.endswith(".gangs"):
            plan = self._without_bounds(built, assignment, number, self._decided)
            self.offer(plan, "solve tiers")

    def _round(
        self, groups: Sequence[NodeGroup], best: Outcome, number: int
    ) -> tuple[Outcome, tuple[int, ...]]:
        built = self._build(groups)
        self._known = ((), Assignment({}))  # its values are of this model only
        began, used = time.perf_counter(), self.meter.now()
        scope = RankScope(built) if self.settings.tier_names is None else None
        search = TierSearch(
            built.model,
            built.tiers,
            self._backend(built),
            self._solve_limits(),
            report=lambda goal, value, bound: self._reached(built, number, goal, value, bound),
            stopped=self.stopped,
            complete=lambda values, goal, guide: self._complete(built, values, goal, guide),
            scope=scope,
            tight=built.tight,
            known=self.settings.known,
            meter=self.meter,
        )
        earlier: tuple[TierResult, ...] = ()
        large = built.model.size > LARGE_MODEL or self.settings.victims is not None
        if self.settings.start is not None and not large:
            hint = self._hint(built, best.assignment)
            self._known = (hint, best.assignment)
            search.limits = replace(search.limits, seconds=self._left())
            found = search.run(hint, effort=self._effort)
            self._effort -= time.perf_counter() - began
            if self.settings.stays and not self.stopped():
                limits = replace(self._solve_limits(), seconds=self._left())
                found = nearest_solution(built, found, hint, limits)
            self._timed("solve", began)
            return self._conclude(built, groups, found, best, number)
        if self.settings.start is not None and number == 1:
            search.limits = replace(search.limits, seconds=self._left())
            first = search.run(self._hint(built, best.assignment), quick=True)
            self._timed("solve", began)
            best, failed = self._conclude(built, groups, first, best, number)
            best = self.offer(best, "solve tiers")
            enough = within_gap(best.tiers, self.settings.limits.gap)
            if enough or min(self._left(), self.settings.effort_s) <= 0:
                return best, failed
            began = time.perf_counter()
            search.known = {**self.settings.known, **known_tiers(best.tiers)}
            earlier = best.tiers
        elif built.model.size > LARGE_MODEL:
            first = search.run(self._hint(built, best.assignment), thrifty=True)
            self._timed("solve", began)
            best, failed = self._conclude(built, groups, first, best, number)
            best = self.offer(best, "solve tiers")
            gap, size = self.settings.limits.gap, built.model.size
            if enough_proved(best.tiers, gap, size) or self._left() <= self.meter.now() - used:
                return best, failed
            began = time.perf_counter()
        search.limits = self._solve_limits()
        parts = (
            bool(earlier) and self.settings.victims is None
        )  # of large models whose plan is known
        found = search.run(self._hint(built, best.assignment), thrifty=parts)
        self._timed("solve", began)
        final, failed = self._conclude(built, groups, found, best, number)
        return replace(final, tiers=kept_bounds(earlier, final.tiers)), failed

    def _conclude(
        self,
        built: BuiltModel,
        groups: Sequence[NodeGroup],
        found: Lexicographic,
        best: Outcome,
        number: int,
    ) -> tuple[Outcome, tuple[int, ...]]:
        """Bring a solution back to nodes, keep the better of it and the best so far, and state its bounds."""
        if found.values is None:
            return best, ()
        completed = self._known[1]
        assignment, failed = self._place(built, groups, found.values)
        vector = self._vector(built, assignment)
        if completed.pods and vector != [tier.value for tier in found.tiers]:
            # What did not pack may cost more than the last completed plan lacks below it.
            other = self._filled(built, completed)
            if worse(built.tiers, vector, self._vector(built, other)):
                assignment, vector = other, self._vector(built, other)
        began = time.perf_counter()
        old = self._vector(built, best.assignment)
        maximal = not self.stopped()
        if worse(built.tiers, vector, old):
            assignment, vector, maximal = best.assignment, old, best.maximal
        settings = self.settings.limits
        seconds = math.inf if settings.deterministic else max(self._left(), 2 * self._greedy_s, 1.0)
        tiers = certified(built, found.tiers, vector, workers=settings.workers, seconds=seconds)
        self._timed("certify", began)
        tiers = sharpened(tiers, self._bounds)
        return self._outcome(assignment, tiers, built, number, maximal=maximal), failed

    def _complete(
        self,
        built: BuiltModel,
        values: tuple[int, ...],
        goal: TierGoal,
        guide: Sequence[float] | None,
    ) -> tuple[int, ...] | None:
        """Keep what ranks above have where it is packed, and fill the rest greedily.

        A fractional solution guides the goal's own rank: first as many gangs of each class as it starts in whole,
        then those with the largest remainder.
        """
        if not is_ranked(goal.name) or self.settings.tier_names is not None:
            return None
        grows = rank_of_elastic(goal.name) is not None
        assignment = self._assignment_of(built, values)
        keep_decided(built, assignment, goal, whole=guide is None or grows)
        if guide is not None and not grows:
            self._follow(built, assignment, guide)
        self._fill(assignment, exact=False)
        completed = plan_values(built, assignment)
        self._known = (completed, assignment)
        return completed
