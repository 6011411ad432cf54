"""Search one rank of a plan with what is settled in its place: a small model where a plan is nearly right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from planner.model.build import BuiltModel
from planner.model.rank_scope import RankScope
from planner.problem.linear import LinearModel, TierGoal
from planner.problem.placement import PlacementProblem
from planner.reduce.disaggregate import Assignment, assign_gangs, pack_groups
from planner.reduce.gang_classes import GangClass
from planner.search.construct.fill import room_after
from planner.search.exact.fit_by_cpsat import exact_pack
from planner.search.plan_values import kind_of, plan_values
from planner.solve.backend import Pin, SolveLimits
from planner.solve.fused import block_of, fused
from planner.solve.highs import HighsBackend
from planner.solve.tiers import FUSED_PARTS


class Opened(NamedTuple):
    """What a search found: gangs on nodes (None: nothing better), and what it proved.

    Bounds are those of the tier and the ones fused with it; each holds where those before it are reached.
    """

    plan: Assignment | None
    bounds: tuple[int, ...] = ()


class OpenRank:
    """Searches in one model, rank after rank.

    Settled gangs keep their nodes; the other gangs of the rank may start or not, and those of earlier ranks may move.
    Where nothing is settled, gangs of earlier ranks may also change places with waiting ones, as far as no tier above
    loses: only then a search proves anything. Later ranks are left out.
    """

    def __init__(self, built: BuiltModel) -> None:
        self.built = built
        self._scope = RankScope(built)
        form = built.form
        problem = form.problem
        self.applies = not (
            form.regions.pods or built.loose or problem.spreads or problem.domain_rooms
        )

    def search(
        self,
        index: int,
        plan: Assignment,
        settled: Assignment | None,
        bound: int,
        pins: Sequence[Pin],
        limits: SolveLimits,
    ) -> Opened:
        """Gangs of ranks up to that of tier ``index`` on nodes.

        Parameters
        ----------
        settled
            The part of ``plan`` that stays, of ranks up to that of the tier; None where nothing is.
        bound
            Proved bound of the tier.
        """
        built, goal = self.built, self.built.tiers[index]
        stay = settled or Assignment({})
        best, firm = plan_values(built, plan), plan_values(built, stay)
        now, kept = self._scope.within(best, goal), self._scope.within(firm, goal)
        block = block_of(built.tiers, index)
        highest = [bound, *(one.ideal for one in block[1:])]
        values = [one.expression.value(best) for one in block]
        several = fused(block, highest, values, centred=len(block) == FUSED_PARTS)
        if now is None or kept is None:
            return Opened(None)
        model = self._model(goal, best, kept, free=settled is None)
        found = HighsBackend().solve(
            model,
            several.goal if several else goal,
            pins=pins,
            limits=replace(limits, planned=True),
            hint=now,
        )
        bounds: tuple[int, ...] = ()
        if settled is None and found.bound is not None:
            bounds = several.bounds(found.bound) if several else (found.bound,)
        if found.values is None:
            return Opened(None, bounds)
        tight = built.tight(found.values)
        old, new = goal.expression.value(best), goal.expression.value(tight)
        if goal.is_worse(new, old):
            return Opened(None, bounds)
        return Opened(self._placed(tight, kept, stay), bounds)

    def _model(
        self, goal: TierGoal, best: Sequence[int], kept: Sequence[int], *, free: bool
    ) -> LinearModel:
        form = self.built.form
        lower, upper = list(form.model.lower), list(form.model.upper)
        for column in self._scope.outside(goal):
            upper[column] = lower[column]
        if free:
            return LinearModel(lower, upper, form.model.rows)
        for column in form.variables.spots.columns():
            lower[column] = kept[column]
        earlier = True
        for one, start in zip(form.classes, form.variables.starts, strict=True):
            if start is None:
                continue
            here = (one.tier_class, one.rank) == kind_of(goal)
            earlier = earlier and not here
            if here:
                lower[start] = kept[start]
            elif earlier:
                lower[start] = upper[start] = best[start]
        return LinearModel(lower, upper, form.model.rows)

    def _placed(
        self, values: Sequence[int], kept: Sequence[int], settled: Assignment
    ) -> Assignment:
        """What the solution has beyond the settled gangs, packed beside them."""
        built = self.built
        form = built.form
        more = list(values)
        for column in form.variables.spots.columns():
            more[column] -= kept[column]
        problem = _beside(form.problem, settled)
        packing = pack_groups(problem, form.groups, built.placed(more), exact_pack)
        started = _less(built.started(values), built.started(kept))
        pods = [_less(a, b) for a, b in zip(built.pods(values), built.pods(kept), strict=True)]
        open_ = [k for k, count in enumerate(started) if count]
        found = assign_gangs(
            form.problem,
            [_without(form.classes[k], settled.pods) for k in open_],
            [started[k] for k in open_],
            [pods[k] for k in open_],
            packing,
        )
        return Assignment({**settled.pods, **found.pods})


def _less(whole: Sequence[int], part: Sequence[int]) -> list[int]:
    return [one - other for one, other in zip(whole, part, strict=True)]


def _without(one: GangClass, settled: Mapping[int, object]) -> GangClass:
    return replace(one, demands=tuple(d for d in one.demands if d not in settled))


def _beside(problem: PlacementProblem, settled: Assignment) -> PlacementProblem:
    """The problem with the room that settled gangs leave on nodes."""
    room = room_after(problem, settled)
    return replace(problem, free=room.free, node_has_gpu_pods=room.busy)
