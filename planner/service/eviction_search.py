"""Search with evictions: starts and victims are decided together, then checked, and cut where a check fails."""

from __future__ import annotations

import math
import time
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
from planner.problem.victims import EACH_ALONE, Victims
from planner.service.certified import certified
from planner.service.exact_fit import exact_fit, exact_pack
from planner.service.needed_placement import needed_placement
from planner.service.outcome import Outcome, SearchSettings
from planner.service.placement_search import PlacementSearch
from planner.service.victim_checks import PlanCheck
from planner.solve.tiers import Lexicographic, TierResult, TierSink

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
        self._check = PlanCheck(problem, self.victims, self.classes)
        self._found: list[EvictionCut] = []
        self._uncut: tuple[BuiltModel, tuple[TierResult, ...]] | None = None

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
        return self._honest(best)

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

    def _build(self, groups: Sequence[NodeGroup]) -> BuiltModel:
        began = time.perf_counter()
        built = build(
            self.problem,
            self.classes,
            groups,
            cluster_scope=self.settings.cluster_scope,
            names=self.settings.tier_names,
            victims=self.victims,
            cuts=self.cuts,
        )
        self._timed("build", began)
        return built

    def _complete(
        self,
        built: BuiltModel,
        values: tuple[int, ...],
        goal: TierGoal,
        guide: Sequence[float] | None,
    ) -> tuple[int, ...] | None:
        """Solutions with evictions are not filled up by counting: every start may need its own victims."""
        return None

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
        """Every eviction is allowed and needed."""
        return self._check.fault(assignment) is None

    def _place(
        self, built: BuiltModel, groups: Sequence[NodeGroup], values: Sequence[int]
    ) -> tuple[Assignment, tuple[int, ...]]:
        began = time.perf_counter()
        evicted, placed = built.evicted(values), built.placed(values)
        chosen = choose_victims(self.problem, self.victims, groups, evicted, placed)
        assignment = Assignment({}, tuple(sorted(chosen.names)))
        after = self.after(assignment)
        packing = pack_groups(after, groups, placed, exact_pack, built.gpu_nodes(values))
        started, pods = built.started(values), built.pods(values)
        given = assign_gangs(after, self.classes, started, pods, packing)
        assignment = replace(given, evicted=assignment.evicted)
        failed = tuple(sorted({*packing.failed, *chosen.failed}))
        found = self._legal_part(after, assignment, certain=not failed)
        self._timed("place", began)
        return found, failed

    def _legal_part(
        self, after: PlacementProblem, assignment: Assignment, *, certain: bool
    ) -> Assignment:
        """The plan filled up, or as it is; where it is against the rules, a cut is kept and nothing starts."""
        filled = assignment.copy()
        if self.settings.tier_names is None:  # a policy's own list may want a gang to wait
            classes = self.receivers(assignment)
            room = room_after(after, filled)
            fill_starts(after, classes, filled, room, exact_fit, self.stopped)
            fill_elastic(after, classes, filled, room, self.stopped)
        if self.legal(filled):
            return filled
        cut = self._check.fault(assignment)
        if cut is None:
            return assignment
        if cut.needless:
            for plan in (filled, assignment):
                other = needed_placement(self.problem, self.victims, self.classes, plan)
                if other is not None and self.legal(other):
                    return other
        if certain:
            self._found.append(cut)
        return Assignment({})
