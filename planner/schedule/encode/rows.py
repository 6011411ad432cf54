"""Rows of room over time, and what each way of running a gang takes from them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from models.horizon import Horizon
from models.moments import epoch_seconds
from models.policy import Reservation
from planner.encode.prepared import Prepared
from planner.problem.placement import BoolArray, IntArray
from planner.problem.timed import Part, TimedRow
from planner.schedule.encode.occupancy import Occupancy
from planner.schedule.encode.places import Places
from planner.schedule.encode.supply import Supply, used_by_running
from planner.schedule.encode.whole_gpus import whole_gpus
from planner.schedule.encode.work import CARRIED, WorkItem

PLENTY = 1 << 50
"""Room of a row in buckets in which it does not bind."""
Use = dict[TimedRow, int]


class Rows:
    """Collects rows as gangs ask for them, then measures their room in one walk over the buckets."""

    def __init__(
        self,
        prepared: Prepared,
        one: Occupancy,
        have: Supply,
        places: Places,
        queues: Mapping[TimedRow, IntArray],
    ) -> None:
        self.prepared, self.one, self.have, self.places = prepared, one, have, places
        problem = prepared.problem
        self._columns = [one.names.index(name) for name in problem.dimensions]
        self._devices = whole_gpus(prepared)
        self._masks: dict[TimedRow, BoolArray] = {}
        self._sizes: dict[TimedRow, tuple[int, int]] = {}
        self._others: dict[TimedRow, tuple[BoolArray, Reservation, int]] = {}
        self._lent = {p.pool for p in one.lending.pools} if one.lending else set()
        self._pool_nodes = [one.open & (one.pool_of_node == p) for p in range(len(one.pools))]
        self._queues = queues
        self._reserved = _reservations(prepared, one)
        self._gpu_sizes = self._chain_sizes()

    def use(self, item: WorkItem, parts: Sequence[Part]) -> Use:
        """(row, amount) of a gang in one of its options."""
        found: Use = {}
        for part in parts:
            vector = self._vector(item, part)
            gpus = int(self.one.gpus(vector))
            pool = self.one.pools[part.pool]
            for column, amount in enumerate(vector):
                if amount:
                    _add(found, TimedRow("room", pool, self.one.names[column]), int(amount))
            self._nodes(found, part, vector)
            self._pieces(found, part)
            if gpus and pool in self._lent:
                _add(found, TimedRow("lent", pool), gpus)
                if item.slow:
                    _add(found, TimedRow("slow", pool), gpus)
            for row, (_, rule, place) in self._reserved.items():
                foreign = rule.queue is None or not self._below(item, rule.queue)
                if gpus and place == part.pool and foreign:
                    self._others[row] = self._reserved[row]
                    _add(found, row, gpus)
        for queue in item.queue_chain:
            for column, amount in enumerate(self._whole(item)[:-1]):
                row = TimedRow(
                    "queue", self.prepared.problem.queue_names[queue], self.one.names[column]
                )
                if amount and row in self._queues:
                    _add(found, row, int(amount))
        return found

    def _below(self, item: WorkItem, queue: str) -> bool:
        return queue in self.prepared.limits.chain(item.gang.queue)

    def _whole(self, item: WorkItem) -> IntArray:
        return item.vector if item.demand == CARRIED else self._widened(item.vector)

    def _widened(self, vector: IntArray) -> IntArray:
        wide = np.zeros(len(self.one.names), dtype=np.int64)
        wide[self._columns] = vector
        return wide

    def _vector(self, item: WorkItem, part: Part) -> IntArray:
        if part.shape < 0:
            return dict(item.held)[part.pool]
        return self._widened(self.prepared.problem.requests[part.shape] * part.count)

    def _nodes(self, found: Use, part: Part, vector: IntArray) -> None:
        """A gang that only some nodes of the pool admit is held to the room of these."""
        if part.shape < 0:
            return
        mask = self.places.admits[part.shape] & self._pool_nodes[part.pool]
        if mask.sum() == self._pool_nodes[part.pool].sum():
            return
        name = f"{zlib.crc32(mask.tobytes()):08x}"
        for column, amount in enumerate(vector[:-1]):
            if amount:
                row = TimedRow(
                    "nodes", self.one.pools[part.pool], f"{name}/{self.one.names[column]}"
                )
                self._masks[row] = mask
                _add(found, row, int(amount))

    def _chain_sizes(self) -> tuple[int, ...]:
        sizes = sorted({int(one) for one in self._devices if one > 1})
        return tuple(sizes)

    def _pieces(self, found: Use, part: Part) -> None:
        """Nested sizes: a pod of 8 GPUs is two pieces of 4, and a node with 7 free GPUs holds one."""
        if part.shape < 0 or len(self.one.gpu_columns) != 1:
            return
        own = int(self._devices[part.shape])
        for size in self._gpu_sizes:
            if own >= size:
                row = TimedRow("pieces", self.one.pools[part.pool], str(size))
                self._sizes[row] = (part.pool, size)
                _add(found, row, own // size * part.count)

    def rooms(self, rows: Sequence[TimedRow]) -> IntArray:
        """``[rows, buckets]`` room beside running gangs, never negative."""
        one = self.one
        found = np.full((len(rows), one.horizon.count), PLENTY, dtype=np.int64)
        used, slow = used_by_running(one), used_by_running(one, slow_only=True)
        walked: list[tuple[int, Callable[[IntArray, int], int]]] = []
        for number, row in enumerate(rows):
            if row.kind == "queue":
                found[number] = self._queues[row]
            elif row.kind == "lent":
                pool = one.pools.index(row.subject)
                found[number] = self.have.capacity[pool] - used[pool]
            elif row.kind == "slow":
                pool = one.pools.index(row.subject)
                found[number] = self.have.slow[pool] - slow[pool]
            else:
                walked.append((number, self._measure(row)))
        held = one.held(0)
        for bucket in range(one.horizon.count):
            if bucket:
                for gang in one.running:
                    if gang.gone_bucket == bucket:
                        for node, vector in gang.held:
                            held[node] -= vector
            free = self.free(bucket, held)
            for number, measure in walked:
                found[number, bucket] = min(found[number, bucket], measure(free, bucket))
        return np.maximum(found, 0)

    def free(self, bucket: int, held: IntArray) -> IntArray:
        """``[nodes, dimensions]`` free in a bucket, 0 on nodes that are closed or away.

        Pods of online services are where they are now in the first bucket, and where the loans put them later.
        """
        one = self.one
        free = one.allocatable - one.staying - held
        if bucket == 0:
            free = free - one.leaving
        if one.lending is not None:
            free = free - self._online(bucket)
        found: IntArray = np.maximum(free, 0)
        found[~one.here(bucket)] = 0
        return found

    def _online(self, bucket: int) -> IntArray:
        one = self.one
        return one.services.held(one.allocatable.shape, bucket) if bucket else one.online

    def _measure(self, row: TimedRow) -> Callable[[IntArray, int], int]:
        one = self.one
        if row.kind == "pieces":
            pool, size = self._sizes[row]
            nodes, gpu = self._pool_nodes[pool], one.gpu_columns[0]
            return lambda free, bucket: int((free[nodes, gpu] // size).sum())
        if row.kind == "nodes":
            mask = self._masks[row]
            column = one.names.index(row.detail.partition("/")[2])
            return lambda free, bucket: int(free[mask, column].sum())
        if row.kind == "reserved":
            return self._measure_reserved(row)
        nodes = self._pool_nodes[one.pools.index(row.subject)]
        column = one.names.index(row.detail)
        return lambda free, bucket: int(free[nodes, column].sum())

    def _measure_reserved(self, row: TimedRow) -> Callable[[IntArray, int], int]:
        nodes, rule, pool = self._others[row]
        buckets = reserved_buckets(rule, self.one.horizon)
        rest = self._pool_nodes[pool] & ~nodes
        whole = self._pool_nodes[pool]

        def measure(free: IntArray, bucket: int) -> int:
            if bucket not in buckets:
                return PLENTY
            if rule.gpus is not None:
                return int(self.one.gpus(free[whole]).sum()) - rule.gpus
            return int(self.one.gpus(free[rest]).sum())

        return measure


def reserved_buckets(rule: Reservation, horizon: Horizon) -> range:
    """Buckets that a reservation touches."""
    start, end = epoch_seconds(rule.start), epoch_seconds(rule.end)
    return range(0) if start is None or end is None else horizon.overlapping(start, end)


def reserved_nodes(rule: Reservation, prepared: Prepared, one: Occupancy) -> BoolArray:
    """Nodes that a reservation names: by name, selector or pool."""
    found = np.zeros(len(prepared.snapshot.nodes), dtype=np.bool_)
    for index, node in enumerate(prepared.snapshot.nodes):
        selected = bool(rule.selector) and all(
            node.labels.get(key) == value for key, value in rule.selector.items()
        )
        in_pool = rule.pool is not None and one.pools[int(one.pool_of_node[index])] == rule.pool
        found[index] = node.name in rule.nodes or selected or in_pool
    return found


def _reservations(
    prepared: Prepared, one: Occupancy
) -> dict[TimedRow, tuple[BoolArray, Reservation, int]]:
    found = {}
    for number, rule in enumerate(prepared.policy.policy.reservations):
        if not reserved_buckets(rule, one.horizon):
            continue
        nodes = reserved_nodes(rule, prepared, one)
        for pool in sorted({int(p) for p in one.pool_of_node[nodes]}):
            row = TimedRow("reserved", one.pools[pool], f"{number}")
            found[row] = (nodes & (one.pool_of_node == pool), rule, pool)
    return found


def _add(found: Use, row: TimedRow, amount: int) -> None:
    found[row] = found.get(row, 0) + amount
