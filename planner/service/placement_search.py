"""Search for a placement plan: first a greedy one, then tier by tier over groups, refined until it packs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from planner.formulations.placement.build import BuiltModel, build
from planner.formulations.placement.rank_scope import RankScope
from planner.prepare.disaggregate import Assignment, GroupPacking, assign_gangs, pack_groups
from planner.prepare.even import without_uneven
from planner.prepare.fill import fill_elastic, fill_starts, room_after
from planner.prepare.gang_classes import GangClass
from planner.prepare.gather import gathered
from planner.prepare.node_groups import Grouping, NodeGroup
from planner.problem.linear import TierGoal
from planner.problem.placement import PlacementProblem
from planner.service.certified import certified, enough_proved, kept_bounds, sharpened
from planner.service.exact_fit import exact_fit, exact_pack
from planner.service.fill_at_no_cost import fill_at_no_cost
from planner.service.first_groups import first_groups, refined
from planner.service.nearest_solution import nearest_solution
from planner.service.outcome import Outcome, SearchSettings
from planner.service.pattern_start import pattern_start
from planner.service.plan_values import kind_of, plan_values, within_gap, worse
from planner.solve.backend import Backend, SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.highs import HighsBackend
from planner.solve.tiers import Lexicographic, TierResult, TierSearch, TierSink, known_tiers

CP_SAT_VARIABLES = 150
"""Integer variables up to which CP-SAT searches; above, HiGHS closes these models many times faster."""
LARGE_MODEL = 8_000
"""Variables above which a first answer searches in integers for GPUs only."""
CLOSING = 4
"""Times the greedy plan's seconds that are kept back for bringing the last solution to nodes."""
PATTERN_SHARE = 0.6
"""Part of the time limit that patterns of nodes with shared cards may use."""
CLOSE_PATTERNS = 0.005
"""Relative distance to the bound at which a plan from patterns is not searched further."""
MOST_ROUNDS = 12
"""Refinements of node groups at most."""


class PlacementSearch:
    """One search; :meth:`run` returns the best plan found."""

    def __init__(
        self,
        problem: PlacementProblem,
        classes: Sequence[GangClass],
        settings: SearchSettings,
        *,
        report: TierSink | None = None,
        publish: Callable[[Outcome], None] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self.problem = problem
        self.classes = tuple(sorted(classes, key=lambda one: self._order(one, settings)))
        self.settings = settings
        self.report = report
        self.publish = publish or (lambda outcome: None)
        self.stopped = stopped
        self.started_at = time.perf_counter()
        self.stages: dict[str, float] = {}
        self.grouping = Grouping(problem)
        self._known: tuple[tuple[int, ...], Assignment] = ((), Assignment({}))
        self._decided: dict[str, int | None] = {}
        self._bounds: dict[str, int] = {}
        self._greedy_s = 0.0
        self._effort = settings.effort_s
        self._last: tuple[Sequence[NodeGroup], BuiltModel] | None = None

    @staticmethod
    def _order(one: GangClass, settings: SearchSettings) -> tuple[int, ...]:
        """Tier order; inside a tier gangs with more GPUs first, then by age."""
        if one.growing:
            return (2, 0, 0, one.demands[0])
        late = 1 if one.tier_class == "rest" else 0
        tier = (one.rank, late) if settings.cluster_scope else (late, one.rank)
        return (*tier, -one.example.gpus, one.demands[0])

    def run(self) -> Outcome:
        """Greedy plan, then rounds of solving and refining until proved, stopped or out of time."""
        groups = self._first_groups()
        best = self._greedy(groups)
        self.publish(best)
        packed = self._packed(groups, best)
        if packed is not None:
            best = packed
            self.publish(best)
            if best.maximal:
                return best
        for number in range(1, MOST_ROUNDS + 1):
            if self.stopped() or (self._left() <= 0 and number > 1):
                break
            outcome, failed = self._round(groups, best, number)
            best = outcome
            self.publish(best)
            if best.proved or not failed or within_gap(best.tiers, self.settings.limits.gap):
                break
            if self._effort <= 0:
                break
            finer = self._refined(groups, failed)
            if finer is None:
                break
            groups = finer
        return best

    def _packed(self, groups: Sequence[NodeGroup], best: Outcome) -> Outcome | None:
        """A plan from node patterns where pods share cards, with bounds; None where patterns do not apply.

        It is ``maximal`` where its first tier of GPUs is close to the bound: then the usual search is not needed.
        """
        if self.problem.cards is None or self.settings.victims or self.settings.tier_names:
            return None
        began = time.perf_counter()
        found = pattern_start(
            self.problem,
            self.classes,
            groups,
            PATTERN_SHARE * self.settings.limits.time_limit_s,
            self.stopped,
            self.settings.limits.seed,
        )
        self._timed("patterns", began)
        if found is None:
            return None
        began = time.perf_counter()
        assignment, bound = found
        self._fill(assignment, exact=True)
        self._timed("place", began)
        built = self._build(groups)
        vector = self._vector(built, assignment)
        if worse(built.tiers, vector, self._vector(built, best.assignment)):
            assignment, vector = best.assignment, self._vector(built, best.assignment)
        goal = next(tier for tier in built.tiers if tier.name.endswith(".gpus"))
        self._bounds = {goal.name: bound}
        began = time.perf_counter()
        workers = self.settings.limits.workers
        left = max(self._left() / 2, 1.0)
        tiers = sharpened(certified(built, (), vector, workers=workers, seconds=left), self._bounds)
        self._timed("certify", began)
        value = vector[built.tiers.index(goal)]
        close = bound - value <= CLOSE_PATTERNS * max(value, 1)
        return self._outcome(assignment, tiers, built, 0, maximal=close and not self.stopped())

    def after(self, assignment: Assignment) -> PlacementProblem:
        """The problem beside which an assignment is made: running pods that it evicts are gone."""
        return self.problem

    def receivers(self, assignment: Assignment) -> tuple[GangClass, ...]:
        """Classes whose gangs may receive pods beside an assignment."""
        return self.classes

    def legal(self, assignment: Assignment) -> bool:
        """Whether the rules on a plan as a whole hold."""
        return True

    def _hint(self, built: BuiltModel, assignment: Assignment) -> tuple[int, ...]:
        """The solution of a model that a search begins with."""
        return plan_values(built, assignment)

    def _left(self) -> float:
        limits = self.settings.limits
        if limits.deterministic:
            return limits.time_limit_s
        spent = time.perf_counter() - self.started_at
        closing = min(CLOSING * self._greedy_s, limits.time_limit_s / 4)
        return limits.time_limit_s - spent - closing

    def _timed(self, stage: str, began: float) -> None:
        self.stages[stage] = self.stages.get(stage, 0.0) + time.perf_counter() - began

    def _first_groups(self) -> tuple[NodeGroup, ...]:
        began = time.perf_counter()
        groups = first_groups(self.grouping, aggregate=self.settings.aggregate)
        self._timed("prepare", began)
        return groups

    def model(self) -> BuiltModel:
        """The model that the search begins with."""
        return self._build(self._first_groups())

    def _build(self, groups: Sequence[NodeGroup]) -> BuiltModel:
        if self._last is not None and self._last[0] is groups:
            return self._last[1]
        began = time.perf_counter()
        built = build(
            self.problem,
            self.classes,
            groups,
            cluster_scope=self.settings.cluster_scope,
            names=self.settings.tier_names,
        )
        self._timed("build", began)
        self._last = (groups, built)
        return built

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

    def _without_bounds(
        self,
        built: BuiltModel,
        assignment: Assignment,
        number: int,
        decided: Mapping[str, int | None],
    ) -> Outcome:
        """A plan of which only the decided tiers have bounds (tier name to bound)."""
        values = plan_values(built, assignment)
        tiers = tuple(
            TierResult(goal, goal.expression.value(values), decided.get(goal.name), 0.0, "greedy")
            for goal in built.tiers
        )
        return self._outcome(assignment, tiers, built, number)

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
            self.publish(self._without_bounds(built, assignment, number, self._decided))

    def _round(
        self, groups: Sequence[NodeGroup], best: Outcome, number: int
    ) -> tuple[Outcome, tuple[int, ...]]:
        built = self._build(groups)
        self._known = ((), Assignment({}))  # its values are of this model only
        began = time.perf_counter()
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
            self.publish(best)
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
            self.publish(best)
            gap, size = self.settings.limits.gap, built.model.size
            if enough_proved(best.tiers, gap, size) or self._left() <= first.seconds:
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
        """Keep the gangs of decided ranks where they are packed, and fill the rest greedily.

        A fractional solution guides the goal's own rank: first as many gangs of each class as it starts in whole,
        then those with the largest remainder.
        """
        if goal.name.count(".") != 2 or self.settings.tier_names is not None:
            return None
        assignment = self._assignment_of(built, values)
        kinds = self._kinds()
        decided = kinds[: kinds.index(kind_of(goal)) + (0 if guide is not None else 1)]
        for one in self.classes:
            if one.growing or (one.tier_class, one.rank) not in decided:
                for demand in one.demands:
                    assignment.pods.pop(demand, None)
        if guide is not None:
            self._follow(built, assignment, guide)
        self._fill(assignment, exact=False)
        completed = plan_values(built, assignment)
        self._known = (completed, assignment)
        return completed

    def _assignment_of(self, built: BuiltModel, values: tuple[int, ...]) -> Assignment:
        """Pods on nodes of a solution: those it was made from, or packed."""
        known, assignment = self._known
        if known != values and built.loose:
            return self._followed(built, values)
        if known != values:
            groups = built.form.groups
            packing = pack_groups(self.problem, groups, built.placed(values), exact_pack)
            assignment = self._given(built, values, packing)
        return Assignment(dict(assignment.pods))

    def _given(self, built: BuiltModel, values: Sequence[int], packing: GroupPacking) -> Assignment:
        """Packed pods for the gangs that a solution starts, in the domains that it says."""
        started, pods, shares = built.started(values), built.pods(values), built.shares(values)
        return assign_gangs(self.problem, self.classes, started, pods, packing, shares)

    def _followed(self, built: BuiltModel, values: Sequence[int]) -> Assignment:
        """The starts of a solution that does not say which domains its gangs are in, placed one by one."""
        assignment = Assignment({})
        self._follow(built, assignment, values)
        return assignment

    def _follow(self, built: BuiltModel, assignment: Assignment, guide: Sequence[float]) -> None:
        """Start what a fractional solution starts, rounded down, then one more of each class by its remainder."""
        starts = built.form.variables.starts
        whole, rest = [], []
        for one, column in zip(self.classes, starts, strict=True):
            if column is None:
                continue
            share = guide[column]
            count = int(share + 1e-6)
            if count:
                whole.append(replace(one, demands=one.demands[:count]))
            if share - count > 1e-6:
                rest.append((self._order(one, self.settings)[:-2], count - share, one, count + 1))
        room = room_after(self.problem, assignment)
        fill_starts(self.problem, whole, assignment, room, None, self.stopped)
        rest.sort(key=lambda entry: entry[:2])
        further = [replace(one, demands=one.demands[:count]) for _, _, one, count in rest]
        fill_starts(self.problem, further, assignment, room, None, self.stopped)

    def _kinds(self) -> list[tuple[str, int]]:
        """Classes and ranks in tier order."""
        return list(dict.fromkeys((c.tier_class, c.rank) for c in self.classes if not c.growing))

    def _backend(self, built: BuiltModel) -> Backend:
        if self.settings.backend is not None:
            return self.settings.backend
        return CpSatBackend() if built.model.size <= CP_SAT_VARIABLES else HighsBackend()

    def _solve_limits(self) -> SolveLimits:
        limits = self.settings.limits
        return SolveLimits(
            seconds=min(self._left(), self.settings.effort_s),
            gap=limits.gap,
            seed=limits.seed,
            workers=limits.workers,
            deterministic=limits.deterministic,
        )

    def _place(
        self, built: BuiltModel, groups: Sequence[NodeGroup], values: Sequence[int]
    ) -> tuple[Assignment, tuple[int, ...]]:
        began = time.perf_counter()
        known, assignment = self._known
        failed: tuple[int, ...] = ()
        if known != tuple(values) and built.loose:
            assignment = self._followed(built, values)
        elif known != tuple(values):
            packing = pack_groups(
                self.problem, groups, built.placed(values), exact_pack, built.gpu_nodes(values)
            )
            assignment = self._given(built, values, packing)
            failed = packing.failed
        assignment = self._filled(built, assignment)
        self._timed("place", began)
        return assignment, failed

    def _filled(self, built: BuiltModel, assignment: Assignment) -> Assignment:
        """The last pass; under a policy's own list of tiers only what costs none of them."""
        filled = assignment.copy()
        if self.settings.tier_names is None:
            self._fill(filled, exact=True)
            return gathered(self.problem, filled, self.stopped)
        return fill_at_no_cost(built, self.classes, filled, self.stopped)

    def _fill(self, assignment: Assignment, *, exact: bool) -> None:
        room = room_after(self.problem, without_uneven(self.problem, assignment))
        search = exact_fit if exact else None
        fill_starts(self.problem, self.classes, assignment, room, search, self.stopped)
        fill_elastic(self.problem, self.classes, assignment, room, self.stopped)

    def _vector(self, built: BuiltModel, assignment: Assignment) -> list[int]:
        values = plan_values(built, assignment)
        return [goal.expression.value(values) for goal in built.tiers]

    def _refined(
        self, groups: Sequence[NodeGroup], failed: Sequence[int]
    ) -> tuple[NodeGroup, ...] | None:
        return refined(self.grouping, groups, failed)

    def _outcome(
        self,
        assignment: Assignment,
        tiers: tuple[TierResult, ...],
        built: BuiltModel,
        number: int,
        *,
        maximal: bool = False,
    ) -> Outcome:
        return Outcome(
            assignment.copy(),
            tiers,
            len(built.form.groups),
            built.model.size,
            number,
            dict(self.stages),
            maximal,
        )
