"""Which waiting gangs fit alone beside the running pods, possible victims gone."""

from __future__ import annotations

import numpy as np

from models.collector import collector_paused
from planner.capacity.fit import Room
from planner.capacity.fits_alone import ExactFit, fits, try_place
from planner.capacity.fits_by_count import RoomyNodes
from planner.encode.victims.after_evictions import without
from planner.problem.placement import Demand, IntArray, PlacementProblem
from planner.problem.victims import Victims


@collector_paused()
def startable_demands(
    problem: PlacementProblem, exact: ExactFit, victims: Victims | None = None
) -> frozenset[int]:
    """Indices of the demands that wait and fit alone; equal demands are judged once.

    Pods that some waiting gang may be allowed to evict are taken as gone, whoever asks for their room.
    """
    own: dict[int, PlacementProblem] = {}
    if victims is not None:
        own = _with_own_pods(problem, victims)
        problem = without(problem, victims, None)
    room = Room(problem)
    placed = _Placed(problem, room)
    known: dict[tuple[object, ...], bool] = {}
    found: set[int] = set()
    for index, demand in enumerate(problem.demands):
        if demand.ready:
            continue
        if index in own:
            if fits(own[index], demand, Room(own[index]), exact):
                found.add(index)
            continue
        items = tuple(
            (i.role, i.shape, i.count, i.step, i.subgroup, i.choices) for i in demand.items
        )
        key = (
            demand.queue,
            demand.need,
            demand.role_need,
            items,
            demand.subgroups,
            demand.choices,
        )
        if key not in known:
            if demand.simple and demand.choices is None:
                known[key] = placed.counted(demand)
            elif placed.roomy.hopeless(demand):
                known[key] = False
            else:
                request = placed.request(demand, key[1:])
                admitted = request is not None and room.queues_admit(demand, request)
                known[key] = admitted or fits(problem, demand, room, exact)
        if known[key]:
            found.add(index)
    return frozenset(found)


class _Placed:
    """What sets of pods request that fit: gangs of other queues that ask for the same are not tried again.

    Counts of nodes decide first; where they do not, pods are placed one shape after the other, which takes items times
    nodes.
    """

    def __init__(self, problem: PlacementProblem, room: Room) -> None:
        self._problem, self._room = problem, room
        self.roomy = RoomyNodes(problem, room)
        self._known: dict[tuple[object, ...], IntArray] = {}
        self._pods: dict[int, int] = {}

    def counted(self, demand: Demand) -> bool:
        """Whether a simple gang fits, where nothing that was placed stays."""
        item = demand.items[0]
        if item.shape not in self._pods:
            self._pods[item.shape] = (
                self.roomy.pods(item.shape)
                if self.roomy.tells(item.shape)
                else self._room.fitting(item.shape, item.count)
            )
        pods = min(self._pods[item.shape], item.count)
        return pods >= demand.need and self._room.queue_count(demand, item.shape) >= demand.need

    def request(self, demand: Demand, key: tuple[object, ...]) -> IntArray | None:
        """Sum of the requests of a minimal set that fits onto the nodes; None where counting or a search decides."""
        if demand.simple:
            return None
        if key not in self._known:
            quick = self.roomy.request(demand)
            if quick is not None:
                self._known[key] = quick
                return quick
            found = try_place(self._problem, demand, self._room, keep=False)
            if found is None:
                return None
            total = np.zeros(len(self._problem.dimensions), dtype=np.int64)
            for item, count in found.counts.items():
                total += self._problem.requests[demand.items[item].shape] * count
            self._known[key] = total
        return self._known[key]


def _with_own_pods(problem: PlacementProblem, victims: Victims) -> dict[int, PlacementProblem]:
    """Per demand whose gang might lose pods to others: the problem with all victims gone but its own."""
    found: dict[int, PlacementProblem] = {}
    for number, gang in enumerate(victims.gangs):
        if gang.demand >= 0 and not problem.demands[gang.demand].ready:
            others = [
                name
                for one in victims.pods
                if victims.kinds[one.kind].gang != number
                for name in one.names
            ]
            found[gang.demand] = without(problem, victims, others)
    return found
