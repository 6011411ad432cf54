"""Starts of the first buckets on concrete nodes, by the placement search that plans for now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.findings import NoPlanInTimeError
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


@dataclass(frozen=True)
class Packed:
    """What the first buckets look like on the nodes.

    Attributes
    ----------
    now
        Pods that are placed in the first bucket, by demand of the snapshot's problem.
    missing
        Items whose pods did not all find a node, with the bucket.
    """

    now: Assignment
    missing: tuple[tuple[int, int], ...]
    nodes: dict[int, tuple[tuple[str, int], ...]]


class FirstBuckets:
    """Places bucket after bucket beside what runs then and what was placed before.

    Attributes
    ----------
    quick
        Time is over: gangs are placed one after the other, and what does not fit is not searched for.
    """

    def __init__(
        self,
        given: TimedInput,
        free: Callable[[int, IntArray], IntArray],
        limits: Limits,
        stopped: Callable[[], bool],
        *,
        guard: bool,
    ) -> None:
        self.given, self.free, self.limits, self.stopped = given, free, limits, stopped
        self.guard = guard
        self.quick = False
        one = given.occupancy
        self._columns = [one.names.index(name) for name in given.prepared.problem.dimensions]
        self._reserved = [
            (rule, reserved_nodes(rule, given.prepared, one))
            for rule in given.prepared.policy.policy.reservations
            if rule.gpus is None
        ]

    def place(self, starts: Sequence[Start], exact_buckets: int) -> Packed:
        """Place all starts before ``exact_buckets``."""
        placed: list[tuple[Column, IntArray]] = []
        now, missing = Assignment({}), []
        nodes: dict[int, tuple[tuple[str, int], ...]] = {}
        for bucket in range(exact_buckets):
            here = [(item, column) for item, column in starts if column.start == bucket]
            here = [(i, c) for i, c in here if self.given.items[i].demand >= 0]
            if not here:
                continue
            found, problem = self._place_bucket(bucket, here, placed)
            for index, (item, column) in enumerate(here):
                pods = found.pods.get(index)
                if not pods:
                    missing.append((item, bucket))
                    continue
                placed.append((column, self._usage(problem, index, pods)))
                nodes[item] = _spots(problem, pods)
                if bucket == 0:
                    now.pods[self.given.items[item].demand] = self._original(item, pods)
        return Packed(now, tuple(missing), nodes)

    def _place_bucket(
        self, bucket: int, here: Sequence[Start], placed: Sequence[tuple[Column, IntArray]]
    ) -> tuple[Assignment, PlacementProblem]:
        problem = self._problem(bucket, here, placed)
        standings = [Standing(index, "all", 1) for index in range(len(here))]
        classes = gang_classes(problem, standings)
        settings = SearchSettings(limits=self.limits, tier_names=("all.1.gpus", "all.1.gangs"))
        found = self._filled(problem, classes)
        if self.quick or all(found.pods.get(index) for index in range(len(here))):
            return found, problem
        settings = replace(settings, start=found)
        search = GuardedSearch(problem, classes, settings, lambda *_: None, self.stopped)
        try:
            outcome, _ = search.run(guard=self.guard)
        except NoPlanInTimeError:
            return found, problem
        return outcome.assignment, problem

    def _filled(self, problem: PlacementProblem, classes: Sequence[GangClass]) -> Assignment:
        """One gang after the other on the nodes, the largest first: where all of them fit nothing is to be searched."""
        order = sorted(classes, key=lambda one: (-one.example.gpus, one.demands[0]))
        found = Assignment({})
        fill_starts(problem, order, found, room_after(problem, found), exact_fit, self.stopped)
        return without_uneven(problem, gathered(problem, found, self.stopped))

    def _problem(
        self, bucket: int, here: Sequence[Start], placed: Sequence[tuple[Column, IntArray]]
    ) -> PlacementProblem:
        whole = self.given.prepared.problem
        held = self.given.occupancy.held(bucket)
        for column, usage in placed:
            if any(start <= bucket < end for start, end in column.stretches):
                held = held + usage
        free = self.free(bucket, held)[:, self._columns]
        shapes: dict[tuple[int, bytes], int] = {}
        masks: list[BoolArray] = []
        numbers: list[int] = []
        demands: list[Demand] = []
        for item, column in here:
            demands.append(self._demand(item, column, shapes, masks, numbers))
        return replace(
            reshaped(whole, numbers),
            free=np.maximum(free, 0),
            admits=np.array(masks, dtype=np.bool_).reshape(len(masks), free.shape[0]),
            demands=tuple(demands),
            queue_room=whole.queue_room if bucket == 0 else self._no_limits(whole),
        )

    @staticmethod
    def _no_limits(whole: PlacementProblem) -> dict[int, IntArray]:
        """Later buckets hold their queues' limits by rows of the schedule."""
        return {queue: np.full_like(room, -1) for queue, room in whole.queue_room.items()}

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
            mask = self._mask(number, column, one.shape)
            key = (one.shape, mask.tobytes())
            if key not in shapes:
                shapes[key] = len(masks)
                masks.append(mask)
                numbers.append(one.shape)
            count = counts[index]
            chosen.append(replace(one, shape=shapes[key], count=count, names=one.names[:count]))
        return replace(demand, items=tuple(chosen))

    def _mask(self, number: int, column: Column, shape: int) -> BoolArray:
        """Nodes of the pools that were chosen, there in all buckets of the run and not kept for others."""
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

    def _usage(
        self, problem: PlacementProblem, index: int, pods: dict[int, list[tuple[int, int]]]
    ) -> IntArray:
        found = np.zeros_like(self.given.occupancy.allocatable)
        for number, spots in pods.items():
            request = problem.requests[problem.demands[index].items[number].shape]
            for node, count in spots:
                found[node, self._columns] += request * count
        return found

    def _original(
        self, item: int, pods: dict[int, list[tuple[int, int]]]
    ) -> dict[int, list[tuple[int, int]]]:
        """Pods by the items of the snapshot's demand."""
        given = self.given.items[item]
        demand = self.given.prepared.problem.demands[given.demand]
        kept = [i for i in range(len(demand.items)) if i in dict(given.counts)]
        return {kept[number]: spots for number, spots in pods.items()}


def _spots(
    problem: PlacementProblem, pods: dict[int, list[tuple[int, int]]]
) -> tuple[tuple[str, int], ...]:
    """Node and number of pods."""
    found: dict[int, int] = {}
    for spots in pods.values():
        for node, count in spots:
            found[node] = found.get(node, 0) + count
    return tuple((problem.node_names[node], count) for node, count in sorted(found.items()))
