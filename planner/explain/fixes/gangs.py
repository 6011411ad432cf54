"""Running gangs that would have to end: one that is enough, else few together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from models.checks.wording import counted
from models.edits.gangs import RemoveGangs
from models.resources import NO_RESOURCES, Resources
from models.snapshot import Snapshot
from planner.encode.prepared import NO_LIMIT
from planner.encode.queue_limits import QueueLimits, requested_by_queue
from planner.explain.ceilings import light_snapshot
from planner.explain.fixes.bench import Bench, counting_decides, pods_needed, within
from planner.explain.fixes.candidate import Candidate
from planner.problem.placement import BoolArray, Demand, IntArray

NAMES_TOLD = 3
TRIES = 12
"""Sets of gangs that are tried for one gang of several kinds of pods, where counting does not decide."""


class GangFixes:
    """Finds running gangs whose end lets a gang in."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._gains: dict[int, IntArray] = {}
        self._members: dict[int, BoolArray] = {}

    def enough(self, demand: Demand) -> Candidate | None:
        """The smallest gang whose end is enough (for limits too), else few gangs together."""
        counts = pods_needed(demand)
        if counts is None:
            return None
        others = self._others(self._bench.problem.gang_names[demand.gang])
        single = np.flatnonzero(others & self._alone_enough(counts, demand))
        ordered = single[np.lexsort((single, self._held[single]))]
        for owner in ordered[:TRIES].tolist():
            counted = counting_decides(demand) and not self._bench.prepared.limits.proportional
            if counted or self._fits([owner], demand):
                return self._candidate([owner])
        chosen = self._together(others, counts, demand)
        return self._candidate(chosen) if chosen else None

    def _others(self, own: str) -> BoolArray:
        """``[owners]`` gangs but the waiting one itself."""
        if own not in self._number:
            return self._named
        others = self._named.copy()
        others[self._number[own]] = False
        return others

    @cached_property
    def _named(self) -> BoolArray:
        return np.array([bool(one.name) for one in self._bench.running.owners], dtype=np.bool_)

    @cached_property
    def _number(self) -> dict[str, int]:
        return {one.name: i for i, one in enumerate(self._bench.running.owners)}

    def _alone_enough(self, counts: Mapping[int, int], demand: Demand) -> BoolArray:
        """``[owners]`` whether the end of one gang leaves enough, by counting."""
        bench = self._bench
        found = np.ones(len(bench.running.owners), dtype=np.bool_)
        for shape, need in counts.items():
            found &= int(bench.counts(shape).sum()) + self._gain(shape) >= need
        for queue in demand.queue_chain:
            room, inside = bench.queues[queue], self._inside(queue)
            for d, need in enumerate(demand.minimum):
                if 0 <= room[d] < need:
                    found &= room[d] + self._sum[:, d] * inside >= need
        return found

    def _inside(self, queue: int) -> BoolArray:
        """``[owners]`` whether the gang counts for the queue."""
        if queue not in self._members:
            name = self._bench.problem.queue_names[queue]
            chains = [one.chain for one in self._bench.running.owners]
            self._members[queue] = np.array([name in chain for chain in chains], dtype=np.bool_)
        return self._members[queue]

    def _together(self, others: BoolArray, counts: Mapping[int, int], demand: Demand) -> list[int]:
        """The most useful gangs, as many as are enough, then those given back that are not needed."""
        useful = np.zeros(len(others), dtype=np.int64)
        for shape in counts:
            useful += self._gain(shape)
        if not within(demand, self._bench.queues):
            for queue in demand.queue_chain:
                useful += self._inside(queue)
        order = np.lexsort((self._held, -useful))
        order = order[(useful[order] > 0) & others[order]]
        size = 2
        chosen: list[int] = []
        while True:
            chosen = order[:size].tolist()
            if self._enough(chosen, counts, demand):
                break
            if size >= len(order):
                return []
            size *= 2
        for owner in reversed(list(chosen)):
            rest = [one for one in chosen if one != owner]
            if rest and self._enough(rest, counts, demand):
                chosen = rest
        return chosen if self._fits(chosen, demand) else []

    def _gain(self, shape: int) -> IntArray:
        """``[owners]`` more pods of a shape that fit once one running gang has left."""
        if shape not in self._gains:
            running, bench = self._bench.running, self._bench
            nodes, freed, owner = self._by_owner_and_node
            before = bench.counts(shape)[nodes]
            after = bench.fit_counts(bench.free[nodes] + freed, shape, nodes)
            found = np.zeros(len(running.owners), dtype=np.int64)
            np.add.at(found, owner, after - before)
            self._gains[shape] = found
        return self._gains[shape]

    @cached_property
    def _by_owner_and_node(self) -> tuple[IntArray, IntArray, IntArray]:
        running = self._bench.running
        pairs = np.stack([running.owner, running.node], axis=1)
        keys, where = np.unique(pairs, axis=0, return_inverse=True)
        freed = np.zeros((len(keys), running.amounts.shape[1]), dtype=np.int64)
        np.add.at(freed, where.reshape(-1), running.amounts)
        return keys[:, 1], freed, keys[:, 0]

    @cached_property
    def _held(self) -> IntArray:
        """``[owners]`` GPUs, or pods where there are none, as a measure of size."""
        running, problem = self._bench.running, self._bench.problem
        gpu = [i for i, d in enumerate(problem.dimensions) if d in self._bench.prepared.gpu_names]
        found = np.zeros(len(running.owners), dtype=np.int64)
        np.add.at(found, running.owner, running.amounts[:, gpu].sum(axis=1) * 1000 + running.count)
        return found

    def _enough(self, owners: list[int], counts: Mapping[int, int], demand: Demand) -> bool:
        """Counting: nodes hold enough pods of every kind, and limits admit the gang, once these gangs have left."""
        bench = self._bench
        rooms = self._rooms(owners, demand)
        if not within(demand, rooms):
            return False
        if len(owners) == 1:
            gains = {shape: int(self._gain(shape)[owners[0]]) for shape in counts}
        else:
            free, nodes = self._freed(owners)
            gains = {
                shape: int(
                    (bench.fit_counts(free[nodes], shape, nodes) - bench.counts(shape)[nodes]).sum()
                )
                for shape in counts
            }
        return all(
            int(bench.counts(shape).sum()) + gains[shape] >= need for shape, need in counts.items()
        )

    def _freed(self, owners: Iterable[int]) -> tuple[IntArray, IntArray]:
        nodes, freed, owner = self._by_owner_and_node
        rows = np.isin(owner, list(owners))
        free = self._bench.free.copy()
        np.add.at(free, nodes[rows], freed[rows])
        return free, np.unique(nodes[rows])

    def _rooms(self, owners: Iterable[int], demand: Demand) -> dict[int, IntArray]:
        """Room of the gang's queues once these gangs have left."""
        bench, gone = self._bench, set(owners)
        names = bench.problem.queue_names
        rooms = {}
        if bench.prepared.limits.proportional:
            return self._shared(gone, demand)
        for queue in demand.queue_chain:
            room = bench.queues[queue].copy()
            for i in gone:
                if names[queue] in bench.running.owners[i].chain:
                    limited = room >= 0
                    room[limited] += self._sum[i][limited]
            rooms[queue] = room
        return rooms

    def _shared(self, owners: set[int], demand: Demand) -> dict[int, IntArray]:
        """The same where shares shrink with what queues request."""
        bench, prepared = self._bench, self._bench.prepared
        ended: dict[str, Resources] = {}
        for i in sorted(owners):
            name = bench.running.owners[i].queue
            named = zip(bench.problem.dimensions[:-1], self._sum[i].tolist(), strict=False)
            ended[name] = ended.get(name, NO_RESOURCES).plus(dict(named))
        limits = QueueLimits(light_snapshot(prepared, self._asked(owners)), prepared.policy)
        return {
            queue: self._left(queue, limits, ended.get(bench.problem.queue_names[queue]))
            for queue in demand.queue_chain
        }

    def _asked(self, owners: set[int]) -> dict[str, Resources]:
        """Per queue what these gangs request in all, pods that wait included."""
        snapshot = self._bench.prepared.snapshot
        names = [self._bench.running.owners[i].name for i in sorted(owners)]
        gangs = tuple(snapshot.gang_by_name[name] for name in names)
        pods = tuple(pod for gang in gangs for pod in snapshot.pods_of(gang))
        return dict(requested_by_queue(Snapshot(gangs=gangs, pods=pods)))

    def _left(self, queue: int, limits: QueueLimits, ended: Resources | None) -> IntArray:
        bench = self._bench
        name, planned = bench.problem.queue_names[queue], bench.planned.get(queue)
        used, row = bench.prepared.usage_below(name).minus(ended or NO_RESOURCES), []
        for d, resource in enumerate(bench.problem.dimensions[:-1]):
            limit = limits.limit(name, resource)
            added = int(planned[d]) if planned is not None else 0
            room = NO_LIMIT if limit is None else max(limit - used.amount(resource) - added, 0)
            row.append(room)
        return np.array([*row, NO_LIMIT], dtype=np.int64)

    @cached_property
    def _sum(self) -> IntArray:
        """``[owners, dimensions]`` what each running gang requests."""
        running = self._bench.running
        found = np.zeros((len(running.owners), running.amounts.shape[1]), dtype=np.int64)
        np.add.at(found, running.owner, running.amounts)
        return found

    def _fits(self, owners: list[int], demand: Demand) -> bool:
        free, _ = self._freed(owners)
        return self._bench.fits(demand, free=free, queues=self._rooms(owners, demand))

    def _candidate(self, owners: list[int]) -> Candidate:
        running = self._bench.running
        names = tuple(sorted(running.owners[i].name for i in owners))
        gpu = [
            i
            for i, d in enumerate(self._bench.problem.dimensions)
            if d in self._bench.prepared.gpu_names
        ]
        gpus = int(self._sum[owners][:, gpu].sum())
        more = f" and {len(names) - NAMES_TOLD} more" if len(names) > NAMES_TOLD else ""
        held = f", {counted(gpus, 'GPU')}" if gpus else ""
        what = f"{counted(len(names), 'gang')} ({', '.join(names[:NAMES_TOLD])}{more}{held})"
        edits = (RemoveGangs(gangs=names),)
        return Candidate(
            "wait_for_gangs",
            f"wait for {what} to end",
            lambda _: edits,
            gpus,
            names,
            {"gangs": len(names), "gpus": gpus},
        )
