"""Start gangs of high ranks in place of gangs of lower ones: the objective counts no GPU of a rank before those above.

Pods of lower ranks that stand on the nodes which a gang needs are taken away gang by gang; whoever fits elsewhere is
started again by the filling that follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from planner.prepare.alone import Fitting
from planner.prepare.disaggregate import Assignment
from planner.prepare.fill import room_after, spots_by_item
from planner.prepare.fit import Placed, Room, minimum_counts
from planner.prepare.gang_classes import GangClass
from planner.problem.placement import IntArray, PlacementProblem

Counts = dict[int, int]


def displaced(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    assignment: Assignment,
    stopped: Callable[[], bool] = lambda: False,
) -> Assignment:
    """The plan with further gangs in place of such that stand below them; ``classes`` in the order of the tiers.

    Every change makes the first tier of GPUs that it touches better.
    """
    displacer = _Displacer(problem, classes, assignment.copy())
    for one in classes:
        if one.growing or stopped():
            break
        for index in one.demands:
            if index in displacer.plan.pods:
                continue
            if not displacer.start(index):
                break  # gangs of a class are alike: the next one does not fit either
    return displacer.plan


class _Displacer:
    def __init__(
        self, problem: PlacementProblem, classes: Sequence[GangClass], plan: Assignment
    ) -> None:
        self.problem = problem
        self.plan = plan
        self._rank = _ranks(classes)
        self._room = room_after(problem, plan)
        self._level = -1
        self._roomy = self._room
        self._on: dict[int, set[int]] = {}
        for index in plan.pods:
            self._register(index)

    def start(self, index: int) -> bool:
        """Start a gang, if need be in place of lower ones; False and nothing changed where that is not possible."""
        demand = self.problem.demands[index]
        if demand.grouped or demand.shares_domains:
            return False
        self._look_below(self._rank[index])
        least = np.array(demand.minimum, dtype=np.int64)
        if not self._room.queues_admit(demand, least) or self._too_large(index):
            return False
        counts = minimum_counts(demand, self.problem, self._roomy)
        if not counts:
            return False
        wanted: Counts = {}
        for item, count in counts.items():
            shape = demand.items[item].shape
            wanted[shape] = wanted.get(shape, 0) + count
        for nodes in self._places(index, wanted):
            placed = self._cleared(wanted, nodes)
            if placed is not None:
                self._settle(index, counts, placed)
                return True
        return False

    def _look_below(self, level: int) -> None:
        """The room that there is once all pods below a level are gone."""
        if level == self._level:
            return
        self._level = level
        free = self._room.free.copy()
        for index in self.plan.pods:
            if self._rank.get(index, -1) > level:
                for one in self._placed(index):
                    free[one.node] += self.problem.requests[one.shape] * one.count
        self._roomy = Room(self.problem, free)

    def _too_large(self, index: int) -> bool:
        demand = self.problem.demands[index]
        fitting = sum(min(self._roomy.fitting(item.shape, 1), item.count) for item in demand.items)
        return fitting < demand.need

    def _places(self, index: int, wanted: Counts) -> Iterator[IntArray]:
        """Sets of nodes that could hold the gang, those first where the least has to go."""
        choices = self.problem.demands[index].choices
        if choices is None:
            yield np.arange(len(self.problem.node_names))
            return
        sums = self.problem.topology.sums
        enough = np.ones(len(choices), dtype=bool)
        now = np.zeros(len(choices), dtype=np.int64)
        for shape, count in wanted.items():
            enough &= sums(choices, self._roomy.counts(shape)) >= count
            now += np.minimum(sums(choices, self._room.counts(shape)), count)
        fitting = np.flatnonzero(enough)
        for place in fitting[np.argsort(-now[fitting], kind="stable")].tolist():
            yield self.problem.topology.arrays(choices[place])

    def _cleared(self, wanted: Counts, nodes: IntArray) -> list[Placed] | None:
        """Room for the pods on these nodes: what is free, and then what lower gangs leave; None without change."""
        placed: list[Placed] = []
        gone: list[int] = []
        for shape in self._room.by_size(wanted):
            left = wanted[shape]
            with self._room.only(nodes):
                found = self._room.place_up_to(shape, left)
            placed += found
            left -= sum(one.count for one in found)
            for node in self._cheapest(shape, nodes) if left else ():
                some = self._make_room(shape, node, left, gone)
                if some:
                    spot = Placed(shape, node, some)
                    self._room.take([spot])
                    placed.append(spot)
                    left -= some
                if not left:
                    break
            if left:
                self._room.undo(placed)
                for index in gone:
                    self._room.take(self._placed(index))
                return None
        for index in gone:
            self._forget(index)
        return placed

    def _cheapest(self, shape: int, nodes: IntArray) -> list[int]:
        """Nodes on which pods of a shape fit once lower gangs are gone; those first where many fit for little."""
        with self._roomy.only(nodes):
            roomy = self._roomy.counts(shape)
        some = nodes[roomy > 0]
        fits = roomy[roomy > 0]
        used = (self._roomy.free[some] - self._room.free[some]).sum(axis=1)
        return [int(node) for node in some[np.lexsort((some, used, -fits))]]

    def _make_room(self, shape: int, node: int, wanted: int, gone: list[int]) -> int:
        """Take lower gangs off a node until so many pods fit, or as many as can; how many fit then."""
        here = np.array([node], dtype=np.int64)
        lower = [d for d in self._on.get(node, ()) if self._rank.get(d, -1) > self._level]
        lower = [d for d in lower if d not in gone]
        lower.sort(key=lambda d: (-self._rank[d], self.problem.demands[d].gpus, d))
        with self._room.only(here):
            fits = int(self._room.counts(shape)[0])
            for index in lower:
                if fits >= wanted:
                    break
                self._room.undo(self._placed(index))
                gone.append(index)
                fits = int(self._room.counts(shape)[0])
        return min(fits, wanted)

    def _settle(self, index: int, counts: Counts, placed: list[Placed]) -> None:
        demand = self.problem.demands[index]
        self.plan.pods[index] = spots_by_item(self.problem, index, Fitting(counts, placed))
        self._register(index)
        self._roomy.take(placed)
        for one in placed:
            self._room.charge(demand, self.problem.requests[one.shape] * one.count)

    def _register(self, index: int) -> None:
        for spots in self.plan.pods[index].values():
            for node, _ in spots:
                self._on.setdefault(node, set()).add(index)

    def _forget(self, index: int) -> None:
        for spots in self.plan.pods.pop(index).values():
            for node, _ in spots:
                self._on[node].discard(index)

    def _placed(self, index: int) -> list[Placed]:
        return Assignment({index: self.plan.pods[index]}).placed(self.problem)


def _ranks(classes: Sequence[GangClass]) -> dict[int, int]:
    """Demand to the place of its class and rank among the tiers, 0 first; none for gangs that run already."""
    kinds = list(dict.fromkeys((one.tier_class, one.rank) for one in classes if not one.growing))
    place = {kind: number for number, kind in enumerate(kinds)}
    return {
        index: place[one.tier_class, one.rank]
        for one in classes
        if not one.growing
        for index in one.demands
    }
