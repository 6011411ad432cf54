"""Start gangs of high ranks in place of gangs of lower ones: the objective counts no GPU of a rank before those above.

Pods of lower ranks that stand on the nodes which a gang needs are taken away gang by gang; whoever fits elsewhere is
started again by the filling that follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from planner.capacity.fit import Placed, Room, minimum_counts
from planner.capacity.fits_alone import Fitting, try_place
from planner.problem.placement import IntArray, PlacementProblem
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass
from planner.search.construct.fill import room_after, spots_by_item

MOST_TRIED = 8
"""Domains that are cleared by way of trial for a gang that others make way for."""
EVERY_PLACE = 1 << 30

Counts = dict[int, int]


def displaced(
    problem: PlacementProblem,
    classes: Sequence[GangClass],
    assignment: Assignment,
    wanted: Sequence[int] = (),
    stopped: Callable[[], bool] = lambda: False,
) -> Assignment:
    """The plan with further gangs in place of such that stand below them; ``classes`` in the order of the tiers.

    Every change makes the first tier of GPUs that it touches better. For ``wanted`` gangs, those that a relaxation
    starts, others of their rank or above make way as well where they find other nodes.
    """
    displacer = _Displacer(problem, classes, assignment.copy())
    for one in classes:
        if one.growing or stopped():
            break
        for index in one.demands:
            if index in displacer.plan.pods:
                continue
            if not displacer.start(index, EVERY_PLACE):
                break  # gangs of a class are alike: the next one does not fit either
    for index in wanted:
        if stopped():
            break
        if index not in displacer.plan.pods:
            displacer.start(index, MOST_TRIED, moving=True)
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

    def start(self, index: int, most_tried: int, *, moving: bool = False) -> bool:
        """Start a gang, if need be in place of lower ones; False and nothing changed where that is not possible.

        ``moving``: all other gangs make way too, those of its rank and above only if they find other nodes.
        """
        demand = self.problem.demands[index]
        if demand.grouped or demand.shares_domains:
            return False
        self._look_below(-1 if moving else self._rank[index])
        out = self._out_of_queues(index)
        if out is None:
            return False
        if self._placed_in_place(index, most_tried):
            return True
        for other, spots in out.items():
            self.plan.pods[other] = spots
            self._room.take(self._placed(other))
            self._charge(other, 1)
            self._register(other)
        return False

    def _placed_in_place(self, index: int, most_tried: int) -> bool:
        """Start a gang that its queues admit on nodes of lower ones."""
        demand = self.problem.demands[index]
        if self._too_large(index):
            return False
        counts = minimum_counts(demand, self.problem, self._roomy)
        if not counts:
            return False
        wanted = self._by_shape(index, counts)
        for nodes in islice(self._places(index, wanted), most_tried):
            placed = self._cleared(wanted, nodes, self._rank[index])
            if placed is not None:
                self._settle(index, counts, placed)
                return True
        return False

    def _out_of_queues(self, index: int) -> dict[int, dict[int, list[tuple[int, int]]]] | None:
        """Take lower gangs out of the gang's queues until their limits admit it; None and no change if they never do.

        Those of the lowest rank go first, the smallest of a rank; whoever turns out to be needless comes back.
        """
        demand = self.problem.demands[index]
        least = np.array(demand.minimum, dtype=np.int64)
        out: dict[int, dict[int, list[tuple[int, int]]]] = {}
        if self._room.queues_admit(demand, least):
            return out
        chain = set(demand.queue_chain)
        lower = [
            d
            for d in self.plan.pods
            if self._rank.get(d, -1) > self._rank[index]
            and not chain.isdisjoint(self.problem.demands[d].queue_chain)
        ]
        lower.sort(key=lambda d: (-self._rank[d], self.problem.demands[d].gpus, d))
        for other in lower:
            self._charge(other, -1)
            out[other] = {}
            if self._room.queues_admit(demand, least):
                break
        else:
            for other in out:
                self._charge(other, 1)
            return None
        for other in reversed(list(out)):
            self._charge(other, 1)
            if self._room.queues_admit(demand, least):
                del out[other]
            else:
                self._charge(other, -1)
        for other in out:
            self._room.undo(self._placed(other))
            out[other] = self.plan.pods[other]
            self._forget(other)
        return out

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

    def _cleared(self, wanted: Counts, nodes: IntArray, rank: int) -> list[Placed] | None:
        """Room for the pods on these nodes: what is free, and then what others leave; None without change."""
        gone: list[int] = []
        placed = self._taken(wanted, nodes, gone)
        if placed is None:
            return None
        elsewhere = self._elsewhere(gone, rank)
        if elsewhere is None:
            self._room.undo(placed)
            self._return(gone, 0)
            return None
        for index in gone:
            self._forget(index)
        for index, fitting in elsewhere.items():
            self.plan.pods[index] = spots_by_item(self.problem, index, fitting)
            self._register(index)
        return placed

    def _taken(self, wanted: Counts, nodes: IntArray, gone: list[int]) -> list[Placed] | None:
        """Spots for the pods, others added to ``gone`` where they have to go; None without change."""
        placed: list[Placed] = []
        before = len(gone)
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
                self._return(gone, before)
                return None
        return placed

    def _return(self, gone: list[int], since: int) -> None:
        for index in gone[since:]:
            self._room.take(self._placed(index))
        del gone[since:]

    def _elsewhere(self, gone: list[int], rank: int) -> dict[int, Fitting] | None:
        """Other nodes for those that make way and are not below ``rank``; None and no more change where one finds none.

        They may go in place of gangs below themselves, which are added to ``gone``.
        """
        found: dict[int, Fitting] = {}
        since, level = len(gone), self._level
        waiting = sorted(gone, key=self._order)
        while waiting:
            index = waiting.pop(0)
            if self._rank[index] > rank:
                continue
            self._charge(index, -1)
            fitting = try_place(self.problem, self.problem.demands[index], self._room, keep=True)
            if fitting is None:
                before = len(gone)
                self._level = self._rank[index]
                fitting = self._over_lower(index, gone)
                self._level = level
                waiting = sorted([*waiting, *gone[before:]], key=self._order)
            if fitting is None:
                self._charge(index, 1)
                for other in found.values():
                    self._room.undo(other.placed)
                self._return(gone, since)
                return None
            found[index] = fitting
        return found

    def _over_lower(self, index: int, gone: list[int]) -> Fitting | None:
        """Nodes for a gang in place of lower ones."""
        counts = minimum_counts(self.problem.demands[index], self.problem, self._roomy)
        wanted = self._by_shape(index, counts or {})
        for nodes in islice(self._places(index, wanted), MOST_TRIED) if wanted else ():
            placed = self._taken(wanted, nodes, gone)
            if placed is not None:
                self._charge(index, 1)
                return Fitting(counts or {}, placed)
        return None

    def _order(self, index: int) -> tuple[int, int]:
        return (-self.problem.demands[index].gpus, index)

    def _by_shape(self, index: int, counts: Counts) -> Counts:
        found: Counts = {}
        for item, count in counts.items():
            shape = self.problem.demands[index].items[item].shape
            found[shape] = found.get(shape, 0) + count
        return found

    def _charge(self, index: int, sign: int) -> None:
        """Take what a gang requests from its queues, or give it back."""
        demand = self.problem.demands[index]
        (self._room.enter if sign > 0 else self._room.leave)(demand)
        for one in self._placed(index):
            request = self.problem.requests[one.shape] * one.count
            for queue in demand.queue_chain:
                room = self._room.queues[queue]
                limited = room >= 0
                room[limited] -= sign * request[limited]

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
        if self._level >= 0:  # else it may make way for others in turn
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
