"""Pods above the minimum of gangs that start: a fill of what is free to the end of their runs, after all starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from planner.capacity.counted_room import fit_counts
from planner.problem.placement import IntArray
from planner.problem.timed import Column
from planner.schedule.encode.build import TimedInput
from planner.schedule.encode.queue_room import queue_use
from planner.schedule.placing import NodeShare, Placer
from planner.schedule.pools import pool_entries, queue_limits


@dataclass(frozen=True)
class Grown:
    """Pods on one node from a bucket to the end of the run."""

    start: int
    share: NodeShare


class Growing:
    """Fills what starts leave; room on nodes, in pools and queues is what is left to the end of a run."""

    def __init__(
        self,
        given: TimedInput,
        placer: Placer,
        times: Mapping[int, Column],
        nodes: Mapping[int, tuple[tuple[NodeShare, ...], ...]],
        chosen: Mapping[Column, int],
    ) -> None:
        self.given, self.placer, self.times, self.nodes = given, placer, times, nodes
        self._chosen = chosen
        self._lent = (
            {one.pool for one in given.occupancy.lending.pools}
            if given.occupancy.lending
            else set()
        )

    def run(self) -> dict[int, tuple[Grown, ...]]:
        """Work item to its growth, gangs of higher rank first, then those that start earlier.

        Nothing grows where pods are not simply counted on nodes (shared cards, domains, spreads, subgroups), where the
        calendar keeps a number of GPUs, or on nodes beyond the placed buckets.
        """
        rules = self.given.prepared.policy.policy.reservations
        if (
            not self.placer.counted
            or self.placer.placed_buckets < self.given.problem.horizon.count
            or any(rule.gpus is not None for rule in rules)
        ):
            return {}
        items = [item for item in self.nodes if self._extra(item)]
        if not items:
            return {}
        self.placer.replay(self.times, self.nodes)
        self._pools = {
            one.name: np.array(one.capacity) - np.array(one.used)
            for one in pool_entries(self.given, self.times)
        }
        self._queues = self._queue_rooms()
        place = {pair: number for number, pair in enumerate(self.given.problem.order)}
        work = self.given.items
        items.sort(key=lambda i: (place[work[i].tier_class, work[i].rank], self.times[i].start, i))
        found = {item: self._grow(item) for item in items}
        return {item: grown for item, grown in found.items() if grown}

    def _extra(self, item: int) -> dict[int, int]:
        """Pods above the minimum by item of the demand, of gangs that run in one stretch and have them."""
        work = self.given.items[item]
        if work.demand < 0 or len(self.times[item].stretches) != 1:
            return {}
        demand = self.given.prepared.problem.demands[work.demand]
        if demand.grouped or demand.choices is not None:
            return {}
        counts = dict(work.counts)
        extra = {n: one.count - counts.get(n, 0) for n, one in enumerate(demand.items)}
        return {n: count for n, count in extra.items() if count > 0}

    def _queue_rooms(self) -> dict[tuple[str, int], IntArray]:
        """What is left of every queue's limit per bucket; keys are (queue, column of the occupancy)."""
        given, one = self.given, self.given.occupancy
        found: dict[tuple[str, int], IntArray] = {}
        for (queue, dimension), limit in queue_limits(given, self._chosen).items():
            column = one.names.index(dimension)
            left = limit - queue_use(given.prepared, one, queue)[:, column]
            family = set(given.prepared.limits.below(queue))
            for item, times in self.times.items():
                if given.items[item].gang.queue in family:
                    for start, end in times.stretches:
                        left[start:end] -= int(self._held(item)[column])
            found[queue, column] = left
        return found

    def _held(self, item: int) -> IntArray:
        work = self.given.items[item]
        return work.vector if work.demand < 0 else self._wide(work.vector)

    def _wide(self, vector: IntArray) -> IntArray:
        wide = np.zeros(len(self.given.occupancy.names), dtype=np.int64)
        wide[self.placer.columns] = vector
        return wide

    def _grow(self, item: int) -> tuple[Grown, ...]:
        column = self.times[item]
        ((start, end),) = column.stretches
        problem, work = self.given.prepared.problem, self.given.items[item]
        demand = problem.demands[work.demand]
        found: list[Grown] = []
        for index, left in self._extra(item).items():
            shape = demand.items[index].shape
            wide = self._wide(problem.requests[shape])
            mask = self.placer.mask(item, column, shape)
            for bucket in range(start, min(end, self.given.problem.horizon.count)):
                if not left or not int(self.given.occupancy.gpus(wide)):
                    break
                if bucket > start and not self._rises(bucket):
                    continue
                free = self.placer.least((bucket, end))[:, self.placer.columns]
                counts = fit_counts(free, problem.requests[shape], mask)
                for node in np.flatnonzero(counts):
                    most = self._most(item, int(node), (bucket, end), wide)
                    pods = min(left, int(counts[node]), most)
                    if pods > 0:
                        share = NodeShare(int(node), pods, wide * pods)
                        self._take(item, (bucket, end), share)
                        found.append(Grown(bucket, share))
                        left -= pods
        return tuple(found)

    def _rises(self, bucket: int) -> bool:
        """Something is given back in a bucket."""
        lines = (*self._pools.values(), *self._queues.values())
        return any(int(line[bucket]) > int(line[bucket - 1]) for line in lines)

    def _most(self, item: int, node: int, stretch: tuple[int, int], wide: IntArray) -> int:
        """Pods on a node that pool and queues let run; gangs that leave too slowly take no lent GPUs."""
        start, end = stretch
        pool = self._pool(node)
        if self.given.items[item].slow and pool in self._lent:
            return 0
        gpus = int(self.given.occupancy.gpus(wide))
        most = int(self._pools[pool][start:end].min()) // gpus
        for left, amount in self._limits(item, wide):
            most = min(most, int(left[start:end].min()) // amount)
        return most

    def _limits(self, item: int, wide: IntArray) -> list[tuple[IntArray, int]]:
        chain = self.given.prepared.limits.chain(self.given.items[item].gang.queue)
        return [
            (left, int(wide[column]))
            for (queue, column), left in self._queues.items()
            if queue in chain and wide[column]
        ]

    def _take(self, item: int, stretch: tuple[int, int], share: NodeShare) -> None:
        start, end = stretch
        self.placer.room[start:end, share.node] -= share.vector
        self._pools[self._pool(share.node)][start:end] -= int(
            self.given.occupancy.gpus(share.vector)
        )
        for left, amount in self._limits(item, share.vector):
            left[start:end] -= amount

    def _pool(self, node: int) -> str:
        one = self.given.occupancy
        return one.pools[int(one.pool_of_node[node])]
