"""Decide the start tiers of a plan that is nearly right, rank by rank, moving as little as possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from planner.formulations.placement.build import BuiltModel
from planner.prepare.disaggregate import Assignment
from planner.prepare.gang_classes import GangClass
from planner.prepare.newcomers import Newcomers
from planner.problem.limits import Limits
from planner.problem.linear import TierGoal
from planner.service.open_rank import OpenRank
from planner.service.plan_values import kind_of, plan_values
from planner.solve.backend import SolveLimits
from planner.solve.relaxation import Relaxation

Kind = tuple[str, int]
OTHER_GAPS = 10
"""Times the gap of GPU tiers that the others of a large model may leave open."""


class RankByRank:
    """The earlier plan with what has changed put into it; ``plan`` is the best so far.

    Where the relaxation of a tier is above the plan, its starts say which gangs of the rank to prefer; then the rank
    is searched with all gangs in their place that have not moved.

    Parameters
    ----------
    earlier
        The earlier plan, as far as it is still possible, without elastic pods.
    large
        The cluster is so large that small gaps of tiers without GPUs are left alone.
    relaxing, searching
        Seconds left for relaxations, and limits for an integer search (None: no search).
    """

    def __init__(
        self,
        built: BuiltModel,
        earlier: Assignment,
        limits: Limits,
        *,
        large: bool,
        relaxing: Callable[[], float],
        searching: Callable[[], SolveLimits | None],
        stopped: Callable[[], bool],
    ) -> None:
        self.built = built
        self.earlier = earlier
        self.relaxation = Relaxation(built.model, limits.workers)
        self._relaxing = relaxing
        self._searching = searching
        self._stopped = stopped
        self._gap = limits.gap if large else 0.0
        self._open = OpenRank(built)
        self._improved: Kind | None = None
        self._left_open: dict[str, int] = {}
        self._kinds = list(
            dict.fromkeys(
                (one.tier_class, one.rank) for one in built.form.classes if not one.growing
            )
        )
        self._kind_of = {
            demand: (one.tier_class, one.rank)
            for one in built.form.classes
            if not one.growing
            for demand in one.demands
        }
        self.plan = self._with_newcomers(earlier, self._kinds)
        self._values = plan_values(built, self.plan)

    def decide(self, index: int) -> None:
        """Decide one start tier: bound it, and get as near to that as a small search gets."""
        goal = self.built.tiers[index]
        bound = self.relaxation.bound(goal, self._value(goal), self._relaxing())
        if kind_of(goal) != self._improved and self._open_by(goal, bound) > 0:
            self._improved = kind_of(goal)  # its tiers are searched as one
            if self.relaxation.fractional is not None:
                self._take(index, self._guided(goal, self.relaxation.fractional))
            if self._open_by(goal, bound) > 0:
                self._search(index, bound)
        self._left_open[goal.name.rsplit(".", 1)[1]] = abs(self._value(goal) - bound)
        self.relaxation.pin(goal, self._value(goal), bound)

    def _value(self, goal: TierGoal) -> int:
        return goal.expression.value(self._values)

    def _open_by(self, goal: TierGoal, bound: int) -> float:
        """How much more is open than may be, or than a searched rank above has left, which is open below it as well."""
        kind = goal.name.rsplit(".", 1)[1]
        value = self._value(goal)
        allowed = self._gap * abs(value) * (1 if kind == "gpus" else OTHER_GAPS)
        return abs(value - bound) - max(self._left_open.get(kind, 0), allowed)

    def _with_newcomers(
        self, plan: Assignment, kinds: Sequence[Kind], guide: Mapping[int, float] | None = None
    ) -> Assignment:
        """The plan with what fits of the gangs of these ranks that it does not start."""
        form = self.built.form
        waiting = [d for d, kind in self._kind_of.items() if kind in kinds and d not in plan.pods]
        newcomers = Newcomers(
            form.problem, form.classes, plan, self.earlier, guide=guide, stopped=self._stopped
        )
        return newcomers.put(waiting)

    def _guided(self, goal: TierGoal, fractional: Sequence[float]) -> Assignment:
        kind = kind_of(goal)
        form = self.built.form
        guide = {
            one.demands[0]: fractional[column]
            for one, column in zip(form.classes, form.variables.starts, strict=True)
            if column is not None and (one.tier_class, one.rank) == kind
        }
        return self._with_newcomers(self.plan, self._kinds[self._kinds.index(kind) :], guide)

    def _search(self, index: int, bound: int) -> None:
        limits = self._searching() if self._open.applies else None
        if limits is None or self._stopped():
            return
        place = self._kinds.index(kind_of(self.built.tiers[index]))
        upto = frozenset(self._kinds[: place + 1])
        pods = {d: items for d, items in self.plan.pods.items() if self._kind_of[d] in upto}
        stay = {d: items for d, items in pods.items() if self.earlier.pods.get(d) == items}
        found = self._open.search(
            index, self.plan, Assignment(stay), bound, self.relaxation.pins, limits
        )
        if found is None:
            return
        starts = {
            one.demands[0]: self._started(one, found)
            for one in self.built.form.classes
            if (one.tier_class, one.rank) == self._kinds[place]
        }
        near = self._with_newcomers(self.plan, self._kinds[place:], starts)
        self._take(index, near)
        goal = self.built.tiers[index]
        if goal.is_worse(self._value(goal), goal.expression.value(plan_values(self.built, found))):
            self._take(index, self._with_newcomers(found, self._kinds[place + 1 :]))

    @staticmethod
    def _started(one: GangClass, plan: Assignment) -> int:
        return sum(demand in plan.pods for demand in one.demands)

    def _take(self, index: int, other: Assignment) -> None:
        """Take another plan if it is better from this tier on, and no worse above."""
        if other.pods == self.plan.pods:
            return
        values = plan_values(self.built, other)
        for number, goal in enumerate(self.built.tiers):
            old, new = goal.expression.value(self._values), goal.expression.value(values)
            if old != new and (number >= index or goal.is_worse(new, old)):
                if number >= index and goal.is_worse(old, new):
                    self.plan, self._values = other, values
                return
