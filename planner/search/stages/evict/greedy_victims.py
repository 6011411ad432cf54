"""Plans with evictions without a model: gang after gang where it costs least, then other nodes for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from planner.capacity.fit import Placed, Room, minimum_counts, node_counts
from planner.capacity.fits_alone import Fitting, roomy_domains
from planner.encode.victims.after_evictions import without
from planner.problem.placement import IntArray, PlacementProblem
from planner.problem.victims import EACH_ALONE, VictimPods, Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.domain_of_gang import home_of
from planner.reduce.gang_classes import GangClass
from planner.search.construct.fill import fill_starts, room_after, spots_by_item
from planner.search.construct.node_losses import NodeLosses
from planner.search.construct.queue_spare import QueueSpare
from planner.search.construct.victim_selection import RoomMaker, cheapest_nodes
from planner.search.stages.evict.victim_checks import PlanCheck
from planner.search.stages.improve.anneal_victims import improve

MOVES_PER_HOST = 1_000
"""Moves tried per newcomer that other pods leave for."""


@dataclass(frozen=True)
class _Ground:
    """What one gang finds: victims that it may take, and room beside everything decided before."""

    victims: Victims
    free: IntArray
    taken: dict[int, int]


class GreedyVictims:
    """Makes and improves plans; every plan it returns is allowed, and every victim needed.

    ``group_of`` tells which nodes are alike as long as nothing is decided on them.
    """

    def __init__(
        self,
        problem: PlacementProblem,
        victims: Victims,
        classes: Sequence[GangClass],
        check: PlanCheck,
        stopped: Callable[[], bool],
        group_of: Mapping[int, int],
    ) -> None:
        self.group_of = group_of
        self.problem = problem
        self.victims = victims
        self.classes = classes
        self.check = check
        self.stopped = stopped
        self._emptied = without(problem, victims, None)
        self._beside: tuple[Assignment, PlacementProblem, Room] | None = None
        self._within: frozenset[int] | None = None  # nodes that are looked at; None = all

    def plan(self, beginning: Assignment) -> Assignment:
        """Class after class beside a legal beginning: what fits starts, then what can make room."""
        assignment = beginning.copy()
        for one in self.classes:
            losing = {self.victims.gangs[gang].demand for gang in self._losing(assignment)}
            if one.growing or self.stopped() or not losing.isdisjoint(one.demands):
                continue
            assignment = self._filled(one, assignment)
            for demand in one.demands:
                if demand in assignment.pods:
                    continue
                found = self._with_room(one, demand, assignment)
                if found is None:
                    break
                assignment = found
        return assignment

    def _filled(self, one: GangClass, assignment: Assignment) -> Assignment:
        """Gangs of the class in the room that is free, unless they take the entitlement that others needed."""
        if self._beside is None or self._beside[0] is not assignment:
            after = without(self.problem, self.victims, assignment.evicted)
            self._beside = assignment, after, room_after(after, assignment)
        _, after, room = self._beside
        found = assignment.copy()
        if not fill_starts(after, [one], found, room, None, self.stopped):
            return assignment  # the room is as it was
        allowed = not self.check.built_wrong(found)
        self._beside = (found, after, room) if allowed else None
        return found if allowed else assignment

    def improved(self, assignment: Assignment, *, seed: int) -> Assignment | None:
        """The same starts with less harm, where other nodes make that possible; None where none were found.

        Only plans of one gang that evicts are looked at: with several each would have to know what is the others'.
        """
        gone = frozenset(assignment.evicted)
        causes = [
            demand
            for demand, items in assignment.pods.items()
            if self.victims.starters[demand].causes and any(items.values())
        ]
        if not gone or len(causes) != 1 or self.problem.cards is not None:
            return None
        demand = causes[0]
        gang = self.problem.demands[demand]
        if gang.choices is not None:
            home = home_of(self.problem, gang, assignment.pods[demand])
            if home is None:
                return None
            self._within = self.problem.topology.members(home)
        found = self._moved(assignment, demand, seed)
        self._within = None
        return found

    def _moved(self, assignment: Assignment, demand: int, seed: int) -> Assignment | None:
        """The only gang that evicts on other nodes, of those that are looked at."""
        one = next(one for one in self.classes if demand in one.demands)
        rest = Assignment({d: i for d, i in assignment.pods.items() if d != demand})
        maker = self._maker(one, demand, rest)
        own = Assignment({demand: assignment.pods[demand]}).placed(self.problem)
        hosted = [(spot.node, spot.shape) for spot in own for _ in range(spot.count)]
        if not all(maker.give(node, shape) for node, shape in hosted):
            return None
        candidates = {shape: self._nodes(shape) for shape in {shape for _, shape in hosted}}
        moves = MOVES_PER_HOST * len(hosted)
        improve(maker, candidates, Random(seed), moves, self.stopped)
        counts = {
            item: sum(count for _, count in spots)
            for item, spots in assignment.pods[demand].items()
        }
        return self._assigned(rest, demand, counts, maker)

    def _with_room(self, one: GangClass, demand: int, assignment: Assignment) -> Assignment | None:
        """The plan with this gang started at the expense of others; None where that is not allowed or not found."""
        gang = self.problem.demands[demand]
        if (
            not self.victims.starters[demand].causes
            or gang.grouped
            or self.problem.cards is not None
        ):
            return None  # which cards a pod shares is left to the model
        found = None
        emptied = Room(self._emptied)
        for home in (
            (None,) if gang.choices is None else roomy_domains(self._emptied, gang, emptied)
        ):
            self._within = None if home is None else self.problem.topology.members(home)
            found = found or self._with_room_here(one, demand, assignment)
        self._within = None
        return found

    def _with_room_here(
        self, one: GangClass, demand: int, assignment: Assignment
    ) -> Assignment | None:
        """The same on the nodes that are looked at."""
        gang, room = self.problem.demands[demand], Room(self._emptied)
        with room.only(np.arange(len(room.free)) if self._within is None else sorted(self._within)):
            counts = minimum_counts(gang, self.problem, room)
        if counts is None:
            return None
        maker = self._maker(one, demand, assignment)
        wanted: dict[int, int] = {}
        for item, count in counts.items():
            wanted[gang.items[item].shape] = wanted.get(gang.items[item].shape, 0) + count
        alike = self._untouched(assignment)
        for shape in Room(self.problem).by_size(wanted):
            nodes = self._nodes(shape)
            if len(cheapest_nodes(maker, shape, wanted[shape], nodes, alike)) < wanted[shape]:
                return None
            alike = {node: g for node, g in alike.items() if node not in maker.hosts.shapes}
        return self._assigned(assignment, demand, counts, maker)

    def _assigned(
        self, beside: Assignment, demand: int, counts: dict[int, int], maker: RoomMaker
    ) -> Assignment | None:
        evicted = tuple(sorted({*beside.evicted, *maker.victims()}))
        placed = [
            Placed(shape, node, shapes.count(shape))
            for node, shapes in maker.hosts.shapes.items()
            for shape in sorted(set(shapes))
        ]
        found = beside.copy()
        found.pods[demand] = spots_by_item(self.problem, demand, Fitting(counts, placed))
        found = replace(found, evicted=evicted)
        after = without(self.problem, self.victims, evicted)
        request = sum(
            (self.problem.requests[one.shape] * one.count for one in placed),
            np.zeros(len(self.problem.dimensions), dtype=np.int64),
        )
        room = room_after(after, beside)
        if not room.queues_admit(self.problem.demands[demand], request):
            return None
        room.take(placed)
        if room.domains.broken:
            return None
        return None if self.check.built_wrong(found) else found

    def _untouched(self, assignment: Assignment) -> dict[int, int]:
        """Groups of the nodes on which nothing is decided yet."""
        gone = frozenset(assignment.evicted)
        touched = {spot.node for spot in assignment.placed(self.problem)}
        touched.update(
            one.node for one in self.victims.pods if gone and not gone.isdisjoint(one.names)
        )
        return {node: g for node, g in self.group_of.items() if node not in touched}

    def _nodes(self, shape: int) -> list[int]:
        """Nodes that could hold a pod of the shape with all possible victims gone."""
        fits = node_counts(self._emptied, shape)
        within = self._within
        return [int(node) for node in np.flatnonzero(fits) if within is None or node in within]

    def _losing(self, assignment: Assignment) -> set[int]:
        """Gangs (of ``Victims.gangs``) that lose pods."""
        gone = frozenset(assignment.evicted)
        found = set()
        for one in self.victims.pods if gone else ():
            gang = self.victims.kinds[one.kind].gang
            if gang != EACH_ALONE and not gone.isdisjoint(one.names):
                found.add(gang)
        return found

    def _maker(self, one: GangClass, demand: int, beside: Assignment) -> RoomMaker:
        ground = self._ground(beside)
        receiving = {d for d, items in beside.pods.items() if any(items.values())} | {demand}

        def allowed(kind: int) -> bool:
            gang = self.victims.kinds[kind].gang
            own = gang != EACH_ALONE and self.victims.gangs[gang].demand in receiving
            return not own and self.check.may_evict(one, kind)

        reclaimed = [
            kind
            for kind, victim in enumerate(self.victims.kinds)
            if victim.queue != self.problem.queue_names[one.example.queue]
        ]
        spare = QueueSpare(self.victims, reclaimed)
        losses = NodeLosses(self.problem, ground.victims, allowed)
        return RoomMaker(self.problem, ground.victims, losses, spare, ground.free, ground.taken)

    def _ground(self, beside: Assignment) -> _Ground:
        """Victims that are left (of gangs that have lost none), and room on nodes: negative where too much is held."""
        free = self.problem.free.copy()
        for node, excess in self.victims.excess.items():
            free[node] -= excess
        gone = frozenset(beside.evicted)
        losing = self._losing(beside)
        taken: dict[int, int] = {}
        left = []
        for one in self.victims.pods:
            kind = self.victims.kinds[one.kind]
            names = tuple(name for name in one.names if name not in gone)
            count = len(one.names) - len(names)
            if count:
                free[one.node] += np.array(kind.vector, dtype=np.int64) * count
                taken[one.kind] = taken.get(one.kind, 0) + count
            if names and kind.gang not in losing:
                left.append(VictimPods(one.kind, one.node, names))
        for spot in beside.placed(self.problem):
            free[spot.node] -= self.problem.requests[spot.shape] * spot.count
        return _Ground(replace(self.victims, pods=tuple(left)), free, taken)
