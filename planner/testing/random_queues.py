"""Random queues for each queue model."""

from __future__ import annotations

from random import Random

from models.cluster import Node
from models.queues import DEFAULT_QUEUE, NodeGroupRules, Queue
from models.resources import CPU, MEMORY, NO_RESOURCES, PODS, Resources
from planner.testing.random_nodes import GPU, NODE_GROUPS, SECOND_GPU
from planner.testing.random_sizes import Size


def random_queues(
    rng: Random, size: Size, nodes: tuple[Node, ...], *, proportion: bool, hierarchy: bool
) -> tuple[Queue, ...]:
    """Leaf queues ``q0`` …, with hierarchy some below inner queues; ``default`` is listed under proportion."""
    total = {
        name: sum(node.allocatable.amount(name) for node in nodes)
        for name in sorted({name for node in nodes for name in node.allocatable} - {PODS})
    }
    count = rng.randint(*size.queues)
    parents = _parents(rng, size, total) if hierarchy else ()
    leaves = [
        _queue(
            rng,
            size,
            f"q{place}",
            parent=rng.choice(["", *(one.name for one in parents)]) if parents else "",
            total=total,
            share=count,
        )
        for place in range(count)
    ]
    if proportion or rng.random() < 0.5:
        leaves.append(Queue(DEFAULT_QUEUE, created="2026-01-01T00:00:00Z"))
    return tuple(sorted((*parents, *leaves), key=lambda queue: queue.name))


def leaves_of(queues: tuple[Queue, ...]) -> tuple[str, ...]:
    """Names of the queues that have no child."""
    inner = {queue.parent for queue in queues}
    return tuple(queue.name for queue in queues if queue.name not in inner)


def _parents(rng: Random, size: Size, total: dict[str, int]) -> tuple[Queue, ...]:
    names = ["dept-a", "dept-b"][: rng.randint(1, 2)]
    found = [_queue(rng, size, name, parent="", total=total, share=1) for name in names]
    if rng.random() < 0.3:
        found.append(_queue(rng, size, "team", parent=names[0], total=total, share=1))
    return tuple(found)


def _queue(
    rng: Random, size: Size, name: str, *, parent: str, total: dict[str, int], share: int
) -> Queue:
    groups = rng.sample(NODE_GROUPS, rng.randint(0, len(NODE_GROUPS)))
    return Queue(
        name=name,
        parent=parent,
        weight=rng.choice((1, 1, 2, 3, 7)),
        capability=_part(rng, total, 0.4, (25, 50, 75, 100, 120)),
        deserved=_part(rng, total, 0.75, (10, 25, 50, 50, 80)),
        guarantee=_part(rng, total, 0.25, (0, 10 // share, 25 // share)),
        state="Open" if rng.random() > size.rare / 2 else "Closed",
        node_groups=NodeGroupRules(required=tuple(sorted(groups))) if groups else None,
        created="2026-01-01T00:00:00Z",
    )


def _part(
    rng: Random, total: dict[str, int], chance: float, percents: tuple[int, ...]
) -> Resources:
    """Some percent of the cluster's total in some dimensions, in whole units."""
    if rng.random() > chance:
        return NO_RESOURCES
    names = [name for name in total if name in (GPU, SECOND_GPU)]
    names += [name for name in (CPU, MEMORY) if rng.random() < 0.35]
    percent = rng.choice(percents)
    return Resources({name: total[name] * percent // 100 for name in names})
