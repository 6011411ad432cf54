"""The obstacles of one waiting gang, queues and nodes together, before or after the plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from models.plan import Reason
from planner.capacity.fit import Room
from planner.encode.prepared import Prepared
from planner.explain.empty_nodes import EmptyNodes
from planner.explain.ground import Ground, Search
from planner.explain.groups import NOT_STARTABLE, WaitingGroup
from planner.explain.node_reasons import NodeReasons, NodeVerdict
from planner.explain.parts import rigid_counts
from planner.explain.quota import QuotaReasons
from planner.explain.short_limits import LimitUse
from planner.explain.started import planned_by_queue
from planner.explain.units import Units
from planner.problem.placement import Demand
from planner.reduce.disaggregate import Assignment
from planner.search.construct.fill import room_after


@dataclass(frozen=True, slots=True)
class Binding:
    """What binds, in the order in which it is told.

    Attributes
    ----------
    lasting
        Reasons in the nodes that stay when running work ends.
    quota, short
        Queue limits, and the room on nodes that is missing now.
    elsewhere
        Closed nodes that have this room.
    limits, dimensions
        Short (queue, dimension) limits, and dimensions that are short on the nodes.
    untried
        Nothing keeps the gang out that is known: the search ended before it was placed.
    together
        Limits alone and nodes alone would do; they keep it out together.
    now
        The short limits that are not too small for ever.
    ground
        The nodes on which room is missing.
    """

    lasting: tuple[Reason, ...]
    quota: tuple[Reason, ...]
    short: tuple[Reason, ...]
    elsewhere: tuple[Reason, ...]
    limits: tuple[tuple[int, int], ...]
    dimensions: frozenset[int]
    untried: bool = False
    together: bool = False
    now: tuple[tuple[int, int], ...] = ()
    ground: Ground | None = None

    @property
    def never(self) -> tuple[Reason, ...]:
        """``quota_never``, where there is one."""
        return tuple(one for one in self.quota if one.code == "quota_never")

    @property
    def reserved(self) -> tuple[str, ...]:
        """The code ``guarantee_reserved``, where guarantees of others make a limit too small."""
        return tuple(one.code for one in self.quota if one.code == "guarantee_reserved")


class Bindings:
    """Finds the obstacles of gangs that do not fit.

    Parameters
    ----------
    assignment
        The plan beside which they are judged; without one, the running pods alone.
    evictable
        Pods that some waiting gang may evict are gone already.
    """

    def __init__(
        self,
        prepared: Prepared,
        search: Search,
        assignment: Assignment | None = None,
        *,
        evictable: bool = False,
    ) -> None:
        self._evictable = evictable
        problem = prepared.problem
        units = Units(problem.dimensions, prepared.gpu_names)
        room = Room(problem) if assignment is None else room_after(problem, assignment)
        self._prepared, self._left = prepared, room
        self._rooms = room.queues
        self._planned = {} if assignment is None else planned_by_queue(problem, assignment)
        self._use = LimitUse(prepared, units)
        self._quota = QuotaReasons(prepared, units, self._use)
        self._empty = EmptyNodes(prepared, units, search)
        self._nodes = NodeReasons(prepared, units, None if assignment is None else room, search)

    def of(self, group: WaitingGroup) -> Binding:
        """Obstacles of a group's gangs, at least one."""
        found = self._of(group)
        if not self._evictable:
            return found
        return replace(found, quota=_evicted(found.quota), short=_evicted(found.short))

    def _of(self, group: WaitingGroup) -> Binding:
        demand = group.example
        limits = self._use.short(demand, self._rooms, self._planned, group.own)
        verdict = NodeVerdict()
        fits = self._nodes.room.fits(demand)
        if fits is False or (fits is None and not limits):
            verdict = self._nodes.verdict(demand, self._empty_for(group))
        in_nodes = bool(verdict.lasting or verdict.short)
        # A limit as large as the cluster repeats what the nodes say; alone it is still the obstacle.
        told = self._use.set_by_queues(limits) if in_nodes else limits
        quota = tuple(self._quota.reasons(demand, told))
        gates = tuple(self._admission(demand))
        if not quota and not in_nodes and not gates:
            return self._left_over(group)
        return Binding(
            lasting=(*gates, *verdict.lasting),
            quota=quota,
            short=(verdict.short.reason,) if verdict.short else (),
            elsewhere=verdict.elsewhere,
            limits=tuple((one.queue, one.dimension) for one in told),
            dimensions=verdict.short.dimensions if verdict.short else frozenset(),
            now=tuple((one.queue, one.dimension) for one in self._quota.for_now(told)),
            ground=verdict.ground,
        )

    def _admission(self, demand: Demand) -> Iterator[Reason]:
        """Limits of the scheduler's admission that leave too little beside the gangs that start."""
        for place, amount in () if self._left.admits(demand) else demand.admission:
            gate = self._prepared.admission.gates[self._prepared.gates[place]]
            left = self._left.admission[place]
            if amount > left:
                gang = self._prepared.cases[demand.gang].gang
                taken = gate.room - left
                yield gate.reason(gang, amount, gate.left - taken, starting=taken)

    def _empty_for(self, group: WaitingGroup) -> EmptyNodes | None:
        """Empty nodes, its own running pods apart; None for a gang that could start alone: it fits there."""
        if group.position != NOT_STARTABLE:
            return None
        return self._empty.beside(group.running) if group.running else self._empty

    def _left_over(self, group: WaitingGroup) -> Binding:
        """Neither limits nor nodes alone keep the gang out: both do together, or the search ended too soon."""
        demand = group.example
        limited = any((self._rooms[queue] >= 0).any() for queue in demand.queue_chain)
        if limited and rigid_counts(demand) is None:
            quota = (self._quota.by_choice(demand),)
            words = "no choice of pods within the limits of its queue finds room on the nodes"
            short = (Reason(code="fragmentation", message=words),)
            return Binding((), quota, short, (), (), frozenset(), together=True)
        message = "the search ended before it found a place for this gang beside the plan"
        reason = Reason(code="fragmentation", message=message)
        return Binding((), (), (reason,), (), (), frozenset(), untried=True)


def _evicted(reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Reasons about room that is missing now, which say that evictions are counted already."""
    return tuple(
        one.model_copy(
            update={"message": f"{one.message} (with all pods gone that may be evicted)"}
        )
        if one.code in ("quota", "cluster_capacity", "fragmentation")
        else one
        for one in reasons
    )
