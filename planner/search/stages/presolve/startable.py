"""Which gangs fit alone beside the running pods, possible victims gone: waiting ones whole, running ones in part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from models.collector import collector_paused
from planner.capacity.fit import Room
from planner.capacity.fits_alone import ExactFit, fits, quick_fit, try_place
from planner.capacity.fits_by_count import RoomyNodes
from planner.encode.victims.after_evictions import without
from planner.problem.placement import Demand, IntArray, PlacementProblem
from planner.problem.victims import Victims


@collector_paused()
def startable_demands(
    problem: PlacementProblem, exact: ExactFit, victims: Victims | None = None
) -> frozenset[int]:
    """Indices of the demands that fit alone; equal demands are judged once.

    A waiting gang fits with a minimal set, a running one with a smallest legal number of its waiting pods. Pods that
    some waiting gang may be allowed to evict are taken as gone, whoever asks for their room.
    """
    own = None if victims is None else _OwnPodsStay(problem, victims, exact)
    if victims is not None:
        problem = without(problem, victims, None)
    room = Room(problem)
    placed = _Placed(problem, room)
    known: dict[tuple[object, ...], bool] = {}
    found: set[int] = set()
    for index, whole in enumerate(problem.demands):
        demand = further(whole) if whole.ready else whole
        if own is not None and not whole.ready and index in own.losing:
            if own.fits(index, demand):
                found.add(index)
            continue
        items = tuple(
            (i.role, i.shape, i.count, i.step, i.subgroup, i.choices) for i in demand.items
        )
        key = (
            demand.queue,
            whole.ready,
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
                request = placed.request(demand, key[2:])
                admitted = request is not None and room.queues_admit(demand, request)
                known[key] = admitted or fits(problem, demand, room, exact)
        if known[key] and (own is None or index not in own.losing or own.fits(index, demand)):
            found.add(index)
    return frozenset(found)


def further(demand: Demand) -> Demand:
    """A running gang as one that waits for the smallest number of pods that it may receive more."""
    return replace(demand, ready=False, need=1, role_need=(), minimum=(0,) * len(demand.minimum))


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


class _OwnPodsStay:
    """Answers for gangs that might lose pods to others: all victims are gone but their own."""

    def __init__(self, problem: PlacementProblem, victims: Victims, exact: ExactFit) -> None:
        self._problem, self._victims, self._exact = problem, victims, exact
        self._now = Room(problem)
        self.losing = {
            gang.demand: number for number, gang in enumerate(victims.gangs) if gang.demand >= 0
        }

    def fits(self, index: int, demand: Demand) -> bool:
        """Whether the gang fits; what fits beside all running pods needs no other look."""
        if quick_fit(self._problem, demand, self._now):
            return True
        others = [
            name
            for one in self._victims.pods
            if self._victims.kinds[one.kind].gang != self.losing[index]
            for name in one.names
        ]
        problem = without(self._problem, self._victims, others)
        return fits(problem, demand, Room(problem), self._exact)
