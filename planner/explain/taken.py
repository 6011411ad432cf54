"""Who takes the room of a gang that could start alone: gangs that go first, or others of the same place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal

import numpy as np

from models.checks.wording import counted
from models.plan import Reason
from planner.capacity.fit import Placed, Room
from planner.encode.prepared import Prepared
from planner.explain.ground import Ground, Search
from planner.explain.groups import WaitingGroup
from planner.explain.started import StartedGangs
from planner.explain.units import listed
from planner.problem.placement import BoolArray, IntArray, PlacementProblem

Takers = Literal["first", "same", "later"]
NAMES = 3
"""Gangs named in a message."""
NAMES_IN_DATA = 10


def takers(
    problem: PlacementProblem,
    groups: Sequence[WaitingGroup],
    started: StartedGangs,
    after: Room,
    search: Search,
) -> list[Takers]:
    """Per group (sorted by position) which of the plan's starts keep it out.

    ``first``: it does not fit beside those that the objective decides before it; ``same``: it fits beside them, not
    beside those that are decided together with it as well; ``later``: it fits beside both.
    """
    ground = Ground(
        problem,
        after.free,
        problem.admits,
        after.queues,
        search,
        after.cards,
    )
    ground.give_back(*_shares(started, 0, len(started.gangs)))
    taken = 0
    found: list[Takers] = []
    for position, members in groupby(groups, key=lambda one: one.position):
        batch = [one.example for one in members]
        taken = _take(ground, started, taken, position)
        free = [ground.fits(demand) is True for demand in batch]
        if any(free):
            taken = _take(ground, started, taken, position + 1)
        for demand, beside_first in zip(batch, free, strict=True):
            beside_same = beside_first and ground.fits(demand) is True
            found.append("later" if beside_same else "same" if beside_first else "first")
    return found


def _take(ground: Ground, started: StartedGangs, done: int, position: int) -> int:
    """Take the room of started gangs before a position, from number ``done`` on; the number of the next one."""
    stop = int(np.searchsorted(started.positions, position))
    if stop > done:
        ground.take(*_shares(started, done, stop))
    return max(stop, done)


def _shares(
    started: StartedGangs, begin: int, end: int
) -> tuple[list[Placed], list[tuple[tuple[int, ...], IntArray]]]:
    """Pods of some started gangs, and what they request of which queues."""
    gangs, demands = started.gangs[begin:end], started.problem.demands
    placed = [spot for one in gangs for spot in one.placed]
    return placed, [(demands[one.demand].queue_chain, one.request) for one in gangs]


class TakenRoom:
    """Words for the newly started gangs that take a waiting gang's room."""

    def __init__(
        self, prepared: Prepared, started: StartedGangs, classes: Mapping[int, str]
    ) -> None:
        self._started = started
        cases, demands = prepared.cases, prepared.problem.demands
        self._priorities = np.array(
            [cases[demands[one.demand].gang].gang.priority for one in started.gangs],
            dtype=np.int64,
        )
        self._gpus = np.array([demands[one.demand].gpus for one in started.gangs], dtype=np.int64)
        self._unit = prepared.problem.gpu_unit
        self._covered = np.array(
            [classes[one.demand] == "covered" for one in started.gangs], dtype=np.bool_
        )

    def first(self, group: WaitingGroup, near: BoolArray) -> Reason:
        """``lower_priority``: gangs that the objective decides before this one hold its room.

        ``near`` marks started gangs that hold what is short.
        """
        before = self._started.positions < group.position
        chosen = near & before if (near & before).any() else before
        own = chosen & (self._started.queues == group.example.queue)
        entitled = chosen & self._covered & (group.tier_class == "rest")
        higher = own & (self._priorities > group.priority)
        words = [
            self._words(higher, "of higher priority in its queue"),
            self._words(own & ~higher & entitled, "of its queue within what it deserves"),
            self._words(own & ~higher & ~entitled, "of its queue whose turn comes first"),
            self._words(~own & entitled, "of other queues within what these deserve"),
            self._words(chosen & ~own & ~entitled, "of other queues whose turn comes first"),
        ]
        message = f"the room goes first to {listed([one for one in words if one])}"
        return Reason(code="lower_priority", message=message, data=self._data(chosen, own))

    def same(self, group: WaitingGroup, near: BoolArray) -> Reason:
        """``lower_priority``: the plan chooses gangs of the same place instead, or later ones (its search ended)."""
        equal = self._started.positions == group.position
        pool = equal if equal.any() else self._started.positions > group.position
        chosen = near & pool if (near & pool).any() else pool
        kind = "of the same rank" if equal.any() else "whose turn comes later"
        own = chosen & (self._started.queues == group.example.queue)
        gpus = int(self._gpus[chosen].sum())
        amount = counted(gpus, "GPU") if self._unit == "GPU" else f"{gpus:,} {self._unit}"
        some, together = ("one or more of ", " in all") if int(chosen.sum()) > 1 else ("", "")
        held = f", {amount}{together} against its {group.example.gpus:,}" if gpus else ""
        words = f"{some}{self._words(chosen, kind)}{held}"
        message = f"it waits by choice: starting it would displace {words}"
        data = {**self._data(chosen, own), "choice": True, "gpus": gpus}
        return Reason(code="lower_priority", message=message, data=data)

    def any_start(self, near: BoolArray) -> Reason:
        """``lower_priority``: whatever else goes, the newly started gangs leave too little room."""
        every = np.ones_like(near)
        chosen = near if near.any() else every
        own = np.zeros_like(every)
        message = f"the starts of this plan alone leave too little room: {self._words(chosen, '')}"
        return Reason(code="lower_priority", message=message, data=self._data(chosen, own))

    def near(
        self, group: WaitingGroup, limits: Iterable[tuple[int, int]], dimensions: frozenset[int]
    ) -> BoolArray:
        """Started gangs that hold what is short: in (queue, dimension) limits, or on nodes open to the group."""
        found = self._started.in_queues(limits)
        if dimensions:
            found = found | self._started.on_nodes(group.example, dimensions)
        return found

    def _data(self, chosen: BoolArray, own: BoolArray) -> dict[str, Any]:
        return {
            "gangs": self._names(chosen, NAMES_IN_DATA),
            "total": int(chosen.sum()),
            "inQueue": int(own.sum()),
            "elsewhere": int((chosen & ~own).sum()),
        }

    def _words(self, chosen: BoolArray, kind: str) -> str:
        total = int(chosen.sum())
        if not total:
            return ""
        shown = NAMES if total > NAMES + 1 else total
        names = ", ".join(self._names(chosen, shown))
        rest = f" and {total - shown:,} more" if total > shown else ""
        return f"{' '.join([counted(total, 'gang'), *kind.split()])} ({names}{rest})"

    def _names(self, chosen: BoolArray, most: int) -> list[str]:
        found = np.flatnonzero(chosen)[:most]
        return [self._started.name(self._started.gangs[index]) for index in found]
