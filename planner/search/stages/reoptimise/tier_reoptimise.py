"""Decide the start tiers of a plan that is nearly right, rank by rank, moving as little as possible."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from planner.model.build import BuiltModel
from planner.problem.limits import Limits
from planner.problem.linear import TierGoal
from planner.problem.tier_names import is_start
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.construct.insertion import Newcomers
from planner.search.construct.room_by_rank import Spots
from planner.search.plan_values import kind_of, sharper, start_values
from planner.search.stages.reoptimise.tier_subproblem import OpenRank
from planner.solve.backend import SolveLimits
from planner.solve.relaxation import Relaxation

Kind = tuple[str, int]
OTHER_GAPS = 10
"""Times the gap of GPU tiers that the others may leave open."""


class RankByRank:
    """The earlier plan with what has changed put into it; ``plan`` is the best so far.

    Where the relaxation of a tier is above the plan, its starts say which gangs of the rank to prefer, and nodes are
    cleared for them. Then the rank is searched with all gangs in their place that have not moved; where GPUs may still
    be missing, once more with nothing in its place, which also proves a bound in integers.

    Parameters
    ----------
    earlier
        The earlier plan, as far as it is still possible, without elastic pods.
    relaxing, searching
        Seconds left for relaxations, and limits for an integer search (None: no search).
    """

    def __init__(
        self,
        built: BuiltModel,
        earlier: Assignment,
        limits: Limits,
        *,
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
        self._gap = limits.gap
        self._open = OpenRank(built)
        self._goals = [goal for goal in built.tiers if is_start(goal.name)]
        self._improved: Kind | None = None
        self._left_open: dict[str, int] = {}
        self._proved: dict[str, int] = {}
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
        self._values = start_values(built, self.plan)

    def decide(self, index: int) -> None:
        """Decide one start tier: bound it, and get as near to that as a small search gets."""
        goal = self.built.tiers[index]
        relaxed = bound = self.relaxation.bound(goal, self._value(goal), self._relaxing())
        if kind_of(goal) != self._improved and self._open_by(goal, bound) > 0:
            self._improved = kind_of(goal)  # its tiers are searched as one
            if self.relaxation.fractional is not None:
                self._take(index, self._guided(goal, self.relaxation.fractional))
            if self._open_by(goal, bound) > 0:
                self._search(index, bound)
        bound = sharper(goal, bound, self._proved.get(goal.name))
        self._left_open[goal.name.rsplit(".", 1)[1]] = abs(self._value(goal) - relaxed)
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
        self,
        plan: Assignment,
        kinds: Sequence[Kind],
        guide: Mapping[int, float] | None = None,
        at_last: Mapping[int, Spots] | None = None,
        clearing: Collection[int] = (),
    ) -> Assignment:
        """The plan with what fits of the gangs of these ranks that it does not start, and of those ``at_last``."""
        form = self.built.form
        last = at_last or {}
        waiting = [
            d
            for d, kind in self._kind_of.items()
            if d not in plan.pods and (kind in kinds or d in last)
        ]
        newcomers = Newcomers(
            form.problem,
            form.classes,
            plan,
            self.earlier,
            guide=guide,
            clearing=clearing,
            at_last=last,
            stopped=self._stopped,
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
        clearing = {
            demand
            for one in form.classes
            if one.demands[0] in guide
            for demand in self._members(one)[: int(guide[one.demands[0]] + 0.001)]
        }
        return self._with_newcomers(
            self.plan, self._kinds[self._kinds.index(kind) :], guide, clearing=clearing
        )

    def _members(self, one: GangClass) -> list[int]:
        """Gangs of a class, those first that the plan starts."""
        return sorted(one.demands, key=lambda demand: demand not in self.plan.pods)

    def _search(self, index: int, bound: int) -> None:
        """Search beside what has not moved, then with nothing settled."""
        goal = self.built.tiers[index]
        for free in (False, True):
            limits = self._searching() if self._open.applies else None
            if limits is None or self._stopped() or self._open_by(goal, bound) <= 0:
                break
            if free and not self._lacks_gpus(index):
                break
            found = self._open.search(
                index,
                self.plan,
                None if free else self._settled(goal),
                bound,
                self.relaxation.pins,
                limits,
            )
            if found.plan is not None:
                self._follow(index, found.plan)
            self._know(index, found.bounds)

    def _know(self, index: int, bounds: Sequence[int]) -> None:
        """Keep what a search proved of neighbouring tiers: each holds where those before it are reached."""
        for goal, bound in zip(self.built.tiers[index:], bounds, strict=False):
            self._proved[goal.name] = bound
            if self._value(goal) != bound:
                break

    def _lacks_gpus(self, index: int) -> bool:
        """Whether a rank's GPUs may be more than the plan's, where its shortfall is as it is."""
        goal = self.built.tiers[index]
        if not goal.name.endswith(".shortfall"):
            return goal.name.endswith(".gpus")
        gpus = self.built.tiers[index + 1]
        bound = self.relaxation.after(goal, self._value(goal), gpus, self._relaxing())
        return self._open_by(gpus, bound) > 0

    def _settled(self, goal: TierGoal) -> Assignment:
        """Gangs of ranks up to that of a tier that are where the earlier plan has them."""
        upto = self._upto(goal)
        return Assignment(
            {
                d: items
                for d, items in self.plan.pods.items()
                if self._kind_of[d] in upto and self.earlier.pods.get(d) == items
            }
        )

    def _upto(self, goal: TierGoal) -> frozenset[Kind]:
        return frozenset(self._kinds[: self._kinds.index(kind_of(goal)) + 1])

    def _follow(self, index: int, found: Assignment) -> None:
        """Bring the starts of a search into the plan: into what room there is, at last where the search has them."""
        goal = self.built.tiers[index]
        upto = self._upto(goal)
        at_last: dict[int, Spots] = {}
        starts: dict[int, float] = {}
        for one in self.built.form.classes:
            if one.growing or (one.tier_class, one.rank) not in upto:
                continue
            new = [d for d in one.demands if d in found.pods]
            starts[one.demands[0]] = len(new)
            wanted = self._members(one)[: len(new)]
            at_last.update({d: found.pods[d] for d in wanted if d in found.pods})
            others = (found.pods[d] for d in new if d not in at_last)
            at_last.update(zip((d for d in wanted if d not in found.pods), others, strict=True))
        place = self._kinds.index(kind_of(goal))
        self._take(
            index, self._with_newcomers(self.plan, self._kinds[place:], starts, at_last, at_last)
        )

    def _take(self, index: int, other: Assignment) -> None:
        """Take another plan if it is better from this tier on, and no worse above."""
        if other.pods.keys() == self.plan.pods.keys():
            return
        values = start_values(self.built, other)
        for number, goal in enumerate(self._goals):
            old, new = goal.expression.value(self._values), goal.expression.value(values)
            if old != new and (number >= index or goal.is_worse(new, old)):
                if number >= index and goal.is_worse(old, new):
                    self.plan, self._values = other, values
                return
