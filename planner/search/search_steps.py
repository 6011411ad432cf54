"""Steps of a search: node groups, the model, and the way from its solutions back to pods on nodes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from planner.capacity.fit import Room
from planner.capacity.fits_alone import ExactFit
from planner.model.build import BuiltModel, build
from planner.problem.meter import Meter
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment, GroupPacking, assign_gangs, pack_groups
from planner.reduce.gang_classes import GangClass
from planner.reduce.node_groups import Grouping, NodeGroup
from planner.reduce.spread_filter import without_uneven
from planner.search.construct.ejection import displaced
from planner.search.construct.fill import fill_in_turn, fill_starts, room_after
from planner.search.exact.fit_by_cpsat import exact_fit, exact_pack
from planner.search.feasible import is_feasible
from planner.search.model_size import approximations, refuse_too_large
from planner.search.outcome import Outcome, SearchSettings
from planner.search.plan_values import plan_values
from planner.search.stages.bound.concurrent_bounds import CertifiedAhead
from planner.search.stages.complete.fill_at_no_cost import fill_at_no_cost
from planner.search.stages.complete.priority_repair import served_first
from planner.search.stages.dive.topology_diving import in_domains
from planner.search.stages.improve.consolidate import gathered
from planner.search.stages.presolve.initial_groups import first_groups, refined
from planner.search.stages.relax.compact_bounds import PlainBounds
from planner.search.stages.relax.relax_and_round import Inside
from planner.search.stages.round.repack import repacked
from planner.search.state import SearchState
from planner.solve.backend import Backend, SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.highs import HighsBackend
from planner.solve.relaxed_chain import RelaxedChain
from planner.solve.tiers import TierResult, TierSink

CP_SAT_VARIABLES = 150
"""Integer variables up to which CP-SAT searches; above, HiGHS closes these models many times faster."""
CLOSING = 4
"""Times the greedy plan's seconds that are kept back for bringing the last solution to nodes."""

MOST_REPACKED = 3
"""Times that pods of a rounded solution change places because some do not pack."""
REPACKED_SHARE = 0.1
"""Share of the seconds that are left for each."""


class SearchSteps:
    """What one search knows, and its steps; what is tried in which order is said elsewhere."""

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
        self.problem = problem
        self.classes = tuple(sorted(classes, key=lambda one: self._order(one, settings)))
        self.settings = settings
        self.report = report
        self.send = publish or (lambda outcome: None)
        self.state = SearchState(self.admissible)
        self.stopped = stopped
        self.started_at = time.perf_counter()
        self.meter = Meter(deterministic=settings.limits.deterministic)
        self.stages: dict[str, float] = {}
        self.grouping = Grouping(problem)
        self._known: tuple[tuple[int, ...], Assignment] = ((), Assignment({}))
        self._decided: dict[str, int | None] = {}
        self._bounds: dict[str, int] = {}
        self._greedy_s = 0.0
        self._proving_s = 0.0
        self._plain: PlainBounds | None = None
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

    def after(self, assignment: Assignment) -> PlacementProblem:
        """The problem beside which an assignment is made: running pods that it evicts are gone."""
        return self.problem

    def receivers(self, assignment: Assignment) -> tuple[GangClass, ...]:
        """Classes whose gangs may receive pods beside an assignment."""
        return self.classes

    def legal(self, assignment: Assignment) -> bool:
        """Whether the rules on a plan as a whole hold."""
        return True

    def admissible(self, assignment: Assignment) -> bool:
        """Whether a plan may be the incumbent: every rule of the problem holds, and those on the plan as a whole."""
        return is_feasible(self.after(assignment), assignment) and self.legal(assignment)

    def offer(self, outcome: Outcome, stage: str) -> Outcome:
        """Offer a plan to the incumbent's owner, and send what is better; returns the incumbent.

        A plan that breaks a rule is passed over, so that without any legal one the plan itself is returned.
        """
        if self.state.offer(outcome, stage) and self.state.best is not None:
            self.send(self.state.best)
        return self.state.best or outcome

    def _hint(self, built: BuiltModel, assignment: Assignment) -> tuple[int, ...]:
        """The solution of a model that a search begins with."""
        return plan_values(built, assignment)

    def _left(self) -> float:
        limits = self.settings.limits
        if limits.deterministic:
            return limits.time_limit_s - self.meter.work
        spent = time.perf_counter() - self.started_at
        closing = min(CLOSING * self._greedy_s, limits.time_limit_s / 4)
        return limits.time_limit_s - spent - closing

    def _closing(self) -> float:
        """Seconds that are left, with those that are kept back."""
        limits = self.settings.limits
        if limits.deterministic:
            return math.inf
        return limits.time_limit_s - (time.perf_counter() - self.started_at)

    def _late(self) -> bool:
        """The search was stopped, or its time is over."""
        return self.stopped() or self._left() <= 0

    def _over(self) -> bool:
        """The search was stopped, or its time is over with what was kept back, but for what bounds need."""
        return self.stopped() or self._closing() <= self._proving_s

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
        refuse_too_large(self.classes, groups)
        built = build(
            self.problem,
            self.classes,
            groups,
            cluster_scope=self.settings.cluster_scope,
            fair=self.settings.fair,
            names=self.settings.tier_names,
        )
        self._timed("build", began)
        self._last = (groups, built)
        return built

    def _assignment_of(self, built: BuiltModel, values: tuple[int, ...]) -> Assignment:
        """Pods on nodes of a solution: those it was made from, or packed."""
        known, assignment = self._known
        if known != values and built.loose:
            return self._followed(built, values)
        if known != values:
            groups = built.form.groups
            packing = pack_groups(self.problem, groups, built.placed(values), exact_pack)
            assignment = self._given(built, values, packing)
        return Assignment(
            assignment.copy().pods
        )  # whoever fills it up must not change the known one

    def _given(self, built: BuiltModel, values: Sequence[int], packing: GroupPacking) -> Assignment:
        """Packed pods for the gangs that a solution starts, in the domains that it says."""
        started, pods, shares = built.started(values), built.pods(values), built.shares(values)
        return assign_gangs(self.problem, self.classes, started, pods, packing, shares)

    def _on_nodes(
        self,
        built: BuiltModel,
        groups: Sequence[NodeGroup],
        values: tuple[int, ...],
        inside: Inside | None = None,
    ) -> tuple[Assignment, GroupPacking]:
        """Pods on nodes of a rounded solution; groups whose pods did not all pack, and what found no node at all."""
        if built.loose:
            return self._followed(built, values, inside, timed=True), GroupPacking((), (), {})
        packing = pack_groups(self.problem, groups, built.placed(values), exact_pack)
        failed = packing.failed
        values, packing = self._repacked(built, groups, values, packing)
        given = self._given(built, values, packing)
        if packing.missing:
            started = built.started(values)
            given = served_first(self.problem, self.classes, started, given, self.stopped)
        return given, replace(packing, failed=failed)

    def _repacked(
        self,
        built: BuiltModel,
        groups: Sequence[NodeGroup],
        values: tuple[int, ...],
        packing: GroupPacking,
    ) -> tuple[tuple[int, ...], GroupPacking]:
        """The same starts on other nodes while that leaves fewer pods without one."""
        for _ in range(MOST_REPACKED):
            if not packing.missing or self._late():
                break
            limits = self._solve_limits()
            short = replace(limits, seconds=limits.seconds * REPACKED_SHARE)
            other = repacked(built, values, packing.failed, short, self.stopped)
            if other is None:
                break
            again = pack_groups(self.problem, groups, built.placed(other), exact_pack)
            if sum(again.missing.values()) >= sum(packing.missing.values()):
                break
            values, packing = other, again
        return values, packing

    def _followed(
        self,
        built: BuiltModel,
        values: Sequence[int],
        inside: Inside | None = None,
        *,
        timed: bool = False,
    ) -> Assignment:
        """The starts of a solution that does not say which domains its gangs are in, on nodes.

        ``timed``: nothing is relaxed in the time that is kept back for bringing a plan to its end.
        """
        if self.settings.tier_names is None and self.settings.victims is None:
            return in_domains(
                built,
                values,
                self._solve_limits(),
                inside=inside,
                cluster_scope=self.settings.cluster_scope,
                stopped=self._over if timed else self.stopped,
                late=self._late if timed else None,
            )
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

    def _displaced(self, built: BuiltModel, plan: Assignment, values: Sequence[int]) -> Assignment:
        """The plan with gangs of high ranks in place of lower ones, where nodes and queues are all that counts."""
        problem = self.problem
        if problem.domain_rooms or problem.spreads or problem.cards is not None:
            return plan
        started = built.started(values)
        wanted = [
            index
            for one, count in zip(self.classes, started, strict=True)
            for index in one.demands[:count]
        ]
        found = displaced(problem, self.classes, plan, wanted, self._late)
        if found.pods != plan.pods:
            self._fill(found, exact=True)
        return found

    def _ahead(
        self, built: BuiltModel, plan: Assignment, chain: RelaxedChain, old: Sequence[int] | None
    ) -> CertifiedAhead | None:
        """Bounds of a plan that is still to be gathered, where it is better than the best so far anyway."""
        if self.settings.limits.workers == 1:
            return None
        seconds = max(self._closing(), 1.0)
        vector, plain = self._vector(built, plan), self._plain
        return CertifiedAhead.begun(built, vector, chain, seconds, beyond=old, plain=plain)

    def _filled(self, built: BuiltModel, assignment: Assignment) -> Assignment:
        """The last pass; under a policy's own list of tiers only what costs none of them."""
        filled = assignment.copy()
        if self.settings.tier_names is None:
            self._fill(filled, exact=True)
            return self._gathered(filled)
        return fill_at_no_cost(built, self.classes, filled, self.stopped)

    def _gathered(self, filled: Assignment) -> Assignment:
        """The plan in fewer domains; pods that moved may leave room where a gang fits."""
        found = gathered(self.problem, filled, self._late)
        if found.pods != filled.pods:
            self._fill(found, exact=True)
        return found

    def _fill(self, assignment: Assignment, *, exact: bool) -> None:
        room = room_after(self.problem, without_uneven(self.problem, assignment))
        search = exact_fit if exact else None
        self.fill_in_turn(self.problem, self.classes, assignment, room, search)

    def fill_in_turn(
        self,
        problem: PlacementProblem,
        classes: Sequence[GangClass],
        assignment: Assignment,
        room: Room,
        exact: ExactFit | None,
        earlier: Assignment | None = None,
    ) -> None:
        """Start gangs and add elastic pods wherever they fit, in the order of the tiers."""
        fill_in_turn(
            problem,
            classes,
            assignment,
            room,
            exact,
            self.stopped,
            cluster_scope=self.settings.cluster_scope,
            earlier=earlier,
        )

    def _vector(self, built: BuiltModel, assignment: Assignment) -> list[int]:
        values = plan_values(built, assignment)
        return [goal.expression.value(values) for goal in built.tiers]

    def _refined(
        self, groups: Sequence[NodeGroup], failed: Sequence[int]
    ) -> tuple[NodeGroup, ...] | None:
        return refined(self.grouping, groups, failed)

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
            approximations(built),
            work=self.meter.work,
        )
