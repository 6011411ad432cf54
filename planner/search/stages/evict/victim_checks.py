"""Checks of a finished plan's evictions, and the cut that keeps a faulty combination from coming back."""

from __future__ import annotations

from collections.abc import Sequence

from models.rules import RuleId
from planner.encode.victims.victim_causes import VictimCauses
from planner.model.eviction_rows import EvictionCut
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.construct.victim_needed import NeededVictims


class PlanCheck:
    """The rules on victims that hold for a plan as a whole."""

    def __init__(
        self,
        problem: PlacementProblem,
        victims: Victims,
        classes: Sequence[GangClass],
        needed: NeededVictims,
    ) -> None:
        self.problem = problem
        self.victims = victims
        self.classes = tuple(one for one in classes if not one.growing)
        self._needed = needed

    def fault(self, assignment: Assignment) -> EvictionCut | None:
        """A cut where some eviction is against the rules, None where all are legal and needed."""
        if not assignment.evicted:
            return None
        rule = RuleId.VICTIM_CAUSE
        if not self.wrong(assignment):
            if self._needed.needless(assignment) is None:
                return None
            rule = RuleId.VICTIM_NEEDED
        starts = {
            one.demands[0]: sum(bool(assignment.pods.get(d)) for d in one.demands)
            for one in self.classes
        }
        evicted = VictimCauses(self.problem, self.victims, assignment).evicted
        at_least = {(kind, -1): count for kind, count in evicted.items()}
        return EvictionCut(at_least, {d: n for d, n in starts.items() if n}, starts, rule)

    def built_wrong(self, assignment: Assignment) -> bool:
        """The same of a plan made gang after gang in the order of tiers.

        Each gang took only what it needed beside what goes before, so large plans are asked for their rights only.
        """
        if not self._needed.is_small(assignment):
            return self.wrong(assignment)
        return self.fault(assignment) is not None

    def wrong(self, assignment: Assignment) -> bool:
        """Whether some pod leaves for no gang that may evict it."""
        return bool(VictimCauses(self.problem, self.victims, assignment).fault())

    def may_evict(self, one: GangClass, kind: int) -> bool:
        """Whether gangs of the class might evict pods of the kind, entitled or not."""
        starter = self.victims.starters[one.demands[0]]
        victim = self.victims.kinds[kind]
        if not starter.causes:
            return False
        if self.problem.queue_names[one.example.queue] == victim.queue:
            return self.victims.preempt and starter.priority > victim.priority
        return (
            self.victims.reclaim
            and victim.reclaimable
            and not starter.asks.isdisjoint(victim.request)
        )
