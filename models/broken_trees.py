"""Queue trees with which Volcano decides nothing: a gang in an inner queue, a missing parent, a circle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from models.queues import ROOT_QUEUE
from models.readiness import is_ready
from models.snapshot import Snapshot
from models.workloads import Gang


@dataclass(frozen=True, slots=True)
class BrokenTree:
    """One fault.

    Attributes
    ----------
    object
        ``gang/…`` or ``queue/…``.
    text, remedy
        What is the case, and what to move.
    """

    object: str
    text: str
    remedy: str


def broken_trees(snapshot: Snapshot) -> Iterator[BrokenTree]:
    """Faults that stop every queue where the scheduler honours the tree, each queue or gang once."""
    known = snapshot.queue_by_name
    for queue in snapshot.queues:
        parent = queue.parent_name
        if parent not in ("", ROOT_QUEUE) and parent not in known and queue.name != ROOT_QUEUE:
            yield BrokenTree(
                f"queue/{queue.name}",
                f"queue {queue.name} names parent {parent}, which does not exist",
                f"create queue {parent}, or give queue {queue.name} a parent that exists",
            )
    yield from _circles(snapshot)
    inner = {queue.parent_name for queue in snapshot.queues if queue.name != ROOT_QUEUE}
    for gang in snapshot.gangs:
        if gang.queue in inner and _waits(snapshot, gang):
            yield BrokenTree(
                f"gang/{gang.full_name}",
                f"gang {gang.full_name} waits in queue {gang.queue}, which has child queues and may hold no jobs",
                f"move gang {gang.full_name} to a queue without children, for example {_leaf(snapshot, gang.queue)}",
            )


def _waits(snapshot: Snapshot, gang: Gang) -> bool:
    pods = snapshot.pods_of(gang)
    running = [pod for pod in pods if pod.running]
    succeeded = [pod for pod in pods if pod.phase == "Succeeded"]
    return not (gang.finished or gang.not_admitted or is_ready(gang, running, succeeded))


def _leaf(snapshot: Snapshot, name: str) -> str:
    """The first queue without children below this one."""
    while True:
        below = sorted(
            one.name for one in snapshot.queues if one.parent_name == name != one.name != ROOT_QUEUE
        )
        if not below:
            return name
        name = below[0]


def _circles(snapshot: Snapshot) -> Iterator[BrokenTree]:
    settled: set[str] = {ROOT_QUEUE, ""}
    for queue in snapshot.queues:
        path: list[str] = []
        name = queue.name
        while name not in settled and name not in path:
            path.append(name)
            found = snapshot.queue_by_name.get(name)
            name = found.parent_name if found is not None else ""
        if name in path:
            circle = path[path.index(name) :]
            yield BrokenTree(
                f"queue/{min(circle)}",
                f"queues are their own ancestors: {' > '.join((*circle, name))}",
                f"give queue {min(circle)} another parent",
            )
        settled.update(path)
