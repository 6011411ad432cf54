"""Plans against the rules on victims put right: victims stay after all, and newcomers in their way wait."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from planner.encode.victims.after_evictions import without
from planner.encode.victims.victim_causes import VictimCauses
from planner.problem.placement import PlacementProblem
from planner.problem.victims import EACH_ALONE, Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.construct.victim_needed import NeededVictims


class Repair:
    """Gives gangs back to their nodes, at the expense of the newcomers of the lowest tiers."""

    def __init__(
        self,
        problem: PlacementProblem,
        victims: Victims,
        classes: Sequence[GangClass],
        needed: NeededVictims,
    ) -> None:
        self._needed = needed
        self.problem = problem
        self.victims = victims
        order = [demand for one in classes for demand in one.demands]
        self._place = {demand: place for place, demand in enumerate(order)}

    def legal(self, assignment: Assignment) -> Assignment:
        """A plan in which every eviction is allowed and needed; at worst one without any."""
        found = assignment
        if self.problem.cards is not None and found.evicted:
            return Assignment({})  # who shares a card with whom would have to be decided anew
        while found.evicted:
            causes = VictimCauses(self.problem, self.victims, found)
            faulty = causes.faulty_kinds()
            if faulty:
                lost = self._lost(found, faulty)
                some = any(causes.preemptors(kind) or causes.reclaimers(kind) for kind in faulty)
                found = self.kept(found, lost[:1] if some else lost, frozenset())
                continue
            loss = self._needed.needless(found)
            if loss is None:
                break
            beside = self._needed.beside(found)
            if beside is not None:
                later = {d: items for d, items in found.pods.items() if d not in beside.pods}
                found = self._fitting(Assignment({**later, **beside.pods}, beside.evicted), later)
                continue
            gone = frozenset(found.evicted)
            names = [name for one in loss.entries for name in one.names if name in gone]
            kinds = loss.kinds()
            takers = frozenset(one for kind in kinds for one in causes.takers(kind, kinds))
            found = self.kept(found, names[:1] if loss.gang == EACH_ALONE else names, takers)
        return found

    def kept(
        self, assignment: Assignment, names: Collection[str], evictors: Collection[int]
    ) -> Assignment:
        """These pods, and their whole gangs, stay; who is in their way waits, evictors last."""
        stay = self._with_gangs(names)
        evicted = tuple(name for name in assignment.evicted if name not in stay)
        return self._fitting(Assignment(assignment.copy().pods, evicted), (), evictors)

    def _fitting(
        self,
        found: Assignment,
        first: Collection[int] = (),
        evictors: Collection[int] = (),
    ) -> Assignment:
        """The plan without newcomers for which there is no room: those of ``first``, then others, evictors last."""
        after = without(self.problem, self.victims, found.evicted)
        while (way := self._in_the_way(after, found)) is not None:
            soonest = [demand for demand in way if demand in first]
            others = soonest or [demand for demand in way if demand not in evictors]
            last = max(others or way, key=lambda demand: self._place.get(demand, -1))
            del found.pods[last]
        return found

    def _with_gangs(self, names: Collection[str]) -> frozenset[str]:
        """The pods, with all others of gangs of several pods."""
        wanted = frozenset(names)
        gangs = {
            self.victims.kinds[one.kind].gang
            for one in self.victims.pods
            if not wanted.isdisjoint(one.names)
        } - {EACH_ALONE}
        found = set(wanted)
        for one in self.victims.pods:
            if self.victims.kinds[one.kind].gang in gangs:
                found.update(one.names)
        return frozenset(found)

    def _lost(self, assignment: Assignment, kinds: Collection[int]) -> list[str]:
        gone = frozenset(assignment.evicted)
        return [
            name
            for one in self.victims.pods
            if one.kind in kinds
            for name in one.names
            if name in gone
        ]

    def _in_the_way(self, after: PlacementProblem, found: Assignment) -> list[int] | None:
        """Newcomers on a node, or in a queue, that holds too much; None where none does."""
        nodes: dict[int, set[int]] = {}
        queues: dict[int, set[int]] = {}
        used = np.zeros_like(after.free)
        charged = {queue: np.zeros_like(room) for queue, room in after.queue_room.items()}
        for demand, items in found.pods.items():
            one = after.demands[demand]
            for item, spots in items.items():
                request = after.requests[one.items[item].shape]
                for node, count in spots:
                    used[node] += request * count
                    nodes.setdefault(node, set()).add(demand)
                    for queue in one.queue_chain:
                        charged[queue] += request * count
                        queues.setdefault(queue, set()).add(demand)
        return self._over_nodes(after, used, nodes) or self._over_queues(after, charged, queues)

    @staticmethod
    def _over_nodes(
        after: PlacementProblem,
        used: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
        nodes: Mapping[int, set[int]],
    ) -> list[int] | None:
        for node, demands in nodes.items():
            if np.any((used[node] > after.free[node]) & (used[node] > 0)):
                return sorted(demands)
        return None

    @staticmethod
    def _over_queues(
        after: PlacementProblem,
        charged: Mapping[int, np.ndarray[tuple[int, ...], np.dtype[np.int64]]],
        queues: Mapping[int, set[int]],
    ) -> list[int] | None:
        for queue, demands in queues.items():
            room, asked = after.queue_room[queue], charged[queue]
            if np.any((room >= 0) & (asked > room)):
                return sorted(demands)
        return None
