"""Who holds what is short: queues and gangs, in sums over rows of running pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from planner.explain.running import RunningPods
from planner.explain.units import Units
from planner.problem.placement import BoolArray, Demand, IntArray, PlacementProblem

NAMES_IN_DATA = 5


@dataclass(frozen=True)
class Holding:
    """Some rows of running pods, and sums over them; the dimensions are those that are short."""

    running: RunningPods
    rows: BoolArray
    dimensions: frozenset[int]
    _told: dict[str, Any] = field(default_factory=dict, compare=False)

    @cached_property
    def by_kind(self) -> tuple[tuple[int, int, IntArray, tuple[str, ...]], ...]:
        """(kind, pods, amounts, names of the gangs) for every kind of pods in the rows."""
        kind, owner = self.running.kind[self.rows], self.running.owner[self.rows]
        size = len(self.running.kinds)
        pods = np.zeros(size, dtype=np.int64)
        amounts = np.zeros((size, self.running.amounts.shape[1]), dtype=np.int64)
        np.add.at(pods, kind, self.running.count[self.rows])
        np.add.at(amounts, kind, self.running.amounts[self.rows])
        names: dict[int, list[str]] = {}
        for one, who in np.unique(np.stack([kind, owner], axis=1), axis=0).tolist():
            if self.running.owners[who].name:
                names.setdefault(one, []).append(self.running.owners[who].name)
        return tuple(
            (one, int(pods[one]), amounts[one], tuple(sorted(names.get(one, ()))))
            for one in np.flatnonzero(pods).tolist()
        )

    def data(self, units: Units) -> dict[str, Any]:
        """``heldBy``: the first short dimension, its sum, queues and gangs that hold most of it."""
        if not self._told:
            self._told.update(self._tell(units))
        return self._told

    def _tell(self, units: Units) -> dict[str, Any]:
        d = (units.first(self.dimensions) or [len(units.dimensions) - 1])[0]
        rows = np.flatnonzero(self.rows & (self.running.amounts[:, d] > 0))
        by_owner = np.zeros(len(self.running.owners), dtype=np.int64)
        np.add.at(by_owner, self.running.owner[rows], self.running.amounts[rows, d])
        holders = np.flatnonzero(by_owner)
        order = holders[np.argsort(-by_owner[holders], kind="stable")]
        gangs = {
            self.running.owners[i].name: int(by_owner[i])
            for i in order[:NAMES_IN_DATA].tolist()
            if self.running.owners[i].name
        }
        queues: Counter[str] = Counter()
        for i, amount in zip(holders.tolist(), by_owner[holders].tolist(), strict=True):
            queues[self.running.queues[i]] += amount
        return {
            "dimension": units.dimensions[d],
            "amount": int(by_owner.sum()),
            "pods": int(self.running.count[rows].sum()),
            "gangsTotal": len(holders),
            "queues": dict(sorted(queues.items(), key=lambda one: (-one[1], one[0]))),
            "gangs": gangs,
        }


class Holdings:
    """Finds the rows that hold what is short; equal questions are answered once."""

    def __init__(self, problem: PlacementProblem, running: RunningPods) -> None:
        self._problem, self._running = problem, running
        self._known: dict[tuple[object, ...], Holding] = {}

    def on_nodes(self, demand: Demand, admits: BoolArray, dimensions: frozenset[int]) -> Holding:
        """Pods with one of the dimensions on nodes that are open to the gang's pods, its own apart."""
        shapes = tuple(sorted({item.shape for item in demand.items}))
        owner = self._problem.gang_names[demand.gang]
        mine = owner if self._running.owns(owner) else ""
        key = (shapes, id(admits), dimensions, mine)
        if key not in self._known:
            nodes: BoolArray = np.any(admits[list(shapes)], axis=0)
            rows = self._running.on(nodes) & self._holds(dimensions)
            self._known[key] = self._others(rows, mine, dimensions)
        return self._known[key]

    def in_queues(self, demand: Demand, limits: Iterable[tuple[int, int]]) -> Holding:
        """Pods that count for one of these (queue, dimension) limits, the gang's own apart."""
        pairs = tuple(limits)
        owner = self._problem.gang_names[demand.gang]
        mine = owner if self._running.owns(owner) else ""
        key = (pairs, mine)
        if key not in self._known:
            rows = np.zeros(len(self._running.owner), dtype=np.bool_)
            for queue, d in pairs:
                below = self._running.below(self._problem.queue_names[queue])
                rows |= below & self._holds(frozenset((d,)))
            self._known[key] = self._others(rows, mine, frozenset(d for _, d in pairs))
        return self._known[key]

    def _others(self, rows: BoolArray, mine: str, dimensions: frozenset[int]) -> Holding:
        return Holding(
            self._running, rows & self._running.without(mine) if mine else rows, dimensions
        )

    def _holds(self, dimensions: frozenset[int]) -> BoolArray:
        found: BoolArray = np.any(self._running.amounts[:, sorted(dimensions)] > 0, axis=1)
        return found
