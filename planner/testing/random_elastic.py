"""Tiny random cases with elastic gangs of several priorities, running and waiting, that compete for the same nodes."""

from __future__ import annotations

from random import Random

from models.cluster import Node
from models.queues import Queue
from models.resources import CPU, Resources
from planner.testing.by_hand import Work, gpu_node, snapshot_of, work
from planner.testing.random_nodes import GPU
from planner.testing.random_snapshots import RandomCase, policy_for

_EVICT: tuple[tuple[str, ...], ...] = (("preempt",), ("reclaim",), ("preempt", "reclaim"))
_KEYS: tuple[dict[str, object], ...] = (
    {},
    {},
    {},
    {"priority_scope": "cluster"},
    {"objective": "throughput"},
    {"objective": "fair"},
)


def elastic_case(seed: int, *, evicting: bool = False) -> RandomCase:
    """Two or three nodes, up to two queues, one or two running gangs that can grow, and two to four waiting ones."""
    rng = Random(f"elastic/{evicting}/{seed}")
    model = ("capacity", "capacity", "proportion")[seed % 3]
    nodes = [
        gpu_node(f"n{number}", rng.choice((2, 3, 4))) for number in range(1, rng.choice((3, 4)))
    ]
    queues = _queues(rng, model, sum(node.allocatable.amount(GPU) for node in nodes))
    free = {node.name: node.allocatable.amount(GPU) for node in nodes}
    works = [_running(rng, f"run-{number}", queues, free) for number in range(rng.choice((1, 2)))]
    works += [_waiting(rng, f"wait-{number}", queues) for number in range(rng.choice((2, 3, 3, 4)))]
    keys = dict(rng.choice(_KEYS), **({"evict": rng.choice(_EVICT)} if evicting else {}))
    parts: list[Node | Queue | Work] = [*nodes, *queues, *works]
    snapshot = snapshot_of(*parts)
    name = f"elastic_case({seed}, evicting={evicting})"
    return RandomCase(name, snapshot, policy_for(snapshot, model, **keys))


def _queues(rng: Random, model: str, gpus: int) -> list[Queue]:
    found = []
    for name in ("a", "b")[: rng.choice((1, 2, 2))]:
        deserved = rng.choice((None, None, 1, 2, gpus // 2)) if model == "capacity" else None
        capability = rng.choice((None, None, None, gpus - 1))
        amounts = {} if deserved is None else {GPU: deserved}
        if amounts and rng.random() < 0.3:
            amounts[CPU] = rng.choice((2000, 4000))
        found.append(
            Queue(
                name,
                weight=rng.choice((1, 1, 2)),
                deserved=Resources(amounts),
                capability=Resources({} if capability is None else {GPU: capability}),
            )
        )
    return found


def _running(rng: Random, name: str, queues: list[Queue], free: dict[str, int]) -> Work:
    """A gang with one or two running pods and one or two that wait; its minimum may be below what runs."""
    gpus = rng.choice((1, 1, 2))
    nodes = []
    for node in sorted(free, key=lambda _: rng.random())[: rng.choice((1, 2))]:
        if free[node] >= gpus:
            free[node] -= gpus
            nodes.append(node)
    minimum = rng.randint(min(1, len(nodes)), max(len(nodes), 1))
    return work(
        name,
        len(nodes) + rng.choice((1, 1, 2)),
        gpus,
        minimum=minimum,
        queue=rng.choice(queues).name,
        priority=rng.choice((1, 2, 3)),
        created=rng.randrange(60),
        nodes=tuple(nodes),
    )


def _waiting(rng: Random, name: str, queues: list[Queue]) -> Work:
    pods = rng.choice((1, 2, 2, 3))
    return work(
        name,
        pods,
        rng.choice((0, 1, 1, 1, 2, 3)),
        minimum=rng.randint(1, pods),
        queue=rng.choice(queues).name,
        priority=rng.choice((1, 2, 3)),
        created=rng.randrange(60),
    )
