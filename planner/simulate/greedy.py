"""A greedy gang scheduler: Volcano's queue and job order, gang by gang, no look-ahead and no eviction.

The loop follows Volcano's ``allocate`` action: the queue that goes first offers its first job, the job gets its
minimum or nothing, and the queue goes back into the line. Room and quota only shrink on the way, so a gang that
did not fit is not tried again. Pods beyond the minimum come afterwards, one by one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from models.effective import EffectivePolicy
from models.placement import Placement
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.simulate.candidates import Candidate, candidates
from planner.simulate.queue_use import QueueUse
from planner.simulate.room import NodeOrder, Room
from planner.simulate.serving import Serving
from planner.simulate.shapes import Shapes


def greedy_gangs(
    snapshot: Snapshot, policy: EffectivePolicy, *, node_order: NodeOrder
) -> tuple[Placement, ...]:
    """Placements of a greedy gang scheduler under our rules (I1-I5, I8), sorted.

    Queues: higher spec.priority, smaller share, older, name. Jobs of a queue: higher priority, older, name. Gangs
    with rules that are not modelled wait. See :class:`planner.simulate.room.Room` for the order of the nodes.
    """
    return place_greedily(snapshot, policy, candidates(snapshot, policy), node_order=node_order)


def place_greedily(
    snapshot: Snapshot,
    policy: EffectivePolicy,
    gangs: Iterable[Candidate],
    *,
    node_order: NodeOrder,
) -> tuple[Placement, ...]:
    """Like :func:`greedy_gangs`, for gangs that were found before."""
    served = list(gangs)
    shapes = Shapes(
        snapshot, policy, [(one, gang.gang.queue) for gang in served for one in gang.supplies]
    )
    room, queues = Room(snapshot, policy, shapes, node_order), QueueUse(snapshot, policy, shapes)
    line = [
        Serving(gang, shapes, room, queues)
        for gang in sorted(served, key=lambda one: job_order(one.gang))
        if not queues.book.why_closed(gang.gang.queue)
    ]
    started = [one for one in line if one.candidate.ready]
    new = _in_turn(
        queues, (one for one in line if not one.candidate.ready), Serving.start, once=True
    )
    growing = sorted([*started, *new], key=lambda one: job_order(one.candidate.gang))
    _in_turn(queues, growing, Serving.grow, once=False)
    return merged(placement for one in growing for placement in one.placements(snapshot))


def job_order(gang: Gang) -> tuple[int, str, str]:
    """Volcano's job order without plugins that look at shares: priority, creation, name."""
    return (-gang.priority, gang.created, gang.full_name)


def _in_turn(
    queues: QueueUse, line: Iterable[Serving], step: Callable[[Serving], bool], *, once: bool
) -> list[Serving]:
    """Let the queue that goes first serve its first gang, until all are served; those that got something.

    ``once``: a served gang leaves; otherwise it stays first until it gets nothing more.
    """
    waiting: dict[str, deque[Serving]] = {}
    for one in line:
        waiting.setdefault(one.queue, deque()).append(one)
    happy: dict[str, Serving] = {}
    while waiting:
        queue = min(waiting, key=queues.order_key)
        first = waiting[queue][0]
        done = step(first)
        if done:
            happy[first.candidate.gang.full_name] = first
        if once or not done:
            waiting[queue].popleft()
            if not waiting[queue]:
                del waiting[queue]
    return list(happy.values())


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
