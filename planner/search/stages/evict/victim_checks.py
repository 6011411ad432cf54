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
from planner.search.construct.victim_needed import needless_victim


class PlanCheck:
    """The rules on victims that hold for a plan as a whole."""

    def __init__(
        self, problem: PlacementProblem, victims: Victims, classes: Sequence[GangClass]
    ) -> None:
        self.problem = problem
        self.victims = victims
        self.classes = tuple(one for one in classes if not one.growing)

    def fault(self, assignment: Assignment) -> EvictionCut | None:
        """A cut where some eviction is against the rules, None where all are legal and needed."""
        if not assignment.evicted:
            return None
        causes = VictimCauses(self.problem, self.victims, assignment)
        starts = {
            one.demands[0]: sum(bool(assignment.pods.get(d)) for d in one.demands)
            for one in self.classes
        }
        at_least = {(kind, -1): count for kind, count in causes.evicted.items()}
        if causes.fault():
            return EvictionCut(at_least, {d: n for d, n in starts.items() if n}, starts)
        needless = needless_victim(self.problem, self.victims, assignment, causes)
        if needless is None:
            return None
        allowed = {
            one.demands[0]: starts[one.demands[0]]
            for one in self.classes
            if self.may_evict(one, needless.kind)
        }
        entitled = {
            one.demands[0]: count
            for one in self.classes
            if self._may_reclaim(one, needless.kind) and (count := starts[one.demands[0]])
        }
        return EvictionCut(at_least, entitled, allowed, rule=RuleId.VICTIM_NEEDED)

    def _may_reclaim(self, one: GangClass, kind: int) -> bool:
        """Gangs whose entitlement counts: without one of them, another may be entitled."""
        return self.problem.queue_names[one.example.queue] != self.victims.kinds[
            kind
        ].queue and self.may_evict(one, kind)

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
