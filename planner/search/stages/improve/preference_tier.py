"""The last tier of a plan: new pods on the nodes that they prefer, with everything above as it is.

First a local search, then the model itself over node groups that preferred rules do not tell apart, with all tiers
above pinned at the plan's values: its bound holds for every plan with these values. Where it would be too large, terms
over many domains are left out of it, and nodes merged, which keeps the bound valid. Where running pods are evicted,
only the local search is done: which pods may go depends on who stands where. What neither proves is bounded by a flow
of pods to nodes (:mod:`planner.search.stages.bound.preference_bounds`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from planner.encode.preferences.coarser import levels
from planner.encode.preferences.told_apart import told_apart, wished
from planner.encode.prepared import Prepared
from planner.model.build import BuiltModel, build
from planner.problem.linear import Expression, TierGoal
from planner.problem.placement import PlacementProblem, Standing
from planner.problem.wishes import TIER, UNIT, Wishes
from planner.reduce.disaggregate import Assignment, assign_gangs, pack_groups
from planner.reduce.gang_classes import GangClass, gang_classes
from planner.reduce.node_groups import Grouping, NodeGroup
from planner.search.exact.fit_by_cpsat import exact_pack
from planner.search.outcome import Outcome
from planner.search.placement_search import PlacementSearch
from planner.search.plan_values import plan_values, worse
from planner.search.stages.bound.preference_bounds import certain_points
from planner.search.stages.complete.maximal_fill import last_pass
from planner.search.stages.improve.better_places import better_places
from planner.search.stages.presolve.initial_groups import refined
from planner.solve.backend import Backend, Pin, SolveLimits
from planner.solve.cpsat import CpSatBackend
from planner.solve.highs import HighsBackend, LpBounds
from planner.solve.relaxation import MOST_S
from planner.solve.tiers import TierResult

SHARE = 0.15
"""Part of the time limit that this tier may use on top of it."""
MOST_SECONDS = 10.0
LAST_SECONDS = 1.0
MOST_VARIABLES = 20_000
"""Variables of a model beyond which only the local search is done."""
CP_SAT_VARIABLES = 400
LOCAL = "local search"
BESIDE_EVICTIONS = (
    "where running pods are evicted, fewer points of preferences were looked for by moving pods only, because who may "
    "go depends on who stands where; the bound counts what pods lose on their nodes whoever else comes"
)
NO_MODEL = (
    "fewer points of preferences were looked for by moving pods only, because their model was too large or the time "
    "was over; the bound counts what pods lose on their nodes whoever else comes"
)
ROUNDS = 5
"""Refinements of node groups at most."""

Legal = Callable[[Assignment], bool]


def preferring(
    prepared: Prepared,
    standings: Sequence[Standing],
    outcome: Outcome,
    search: Callable[[], PlacementSearch],
    legal: Legal,
) -> Outcome:
    """The outcome with the tier of preferences, and pods where they prefer to be.

    ``search`` is one that the outcome may have come from, ``legal`` tells whether a plan obeys the rules on victims.
    Nothing is done, and there is no tier, where no pod that may be placed prefers anything.
    """
    if prepared.preferred is None:
        return outcome
    wishes = prepared.preferred.wishes(outcome.assignment.evicted)
    items = (item for demand in prepared.problem.demands for item in demand.items)
    if not any(item.wish in wishes.asking for item in items):
        return outcome
    made = search()
    names = made.settings.tier_names
    if names is not None and TIER not in names:
        return outcome
    began = time.perf_counter()
    preferring = _Preferring(wishes, standings, made, legal)
    found = preferring.run(outcome)
    points = preferring.points(found.outcome.assignment)
    bound, backend = found.bound, found.backend
    if bound < points and not made.stopped():
        victims, left = made.settings.victims, preferring.seconds_left()
        certain = certain_points(
            prepared, prepared.preferred, standings, found.outcome, victims, left
        )
        if certain > bound:
            bound, backend = certain, LpBounds.name
    took = time.perf_counter() - began
    stages = {**found.outcome.stages, "preferences": took}
    bound = min(bound, points)
    tier = TierResult(_goal(), points, bound, took, backend)
    told = found.outcome.approximations
    if bound < points and found.backend == LOCAL:
        told = (*told, BESIDE_EVICTIONS if found.outcome.assignment.evicted else NO_MODEL)
    outcome = replace(found.outcome, approximations=told)
    return replace(outcome, tiers=(*outcome.tiers, tier), stages=stages)


@dataclass(frozen=True)
class _Found:
    """An outcome without this tier, the bound of the tier, and what proved it."""

    outcome: Outcome
    bound: int
    backend: str


def _goal() -> TierGoal:
    return TierGoal(TIER, "min", UNIT, Expression(), 0)


class _Preferring:
    """One search for fewer points."""

    def __init__(
        self,
        wishes: Wishes,
        standings: Sequence[Standing],
        search: PlacementSearch,
        legal: Legal,
    ) -> None:
        self.problem, self.settings = search.problem, search.settings
        self.wishes = wishes
        self._search, self._legal, self._standings = search, legal, standings
        limits = search.settings.limits
        self._seconds = min(SHARE * limits.time_limit_s, MOST_SECONDS)
        began = time.perf_counter()
        self._until = float("inf") if limits.deterministic else began + self._seconds

    def run(self, outcome: Outcome) -> _Found:
        """Local search, then the model; what the moves make room for starts too."""
        plan, bound, backend = outcome.assignment, 0, LOCAL
        if not self.points(plan) or self._search.stopped():
            return _Found(outcome, bound, backend)
        better = better_places(self._search.after(plan), self.wishes, plan, self._half_over)
        if self.points(better) < self.points(plan) and self._legal(better):
            plan = better
        if not plan.evicted and self.points(plan):
            plan, bound, backend = self.exact(plan, outcome.tiers)
        if plan is not outcome.assignment:
            moved = replace(outcome, assignment=plan, maximal=False)
            outcome = last_pass(self._search, moved)
        return _Found(outcome, bound, backend)

    def _half_over(self) -> bool:
        """Half of the time is over: what is left is for the model."""
        return self._search.stopped() or time.perf_counter() > self._until - self._seconds / 2

    def late(self) -> bool:
        """The time of this tier is over, or somebody stopped the plan."""
        return self._search.stopped() or time.perf_counter() > self._until

    def seconds_left(self) -> float:
        """For the bound that comes last, which has at least :data:`LAST_SECONDS`."""
        if self._until == float("inf"):
            return MOST_S
        return max(self._until - time.perf_counter(), LAST_SECONDS)

    def points(self, plan: Assignment) -> int:
        """What a plan loses."""
        return self.wishes.points(wished(self.problem, plan))

    def exact(self, plan: Assignment, tiers: Sequence[TierResult]) -> tuple[Assignment, int, str]:
        """The plan, perhaps a better one, a bound, and what proved it."""
        every = list(levels(self.wishes))
        for number, (wishes, same) in enumerate(every, 1):
            apart = told_apart(self.problem, wishes, same)
            classes = gang_classes(apart, self._standings)
            grouping = Grouping(apart)
            groups = grouping.uniform()
            cells = _cells(groups)
            if cells > MOST_VARIABLES and number < len(every):
                continue
            if cells > MOST_VARIABLES:
                groups = grouping.coarse(groups, MOST_VARIABLES * len(groups) // cells)
            if self.late():
                break
            found = self._rounds(apart, classes, grouping, groups, plan, tiers)
            if number > 1 and self.points(found[0]):
                better = better_places(self.problem, self.wishes, found[0], self.late)
                found = (min(found[0], better, key=self.points), *found[1:])
            return found
        return plan, 0, LOCAL

    def _rounds(
        self,
        apart: PlacementProblem,
        classes: Sequence[GangClass],
        grouping: Grouping,
        groups: Sequence[NodeGroup],
        plan: Assignment,
        tiers: Sequence[TierResult],
    ) -> tuple[Assignment, int, str]:
        """Solve, place, and split the groups whose pods did not pack."""
        bound, name = 0, LOCAL
        for _ in range(ROUNDS):
            settings = self.settings
            built = build(
                apart,
                classes,
                groups,
                cluster_scope=settings.cluster_scope,
                fair=settings.fair,
                names=settings.tier_names,
            )
            if built.loose or built.model.size > MOST_VARIABLES or self.late():
                break
            better, proved, name, failed = self._solve(built, plan, tiers)
            bound = max(bound, proved)
            if better is not None and self.points(better) < self.points(plan):
                plan = better
            finer = refined(grouping, groups, failed) if failed else None
            if bound == self.points(plan) or finer is None:
                break
            groups = finer
        return plan, min(bound, self.points(plan)), name

    def _solve(
        self, built: BuiltModel, plan: Assignment, tiers: Sequence[TierResult]
    ) -> tuple[Assignment | None, int, str, tuple[int, ...]]:
        hint = plan_values(built, plan)
        above, goal = built.tiers[:-1], built.tiers[-1]
        vector = [one.expression.value(hint) for one in above]
        known = {one.goal.name: one.bound for one in tiers}
        pins = [
            Pin(one, value, known.get(one.name)) for one, value in zip(above, vector, strict=True)
        ]
        backend = self._backend(built)
        solved = backend.solve(built.model, goal, pins=pins, limits=self._limits(), hint=hint)
        bound = max(solved.bound or 0, 0)
        if solved.values is None:
            return None, bound, backend.name, ()
        better, failed = _placed(built, solved.values)
        values = [one.expression.value(plan_values(built, better)) for one in above]
        if worse(above, values, vector) or values != vector:
            return None, bound, backend.name, failed
        return better, bound, backend.name, failed

    def _backend(self, built: BuiltModel) -> Backend:
        if built.model.size <= CP_SAT_VARIABLES:
            return CpSatBackend(stopped=self._search.stopped)
        return HighsBackend(stopped=self._search.stopped)

    def _limits(self) -> SolveLimits:
        limits = self.settings.limits
        left = max(self._until - time.perf_counter(), 0.1)
        return SolveLimits(
            seconds=self._seconds if limits.deterministic else left,
            gap=limits.gap,
            seed=limits.seed,
            workers=limits.workers,
            deterministic=limits.deterministic,
        )


def _cells(groups: Sequence[NodeGroup]) -> int:
    return sum(len(group.fits) - group.fits.count(0) for group in groups)


def _placed(built: BuiltModel, values: Sequence[int]) -> tuple[Assignment, tuple[int, ...]]:
    """A solution on nodes, and the groups whose pods did not pack."""
    form = built.form
    groups: Sequence[NodeGroup] = form.groups
    packing = pack_groups(
        form.problem, groups, built.placed(values), exact_pack, built.gpu_nodes(values)
    )
    given = assign_gangs(
        form.problem,
        form.classes,
        built.started(values),
        built.pods(values),
        packing,
        built.shares(values),
    )
    return given, packing.failed
