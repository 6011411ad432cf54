"""Reasons that lie in the nodes: too small, closed, full or fragmented."""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.plan import Reason
from planner.capacity.fit import Room
from planner.encode.prepared import Prepared
from planner.explain.capacity import too_little
from planner.explain.closed_nodes import SELECTION, WINDOW, ClosedNodes
from planner.explain.domain_limits import RoomByRoom, domain_limit, uneven_room
from planner.explain.domain_room import domain_too_full
from planner.explain.empty_nodes import NOWHERE, EmptyNodes
from planner.explain.fragments import asked_dimensions, no_packing
from planner.explain.ground import Ground, Search
from planner.explain.parts import without_topology
from planner.explain.units import Units
from planner.explain.view import Shortage, View
from planner.problem.placement import Demand


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
    ground
        The nodes on which the room is missing.
    """

    lasting: tuple[Reason, ...] = ()
    short: Shortage | None = None
    elsewhere: tuple[Reason, ...] = ()
    ground: Ground | None = None


class NodeReasons:
    """Judges gangs against the nodes, queue limits aside.

    Parameters
    ----------
    after
        What the plan leaves; None = room beside the running pods.
    """

    def __init__(
        self, prepared: Prepared, units: Units, after: Room | None, search: Search
    ) -> None:
        problem = prepared.problem
        if after is not None:
            problem = replace(
                problem, domain_rooms=after.domains.rooms(), spreads=after.even.spreads()
            )
        self._units = units
        self._closed = closed = ClosedNodes(prepared)
        self._before = None if after is None else Ground(problem, problem.free, problem.admits)
        free = problem.free if after is None else after.free
        left = None if after is None else after.cards
        self.room = Ground(problem, free, problem.admits, search=search, cards=left)
        self._everywhere = Ground(problem, free, closed.everywhere, search=search, cards=left)
        opened = closed.opened(WINDOW)
        self._in_window = Ground(problem, free, opened, search=search, cards=left)
        self._shared_only = self.room.sharing(range(len(problem.domain_rooms)))
        self._unshared = self.room.sharing(())
        self._by_room = RoomByRoom(self.room)

    def verdict(self, demand: Demand, empty: EmptyNodes | None) -> NodeVerdict:
        """Everything in the nodes that keeps out a gang that does not fit.

        ``empty`` judges the gang on empty nodes; None where it is known to fit there.
        """
        limited = self._by_domains(demand, empty)
        if limited is not None:
            return limited
        anywhere = without_topology(demand)
        if anywhere is not demand:
            return self._with_topology(demand, anywhere, empty)
        lasting, opened = empty.reasons(demand) if empty else ([], "")
        if opened == NOWHERE:
            return NodeVerdict(tuple(lasting))
        ground = {"": self.room, WINDOW: self._in_window, SELECTION: self._everywhere}[opened]
        if lasting and ground.fits(demand) is not False:
            return NodeVerdict(tuple(lasting))
        view = View(ground, self._units, self._before, ground is self._everywhere)
        short = too_little(demand, view) or no_packing(demand, view)
        if lasting:
            return NodeVerdict(tuple(lasting), short, ground=ground)
        return NodeVerdict((), short, self._elsewhere(demand), ground)

    def _by_domains(self, demand: Demand, empty: EmptyNodes | None) -> NodeVerdict | None:
        """What domains share leaves too little, and without that the gang would fit; None where it is not so."""
        rooms = self.room.problem.domain_rooms
        if not demand.shares_domains:
            return None
        if self._unshared.fits(replace(demand, shares_domains=False)) is False:
            return None
        never = empty.too_small_rooms(demand) if empty else []
        binding = [rooms[place] for place in never or self._by_room.binding(demand)]
        found = domain_limit(demand, binding, never=bool(never), after_plan=self._after)
        if found is not None and never:
            return NodeVerdict((found.reason,))
        uneven = uneven_room(demand, self._unshared, self.room.problem.spreads)
        if uneven is not None and (found is None or self._shared_only.fits(demand) is not False):
            found = uneven
        if found is None:
            return None
        if found.reason.code == "topology_never":
            return NodeVerdict((found.reason,))
        view = View(self.room, self._units, self._before)
        found = replace(found, dimensions=asked_dimensions(demand, view))
        return NodeVerdict((), found, ground=self.room)

    def _with_topology(
        self, demand: Demand, anywhere: Demand, empty: EmptyNodes | None
    ) -> NodeVerdict:
        """What keeps out a gang that has to be in one domain, and what would keep it out without that rule."""
        never = empty.domain_reason(demand) if empty else None
        lasting = () if never is None else (never,)
        if self.room.fits(anywhere) is False:
            plain = self.verdict(anywhere, empty)
            return replace(plain, lasting=(*lasting, *plain.lasting))
        if lasting:
            return NodeVerdict(lasting)
        short = domain_too_full(demand, View(self.room, self._units, self._before))
        return NodeVerdict((), short, ground=self.room)

    def _elsewhere(self, demand: Demand) -> tuple[Reason, ...]:
        """Nodes that are closed, by a zone alone or by anything, and have the room now."""
        if self._closed.has_windows and self._in_window.fits(demand):
            return (self._closed.window_reason(demand, self._in_window),)
        if self._everywhere.fits(demand):
            return (self._closed.room_elsewhere(demand, self._everywhere, after_plan=self._after),)
        return ()

    @property
    def _after(self) -> bool:
        return self._before is not None
