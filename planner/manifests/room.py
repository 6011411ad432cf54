"""Idle GPUs as the scheduler sees them: it knows neither loan limits nor reserved starts, it takes what is free."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from models.gpu import whole_gpu_names
from models.policy import Policy
from models.pools import pool_of
from models.schedule import Schedule, ScheduledGang, ScheduledQueue
from models.selectors import first_untolerated
from models.snapshot import Snapshot
from models.workloads import Gang, PodSpec


@dataclass(frozen=True)
class Room:
    """GPUs per pool and bucket.

    Attributes
    ----------
    idle
        What neither the plan's gangs nor pods of online services hold: their expected demand, as far as pods exist for
        it. The scheduler keeps nothing for pods that a forecast expects.
    starting
        Gangs that the plan starts, by pool and bucket.
    pools
        Pools that a gang's pods may use, by full name.
    above
        Queues from a gang's own one up, by queue.
    limits
        Use and limit of queues by name.
    sizes
        GPUs of pools by name.
    """

    schedule: Schedule
    idle: Mapping[str, tuple[int, ...]]
    starting: Mapping[tuple[str, int], tuple[ScheduledGang, ...]]
    pools: Mapping[str, tuple[str, ...]]
    above: Mapping[str, tuple[str, ...]]
    limits: Mapping[str, ScheduledQueue]
    sizes: Mapping[str, int]

    def allows(self, gang: ScheduledGang, bucket: int) -> bool:
        """Every queue above the gang has room for it in a bucket."""
        for name in self.above.get(gang.queue, ()):
            queue = self.limits.get(name)
            limit = queue.limit[bucket] if queue is not None and queue.limit else None
            if queue is not None and limit is not None and queue.used[bucket] + gang.gpus > limit:
                return False
        return True

    def free(self, gang: ScheduledGang, bucket: int) -> tuple[str, int]:
        """The pool with most idle GPUs for it; several pools together where no pool is large enough for it."""
        names = self.pools.get(gang.full_name, ())
        if gang.gpus > max((self.sizes[name] for name in names), default=0):
            return " and ".join(names), sum(self.idle[name][bucket] for name in names)
        best = max(names, key=lambda name: (self.idle[name][bucket], name), default="")
        return best, self.idle[best][bucket] if best else 0


def room_of(snapshot: Snapshot, schedule: Schedule, policy: Policy) -> Room:
    """What is idle over a schedule."""
    starting: dict[tuple[str, int], list[ScheduledGang]] = {}
    for gang in schedule.gangs:
        for run in gang.runs if gang.status == "starts" else ():
            starting.setdefault((run.pool, run.start_bucket), []).append(gang)
    return Room(
        schedule=schedule,
        idle=_idle(schedule),
        starting={key: tuple(gangs) for key, gangs in starting.items()},
        pools=_open_pools(snapshot, schedule, policy),
        above={queue: _chain(snapshot, queue) for queue in snapshot.queue_by_name},
        limits={one.name: one for one in schedule.queues},
        sizes={one.name: one.gpus for one in schedule.pools},
    )


def _idle(schedule: Schedule) -> dict[str, tuple[int, ...]]:
    online: dict[str, list[int]] = {}
    for curve in schedule.lending.demand if schedule.lending is not None else ():
        have = online.setdefault(curve.pool, [0] * len(curve.forecast))
        online[curve.pool] = [a + b for a, b in zip(have, curve.forecast, strict=True)]
    existing = _existing(schedule)
    found = {}
    for pool in schedule.pools:
        most = max(pool.own, default=0)  # less than this: maintenance or a reservation
        expected = online.get(pool.name, pool.online)
        if pool.name in existing:
            expected = [min(a, b) for a, b in zip(expected, existing[pool.name], strict=True)]
        found[pool.name] = tuple(
            max(pool.gpus - (most - own) - used - needed, 0)
            for own, used, needed in zip(pool.own, pool.used, expected, strict=True)
        )
    return found


def _existing(schedule: Schedule) -> dict[str, list[int]]:
    """GPUs per pool and bucket of service pods that run now, in pools of which the places of services are known."""
    found: dict[str, list[int]] = {}
    for place in schedule.service_places:
        line = found.setdefault(place.pool, [0] * (len(schedule.edges) - 1))
        for bucket in range(place.start_bucket, place.end_bucket) if place.names else ():
            line[bucket] += place.gpus
    return found


def _chain(snapshot: Snapshot, queue: str) -> tuple[str, ...]:
    found: list[str] = []
    while queue in snapshot.queue_by_name and queue not in found:
        found.append(queue)
        queue = snapshot.queue_by_name[queue].parent_name
    return tuple(found)


def _open_pools(
    snapshot: Snapshot, schedule: Schedule, policy: Policy
) -> dict[str, tuple[str, ...]]:
    """Pools with a node that every kind of the gang's pods accepts; gangs with equal pods are looked at once."""
    names = whole_gpu_names(policy.gpu_models)
    known = {one.name for one in schedule.pools}
    pool = {node.name: pool_of(node, policy.gpu_models, names) for node in snapshot.nodes}
    seen: dict[PodSpec, frozenset[str]] = {}

    def open_to(spec: PodSpec) -> frozenset[str]:
        if spec not in seen:
            fit = (node for node in snapshot.nodes if _accepts(spec, node.name, snapshot))
            seen[spec] = frozenset(pool[node.name] for node in fit) & known
        return seen[spec]

    found: dict[str, tuple[str, ...]] = {}
    for one in schedule.gangs:
        gang = snapshot.gang_by_name.get(one.full_name)
        specs = _specs(snapshot, gang) if gang is not None else ()
        wanted = [open_to(spec) for spec in specs if any(name in spec.request for name in names)]
        common = frozenset.intersection(*wanted) if wanted else frozenset()
        planned = {run.pool for run in one.runs} & known
        found[one.full_name] = tuple(sorted(common or planned))
    return found


def _specs(snapshot: Snapshot, gang: Gang) -> tuple[PodSpec, ...]:
    pods = tuple(pod.spec for pod in snapshot.pods_of(gang))
    return tuple(dict.fromkeys((*pods, *(one.spec for one in gang.templates))))


def _accepts(spec: PodSpec, name: str, snapshot: Snapshot) -> bool:
    node = snapshot.node_by_name[name]
    labels = node.labels
    if any(labels.get(key) != value for key, value in spec.node_selector):
        return False
    terms = spec.node_affinity
    if terms is not None and not any(term.matches(name, labels) for term in terms):
        return False
    return first_untolerated(node.taints, spec.tolerations) is None and all(
        node.allocatable.amount(resource) >= amount for resource, amount in spec.request.items()
    )
