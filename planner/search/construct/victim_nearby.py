"""Large plans: a victim stays on trial, and the newcomers in its way are placed anew beside all that goes no later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from planner.capacity.fit import Room
from planner.encode.victims.after_evictions import without
from planner.encode.victims.victim_causes import VictimCauses
from planner.problem.placement import PlacementProblem
from planner.problem.victims import Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.reduce.minimal_pod_sets import TooManyError
from planner.search.construct.fill import fill_starts, room_after
from planner.search.construct.victim_losses import Loss, losses, smaller

MOST_DISPLACED = 4
"""Gangs in the way of a victim up to which other nodes are looked for."""
MOST_TRIALS = 200
"""Victims for which that is done in one plan."""

Place = Callable[[int], tuple[int, int]]


class NearbyReturns:
    """Finds victims that could stay; a victim for which it finds nothing may be needless all the same."""

    def __init__(self, problem: PlacementProblem, victims: Victims, place: Place) -> None:
        self._problem = problem
        self._victims = victims
        self._place = place

    def needless(self, assignment: Assignment) -> tuple[Loss, Assignment | None] | None:
        """The first loss that can be smaller beside all gangs that go no later than the last that may cause it.

        With the plan of these gangs where one was made; None where no such loss was found.
        """
        causes = VictimCauses(self._problem, self._victims, assignment)
        rooms: dict[tuple[int, int], tuple[Assignment, Room]] = {}
        trials = 0
        for loss in losses(self._victims, assignment.evicted):
            kinds = loss.kinds()
            takers = {one for kind in kinds for one in causes.takers(kind, kinds)}
            if not takers:
                return loss, None
            last = max(map(self._place, takers))
            if last not in rooms:
                rooms[last] = self._beside(assignment, last)
            kept, room = rooms[last]
            displaced = self._displaced(kept, loss)
            if len(displaced) > MOST_DISPLACED or not self._could_move(room, displaced):
                continue
            trials += 1
            if trials > MOST_TRIALS:
                return None
            found = self._returned(assignment, kept, loss, displaced)
            if found is not None:
                return loss, found
        return None

    def _beside(self, assignment: Assignment, last: tuple[int, int]) -> tuple[Assignment, Room]:
        """What goes no later, and the room beside it once all victims are gone."""
        kept = Assignment(
            {
                demand: items
                for demand, items in assignment.pods.items()
                if not self._problem.demands[demand].ready and self._place(demand) <= last
            },
            assignment.evicted,
        )
        after = without(self._problem, self._victims, assignment.evicted)
        return kept, room_after(after, kept)

    def _displaced(self, kept: Assignment, loss: Loss) -> list[int]:
        nodes = {one.node for one in loss.entries}
        return [
            demand
            for demand, items in kept.pods.items()
            if any(node in nodes for spots in items.values() for node, _ in spots)
        ]

    def _could_move(self, room: Room, displaced: Sequence[int]) -> bool:
        """Some pod of each gang in the way finds a node as it is; else the search would hardly do better."""
        return all(
            any(room.fitting(item.shape, 1) for item in self._problem.demands[demand].items)
            for demand in displaced
        )

    def _returned(
        self, assignment: Assignment, kept: Assignment, loss: Loss, displaced: Sequence[int]
    ) -> Assignment | None:
        try:
            parts = smaller(self._victims, loss)
        except TooManyError:
            return None
        gone = frozenset(assignment.evicted)
        staying = {
            name
            for one, count, left in zip(loss.entries, loss.counts, parts[-1], strict=True)
            for name in [name for name in one.names if name in gone][: count - left]
        }
        evicted = tuple(one for one in assignment.evicted if one not in staying)
        after = without(self._problem, self._victims, evicted)
        rest = Assignment({d: items for d, items in kept.pods.items() if d not in displaced})
        room = room_after(after, rest)
        if bool(np.any(room.free < 0)) or room.domains.broken:
            return None
        classes = [GangClass((one,), self._problem.demands[one], "all", 1) for one in displaced]
        classes.sort(key=lambda one: self._place(one.demands[0]))
        if fill_starts(after, classes, rest, room, None) < len(classes):
            return None
        return replace(rest, evicted=evicted)
