"""Every start on concrete nodes, which its pods keep for the whole of their run.

Room on a node for a run is the least room in its buckets: a service that comes back in the morning, or a node that goes
away, keeps it from a gang that would still be there. A gang that is stopped may go on on other nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.findings import NoPlanInTimeError
from models.workloads import Pod
from planner.capacity.counted_room import fit_counts
from planner.encode.predicates import Predicates, Profile
from planner.encode.reshaped import reshaped
from planner.problem.limits import Limits
from planner.problem.placement import BoolArray, Demand, IntArray, PlacementProblem, Standing
from planner.problem.timed import Column
from planner.reduce.disaggregate import Assignment
from planner.reduce.gang_classes import GangClass, gang_classes
from planner.reduce.spread_filter import without_uneven
from planner.schedule.encode.build import TimedInput
from planner.schedule.encode.rows import reserved_buckets, reserved_nodes
from planner.search.construct.fill import fill_starts, room_after
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.guarded_search import GuardedSearch
from planner.search.outcome import SearchSettings
from planner.search.stages.improve.consolidate import gathered

Start = tuple[int, Column]
"""A work item and the column that it runs in."""
Pods = dict[int, list[tuple[int, int]]]
"""Item of a demand to (node, pods)."""
MOST_ROOM = 120_000_000
"""Numbers of room (nodes, buckets, dimensions) that are kept; beyond, only the first buckets are placed."""


@dataclass(frozen=True)
class NodeShare:
    """Pods of a gang on one node in one stretch, and what they hold over the dimensions of the occupancy."""

    node: int
    pods: int
    vector: IntArray


class Placer:
    """Places gangs one after the other beside what runs then and what was placed before.

    Attributes
    ----------
    quick
        Time is over: what does not fit one after the other is not searched for.
    nodes
        Per work item and stretch where its pods are.
    now
        Pods that are placed in the first bucket, by demand of the snapshot's problem.
    """

    def __init__(
        self,
        given: TimedInput,
        free: Callable[[int, IntArray], IntArray],
        limits: Limits,
        stopped: Callable[[], bool],
        *,
        exact: int,
        guard: bool,
    ) -> None:
        self.given, self.limits, self.stopped = given, limits, stopped
        self.guard, self.exact = guard, exact
        self.quick = False
        one = given.occupancy
        self.columns = [one.names.index(name) for name in given.prepared.problem.dimensions]
        self._reserved = [
            (rule, reserved_nodes(rule, given.prepared, one))
            for rule in given.prepared.policy.policy.reservations
            if rule.gpus is None
        ]
        small = one.allocatable.size * one.horizon.count <= MOST_ROOM
        self.placed_buckets = one.horizon.count if small else exact
        self.base = self._rooms(free)
        problem = given.prepared.problem
        self.counted = problem.cards is None and not problem.domain_rooms and not problem.spreads
        self._masks: dict[tuple[object, ...], BoolArray] = {}
        self.begin()

    def begin(self) -> None:
        """Nothing is placed."""
        self.room = self.base.copy()
        self.nodes: dict[int, tuple[tuple[NodeShare, ...], ...]] = {}
        self.now = Assignment({})

    def replay(
        self, times: Mapping[int, Column], nodes: Mapping[int, Sequence[Sequence[NodeShare]]]
    ) -> None:
        """Begin anew and hold what these runs hold."""
        self.begin()
        for item, stretches in nodes.items():
            for stretch, shares in zip(times[item].stretches, stretches, strict=True):
                self._hold(stretch, shares)

    def _rooms(self, free: Callable[[int, IntArray], IntArray]) -> IntArray:
        """``[buckets, nodes, dimensions]`` beside what holds room already."""
        one = self.given.occupancy
        held = one.held(0)
        found = np.zeros((self.placed_buckets, *one.allocatable.shape), dtype=np.int64)
        for bucket in range(self.placed_buckets):
            for gang in one.running if bucket else ():
                if gang.gone_bucket == bucket:
                    for node, vector in gang.held:
                        held[node] -= vector
            found[bucket] = free(bucket, held)
        return found

    def start_all(self, bucket: int, here: Sequence[Start]) -> set[int]:
        """Place gangs that start in a bucket, the largest first; in the first buckets together if that fails."""
        if bucket >= self.placed_buckets:
            return {item for item, _ in here}
        order = sorted(here, key=lambda one: (-self.given.items[one[0]].gpus, one[0]))
        before, kept = self.room.copy() if bucket < self.exact else None, dict(self.nodes)
        found = {item for item, column in order if self.start(item, column)}
        waiting = [one for one in here if self.given.items[one[0]].demand >= 0]
        if before is None or self.quick or len(found) == len(here) or not waiting:
            return found
        together = self._together(bucket, waiting, before)
        if len(together) <= sum(item in found for item, _ in waiting):
            return found
        self.room, self.nodes = before, kept
        for item, _ in here:
            self.now.pods.pop(self.given.items[item].demand, None)
        for item, column in waiting:
            if item in together:
                self._keep(item, column, (together[item],) * len(column.stretches))
        rest = [one for one in here if self.given.items[one[0]].demand < 0]
        return {*together, *(item for item, column in rest if self.start(item, column))}

    def start(self, item: int, column: Column) -> bool:
        """Place one gang for all stretches of its run; False and no change where it does not fit."""
        if column.start >= self.placed_buckets:
            return True
        if self.given.items[item].demand < 0:
            return self._start_carried(item, column)
        found: list[Pods] = []
        for stretch in column.stretches:
            pods = self._fit(item, column, stretch)
            if pods is None:
                return False
            found.append(pods)
        self._keep(item, column, tuple(found))
        return True

    def least(self, stretch: tuple[int, int]) -> IntArray:
        """``[nodes, dimensions]`` least room in the buckets of a stretch."""
        start, end = stretch[0], min(stretch[1], self.placed_buckets)
        if start >= end:
            last: IntArray = self.room[-1]
            return last
        found: IntArray = self.room[start:end].min(axis=0)
        return found

    def hopeless(self, item: int, column: Column) -> bool:
        """Not even alone beside what runs: decided by counting, for gangs with pods of one size."""
        given = self.given.items[item]
        if given.demand < 0 or column.start >= self.placed_buckets:
            return False
        demand = self.given.prepared.problem.demands[given.demand]
        if not self.counted or len(given.counts) != 1 or demand.grouped:
            return False
        return any(
            self._counted_fit(item, column, stretch, demand) is None for stretch in column.stretches
        )

    def _fit(self, item: int, column: Column, stretch: tuple[int, int]) -> Pods | None:
        given = self.given.items[item]
        demand = self.given.prepared.problem.demands[given.demand]
        if self.counted and len(given.counts) == 1 and not demand.grouped:
            return self._counted_fit(item, column, stretch, demand)
        problem = self._problem(self.least(stretch), [(item, column)])
        found = self._filled(problem, gang_classes(problem, [Standing(0, "all", 1)]))
        return self._original(item, found.pods[0]) if found.pods.get(0) else None

    def _counted_fit(
        self, item: int, column: Column, stretch: tuple[int, int], demand: Demand
    ) -> Pods | None:
        """One size of pods: as many per node as fit, tight nodes first, in one domain where that is asked for."""
        ((index, need),) = self.given.items[item].counts
        shape = demand.items[index].shape
        free = self.least(stretch)[:, self.columns]
        problem = self.given.prepared.problem
        counts = fit_counts(free, problem.requests[shape], self.mask(item, column, shape))
        nodes = self._domain(counts, need, demand)
        if nodes is None:
            return None
        gpus = self.given.occupancy.gpus(self.least(stretch)[nodes])
        spots, left = [], need
        for at in np.lexsort((nodes, gpus)):
            if left and counts[nodes[at]]:
                take = min(left, int(counts[nodes[at]]))
                spots.append((int(nodes[at]), take))
                left -= take
        return {index: sorted(spots)}

    def _domain(self, counts: IntArray, need: int, demand: Demand) -> IntArray | None:
        """Nodes that hold enough pods together: all of them, or those of the tightest domain that may be chosen."""
        if demand.choices is None:
            return np.flatnonzero(counts) if int(counts.sum()) >= need else None
        sums = self.given.prepared.problem.topology.sums(demand.choices, counts)
        enough = np.flatnonzero(sums >= need)
        if not enough.size:
            return None
        best = demand.choices[int(enough[np.argmin(sums[enough])])]
        return np.asarray(self.given.prepared.problem.topology.arrays(best), dtype=np.int64)

    def _keep(self, item: int, column: Column, stretches: Sequence[Pods]) -> None:
        demand = self.given.prepared.problem.demands[self.given.items[item].demand]
        shares = []
        for stretch, pods in zip(column.stretches, stretches, strict=True):
            shares.append(self._shares(demand, pods))
            self._hold(stretch, shares[-1])
        self.nodes[item] = tuple(shares)
        if column.start == 0:
            self.now.pods[self.given.items[item].demand] = stretches[0]

    def _hold(self, stretch: tuple[int, int], shares: Sequence[NodeShare]) -> None:
        for one in shares:
            self.room[stretch[0] : stretch[1], one.node] -= one.vector

    def _shares(self, demand: Demand, pods: Pods) -> tuple[NodeShare, ...]:
        requests, names = self.given.prepared.problem.requests, self.given.occupancy.names
        counts: dict[int, int] = {}
        vectors: dict[int, IntArray] = {}
        for index, spots in pods.items():
            wide = np.zeros(len(names), dtype=np.int64)
            wide[self.columns] = requests[demand.items[index].shape]
            for node, count in spots:
                counts[node] = counts.get(node, 0) + count
                vectors[node] = vectors.get(node, np.zeros_like(wide)) + wide * count
        return tuple(NodeShare(node, counts[node], vectors[node]) for node in sorted(counts))

    def carried_pods(self, item: int) -> list[tuple[Pod, IntArray]]:
        """Pods of a running gang that goes on after it had to leave, the largest first."""
        one = self.given.occupancy
        snapshot = self.given.prepared.snapshot
        known = {node.name for node in snapshot.nodes}
        shed = {name for running in one.running for name in running.shed}
        pods = [
            pod
            for pod in snapshot.pods_of(self.given.items[item].gang)
            if pod.running and pod.node in known and pod.full_name not in shed
        ]
        sized = [
            (pod, np.array([*(pod.spec.request.amount(n) for n in one.names[:-1]), 1], np.int64))
            for pod in pods
        ]
        return sorted(sized, key=lambda pair: (-int(one.gpus(pair[1])), pair[0].full_name))

    def _start_carried(self, item: int, column: Column) -> bool:
        """Pod after pod onto the tightest node of its pools that admits and holds it."""
        stretches = []
        for stretch in column.stretches:
            free = self.least(stretch).copy()
            shares: dict[int, tuple[int, IntArray]] = {}
            for pod, vector in self.carried_pods(item):
                asked = vector > 0
                holds = (free[:, asked] >= vector[asked]).all(axis=1)
                nodes = np.flatnonzero(holds & self.carried_mask(item, column, pod))
                if not nodes.size:
                    return False
                node = int(min(nodes, key=lambda n: (int(self.given.occupancy.gpus(free[n])), n)))
                free[node] -= vector
                count, total = shares.get(node, (0, np.zeros_like(vector)))
                shares[node] = (count + 1, total + vector)
            stretches.append(tuple(NodeShare(n, *shares[n]) for n in sorted(shares)))
        for stretch, found in zip(column.stretches, stretches, strict=True):
            self._hold(stretch, found)
        self.nodes[item] = tuple(stretches)
        return True

    def carried_mask(self, item: int, column: Column, pod: Pod) -> BoolArray:
        """Nodes of the pools of a carried gang that admit one of its pods."""
        spec = pod.spec
        profile = Profile(spec.node_selector, spec.node_affinity, spec.tolerations, revocable=False)
        key = (profile, column.stretches)
        if key not in self._masks:
            judge = Predicates(self.given.prepared.policy)
            nodes = self.given.prepared.snapshot.nodes
            self._masks[key] = np.array([not judge.why_closed(profile, n) for n in nodes], np.bool_)
        pools = [pool for pool, _ in self.given.items[item].held]
        found: BoolArray = self._masks[key] & np.isin(self.given.occupancy.pool_of_node, pools)
        return found

    def _together(self, bucket: int, here: Sequence[Start], room: IntArray) -> dict[int, Pods]:
        """All gangs of a bucket by the search that plans for now; runs are taken as long as the longest of them."""
        end = max(min(column.stretches[-1][1], self.placed_buckets) for _, column in here)
        problem = self._problem(room[bucket:end].min(axis=0), here)
        standings = [Standing(index, "all", 1) for index in range(len(here))]
        classes = gang_classes(problem, standings)
        settings = SearchSettings(limits=self.limits, tier_names=("all.1.gpus", "all.1.gangs"))
        found = self._filled(problem, classes)
        if not all(found.pods.get(index) for index in range(len(here))):
            settings = replace(settings, start=found)
            search = GuardedSearch(problem, classes, settings, lambda *_: None, self.stopped)
            try:
                found = search.run(guard=self.guard)[0].assignment
            except NoPlanInTimeError:
                return {}
        return {
            item: self._original(item, found.pods[index])
            for index, (item, _) in enumerate(here)
            if found.pods.get(index)
        }

    def _filled(self, problem: PlacementProblem, classes: Sequence[GangClass]) -> Assignment:
        """One gang after the other on the nodes, the largest first: where all of them fit nothing is to be searched."""
        order = sorted(classes, key=lambda one: (-one.example.gpus, one.demands[0]))
        found = Assignment({})
        fill_starts(problem, order, found, room_after(problem, found), exact_fit, self.stopped)
        return without_uneven(problem, gathered(problem, found, self.stopped))

    def _problem(self, free: IntArray, here: Sequence[Start]) -> PlacementProblem:
        whole = self.given.prepared.problem
        shapes: dict[tuple[int, bytes], int] = {}
        masks: list[BoolArray] = []
        numbers: list[int] = []
        demands: list[Demand] = []
        for item, column in here:
            demands.append(self._demand(item, column, shapes, masks, numbers))
        return replace(
            reshaped(whole, numbers),
            free=np.maximum(free[:, self.columns], 0),
            admits=np.array(masks, dtype=np.bool_).reshape(len(masks), len(free)),
            demands=tuple(demands),
            queue_room={queue: np.full_like(room, -1) for queue, room in whole.queue_room.items()},
        )

    def _demand(
        self,
        number: int,
        column: Column,
        shapes: dict[tuple[int, bytes], int],
        masks: list[BoolArray],
        numbers: list[int],
    ) -> Demand:
        item = self.given.items[number]
        demand = self.given.prepared.problem.demands[item.demand]
        counts = dict(item.counts)
        chosen = []
        for index, one in enumerate(demand.items):
            if index not in counts:
                continue
            mask = self.mask(number, column, one.shape)
            key = (one.shape, mask.tobytes())
            if key not in shapes:
                shapes[key] = len(masks)
                masks.append(mask)
                numbers.append(one.shape)
            count = counts[index]
            chosen.append(replace(one, shape=shapes[key], count=count, names=one.names[:count]))
        return replace(demand, items=tuple(chosen))

    def mask(self, number: int, column: Column, shape: int) -> BoolArray:
        """Nodes of the pools that were chosen, there in all buckets of the run and not kept for others."""
        key = (number, column.option, column.stretches, shape)
        if key not in self._masks:
            self._masks[key] = self._mask(number, column, shape)
        return self._masks[key]

    def _mask(self, number: int, column: Column, shape: int) -> BoolArray:
        one, item = self.given.occupancy, self.given.items[number]
        parts = self.given.parts[number][column.option]
        pools = [part.pool for part in parts if part.shape == shape] or [p.pool for p in parts]
        mask: BoolArray = self.given.prepared.problem.admits[shape] & one.open
        mask &= np.isin(one.pool_of_node, pools)
        for start, end in column.stretches:
            mask &= ~one.away[:, start:end].any(axis=1)
            for rule, nodes in self._reserved:
                kept = rule.queue is None or rule.queue not in self.given.prepared.limits.chain(
                    item.gang.queue
                )
                buckets = reserved_buckets(rule, one.horizon)
                if kept and buckets and start < buckets.stop and buckets.start < end:
                    mask &= ~nodes
        return mask

    def _original(self, item: int, pods: Pods) -> Pods:
        """Pods by the items of the snapshot's demand."""
        given = self.given.items[item]
        demand = self.given.prepared.problem.demands[given.demand]
        kept = [i for i in range(len(demand.items)) if i in dict(given.counts)]
        return {kept[number]: spots for number, spots in pods.items()}
