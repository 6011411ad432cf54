"""Volcano's scheduler, cycle by cycle: queue order, job order, node scores, gangs that start or leave no trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush

from models.effective import EffectivePolicy
from models.placement import Placement
from models.snapshot import Snapshot
from models.workloads import Pod
from planner.simulate.candidates import candidates
from planner.simulate.evictor import Evictor
from planner.simulate.homes import Homes
from planner.simulate.job_order import JobKey, JobOrder
from planner.simulate.node_scores import NodeScores
from planner.simulate.node_weights import node_weights
from planner.simulate.queue_use import QueueUse
from planner.simulate.room import Room, free_amounts
from planner.simulate.serving import Serving
from planner.simulate.shapes import Shapes
from planner.simulate.turns import Turns
from planner.verify.admission import AdmissionBook


class VolcanoScheduler:
    """One scheduling cycle of Volcano on a snapshot, under our rules (I1-I6, I8).

    Queues: higher spec.priority, smaller share, older, name. Jobs of a queue: see
    :class:`planner.simulate.job_order.JobOrder`. Nodes: see :class:`planner.simulate.node_scores.NodeScores`. A gang
    gets its minimum or nothing; further pods follow one by one, in the same order as what other gangs ask for.
    Gangs with rules that are not modelled wait.

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
        self._homes = Homes(snapshot, policy)
        self._order = JobOrder(snapshot, policy)
        self._queues = QueueUse(snapshot, policy, self._shapes)
        self._entrance = AdmissionBook(snapshot, policy, self._queues.book).entrance()
        self.weights = node_weights(snapshot.scheduler)
        self._room = Room(
            policy,
            self._shapes,
            free_amounts(ruled, self._shapes.dimensions),
            NodeScores(snapshot, self.weights),
            self._shapes.cards,
        )
        self._line = [
            Serving(gang, self._shapes, self._room, self._queues, self._homes.of(gang))
            for gang in found
            if not self._queues.book.why_closed(gang.gang.queue)
        ]
        self.waiting = frozenset(
            one.candidate.gang.full_name for one in self._line if not one.candidate.ready
        )

    def run(self, *, evicting: bool = False) -> tuple[tuple[Placement, ...], tuple[Pod, ...]]:
        """Placements and victims of one cycle: allocate, then the evictions for gangs that found no room.

        Bundles follow Volcano's gang-aware actions: surplus pods before whole gangs. Each gang is served alone, with
        no thought of what the next one needs. With evictions, gangs that run receive further pods only at the end:
        until then they may lose some.
        """
        if not evicting:
            self._allocate(self._line)
            return self._placements(self._line), ()
        self._allocate(one for one in self._line if not one.candidate.ready)
        evictor = Evictor(
            self._snapshot, self._policy, self._shapes, self._room, self._queues, self._homes
        )
        for one in self._line:
            if one.started:
                evictor.started(one.candidate)
        late = self._evict(evictor)
        losing = evictor.losing()
        served = [one for one in (*self._line, *late) if one.candidate.ready or one.started]
        served = [one for one in served if one.candidate.gang.full_name not in losing]
        self._allocate(served)
        return self._placements(served), tuple(evictor.victims)

    def _allocate(self, line: Iterable[Serving]) -> None:
        """The action allocate: minimum or nothing, then pod by pod.

        Room and quota only shrink on the way, so what did not fit is not tried again.
        """

        def step(serving: Serving) -> bool:
            if serving.started or serving.candidate.ready:
                return serving.grow()
            gang = serving.candidate.gang
            if not (self._entrance.admits(gang) and serving.start()):
                return False
            self._entrance.enter(gang)
            return True

        self._in_turn(line, step, again=True)

    def _evict(self, evictor: Evictor) -> list[Serving]:
        """Evictions for gangs that did not start, in the same turns; the gangs that start by them."""
        late: list[Serving] = []

        def step(serving: Serving) -> bool:
            gang = serving.candidate.gang
            if gang.full_name in evictor.losing() or not self._entrance.admits(gang):
                return False
            found = evictor.make_room(serving.candidate)
            if found is not None:
                late.append(found)
                self._entrance.enter(gang)
            return found is not None

        waiting = [one for one in self._line if not one.candidate.ready and not one.started]
        self._in_turn(waiting, step, again=False)
        return late

    def _in_turn(
        self, line: Iterable[Serving], step: Callable[[Serving], bool], *, again: bool
    ) -> None:
        """Let the queue that goes first serve its first job, until all are served.

        ``again``: a job that got something goes back into the line of its queue.
        """
        waiting: dict[str, list[tuple[JobKey, int, Serving]]] = {}
        for number, one in enumerate(line):
            waiting.setdefault(one.queue, []).append((self._key(one), number, one))
        for jobs in waiting.values():
            heapify(jobs)
        turns = Turns(self._queues, waiting)
        while turns:
            queue = turns.first()
            _, number, job = heappop(waiting[queue])
            if step(job) and again and job.left:
                heappush(waiting[queue], (self._key(job), number, job))
            if not waiting[queue]:
                turns.leave(queue)

    def _key(self, job: Serving) -> JobKey:
        ready = job.started or job.candidate.ready
        return self._order.key(job.candidate.gang, ready=ready, holds=job.holds())

    def _placements(self, servings: Iterable[Serving]) -> tuple[Placement, ...]:
        return merged(one for serving in servings for one in serving.placements(self._snapshot))


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
