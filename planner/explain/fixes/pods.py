"""Single pods that end or move: those that may go without breaking a gang."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.checks.wording import counted
from models.edits.pods import RemovePods
from planner.explain.fixes.bench import Bench, pods_needed
from planner.explain.fixes.candidate import Candidate
from planner.problem.placement import BoolArray, Demand, IntArray

NAMES_TOLD = 3
PICKS = 128
"""Picks that are turned into Python values at a time."""
Queues = Mapping[int, IntArray]
Picking = tuple[int, int, tuple[str, ...]]
"""Node, pods of a shape gained there, pods that end."""


@dataclass(frozen=True, slots=True)
class _Picks:
    """Pods in the order in which they end, node by node; per node (node, gain, row of the last one, how many)."""

    order: IntArray
    rows: IntArray


class PodFixes:
    """Finds few pods whose end lets a gang in."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._picks: dict[int, _Picks] = {}
        self._inside: dict[int, BoolArray] = {}
        self._chains: list[tuple[str, ...]] = []

    def few(self, demand: Demand, queues: Queues) -> Candidate | None:
        """Few pods that may end without breaking a gang: gangs of one pod, surplus, pods outside any gang."""
        counts = pods_needed(demand)
        missing = self._bench.missing(demand)
        if counts is None or not missing:
            return None
        names: list[str] = []
        taken: set[int] = set()
        for shape, need in missing.items():
            for node, gain, pods in self._pickings(shape):
                if need <= 0:
                    break
                if node in taken:
                    continue
                taken.add(node)
                names += pods
                need -= gain
            if need > 0:
                return None
        free = self._without(names)
        rooms = self._returned(demand, names, queues)
        if not self._bench.fits(demand, free=free, queues=rooms):
            return None
        chosen = tuple(sorted(names))
        more = f" and {len(chosen) - NAMES_TOLD} more" if len(chosen) > NAMES_TOLD else ""
        return Candidate(
            "end_pods",
            f"end or move {counted(len(chosen), 'pod')} ({', '.join(chosen[:NAMES_TOLD])}{more})",
            lambda _: (RemovePods(pods=chosen),),
            len(chosen),
            chosen,
            {"pods": len(chosen), "nodes": len(taken)},
        )

    def _without(self, names: Iterable[str]) -> IntArray:
        node, amounts, _ = self._single
        rows = [self._row[name] for name in names]
        free = self._bench.free.copy()
        np.add.at(free, node[rows], amounts[rows])
        return free

    def _returned(self, demand: Demand, names: Iterable[str], queues: Queues) -> Queues:
        """Room in the gang's queues once these pods have left (shares of queues stay as they are)."""
        amounts = self._single[1]
        rows = np.array([self._row[name] for name in names], dtype=np.int64)
        found: dict[int, IntArray] = {}
        for queue in demand.queue_chain:
            room = queues[queue].copy()
            back = amounts[rows[self._below(queue)[rows]]].sum(axis=0, dtype=np.int64)
            room[room >= 0] += back[room >= 0]
            found[queue] = room
        return found

    def _below(self, queue: int) -> BoolArray:
        """``[pods]`` whether the pod counts for the queue."""
        if queue not in self._inside:
            name = self._bench.problem.queue_names[queue]
            self._inside[queue] = np.array([name in one for one in self._chains], dtype=np.bool_)
        return self._inside[queue]

    @cached_property
    def _row(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self._single[2])}

    def _pickings(self, shape: int) -> Iterator[Picking]:
        """(node, pods of the shape gained, pods that end), fewest ended per gained first, a node once."""
        if shape not in self._picks:
            self._picks[shape] = self._pick(shape)
        picks, names = self._picks[shape], self._single[2]
        for start in range(0, len(picks.rows), PICKS):  # most gangs need the first few only
            for place, gain, row, number in picks.rows[start : start + PICKS].tolist():
                ended = picks.order[row - number + 1 : row + 1].tolist()
                yield place, gain, tuple(names[i] for i in ended)

    def _pick(self, shape: int) -> _Picks:
        bench, (node, amounts, _) = self._bench, self._single
        request = bench.problem.requests[shape]
        asked = np.flatnonzero(request)
        weight = (amounts[:, asked] / request[asked]).max(axis=1, initial=0)
        order = np.lexsort((-weight, node))
        where, held = node[order], amounts[order]
        first = self._first
        total = np.cumsum(held, axis=0)
        before = np.where(first[:, None] > 0, total[np.maximum(first - 1, 0)], 0)
        number = np.arange(len(where)) - first + 1
        fit = bench.fit_counts(bench.free[where] + total - before, shape, where)
        gain = fit - bench.counts(shape)[where]
        useful = np.flatnonzero(gain > 0)
        best = useful[np.lexsort((number[useful], number[useful] / gain[useful]))]
        once = np.sort(np.unique(where[best], return_index=True)[1])
        rows = best[once]
        return _Picks(order, np.stack([where[rows], gain[rows], rows, number[rows]], axis=1))

    @cached_property
    def _first(self) -> IntArray:
        """``[pods]`` for pods sorted by node the place of the first one on the same node."""
        where = np.sort(self._single[0])
        return np.searchsorted(where, where, side="left").astype(np.int64)

    @cached_property
    def _single(self) -> tuple[IntArray, IntArray, list[str]]:
        """(node, amounts, name) of every pod that may end without breaking a gang."""
        running, nodes, held, names = self._bench.running, [], [], []
        spare = self._spare
        for row, pods in enumerate(running.names):
            owner = int(running.owner[row])
            count = min(len(pods), spare[owner])
            spare[owner] -= count
            each = running.amounts[row] // len(pods)
            for name in pods[:count]:
                nodes.append(int(running.node[row]))
                held.append(each)
                names.append(name)
                self._chains.append(running.owners[owner].chain)
        width = running.amounts.shape[1]
        amounts = np.array(held, dtype=np.int64).reshape(len(held), width)
        return np.array(nodes, dtype=np.int64), amounts, names

    @property
    def _spare(self) -> list[int]:
        """Per running gang how many pods may end: all of a gang of one, the surplus of others."""
        prepared, running = self._bench.prepared, self._bench.running
        cases = {case.gang.full_name: case for case in prepared.cases}
        totals = np.zeros(len(running.owners), dtype=np.int64)
        np.add.at(totals, running.owner, running.count)
        found = []
        for owner, total in zip(running.owners, totals.tolist(), strict=True):
            case = cases.get(owner.name)
            if case is None:
                found.append(total)
            elif not case.ready:
                found.append(0)  # it waits itself
            elif total == 1:
                found.append(1)
            elif case.gang.roles_bind or case.gang.subgroups:
                found.append(0)
            else:
                found.append(max(total - max(case.gang.min_member, 1), 0))
        return found
