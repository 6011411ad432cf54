"""Who takes the room of a gang that could start alone: gangs that go first, or others of the same place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Literal

import numpy as np

from models.checks.wording import counted
from models.plan import Reason
from planner.explain.ground import Ground, Search
from planner.explain.groups import WaitingGroup
from planner.explain.started import StartedGangs
from planner.explain.units import listed
from planner.prepare.fit import Room
from planner.prepare.prepared import Prepared
from planner.problem.placement import BoolArray, PlacementProblem

Takers = Literal["first", "same", ""]
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
    """Per group (sorted by position) whose pods, given back, would let it start.

    ``first``: newly started gangs that the objective decides before it; ``same``: those and the ones decided together
    with it; "" if neither is proved to be enough.
    """
    ground = Ground(problem, after.free, problem.admits, after.queues, search)
    returned = 0
    found: list[Takers] = []
    for position, members in groupby(groups, key=lambda one: one.position):
        batch = [one.example for one in members]
        returned = _give_back(ground, started, returned, position)
        first = [ground.fits(demand) is True for demand in batch]
        if not all(first):
            returned = _give_back(ground, started, returned, position + 1)
        for demand, enough in zip(batch, first, strict=True):
            found.append("first" if enough else "same" if ground.fits(demand) else "")
    return found


def _give_back(ground: Ground, started: StartedGangs, done: int, position: int) -> int:
    """Return the room of started gangs before a position, from number ``done`` on; the number of the first kept one."""
    stop = int(np.searchsorted(started.positions, position))
    gangs = started.gangs[done:stop]
    if gangs:
        demands = started.problem.demands
        ground.give_back(
            [spot for one in gangs for spot in one.placed],
            [(demands[one.demand].queue_chain, one.request) for one in gangs],
        )
    return max(stop, done)


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
        data = {
            "gangs": self._names(chosen, NAMES_IN_DATA),
            "total": int(chosen.sum()),
            "inQueue": int(own.sum()),
            "elsewhere": int((chosen & ~own).sum()),
        }
        return Reason(code="lower_priority", message=message, data=data)

    def same(self, group: WaitingGroup, near: BoolArray, reason: Reason) -> Reason:
        """A resource reason, extended by the gangs of the same place that the plan starts instead."""
        equal = self._started.positions == group.position
        chosen = near & equal if (near & equal).any() else equal
        words = self._words(chosen, "of the same rank")
        data = {
            **reason.data,
            "displacedBy": self._names(chosen, NAMES_IN_DATA),
            "displacedByTotal": int(chosen.sum()),
        }
        message = f"{reason.message}; the plan gives the room to {words}"
        return Reason(code=reason.code, message=message, data=data)

    def near(
        self, group: WaitingGroup, limits: Iterable[tuple[int, int]], dimensions: frozenset[int]
    ) -> BoolArray:
        """Started gangs that hold what is short: in (queue, dimension) limits, or on nodes open to the group."""
        found = self._started.in_queues(limits)
        if dimensions:
            found = found | self._started.on_nodes(group.example, dimensions)
        return found

    def _words(self, chosen: BoolArray, kind: str) -> str:
        total = int(chosen.sum())
        if not total:
            return ""
        shown = NAMES if total > NAMES + 1 else total
        names = ", ".join(self._names(chosen, shown))
        rest = f" and {total - shown:,} more" if total > shown else ""
        return f"{counted(total, 'gang')} {kind} ({names}{rest})"

    def _names(self, chosen: BoolArray, most: int) -> list[str]:
        found = np.flatnonzero(chosen)[:most]
        return [self._started.name(self._started.gangs[index]) for index in found]
