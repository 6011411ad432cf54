"""Gangs that would not fit even if the nodes were empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from models.plan import Reason
from models.workloads import Pod
from planner.capacity.cards.card_room import CardRoom
from planner.encode.cards.card_table import summed
from planner.encode.prepared import Prepared
from planner.explain.closed_nodes import SELECTION, WINDOW, ClosedNodes
from planner.explain.domain_limits import RoomByRoom
from planner.explain.domain_room import domain_too_small
from planner.explain.ground import Ground, Search
from planner.explain.never_fits import never_fits
from planner.explain.parts import Part, without_topology
from planner.explain.units import Units
from planner.problem.placement import BoolArray, Demand, IntArray

NOWHERE = "nowhere"


class EmptyNodes:
    """What would fit if every node were empty: with the predicates, with open windows, without any.

    ``allocatable`` is ``[nodes, dimensions]``, measured where it is not given; ``pinned``: pods of the gang run.
    """

    def __init__(
        self,
        prepared: Prepared,
        units: Units,
        search: Search,
        allocatable: IntArray | None = None,
        *,
        pinned: bool = False,
    ) -> None:
        self._pinned = pinned
        self._prepared = prepared
        self._units = units
        self._closed = ClosedNodes(prepared)
        self._search = search
        self._allocatable = _allocatable(prepared) if allocatable is None else allocatable

    def beside(self, pods: Sequence[Pod]) -> EmptyNodes:
        """The same nodes with only these running pods on them."""
        problem = self._prepared.problem
        left = self._allocatable.copy()
        row = {name: index for index, name in enumerate(problem.node_names)}
        for pod in pods:
            if pod.node in row:
                held = [pod.spec.request.amount(name) for name in problem.dimensions[:-1]]
                left[row[pod.node]] -= np.array([*held, 1], dtype=np.int64)
        left = np.maximum(left, 0)
        return EmptyNodes(self._prepared, self._units, self._search, left, pinned=True)

    def domain_reason(self, demand: Demand) -> Reason | None:
        """``topology_never`` where only the topology keeps the gang, none of which runs, from empty nodes."""
        if self._pinned or self._open.fits(demand) is not False:
            return None
        if self._open.fits(without_topology(demand)) is False:
            return None
        return domain_too_small(demand, self._open)

    def too_small_rooms(self, demand: Demand) -> list[int]:
        """Shared rooms of domains, by their place, that keep the gang out even while nobody uses them; none runs of it.

        Asked about gangs that fit where nothing is shared.
        """
        if self._pinned or self._open.fits(demand) is not False:
            return []
        return self._by_room.binding(demand)

    def reasons(self, demand: Demand) -> tuple[list[Reason], str]:
        """Reasons that emptying the open nodes would not remove, and the code of the nodes to open for further ones.

        "" opens none; :data:`NOWHERE` says that the gang fits nowhere, and nothing further is needed.
        """
        closed = self._closed
        if self._open.fits(demand) is not False:
            return [], ""
        if self._every.fits(demand) is False:
            found = [never_fits(demand, self._every, self._units, own=self._pinned)]
            part = self._shut_out(demand)
            if part is not None:
                found.append(closed.all_closed(demand, part, self._every))
            return found, NOWHERE
        if closed.has_windows and self._window.fits(demand):
            return [closed.window_reason(demand, self._window)], WINDOW
        found = [closed.too_few_open(demand, self._open, self._every)]
        if closed.has_windows and self._selected.fits(demand) is False:
            found.append(closed.window_reason(demand, self._every))
        return found, SELECTION

    def _shut_out(self, demand: Demand) -> Part | None:
        """Pods that it needs and that fit on nodes, all of which are closed to them: more open nodes would not help."""
        for part in self._open.short_parts(demand):
            if self._open.most(demand, part) == 0 and self._every.most(demand, part) > 0:
                return part
        return None

    def _ground(self, admits: BoolArray) -> Ground:
        problem = self._prepared.problem
        emptied = tuple(one.emptied() for one in problem.domain_rooms)
        problem = replace(problem, domain_rooms=emptied, spreads=())
        cards = problem.cards
        empty = None if cards is None else CardRoom(replace(cards, free=cards.empty))
        return Ground(problem, self._allocatable, admits, search=self._search, cards=empty)

    @cached_property
    def _open(self) -> Ground:
        return self._ground(self._prepared.problem.admits)

    @cached_property
    def _by_room(self) -> RoomByRoom:
        return RoomByRoom(self._open)

    @cached_property
    def _every(self) -> Ground:
        return self._ground(self._closed.everywhere)

    @cached_property
    def _window(self) -> Ground:
        return self._ground(self._closed.opened(WINDOW))

    @cached_property
    def _selected(self) -> Ground:
        return self._ground(self._closed.opened(SELECTION))


def _allocatable(prepared: Prepared) -> IntArray:
    """``[nodes, dimensions]``."""
    names, nodes = prepared.problem.dimensions, prepared.ruled.nodes
    rows = [[node.allocatable.amount(name) for name in names] for node in nodes]
    found = np.array(rows, dtype=np.int64).reshape(len(nodes), len(names))
    cards = prepared.problem.cards
    if cards is not None:
        for name, totals in summed(replace(cards, free=cards.empty)).items():
            if name in names:
                column = found[:, names.index(name)]
                column[:] = np.where(column > 0, np.minimum(column, totals), totals)
    return found
