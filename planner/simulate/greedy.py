"""A greedy gang scheduler: Volcano's queue and job order, gang by gang, no look-ahead.

The loop follows Volcano's ``allocate`` action: the queue that goes first offers its first job, the job gets its
minimum or nothing, and the queue goes back into the line. Room and quota only shrink on the way, so a gang that
did not fit is not tried again. Pods beyond the minimum come afterwards, one by one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import cached_property

from models.effective import EffectivePolicy
from models.placement import Placement
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.simulate.candidates import candidates
from planner.simulate.evictor import Evictor
from planner.simulate.homes import Homes
from planner.simulate.job_order import JobOrder
from planner.simulate.queue_use import QueueUse
from planner.simulate.room import NodeOrder, Room, free_amounts
from planner.simulate.serving import Serving
from planner.simulate.shapes import Shapes
from planner.simulate.turns import Turns
from planner.verify.admission import AdmissionBook, Entrance


def greedy_gangs(
    snapshot: Snapshot, policy: EffectivePolicy, *, node_order: NodeOrder
) -> tuple[Placement, ...]:
    """Placements of a greedy gang scheduler under our rules (I1-I6, I8), sorted.

    Queues: higher spec.priority, smaller share, older, name. Jobs of a queue: higher priority, with ``sla`` the
    earlier promise, older, name. Gangs
    with rules that are not modelled wait. See :class:`planner.simulate.room.Room` for the order of the nodes.
    """
    return Stage(snapshot, policy).run(node_order)


class Stage:
    """What every greedy run on one snapshot shares: the gangs, their shapes, free amounts, queue use.

    Parameters
    ----------
    ruled
        The snapshot with rules between pods as rooms of nodes (:mod:`planner.encode.pod_rules`); without it gangs
        that they concern are not served.
    """

    def __init__(
        self, snapshot: Snapshot, policy: EffectivePolicy, ruled: Snapshot | None = None
    ) -> None:
        self._snapshot, self._policy = snapshot, policy
        ruled = ruled or snapshot
        found = candidates(ruled, policy)
        self._shapes = Shapes(
            ruled, policy, [(one, gang.gang.queue) for gang in found for one in gang.supplies]
        )
        self._free = free_amounts(ruled, self._shapes.dimensions)
        self._queues = QueueUse(snapshot, policy, self._shapes)
        self._homes = Homes(snapshot, policy)
        self._admission = AdmissionBook(snapshot, policy, self._queues.book)
        order = JobOrder(snapshot, policy)
        self._gangs = sorted(
            (one for one in found if not self._queues.book.why_closed(one.gang.queue)),
            key=lambda one: order.key(one.gang),
        )

    @cached_property
    def waiting(self) -> frozenset[str]:
        """Full names of the gangs that are not ready before a run."""
        return frozenset(one.gang.full_name for one in self._gangs if not one.ready)

    def run(self, node_order: NodeOrder) -> tuple[Placement, ...]:
        """One greedy run without evictions; see :func:`greedy_gangs`."""
        _, queues, line, started, _ = self._allocated(node_order)
        growing = [one for one in line if one.candidate.ready or one in started]
        _in_turn(queues, growing, Serving.grow, once=False)
        return self._placements(growing)

    def run_evicting(self, node_order: NodeOrder) -> tuple[tuple[Placement, ...], tuple[Pod, ...]]:
        """One greedy run that evicts for the gangs that found no room, in the same turns; placements and victims.

        Bundles follow Volcano's gang-aware actions: surplus pods before whole gangs. Each gang is served alone, with
        no thought of what the next one needs.
        """
        room, queues, line, started, entrance = self._allocated(node_order)
        evictor = Evictor(self._snapshot, self._policy, self._shapes, room, queues, self._homes)
        for one in started:
            evictor.started(one.candidate)
        late: list[Serving] = []

        def evict_for(serving: Serving) -> bool:
            gang = serving.candidate.gang
            if gang.full_name in evictor.losing() or not entrance.admits(gang):
                return False
            found = evictor.make_room(serving.candidate)
            if found is not None:
                late.append(found)
                entrance.enter(gang)
            return found is not None

        left = [one for one in line if not one.candidate.ready and one not in started]
        _in_turn(queues, left, evict_for, once=True)
        losing = evictor.losing()
        ready = [one for one in line if one.candidate.ready or one in started]
        growing = [*ready, *late]
        growing = [one for one in growing if one.candidate.gang.full_name not in losing]
        _in_turn(queues, growing, Serving.grow, once=False)
        return self._placements(growing), tuple(evictor.victims)

    def _allocated(
        self, node_order: NodeOrder
    ) -> tuple[Room, QueueUse, list[Serving], dict[Serving, None], Entrance]:
        """All gangs in line, those that started in the room that is free, and what admission leaves to others."""
        room, queues = (
            Room(self._policy, self._shapes, self._free, node_order, self._shapes.cards),
            self._queues.copy(),
        )
        line = [
            Serving(gang, self._shapes, room, queues, self._homes.of(gang)) for gang in self._gangs
        ]
        waiting = [one for one in line if not one.candidate.ready]
        entrance = self._admission.entrance()

        def start(serving: Serving) -> bool:
            gang = serving.candidate.gang
            if not (entrance.admits(gang) and serving.start()):
                return False
            entrance.enter(gang)
            return True

        started = dict.fromkeys(_in_turn(queues, waiting, start, once=True))
        return room, queues, line, started, entrance

    def _placements(self, servings: Iterable[Serving]) -> tuple[Placement, ...]:
        return merged(one for serving in servings for one in serving.placements(self._snapshot))


def _in_turn(
    queues: QueueUse, line: Iterable[Serving], step: Callable[[Serving], bool], *, once: bool
) -> list[Serving]:
    """Let the queue that goes first serve its first gang, until all are served; those that got something.

    ``once``: a served gang leaves; otherwise it stays first until it gets nothing more.
    """
    waiting: dict[str, deque[Serving]] = {}
    for one in line:
        waiting.setdefault(one.queue, deque()).append(one)
    happy: dict[Serving, None] = {}
    turns = Turns(queues, waiting)
    while turns:
        queue = turns.first()
        first = waiting[queue][0]
        done = step(first)
        if done:
            happy[first] = None
        if once or not done:
            waiting[queue].popleft()
            if not waiting[queue]:
                turns.leave(queue)
    return list(happy)


def merged(placements: Iterable[Placement]) -> tuple[Placement, ...]:
    """One placement per gang, role and node, sorted."""
    found: dict[tuple[str, str, str], Placement] = {}
    for one in placements:
        key = (one.gang, one.role, one.node)
        before = found.get(key)
        if before is not None:
            names = (*before.names, *one.names)
            one = Placement(one.gang, one.role, one.node, before.count + one.count, names)
        found[key] = one
    return tuple(sorted(found.values()))
