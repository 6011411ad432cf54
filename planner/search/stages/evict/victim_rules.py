"""The rules on victims that look at a plan as a whole: what breaks them, and the cut for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from models.rules import RuleId
from planner.encode.prepared import Prepared
from planner.encode.victims.victim_causes import VictimCauses
from planner.model.eviction_rows import EvictionCut
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.reduce.minimal_pod_sets import TooManyError, minimal_deliveries
from planner.search.construct.victim_needed import NeededVictims
from planner.search.stages.evict.next_round import NextRound


@dataclass(frozen=True)
class Fault:
    """What breaks one rule.

    Attributes
    ----------
    gangs
        Full names of gangs that lose pods against the rule; nothing of these losses is to stay in the plan.
    newcomers
        For *no undoing*: the started gangs that ``gangs`` could evict in the next round.
    """

    rule: RuleId
    gangs: frozenset[str]
    newcomers: frozenset[str] = frozenset()


class VictimRules:
    """Judges plans of one problem."""

    def __init__(self, prepared: Prepared, victims: Victims, classes: Sequence[GangClass]) -> None:
        self._prepared = prepared
        self._victims = victims
        self._classes = classes
        self._next = NextRound(prepared, victims)
        self.needed = NeededVictims(
            prepared.problem,
            victims,
            classes,
            cluster_scope=prepared.policy.policy.priority_scope == "cluster",
        )

    def faults(self, plan: Assignment) -> tuple[Fault, ...]:
        """Everything that the plan's evictions break; () where they are right."""
        if not plan.evicted:
            return ()
        return self._without_right(plan) or (*self.unneeded(plan), *self.undone(plan))

    def unneeded(self, plan: Assignment) -> tuple[Fault, ...]:
        """A loss of which a part at least could stay (*a victim is needed*); others may follow once it stays."""
        loss = self.needed.needless(plan)
        if loss is None:
            return ()
        pods = self._prepared.snapshot.pod_by_name
        gone = frozenset(plan.evicted)
        names = (name for one in loss.entries for name in one.names if name in gone)
        return (Fault(RuleId.VICTIM_NEEDED, frozenset({pods[next(names)].gang})),)

    def undone(self, plan: Assignment) -> tuple[Fault, ...]:
        """Gangs given up that would evict newcomers in the next round (*no undoing*)."""
        return tuple(
            Fault(RuleId.NO_UNDOING, frozenset({gang}), newcomers)
            for gang, newcomers in self._next.returning(plan)
        )

    def cut(self, plan: Assignment, fault: Fault) -> EvictionCut:
        """Cuts the fault off.

        *No undoing*: its gangs are not given up together with its newcomers and no others. Other rules: what the plan
        evicts does not leave for these starts or some of them, which need it no more than all of them do.
        """
        problem = self._prepared.problem
        starts = {
            one.demands[0]: sum(bool(plan.pods.get(d)) for d in one.demands)
            for one in self._classes
            if not one.growing
        }
        if fault.rule is not RuleId.NO_UNDOING:
            return EvictionCut(self._kinds(plan.evicted), {}, starts, rule=fault.rule)
        gang_of = self._prepared.snapshot.gang_by_name
        lost = {
            pod.full_name
            for name in fault.gangs
            for pod in self._prepared.snapshot.pods_of(gang_of[name])
        }
        at_least = self._kinds(lost)
        came = {
            one.demands[0]: starts[one.demands[0]]
            for one in self._classes
            if not one.growing
            and any(
                problem.gang_names[problem.demands[d].gang] in fault.newcomers for d in one.demands
            )
        }
        return EvictionCut(at_least, came, starts, rule=fault.rule)

    def _kinds(self, names: Collection[str]) -> dict[tuple[int, int], int]:
        """Pods of each kind among these, on any node."""
        gone, found = frozenset(names), dict[tuple[int, int], int]()
        for one in self._victims.pods:
            count = sum(pod in gone for pod in one.names)
            if count:
                found[one.kind, -1] = found.get((one.kind, -1), 0) + count
        return found

    def may_wait(self, plan: Assignment) -> frozenset[int]:
        """Demands whose start beside the plan could make one of its evictions wrong."""
        given_up = self._next.given_up(plan)
        gang_of = self._prepared.snapshot.gang_by_name
        problem = self._prepared.problem
        return frozenset(
            index
            for index, demand in enumerate(problem.demands)
            if not demand.ready
            and not plan.pods.get(index)
            and (
                any(
                    self._next.may_evict(gang, gang_of[problem.gang_names[demand.gang]])
                    for gang in given_up
                )
                or self._takes_a_right(plan, index)
            )
        )

    def _takes_a_right(self, plan: Assignment, demand: int) -> bool:
        """With this gang too, whatever pods of it start, somebody's right to evict is gone."""
        try:
            deliveries = minimal_deliveries(self._prepared.problem.demands[demand])
        except TooManyError:
            return True
        for delivery in deliveries:
            pods = {**plan.pods, demand: {item: [(0, n)] for item, n in delivery.items()}}
            both = Assignment(pods, plan.evicted)
            if not VictimCauses(self._prepared.problem, self._victims, both).fault():
                return False
        return True

    def _without_right(self, plan: Assignment) -> tuple[Fault, ...]:
        """Losses that no gang which starts has a right to, by the first of the rules I7 that is broken."""
        kinds = VictimCauses(self._prepared.problem, self._victims, plan).faulty_kinds()
        pods = self._prepared.snapshot.pod_by_name
        kind_of = {name: one.kind for one in self._victims.pods for name in one.names}
        gangs = {
            pods[name].gang
            for name in plan.evicted
            if name not in kind_of or kind_of[name] in kinds
        }
        return (Fault(RuleId.VICTIM_CAUSE, frozenset(gangs)),) if gangs else ()
