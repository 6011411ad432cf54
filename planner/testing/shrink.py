"""Makes a failing snapshot small: drops whatever the failure does not need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from models.resources import NO_RESOURCES
from models.snapshot import Snapshot


def shrink(snapshot: Snapshot, still_fails: Callable[[Snapshot], bool]) -> Snapshot:
    """Remove gangs, pods, nodes, queues and settings one by one while the test still fails.

    ``still_fails`` should treat an exception of its own making as a failure only where that is meant.
    """
    current = snapshot
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(current):
            if still_fails(smaller):
                current, progress = smaller, True
                break
    return current


def _smaller(snapshot: Snapshot) -> Iterator[Snapshot]:
    for gang in snapshot.gangs:
        yield replace(
            snapshot,
            gangs=tuple(one for one in snapshot.gangs if one is not gang),
            pods=tuple(pod for pod in snapshot.pods if pod.gang != gang.full_name),
        )
    for node in snapshot.nodes:
        yield replace(
            snapshot,
            nodes=tuple(one for one in snapshot.nodes if one is not node),
            pods=tuple(pod for pod in snapshot.pods if pod.node != node.name),
        )
    for pod in snapshot.pods:
        yield replace(snapshot, pods=tuple(one for one in snapshot.pods if one is not pod))
    used = {gang.queue for gang in snapshot.gangs} | {queue.parent for queue in snapshot.queues}
    for queue in snapshot.queues:
        if queue.name not in used:
            yield replace(snapshot, queues=tuple(q for q in snapshot.queues if q is not queue))
    yield from _plainer_queues(snapshot)
    yield from _plainer_gangs(snapshot)
    yield from _plainer_nodes(snapshot)


def _plainer_queues(snapshot: Snapshot) -> Iterator[Snapshot]:
    for place, queue in enumerate(snapshot.queues):
        for changed in (
            replace(queue, capability=NO_RESOURCES),
            replace(queue, deserved=NO_RESOURCES),
            replace(queue, guarantee=NO_RESOURCES),
            replace(queue, parent=""),
            replace(queue, weight=1),
            replace(queue, node_groups=None),
        ):
            if changed != queue:
                queues = (*snapshot.queues[:place], changed, *snapshot.queues[place + 1 :])
                yield replace(snapshot, queues=queues)


def _plainer_gangs(snapshot: Snapshot) -> Iterator[Snapshot]:
    for place, gang in enumerate(snapshot.gangs):
        for changed in (
            replace(gang, role_minimum={}),
            replace(gang, subgroups=()),
            replace(gang, annotations={}),
            replace(gang, priority=0, priority_class_name=""),
            replace(gang, min_member=max(gang.min_member - 1, 1)),
        ):
            if changed != gang:
                gangs = (*snapshot.gangs[:place], changed, *snapshot.gangs[place + 1 :])
                yield replace(snapshot, gangs=gangs)


def _plainer_nodes(snapshot: Snapshot) -> Iterator[Snapshot]:
    for place, node in enumerate(snapshot.nodes):
        changed = replace(node, labels={}, taints=(), conditions={}, unschedulable=False)
        if changed != node:
            nodes = (*snapshot.nodes[:place], changed, *snapshot.nodes[place + 1 :])
            yield replace(snapshot, nodes=nodes)
