"""Reasons that lie in the nodes: too small, closed, full or fragmented."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.plan import Reason
from planner.explain.capacity import too_little
from planner.explain.closed_nodes import SELECTION, WINDOW, ClosedNodes
from planner.explain.fragments import no_packing
from planner.explain.ground import Ground, Search
from planner.explain.never_fits import never_fits
from planner.explain.units import Units
from planner.explain.view import Shortage, View
from planner.prepare.prepared import Prepared
from planner.problem.placement import BoolArray, Demand, IntArray


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """What keeps a gang from the nodes.

    Attributes
    ----------
    lasting
        Reasons that empty nodes would not remove.
    short
        The room that is missing now.
    elsewhere
        Closed nodes that have this room.
    """

    lasting: tuple[Reason, ...] = ()
    short: Shortage | None = None
    elsewhere: tuple[Reason, ...] = ()


class NodeReasons:
    """Judges gangs against the nodes, queue limits aside: empty nodes first, then the room in question.

    Parameters
    ----------
    free
        ``[nodes, dimensions]`` what the plan leaves; None = room beside the running pods.
    """

    def __init__(
        self, prepared: Prepared, empty: EmptyNodes, free: IntArray | None, search: Search
    ) -> None:
        problem = prepared.problem
        self._empty = empty
        self._closed = empty.closed
        self._before = None if free is None else Ground(problem, problem.free, problem.admits)
        free = problem.free if free is None else free
        self.room = Ground(problem, free, problem.admits, search=search)
        self._everywhere = Ground(problem, free, empty.closed.everywhere, search=search)
        self._in_window = Ground(problem, free, empty.closed.opened(WINDOW), search=search)

    def verdict(self, demand: Demand, *, fits_when_empty: bool) -> NodeVerdict:
        """Everything in the nodes that keeps out a gang that does not fit.

        ``fits_when_empty`` says that the gang is known to fit on the open nodes once they are empty.
        """
        lasting, ground = ([], self.room) if fits_when_empty else self._empty.reasons(demand, self)
        if ground is None or (lasting and ground.fits(demand) is not False):
            return NodeVerdict(tuple(lasting))
        view = View(ground, self._empty.units, self._before, ground is self._everywhere)
        short = too_little(demand, view) or no_packing(demand, view)
        elsewhere = () if lasting else self._elsewhere(demand)
        return NodeVerdict(tuple(lasting), short, elsewhere)

    def base(self, opened: str) -> Ground:
        """The room with the nodes opened that a code of :class:`EmptyNodes` asks for."""
        return {"": self.room, WINDOW: self._in_window, SELECTION: self._everywhere}[opened]

    def _elsewhere(self, demand: Demand) -> tuple[Reason, ...]:
        """Closed nodes that have the room now."""
        if self._closed.has_windows and self._in_window.fits(demand):
            return (self._closed.window_reason(demand, self._in_window),)
        if self._everywhere.fits(demand):
            return (
                self._closed.room_elsewhere(
                    demand, self._everywhere, after_plan=self._before is not None
                ),
            )
        return ()


class EmptyNodes:
    """What would fit if every node were empty: with the predicates, with open windows, without any."""

    def __init__(self, prepared: Prepared, units: Units, search: Search) -> None:
        self._prepared = prepared
        self.units = units
        self.closed = ClosedNodes(prepared)
        self._search = search

    def reasons(self, demand: Demand, room: NodeReasons) -> tuple[list[Reason], Ground | None]:
        """Reasons that emptying the open nodes would not remove, and where to look for further ones.

        None where the gang fits nowhere and there is nothing more to look for.
        """
        if self._open.fits(demand) is not False:
            return [], room.base("")
        if self._every.fits(demand) is False:
            return [never_fits(demand, self._every, self.units)], None
        if self.closed.has_windows and self._window.fits(demand):
            return [self.closed.window_reason(demand, self._window)], room.base(WINDOW)
        found = [self.closed.too_few_open(demand, self._open, self._every)]
        if self.closed.has_windows and self._selected.fits(demand) is False:
            found.append(self.closed.window_reason(demand, self._every))
        return found, room.base(SELECTION)

    @cached_property
    def _free(self) -> IntArray:
        """``[nodes, dimensions]`` allocatable."""
        problem, nodes = self._prepared.problem, self._prepared.snapshot.nodes
        rows = [[node.allocatable.amount(name) for name in problem.dimensions] for node in nodes]
        return np.array(rows, dtype=np.int64).reshape(len(nodes), len(problem.dimensions))

    def _ground(self, admits: BoolArray) -> Ground:
        return Ground(self._prepared.problem, self._free, admits, search=self._search)

    @cached_property
    def _open(self) -> Ground:
        return self._ground(self._prepared.problem.admits)

    @cached_property
    def _every(self) -> Ground:
        return self._ground(self.closed.everywhere)

    @cached_property
    def _window(self) -> Ground:
        return self._ground(self.closed.opened(WINDOW))

    @cached_property
    def _selected(self) -> Ground:
        return self._ground(self.closed.opened(SELECTION))
