"""Queue amounts that rules about victims compare, and what is already beyond its limit."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from models.cards.kinds import CARD_RESOURCES
from models.queues import ROOT_QUEUE
from models.resources import PODS
from planner.encode.prepared import Prepared
from planner.encode.queue_limits import QueueLimits
from planner.encode.water_filling import whole_limit
from planner.problem.placement import IntArray
from planner.problem.victims import Share


def shares(prepared: Prepared, names: Iterable[str], dimensions: Iterable[str]) -> dict[str, Share]:
    """Per queue what counts, is deserved, guaranteed and used (with descendants where the tree counts)."""
    found: dict[str, Share] = {}
    limits, dims = prepared.limits, sorted(dimensions)
    wanted = {one for name in names for one in (name, *_ancestors(limits, name))}
    for name in sorted(wanted):
        queue = limits.queues.get(name)
        used = prepared.usage_below(name)
        found[name] = Share(
            deserved={d: whole_limit(limits.deserved(name, d)) for d in dims},
            counted=frozenset(d for d in dims if limits.has_deserved(name, d)),
            guarantee={} if queue is None else dict(queue.guarantee),
            used={d: used.amount(d) for d in {*dims, *used}},
        )
    return found


def _ancestors(limits: QueueLimits, name: str) -> tuple[str, ...]:
    return limits.chain(name)[1:]


def entitlement_levels(limits: QueueLimits, name: str, level: int) -> tuple[str, ...]:
    """The queue and the ancestors whose unmet share its gangs may use; none for an unlisted queue."""
    queue = limits.queues.get(name)
    if queue is None or queue.implicit:
        return ()
    return (name, *_ancestors(limits, name)[:level])


def exceeded_levels(limits: QueueLimits, name: str, level: int) -> tuple[str, ...]:
    """Ancestors that must exceed what they deserve too, where the reclaimer does not share them; near ones first."""
    return tuple(
        one
        for one in _ancestors(limits, name)[:level]
        if one in limits.queues and one != ROOT_QUEUE
    )


def node_excess(prepared: Prepared) -> dict[int, IntArray]:
    """Nodes whose pods request more than is allocatable, with how much, per dimension.

    Amounts of shared cards that a node does not list are those of its cards, which are never exceeded.
    """
    found: dict[int, IntArray] = {}
    dimensions = prepared.problem.dimensions
    for index, node in enumerate(prepared.ruled.nodes):
        pods = prepared.ruled.pods_by_node.get(node.name, ())
        over = [
            0
            if name in CARD_RESOURCES and name not in node.allocatable
            else sum(pod.spec.request.amount(name) for pod in pods) - node.allocatable.amount(name)
            for name in dimensions[:-1]
        ]
        over.append(len(pods) - node.allocatable.amount(PODS))
        if any(amount > 0 for amount in over):
            found[index] = np.maximum(np.array(over, dtype=np.int64), 0)
    return found


def queue_excess(prepared: Prepared) -> dict[int, IntArray]:
    """Queues whose running pods request more than their limit, with how much, per dimension."""
    found: dict[int, IntArray] = {}
    problem = prepared.problem
    for queue in problem.queue_room:
        name = problem.queue_names[queue]
        used = prepared.usage_below(name)
        over = []
        for dimension in problem.dimensions[:-1]:
            limit = prepared.limits.limit(name, dimension)
            over.append(0 if limit is None else max(used.amount(dimension) - limit, 0))
        if any(over):
            found[queue] = np.array([*over, 0], dtype=np.int64)
    return found
