"""Search with evictions: starts and victims are decided together, then checked, and cut where a check fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from planner.formulations.placement.build import BuiltModel, build
from planner.formulations.placement.eviction_rows import EvictionCut
from planner.prepare.choose_victims import choose_victims
from planner.prepare.disaggregate import Assignment, assign_gangs, pack_groups
from planner.prepare.eviction_groups import EvictionGrouping
from planner.prepare.fill import fill_elastic, fill_starts, room_after
from planner.prepare.gang_classes import GangClass
from planner.prepare.node_groups import NodeGroup
from planner.prepare.without import without
from planner.problem.linear import TierGoal
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Victims
from planner.service.exact_fit import exact_fit, exact_pack
from planner.service.placement_search import Outcome, PlacementSearch, SearchSettings
from planner.service.victim_checks import PlanCheck
from planner.solve.tiers import TierSink

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
        publish: Callable[[Outcome], None] | None = None,
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
        self._found: list[EvictionCut] = []

    def run(self) -> Outcome:
        """Rounds of solving, refining and cutting until the plan is legal and proved, stopped or out of time."""
        groups = self._first_groups()
        best = self._greedy(groups)
        self.publish(best)
        for number in range(1, MOST_CUTS + 1):
            if self.stopped() or (self._left() <= 0 and number > 1):
                break
            self._found = []
            best, failed = self._round(groups, best, number)
            self.publish(best)
            self.cuts += self._found
            if best.proved and not self._found:
                break
            finer = self._refined(groups, failed) if failed else None
            if finer is not None:
                groups = finer
            elif not self._found:
                break
        return best

    def _build(self, groups: Sequence[NodeGroup]) -> BuiltModel:
        return build(
            self.problem,
            self.classes,
            groups,
            cluster_scope=self.settings.cluster_scope,
            names=self.settings.tier_names,
            victims=self.victims,
            cuts=self.cuts,
        )

    def _complete(
        self,
        built: BuiltModel,
        values: tuple[int, ...],
        goal: TierGoal,
        guide: Sequence[float] | None,
    ) -> tuple[int, ...] | None:
        """Solutions with evictions are not filled up by counting: every start may need its own victims."""
        return None

    def _place(
        self, built: BuiltModel, groups: Sequence[NodeGroup], values: Sequence[int]
    ) -> tuple[Assignment, tuple[int, ...]]:
        evicted = built.evicted(values)
        placed = built.placed(values)
        chosen = choose_victims(self.problem, self.victims, groups, evicted, placed)
        after = without(self.problem, self.victims, chosen.names)
        packing = pack_groups(after, groups, placed, exact_pack, built.gpu_nodes(values))
        assignment = assign_gangs(
            after, self.classes, built.started(values), built.pods(values), packing
        )
        assignment = replace(assignment, evicted=tuple(sorted(chosen.names)))
        failed = tuple(sorted({*packing.failed, *chosen.failed}))
        filled = self._filled(after, assignment)
        check = PlanCheck(self.problem, self.victims, self.classes)
        if not check.faults(filled):
            return filled, failed
        cut = check.faults(assignment)
        if cut is None:
            return assignment, failed
        if not failed:
            self._found.append(cut)
        return Assignment({}), failed

    def _filled(self, after: PlacementProblem, assignment: Assignment) -> Assignment:
        """Beside the evictions: gangs that fit without any, and elastic pods of gangs that lose none."""
        filled = Assignment({k: dict(v) for k, v in assignment.pods.items()}, assignment.evicted)
        gone = set(assignment.evicted)
        losing = {
            self.victims.gangs[gang].demand
            for one in self.victims.pods
            if (gang := self.victims.kinds[one.kind].gang) >= 0 and not gone.isdisjoint(one.names)
        }
        classes = [one for one in self.classes if losing.isdisjoint(one.demands)]
        room = room_after(after, filled)
        fill_starts(after, classes, filled, room, exact_fit, self.stopped)
        fill_elastic(after, classes, filled, room, self.stopped)
        return filled
