"""Put chosen gangs onto nodes all at once: those that must be in one domain first, then those that want few.

Which gangs start is decided before, over groups of nodes, and so is how many pods of what a group holds. Here gangs are
given nodes of these groups. Of gangs with pods of one size, those that may go anywhere come last: whatever a domain has
to hold is placed while the domain is empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum, auto

import numpy as np

from planner.capacity.fit import Placed, Room, minimum_counts
from planner.capacity.fits_alone import Fitting
from planner.problem.placement import IntArray, PlacementProblem
from planner.reduce.cheapest_nodes import FloatArray, SteppedNodes
from planner.reduce.disaggregate import Assignment, ExactPack
from planner.reduce.shape_shares import ShapeShares
from planner.search.construct.domain_choice import FewPlaces
from planner.search.construct.fill import spots_by_item
from planner.search.construct.node_worth import NodeWorth

Spots = dict[int, list[tuple[int, int]]]
Counts = dict[int, int]


class Sharing(Enum):
    """Which nodes a shape may use: those that the solution has for it, those it could exchange, or any."""

    OWN = auto()
    EXCHANGED = auto()
    ANY = auto()


class Settler:
    """Room that is given out gang by gang; ``found`` holds what has been placed."""

    def __init__(
        self,
        problem: PlacementProblem,
        shares: ShapeShares,
        exact: ExactPack | None = None,
        costs: Mapping[int, FloatArray] | None = None,
    ) -> None:
        """``costs`` is shape to ``[nodes]`` what a pod costs there, where that is known."""
        self._costs = costs or {}
        self._worth = NodeWorth(problem)
        self.exact = exact
        self.problem = problem
        self.shares = shares
        self.room = Room(problem)
        self.found = Assignment({})
        self._few = FewPlaces(problem) if problem.topology.levels else None
        self._counts: dict[int, Counts] = {}
        self._everywhere: dict[tuple[int, ...], bool] = {}

    def place_bound(self, demands: Iterable[int]) -> None:
        """Place the gangs that have to be in one domain; those whose parts choose domains are left to a search."""
        plain = (
            index
            for index in demands
            if not self.problem.demands[index].grouped and index not in self.found.pods
        )
        for index in sorted(filter(self.bound, plain), key=self.size):
            self.inside(index)

    def place_others(self, demands: Sequence[int]) -> None:
        """Place all other gangs, ``demands`` in the order in which they start: the largest pods first.

        Pods that go anywhere and need whole nodes come before smaller ones that want few domains and would use up the
        nodes of a domain. Where room runs short, the last gangs stay without pods.
        """
        by_size: dict[int, list[int]] = {}
        for index in demands:
            if not self.problem.demands[index].grouped:
                by_size.setdefault(self.size(index)[0], []).append(index)
        for _, alike in sorted(by_size.items()):
            for index in sorted(filter(self.wants_few, alike), key=self.size):
                self.together(index)
            self.anywhere(index for index in alike if index not in self.found.pods)

    def size(self, index: int) -> tuple[int, int, int]:
        """Order of placing: the largest pods first, then the largest gangs."""
        demand = self.problem.demands[index]
        each = max(int(self.problem.shape_gpus[item.shape]) for item in demand.items)
        return (-each, -demand.gpus, index)

    def bound(self, index: int) -> bool:
        """Whether it matters on which nodes the gang is: it has several pods, or some nodes are in no domain."""
        choices = self.problem.demands[index].choices
        if choices is None:
            return False
        return sum(self._of(index).values()) > 1 or not self._covers(choices)

    def wants_few(self, index: int) -> bool:
        """Whether the objective counts its places and more than one is possible."""
        demand = self.problem.demands[index]
        few = demand.choices is None and bool(demand.gathered)
        return few and (sum(self._of(index).values()) > 1 or bool(demand.gathered[0].running))

    def inside(self, index: int) -> bool:
        """Place a gang into the domain where it leaves the least room; False where none has the room."""
        choices = self.problem.demands[index].choices or ()
        wanted = self._by_shape(index)
        if not self.admitted(index):
            return False
        if self._cheaply(index, choices, wanted):
            return True
        for shared in Sharing:
            for number in self._tightest(choices, wanted, shared):
                if self._put(index, wanted, self.problem.topology.arrays(number), shared):
                    return True
        return False

    def on_nodes(self, index: int, domain: int, spots: Sequence[tuple[int, int]]) -> bool:
        """Place a gang into a domain, its pods with GPUs on these nodes; False and nothing placed where that fails."""
        wanted = self._by_shape(index)
        main = [shape for shape in wanted if self.problem.shape_gpus[shape]]
        if len(main) != 1 or sum(count for _, count in spots) != wanted[main[0]]:
            return False
        if not self.admitted(index):
            return False
        if any(self.room.fits_on(main[0], node) < count for node, count in spots):
            return False
        placed = [Placed(main[0], node, count) for node, count in spots]
        self.room.take(placed)
        rest = {shape: count for shape, count in wanted.items() if shape != main[0]}
        return self._put(index, rest, self.problem.topology.arrays(domain), Sharing.ANY, placed)

    def _cheaply(self, index: int, choices: tuple[int, ...], wanted: Counts) -> bool:
        """Place a gang with pods of one shape with GPUs where they cost others the least."""
        main = [shape for shape in wanted if self.problem.shape_gpus[shape]]
        if len(main) != 1 or main[0] not in self._costs:
            return False
        place = np.full(len(self.problem.node_names), -1, dtype=np.int64)
        for position, number in enumerate(choices):
            place[self.problem.topology.arrays(number)] = position
        nodes = np.flatnonzero(place >= 0)
        pods, costs = self.room.counts(main[0])[nodes], self._costs[main[0]][nodes]
        able = (pods > 0) & np.isfinite(costs)
        nodes, costs = nodes[able], costs[able]
        pods = np.minimum(pods[able], wanted[main[0]])
        steps = self._worth.losses(main[0], nodes, self.room.free[nodes], pods)
        steps += costs[:, None] * np.arange(steps.shape[1])
        stepped = SteppedNodes(nodes, place[nodes], steps, len(choices), wanted[main[0]])
        found = stepped.take(wanted[main[0]])
        for at in np.lexsort((found.rooms, found.costs)).tolist():
            if not np.isfinite(found.costs[at]):
                break
            if self.on_nodes(index, choices[at], found.spots(at)):
                return True
        return False

    def together(self, index: int) -> bool:
        """Place a gang into few places; False where it does not fit at all, or not by this way."""
        demand, wanted = self.problem.demands[index], self._by_shape(index)
        if self._few is None or not wanted or not self.admitted(index):
            return False
        main = max(wanted, key=lambda shape: (wanted[shape], -shape))
        for shared in (Sharing.OWN, Sharing.EXCHANGED):
            allowed = np.flatnonzero(self._counted(main, shared) > 0)
            nodes = self._few.nodes_for(demand, self._of(index), self.room.free, allowed)
            if nodes is not None and self._put(index, wanted, nodes, shared):
                return True
        return False

    def anywhere(self, demands: Iterable[int]) -> None:
        """Place the pods of all these gangs shape by shape, and give them out in order."""
        waiting = [index for index in demands if self._of(index) and not self.bound(index)]
        wanted: Counts = {}
        for index in waiting:
            for shape, count in self._by_shape(index).items():
                wanted[shape] = wanted.get(shape, 0) + count
        pools = self._pools(wanted)
        left = {shape: sum(count for _, count in pool) for shape, pool in pools.items()}
        for index in waiting:
            mine = self._by_shape(index)
            enough = all(left[shape] >= count for shape, count in mine.items())
            if enough and self.admitted(index):
                for shape, count in mine.items():
                    left[shape] -= count
                self.room.charge(self.problem.demands[index], self._request(index))
                self._give(index, pools)

    def _pools(self, wanted: Counts) -> dict[int, list[list[int]]]:
        """Shape to nodes with pods (the last node first): group by group as shared out, then wherever they fit."""
        placed: dict[int, list[Placed]] = {shape: [] for shape in wanted}
        left = dict(wanted)
        rest = self.shares.rest()
        for nodes, group in self.shares.groups():
            mine = {s: min(int(rest[s][group]), left[s]) for s in left if s in rest}
            for one in self._packed(nodes, {s: count for s, count in mine.items() if count}):
                placed[one.shape].append(one)
                left[one.shape] -= one.count
        for shape in self.room.by_size(s for s, count in left.items() if count):
            placed[shape] += self.room.place_up_to(shape, left[shape])
        return {
            shape: [[one.node, one.count] for one in sorted(spots, key=_node_of, reverse=True)]
            for shape, spots in placed.items()
        }

    def _packed(self, nodes: IntArray, counts: Counts) -> list[Placed]:
        """Pods on a group's nodes: the largest first, by search where that leaves some without room."""
        with self.room.only(nodes):
            found = [
                p for s in self.room.by_size(counts) for p in self.room.place_up_to(s, counts[s])
            ]
        if self.exact is None or sum(p.count for p in found) == sum(counts.values()):
            return found
        self.room.undo(found)
        here = replace(self.problem, free=self.room.free)
        better = self.exact(here, nodes.tolist(), counts, None)
        found = found if better is None else better
        self.room.take(found)
        return found

    def _give(self, index: int, pools: dict[int, list[list[int]]]) -> None:
        demand = self.problem.demands[index]
        spots: Spots = {}
        for item, count in self._of(index).items():
            pool = pools[demand.items[item].shape]
            while count:
                take = min(pool[-1][1], count)
                spots.setdefault(item, []).append((pool[-1][0], take))
                pool[-1][1] -= take
                count -= take
                if not pool[-1][1]:
                    pool.pop()
        self.found.pods[index] = spots

    def share_placed(self) -> None:
        """Take what has been placed off the shares, which are new."""
        for one in self.found.placed(self.problem):
            self.shares.take(one.shape, int(self.shares.group_of[one.node]), one.count)

    def queues_left(self) -> dict[int, IntArray]:
        """Queue to what new pods may still request there beside the gangs that have been placed."""
        return {queue: left.copy() for queue, left in self.room.queues.items()}

    def admitted(self, index: int) -> bool:
        """Whether the limits of the gang's queues leave what its minimum requests.

        A solution that was only rounded to the nearest whole numbers starts more than the limits allow.
        """
        return self.room.queues_admit(self.problem.demands[index], self._request(index))

    def _request(self, index: int) -> IntArray:
        """``[dimensions]`` what the pods of the gang's minimum request together."""
        demand, counts = self.problem.demands[index], self._of(index)
        shapes = [demand.items[item].shape for item in counts]
        each = self.problem.requests[shapes]
        return np.array(list(counts.values()), dtype=np.int64) @ each

    def _of(self, index: int) -> Counts:
        """Pods per item that make the gang ready; none where there are too few."""
        if index not in self._counts:
            demand = self.problem.demands[index]
            self._counts[index] = minimum_counts(demand, self.problem, self.room) or {}
        return self._counts[index]

    def _by_shape(self, index: int) -> Counts:
        found: Counts = {}
        for item, count in self._of(index).items():
            shape = self.problem.demands[index].items[item].shape
            found[shape] = found.get(shape, 0) + count
        return found

    def _covers(self, choices: tuple[int, ...]) -> bool:
        """Whether every node is in one of the domains."""
        if choices not in self._everywhere:
            topology = self.problem.topology
            inside = sum(len(topology.arrays(number)) for number in choices)
            self._everywhere[choices] = inside == len(self.problem.node_names)
        return self._everywhere[choices]

    def _counted(self, shape: int, shared: Sharing) -> IntArray:
        """``[nodes]`` pods of a shape that fit, within what the shares leave where they count."""
        counts = self.room.counts(shape)
        left = self._left(shape, shared)
        return counts if left is None else np.minimum(counts, left[self.shares.group_of])

    def _left(self, shape: int, shared: Sharing) -> IntArray | None:
        """``[groups]`` pods of a shape that its share allows; None without limit, as for pods without GPUs."""
        if shared is Sharing.ANY or not self.problem.shape_gpus[shape]:
            return None
        return self.shares.left(shape) if shared is Sharing.OWN else self.shares.reach(shape)

    def _tightest(self, choices: Sequence[int], wanted: Counts, shared: Sharing) -> list[int]:
        """Domains with room for all pods counted shape by shape: most as the solution has it, then the least room."""
        numbers = tuple(choices)
        sums = self.problem.topology.sums
        total = np.zeros(len(numbers), dtype=np.int64)
        own = np.zeros(len(numbers), dtype=np.int64)
        enough = np.ones(len(numbers), dtype=bool)
        for shape, count in wanted.items():
            rooms = sums(numbers, self._counted(shape, shared))
            enough &= rooms >= count
            total += rooms
            if shared is not Sharing.OWN:
                meant = self._counted(shape, Sharing.OWN)
                used = np.where(self.room.busy, self._counted(shape, shared), meant)
                own += np.minimum(sums(numbers, used), count)
        fitting = np.flatnonzero(enough)
        order = np.lexsort((total[fitting], -own[fitting]))
        return [numbers[place] for place in fitting[order]]

    def _put(
        self,
        index: int,
        wanted: Counts,
        nodes: IntArray,
        shared: Sharing,
        already: Sequence[Placed] = (),
    ) -> bool:
        """Place a gang's pods on some of these nodes; False and nothing placed where that fails.

        Pods that have been placed ``already`` go as well then.
        """
        placed = list(already)
        for shape in self.room.by_size(wanted):
            found = self._onto(shape, wanted[shape], nodes, shared)
            placed += found
            self.room.take(found)
            if sum(one.count for one in found) < wanted[shape]:
                self.room.undo(placed)
                return False
        for one in placed:
            self.shares.take(one.shape, int(self.shares.group_of[one.node]), one.count)
        self.room.charge(self.problem.demands[index], self._request(index))
        fitting = Fitting(self._of(index), placed)
        self.found.pods[index] = spots_by_item(self.problem, index, fitting)
        return True

    def _onto(self, shape: int, wanted: int, nodes: IntArray, shared: Sharing) -> list[Placed]:
        """Spots for as many pods as fit, on nodes in use with the least room first."""
        with self.room.only(nodes):
            fits = self.room.counts(shape)
        left = self._left(shape, shared)
        busy = self.room.busy[nodes]
        strange = self.shares.left(shape)[self.shares.group_of[nodes]] == 0
        order = np.lexsort((nodes, fits, ~busy, strange, strange & ~busy))
        found: list[Placed] = []
        for place in order[fits[order] > 0].tolist():
            node = int(nodes[place])
            take = min(int(fits[place]), wanted)
            if left is not None:
                group = self.shares.group_of[node]
                take = min(take, int(left[group]))
                left[group] -= take
            if take:
                found.append(Placed(shape, node, take))
                wanted -= take
            if not wanted:
                break
        return found


def _node_of(one: Placed) -> int:
    return one.node
