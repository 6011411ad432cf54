"""Search with evictions: starts and victims are decided together, then checked, and cut where a check fails."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from planner.encode.victims.after_evictions import without
from planner.encode.victims.eviction_groups import EvictionGrouping
from planner.model.build import BuiltModel, build
from planner.model.eviction_rows import EvictionCut
from planner.model.tiers import HARM_UNITS
from planner.problem.domain_rooms import keeps_domain_rooms
from planner.problem.linear import Expression, LinearModel, TierGoal
from planner.problem.placement import PlacementProblem
from planner.problem.victims import EACH_ALONE, Victims
from planner.reduce.choose_victims import choose_victims
from planner.reduce.disaggregate import Assignment, assign_gangs, pack_groups
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import NodeGroup
from planner.search.construct.fill import fill_elastic, room_after
from planner.search.construct.victim_needed import NeededVictims
from planner.search.exact.fit_by_cpsat import exact_fit, exact_pack
from planner.search.model_size import refuse_too_large
from planner.search.outcome import Outcome, SearchSettings
from planner.search.placement_search import PlacementSearch
from planner.search.plan_values import plan_values
from planner.search.search_steps import CP_SAT_VARIABLES
from planner.search.stages.bound.tier_bounds import certified
from planner.search.stages.evict.eviction_repair import Repair
from planner.search.stages.evict.greedy_victims import GreedyVictims
from planner.search.stages.evict.victim_checks import PlanCheck
from planner.solve.tiers import Lexicographic, TierResult, TierSink

GREEDY_SHARE = 0.25
"""Part of the time limit that making a plan without a model, and improving one, may take each."""
UNEVICTED_SHARE = 0.3
"""Part of the time for the plan without evictions, which is legal under every policy."""
MOST_CUTS = 40
"""Plans against the rules on victims that are cut off at most."""


class EvictionSearch(PlacementSearch):
    """One search in which running pods may be evicted."""

    def __init__(
        self,
        problem: PlacementProblem,
        classes: Sequence[GangClass],
        settings: SearchSettings,
        *,
        report: TierSink | None = None,
        publish: Callable[[Outcome], object] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(
            problem, classes, settings, report=report, publish=publish, stopped=stopped
        )
        if settings.victims is None:
            raise ValueError("a search with evictions needs its victims")
        self.victims: Victims = settings.victims
        self.grouping = EvictionGrouping(problem, self.victims)
        self.cuts: list[EvictionCut] = list(settings.cuts)
        self._needed = NeededVictims(
            problem, self.victims, self.classes, cluster_scope=settings.cluster_scope
        )
        self._check = PlanCheck(problem, self.victims, self.classes, self._needed)
        self._greedy_victims = GreedyVictims(
            problem, self.victims, self.classes, self._check, self._hurried, {}
        )
        self._hurry_since = self.started_at
        self._improved: set[tuple[int, ...]] = set()
        self._found: list[EvictionCut] = []
        self._uncut: tuple[BuiltModel, tuple[TierResult, ...]] | None = None
        self._made: tuple[Sequence[NodeGroup], int, BuiltModel] | None = None
        self._beginning_groups: tuple[NodeGroup, ...] | None = None

    def search(self) -> Outcome:
        """Rounds of solving, refining and cutting until the plan is legal and proved, stopped or out of time."""
        groups = self._first_groups()
        best = self.offer(self._greedy(groups), "construct")
        if not self.settings.cuts:
            self._without_evictions(groups)
            best = self.state.best or best
        for number in range(1, MOST_CUTS + 1):
            if self.stopped() or (self._left() <= 0 and number > 1):
                break
            self._found = []
            best, failed = self._round(groups, best, number)
            best = self.offer(best, "solve tiers")
            self.cuts += self._found
            if best.proved and not self._found:
                break
            finer = self._refined(groups, failed) if failed else None
            if finer is not None:
                groups = finer
            elif not self._found:
                break
        if not self.settings.cuts:
            self.state.prove(self._honest(best).tiers, "bound")
        return best

    def offer(self, outcome: Outcome, stage: str) -> Outcome:
        """As always, but for bounds of a model with cuts: a cut may forbid a little more than its rule."""
        if self.cuts:
            unproved = tuple(replace(one, bound=None) for one in outcome.tiers)
            outcome = replace(outcome, tiers=unproved)
        return super().offer(outcome, stage)

    def _without_evictions(self, groups: Sequence[NodeGroup]) -> None:
        """Offer the plan that leaves all running pods where they are, and what evictions add to it."""
        limits = self.settings.limits
        limits = replace(limits, time_limit_s=max(self._left(), 0.0) * UNEVICTED_SHARE)
        settings = replace(self.settings, victims=None, cuts=(), start=None, limits=limits)
        search = PlacementSearch(self.problem, self.classes, settings, stopped=self.stopped)
        found = search.run()
        self.meter.add(search.meter.work)
        built = self._build(groups)
        stays = self._without_bounds(built, found.assignment, 0, {})
        self.offer(stays, "without evictions")
        self.send(stays)  # also where a better plan is known, which a stricter judge may refuse
        if self.settings.tier_names is not None or self._late():
            return
        self._hurry_since = time.perf_counter()
        plan = self._greedy_victims.plan(found.assignment.copy())
        plan = self._legal_part(self.after(plan), plan, certain=False)
        self.offer(self._without_bounds(built, plan, 0, {}), "construct")

    def _conclude(
        self,
        built: BuiltModel,
        groups: Sequence[NodeGroup],
        found: Lexicographic,
        best: Outcome,
        number: int,
    ) -> tuple[Outcome, tuple[int, ...]]:
        """As always; the first model without cuts of its own is kept for its bounds."""
        if len(self.cuts) == len(self.settings.cuts):
            self._uncut = (built, found.tiers)
        return super()._conclude(built, groups, found, best, number)

    def _honest(self, outcome: Outcome) -> Outcome:
        """Bounds of the model without cuts: a cut may forbid a little more than the rule that it stands for."""
        if self._uncut is None or len(self.cuts) == len(self.settings.cuts):
            return outcome
        built, solved = self._uncut
        vector = [tier.value for tier in outcome.tiers]
        settings = self.settings.limits
        seconds = math.inf if settings.deterministic else max(self._left(), 1.0)
        return replace(
            outcome,
            tiers=certified(built, solved, vector, workers=settings.workers, seconds=seconds),
        )

    def model(self) -> BuiltModel:
        """The model that the search begins with; asked again it is the same one."""
        if self._beginning_groups is None:
            self._beginning_groups = self._first_groups()
        return self._build(self._beginning_groups)

    def _build(self, groups: Sequence[NodeGroup]) -> BuiltModel:
        if self._made is not None and self._made[0] is groups and self._made[1] == len(self.cuts):
            return self._made[2]
        began = time.perf_counter()
        refuse_too_large(self.classes, groups)
        built = build(
            self.problem,
            self.classes,
            groups,
            cluster_scope=self.settings.cluster_scope,
            fair=self.settings.fair,
            names=self.settings.tier_names,
            victims=self.victims,
            cuts=self.cuts,
        )
        self._timed("build", began)
        self._made = groups, len(self.cuts), built
        return built

    def _greedy(self, groups: Sequence[NodeGroup]) -> Outcome:
        """Gang after gang with the victims that cost least; under a policy's own list only what fits as it is."""
        began = time.perf_counter()
        assignment = self._beginning()
        self._greedy_victims.group_of = {n: g for g, one in enumerate(groups) for n in one.nodes}
        if self.settings.tier_names is None:
            assignment = self._greedy_victims.plan(assignment)
        assignment = self._legal_part(self.after(assignment), assignment, certain=False)
        self._timed("place", began)
        outcome = self._without_bounds(self._build(groups), assignment, 0, {})
        self._greedy_s = time.perf_counter() - began
        return outcome

    def _hurried(self) -> bool:
        """Stopped, or a fair part of the time is gone, or all of it."""
        limits, now = self.settings.limits, time.perf_counter()
        if self.stopped() or limits.deterministic:
            return self.stopped()
        most = limits.time_limit_s
        return now - self._hurry_since > most * GREEDY_SHARE or now - self.started_at > most

    def _hint(self, built: BuiltModel, assignment: Assignment) -> tuple[int, ...]:
        """With what justifies the evictions, which a plan does not say: solvers drop hints that break rows."""
        values = plan_values(built, assignment)
        if not assignment.evicted and self.problem.cards is None:
            return values
        return self._justified(built, values) or values

    def _justified(self, built: BuiltModel, values: tuple[int, ...]) -> tuple[int, ...] | None:
        began = time.perf_counter()
        lower, upper = list(built.model.lower), list(built.model.upper)
        for column in built.decided():
            lower[column] = upper[column] = values[column]
        goal = TierGoal("justify", "max", "", Expression(), 0)
        fixed = LinearModel(lower, upper, built.model.rows)
        limits = replace(self._solve_limits(), seconds=max(self._left(), 1.0))
        found = self._backend(built).solve(fixed, goal, pins=(), limits=limits)
        self.meter.add(found.work)
        self._timed("justify", began)
        return None if found.values is None else built.tight(found.values)

    def _complete(
        self,
        built: BuiltModel,
        values: tuple[int, ...],
        goal: TierGoal,
        guide: Sequence[float] | None,
    ) -> tuple[int, ...] | None:
        """Other nodes for the same starts, with less harm, once per set of starts.

        Other solutions are not filled up by counting: every start may need its own victims.
        """
        starts = tuple(built.started(values))
        if built.model.size <= CP_SAT_VARIABLES or self.settings.tier_names is not None:
            return None  # solved in no time, or to be solved in another order
        if goal.name not in HARM_UNITS or starts in self._improved:
            return None
        self._improved.add(starts)
        known, assignment = self._known
        if known != values:
            assignment, failed = self._inverted(built, built.form.groups, values)
            if failed:
                return None
        began = self._hurry_since = time.perf_counter()
        found = self._greedy_victims.improved(assignment, seed=self.settings.limits.seed)
        self._timed("place", began)
        return None if found is None else self._hint(built, found)

    def after(self, assignment: Assignment) -> PlacementProblem:
        """Room once the evicted pods are gone."""
        return without(self.problem, self.victims, assignment.evicted)

    def receivers(self, assignment: Assignment) -> tuple[GangClass, ...]:
        """A gang that loses pods receives none."""
        gone = frozenset(assignment.evicted)
        losing = {
            self.victims.gangs[gang].demand
            for one in self.victims.pods
            if (gang := self.victims.kinds[one.kind].gang) != EACH_ALONE
            and not gone.isdisjoint(one.names)
        }
        return tuple(one for one in self.classes if losing.isdisjoint(one.demands))

    def legal(self, assignment: Assignment) -> bool:
        """Every eviction is allowed and needed, and domains have what the newcomers share."""
        spots = ((one.shape, one.node, one.count) for one in assignment.placed(self.problem))
        rooms = self.problem.domain_rooms
        return self._check.fault(assignment) is None and keeps_domain_rooms(rooms, spots)

    def _place(
        self, built: BuiltModel, groups: Sequence[NodeGroup], values: Sequence[int]
    ) -> tuple[Assignment, tuple[int, ...]]:
        began = time.perf_counter()
        assignment, failed = self._inverted(built, groups, values)
        found = self._legal_part(self.after(assignment), assignment, certain=not failed)
        self._timed("place", began)
        return found, failed

    def _inverted(
        self, built: BuiltModel, groups: Sequence[NodeGroup], values: Sequence[int]
    ) -> tuple[Assignment, tuple[int, ...]]:
        """The plan of a solution, and the groups in which it does not hold."""
        evicted, placed = built.evicted(values), built.placed(values)
        chosen = choose_victims(self.problem, self.victims, groups, evicted, placed)
        assignment = Assignment({}, tuple(sorted(chosen.names)))
        after = self.after(assignment)
        packing = pack_groups(after, groups, placed, exact_pack, built.gpu_nodes(values))
        started, pods = built.started(values), built.pods(values)
        shares = built.shares(values)
        given = assign_gangs(after, self.classes, started, pods, packing, shares)
        assignment = replace(given, evicted=assignment.evicted)
        return assignment, tuple(sorted({*packing.failed, *chosen.failed}))

    def _legal_part(
        self, after: PlacementProblem, assignment: Assignment, *, certain: bool
    ) -> Assignment:
        """The plan filled up, or as it is; where it is against the rules, a cut is kept and nothing starts."""
        filled = assignment.copy()
        if self.settings.tier_names is None:  # a policy's own list may want a gang to wait
            classes = self.receivers(assignment)
            room = room_after(after, filled)
            self.fill_in_turn(after, classes, filled, room, exact_fit)
        if self.legal(filled):
            return filled
        cut = self._check.fault(assignment)
        if cut is None:
            return assignment
        if certain:
            self._found.append(cut)
        return self._repaired(assignment)

    def _repaired(self, assignment: Assignment) -> Assignment:
        """What is left of a plan once wrong victims stay, with what else can start then."""
        repair = Repair(self.problem, self.victims, self.classes, self._needed)
        found = repair.legal(assignment)
        if not self.legal(found):
            return Assignment({})
        if self.settings.tier_names is None:
            self._hurry_since = time.perf_counter()
            more = repair.legal(self._greedy_victims.plan(found))
            found = more if self.legal(more) else found
            filled = found.copy()
            classes = self.receivers(filled)
            after = self.after(filled)
            fill_elastic(after, classes, filled, room_after(after, filled), self.stopped)
            found = filled if self.legal(filled) else found
        return found
