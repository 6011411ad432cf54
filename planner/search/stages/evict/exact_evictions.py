"""Small clusters: every better combination of starts and victims is tried, so that the plan's bounds are proved.

The rules *a victim is needed* and *no undoing* depend on where newcomers are placed and on what could happen next;
they are no rows of the model. Here the model proposes starts and victims, best first; all placements of a proposal are
checked, and one without a legal placement is cut off exactly, and nothing else with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from planner.encode.prepared import Prepared
from planner.encode.victims.after_evictions import without
from planner.encode.victims.eviction_groups import EvictionGrouping
from planner.model.build import BuiltModel, build
from planner.model.eviction_rows import PlanCut, plan_cut
from planner.problem.linear import Expression, TierGoal
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment, assign_gangs, pack_groups
from planner.reduce.domain_of_gang import keeps_topology
from planner.reduce.gang_classes import GangClass
from planner.reduce.minimal_pod_sets import (
    TooManyError,
    all_deliveries,
    every_placement,
    minimal_deliveries,
)
from planner.search.construct.fill import fill_elastic, room_after
from planner.search.outcome import Outcome, SearchSettings
from planner.search.plan_values import plan_values
from planner.search.stages.evict.victim_rules import VictimRules
from planner.solve.backend import SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.tiers import TierResult, TierSearch

MOST_CELLS = 400
"""Nodes times gangs that may start, plus possible victims, up to which everything is tried."""
MOST_PROPOSALS = 100
MOST_CUTS = 2_000
MOST_PLACEMENTS = 3_000
"""Placements of one proposal that are looked at before the attempt is given up."""
WORK = 20.0
"""Deterministic work units of one run of the model."""


def is_small(prepared: Prepared, victims: Victims, classes: Sequence[GangClass]) -> bool:
    """Whether trying everything is worth it; placements that share cards are not listed."""
    if prepared.problem.cards is not None:
        return False
    gangs = sum(one.size for one in classes)
    pods = sum(len(one.names) for one in victims.pods)
    return len(prepared.problem.node_names) * gangs + pods <= MOST_CELLS


class ExactEvictions:
    """Proposals and their placements, until the best legal one is known."""

    def __init__(
        self,
        prepared: Prepared,
        victims: Victims,
        classes: Sequence[GangClass],
        settings: SearchSettings,
        stopped: Callable[[], bool],
    ) -> None:
        self.prepared = prepared
        self.problem = prepared.problem
        self.victims = victims
        self.classes = tuple(
            replace(one, demands=(demand,)) for one in classes for demand in one.demands
        )
        self.settings = settings
        self.stopped = stopped
        self.groups = EvictionGrouping(self.problem, victims).singles()
        self.rules = VictimRules(prepared, victims, classes)

    def run(self, outcome: Outcome) -> Outcome | None:
        """The outcome with the best legal plan and proved bounds; None where the attempt was given up."""
        cuts: list[PlanCut] = []
        for _ in range(MOST_PROPOSALS):
            if self.stopped():
                return None
            built = self._build(cuts)
            found = self._solved(built)
            if found is None:
                return None
            values, tiers = found
            try:
                plan = self._legal_plan(built, values, outcome.assignment)
            except TooManyError:
                return None
            if plan is not None:
                return self._outcome(outcome, built, plan, tiers)
            cuts.append(self._cut(built, values))
            try:
                if self._exhausted(values, cuts):
                    cuts.append(replace(cuts[-1], evicted=None))
            except TooManyError:
                return None
        return None

    def _exhausted(self, values: Sequence[int], cuts: list[PlanCut]) -> bool:
        """Whether no victims at all let these gangs start; illegal ones that are met are added to the cuts."""
        built = self._build(cuts)
        for column in built.form.variables.starts:
            if column is not None:
                built.model.lower[column] = built.model.upper[column] = values[column]
        goal = TierGoal("legal", "max", "", Expression(), 0)
        limits = SolveLimits(seconds=WORK, deterministic=True, workers=1)
        while not self.stopped() and len(cuts) < MOST_CUTS:
            found = CpSatBackend().solve(built.model, goal, pins=(), limits=limits)
            if found.values is None:
                return found.proved_infeasible
            if next(self._candidates(built, found.values, Assignment({})), None) is not None:
                return False
            cuts.append(self._cut(built, found.values))
            if built.form.evictions is not None:
                plan_cut(built.form, built.form.evictions, cuts[-1])
        raise TooManyError

    def _build(self, cuts: Sequence[PlanCut]) -> BuiltModel:
        return build(
            self.problem,
            self.classes,
            self.groups,
            cluster_scope=self.settings.cluster_scope,
            fair=self.settings.fair,
            names=self.settings.tier_names,
            victims=self.victims,
            cuts=cuts,
        )

    def _solved(self, built: BuiltModel) -> tuple[tuple[int, ...], tuple[TierResult, ...]] | None:
        limits = SolveLimits(seconds=WORK, deterministic=True, workers=1)
        search = TierSearch(
            built.model,
            built.tiers,
            CpSatBackend(),
            limits,
            stopped=self.stopped,
            tight=built.tight,
        )
        found = search.run(None)
        if found.values is None or not all(tier.closed for tier in found.tiers):
            return None
        return found.values, found.tiers

    def _legal_plan(
        self, built: BuiltModel, values: tuple[int, ...], known: Assignment
    ) -> Assignment | None:
        """The legal placement of a proposal's starts and victims that is best in the tiers after harm."""
        target = [goal.expression.value(values) for goal in built.tiers]
        best: tuple[list[int], Assignment] | None = None
        for plan in self._candidates(built, values, known):
            reached = plan_values(built, plan)
            found = [goal.expression.value(reached) for goal in built.tiers]
            ranked = [
                value if goal.sense == "max" else -value
                for goal, value in zip(built.tiers, found, strict=True)
            ]
            if best is None or ranked > best[0]:
                best = ranked, plan
            if found == target:
                break
        return None if best is None else best[1]

    def _candidates(
        self, built: BuiltModel, values: tuple[int, ...], known: Assignment
    ) -> Iterator[Assignment]:
        """Legal plans with the proposal's starts and victims: its own, the known one, then all placements."""
        evicted = self._names(built, values)
        started = set(self._started(built, values))
        for plan in (self._own(built, values, evicted), known):
            pods = {d for d, items in plan.pods.items() if any(items.values())}
            waiting = {d for d in pods if not self.problem.demands[d].ready}
            if waiting == started and plan.evicted == evicted and self._legal(plan):
                yield plan
        for number, plan in enumerate(self._placements(built, values, evicted)):
            if number >= MOST_PLACEMENTS or self.stopped():
                raise TooManyError
            if self._legal(plan):
                yield plan
                filled = self._filled(plan, evicted)
                if self._legal(filled):
                    yield filled

    def _own(
        self, built: BuiltModel, values: Sequence[int], evicted: tuple[str, ...]
    ) -> Assignment:
        """The plan as the solution has it."""
        after = without(self.problem, self.victims, evicted)
        packing = pack_groups(after, self.groups, built.placed(values), None)
        pods = built.pods(values)
        shares = built.shares(values)
        given = assign_gangs(after, self.classes, built.started(values), pods, packing, shares)
        return replace(given, evicted=evicted)

    def _started(self, built: BuiltModel, values: Sequence[int]) -> list[int]:
        counts = zip(self.classes, built.started(values), strict=True)
        return [one.demands[0] for one, count in counts if count]

    def _placements(
        self, built: BuiltModel, values: Sequence[int], evicted: tuple[str, ...]
    ) -> Iterator[Assignment]:
        """Every placement of minimal sets of pods, then of larger ones: further pods may be what needs a victim."""
        after = without(self.problem, self.victims, evicted)
        started = self._started(built, values)
        demands = [self.problem.demands[demand] for demand in started]
        minimal = [minimal_deliveries(one) for one in demands]
        larger = itertools.product(*map(all_deliveries, demands)) if evicted else ()
        for chosen in itertools.chain(itertools.product(*minimal), larger):
            deliveries = dict(zip(started, chosen, strict=True))
            for plan in every_placement(after, deliveries):
                if keeps_topology(after, plan):
                    yield replace(plan, evicted=evicted)

    def _filled(self, plan: Assignment, evicted: tuple[str, ...]) -> Assignment:
        """With elastic pods where they fit."""
        filled = plan.copy()
        if self.settings.tier_names is not None:
            return filled
        after = without(self.problem, self.victims, evicted)
        gone = frozenset(evicted)
        losing = {
            self.victims.gangs[number].demand
            for one in self.victims.pods
            if (number := self.victims.kinds[one.kind].gang) >= 0 and not gone.isdisjoint(one.names)
        }
        receivers = [one for one in self.classes if losing.isdisjoint(one.demands)]
        fill_elastic(after, receivers, filled, room_after(after, filled), self.stopped)
        return filled

    def _names(self, built: BuiltModel, values: Sequence[int]) -> tuple[str, ...]:
        names: list[str] = []
        by_place = {(one.kind, one.node): one.names for one in self.victims.pods}
        for g, counts in built.evicted(values).items():
            node = self.groups[g].nodes[0]
            for kind, count in counts.items():
                names += by_place[kind, node][:count]
        return tuple(sorted(names))

    def _legal(self, plan: Assignment) -> bool:
        return not self.rules.faults(plan)

    def _cut(self, built: BuiltModel, values: Sequence[int]) -> PlanCut:
        starts = {
            one.demands[0]: count
            for one, count in zip(self.classes, built.started(values), strict=True)
            if not one.growing
        }
        evicted: Mapping[tuple[int, int], int] = {
            (kind, self.groups[g].nodes[0]): count
            for g, counts in built.evicted(values).items()
            for kind, count in counts.items()
        }
        return PlanCut(starts, evicted)

    def _outcome(
        self,
        outcome: Outcome,
        built: BuiltModel,
        plan: Assignment,
        solved: Sequence[TierResult],
    ) -> Outcome:
        reached = plan_values(built, plan)
        tiers = tuple(
            replace(one, value=one.goal.expression.value(reached), backend="all plans")
            for one in solved
        )
        return replace(outcome, assignment=plan, tiers=tiers, maximal=True)
