"""Who holds which room until when: running gangs, pods that stay, online services, maintenance."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from models.extremes import MOST_OF_A_POD, clipped
from models.gpu import gpus_in
from models.horizon import Horizon
from models.lending import LendingLimits
from models.moments import epoch_seconds
from models.online import service_of
from models.plan import Reason
from models.policy import Maintenance
from models.pools import pool_of
from models.resources import PODS
from models.running_time import (
    duration_of,
    grace_of,
    may_be_stopped,
    remaining_s,
    saving_of,
    started_at,
)
from models.schedule import Duration
from models.workloads import Gang, Pod
from models.zones import ZONE_LABEL, openings
from planner.encode.prepared import Prepared
from planner.encode.queue_limits import requested_by_queue
from planner.problem.placement import BoolArray, IntArray


@dataclass(frozen=True)
class RunningGang:
    """A gang that runs and ends one day.

    Attributes
    ----------
    held
        (node, vector over the dimensions) of its running pods on nodes of the snapshot.
    gpus, pods
        What these hold; pods on nodes that the snapshot lacks hold nothing.
    end_bucket
        First bucket in which it holds nothing any more; the number of buckets where it runs on.
    stop_bucket
        Bucket from which it has to be gone although its work goes on, None where it may finish.
    shed
        Names of pods above the minimum that leave at ``stop_bucket`` while the gang goes on: this entry is only them.
    """

    gang: Gang
    held: tuple[tuple[int, IntArray], ...]
    gpus: int
    pods: int
    duration: Duration
    remaining_s: int
    end_bucket: int
    stoppable: bool
    slow: bool
    grace_s: int
    interval_s: int
    restart_s: int
    stop_bucket: int | None = None
    reasons: tuple[Reason, ...] = ()
    shed: tuple[str, ...] = ()

    @property
    def gone_bucket(self) -> int:
        """First bucket in which it holds nothing."""
        return self.end_bucket if self.stop_bucket is None else self.stop_bucket


@dataclass(frozen=True)
class ServicePod:
    """One pod of a service on a node for some buckets; ``name`` is empty where it does not run now.

    ``service`` is empty for GPUs that are kept although no pod tells who holds them (counted in pods of one GPU).
    """

    service: str
    pool: int
    node: int
    start: int
    end: int
    gpus: int
    vector: IntArray
    name: str = ""


@dataclass(frozen=True)
class MissingPods:
    """GPUs of a service without a place from one bucket on."""

    service: str
    pool: int
    start: int
    end: int
    gpus: int


@dataclass(frozen=True)
class ServicePods:
    """Places of all pods of services in pools with loan limits, and what has none."""

    pods: tuple[ServicePod, ...] = ()
    missing: tuple[MissingPods, ...] = ()

    def held(self, shape: tuple[int, ...], bucket: int) -> IntArray:
        """``[nodes, dimensions]`` that they hold in a bucket."""
        total = np.zeros(shape, dtype=np.int64)
        for pod in self.pods:
            if pod.start <= bucket < pod.end:
                total[pod.node] += pod.vector
        return total

    def missed_gpu_seconds(self, horizon: Horizon) -> int:
        """GPU-seconds that services lack."""
        edges = horizon.edges
        return sum(m.gpus * (edges[m.end] - edges[m.start]) for m in self.missing)


@dataclass(frozen=True)
class Occupancy:
    """Room of nodes over time, gangs that wait left out.

    Attributes
    ----------
    names
        Dimensions of the vectors; ``pods`` is the last one.
    pools, pool_of_node
        Pool names, and the pool of each node.
    open
        Nodes that take new pods at all: Ready and not cordoned.
    away
        ``[nodes, buckets]`` in maintenance, or in a revocable zone that is closed for some part of the bucket.
    allocatable, staying, online, leaving
        ``[nodes, dimensions]`` of the nodes, of pods that hold room for good, of online services with loan limits,
        and of pods that are terminating now.
    running
        Gangs that end one day.
    services
        Where pods of online services are from the second bucket on; in the first one they are where they are now.
    """

    horizon: Horizon
    names: tuple[str, ...]
    gpu_columns: tuple[int, ...]
    pools: tuple[str, ...]
    pool_of_node: IntArray
    open: BoolArray
    away: BoolArray
    allocatable: IntArray
    staying: IntArray
    online: IntArray
    leaving: IntArray
    running: tuple[RunningGang, ...]
    lending: LendingLimits | None
    exact_buckets: int
    services: ServicePods = ServicePods()

    def gpus(self, amounts: IntArray) -> IntArray:
        """GPUs of vectors (last axis: dimensions)."""
        found: IntArray = amounts[..., list(self.gpu_columns)].sum(axis=-1)
        return found

    def here(self, bucket: int) -> BoolArray:
        """Nodes that work may hold in a bucket."""
        return self.open & ~self.away[:, bucket]

    def held(self, bucket: int) -> IntArray:
        """``[nodes, dimensions]`` of running gangs that still hold room in a bucket."""
        total = np.zeros_like(self.allocatable)
        for one in self.running:
            if bucket < one.gone_bucket:
                for node, vector in one.held:
                    total[node] += vector
        return total


def occupancy(
    prepared: Prepared,
    horizon: Horizon,
    lending: LendingLimits | None,
    *,
    exact_buckets: int = 1,
) -> Occupancy:
    """Sort all pods that hold room by how long they hold it."""
    snapshot, policy = prepared.ruled, prepared.policy.policy
    names = _dimensions(prepared)
    column = {name: index for index, name in enumerate(names)}
    nodes = {node.name: index for index, node in enumerate(snapshot.nodes)}
    labels = [pool_of(node, policy.gpu_models, prepared.gpu_names) for node in snapshot.nodes]
    pools = tuple(sorted(set(labels)))
    lent = {one.pool for one in lending.pools} if lending else set()
    shape = (len(nodes), len(names))
    staying, online, leaving = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    ending = _ending_gangs(prepared)
    held: dict[str, dict[int, IntArray]] = {}
    for pod in snapshot.pods:
        if not pod.holds_node or pod.node not in nodes:
            continue
        node, vector = nodes[pod.node], _vector(pod, names)
        gang = snapshot.gang_by_name.get(pod.gang)
        if pod.terminating:
            leaving[node] += vector
        elif labels[node] in lent and service_of(policy.services, pod, gang):
            online[node] += vector
        elif gang is not None and gang.full_name in ending:
            mine = held.setdefault(gang.full_name, {})
            mine[node] = mine.get(node, np.zeros(len(names), dtype=np.int64)) + vector
        else:
            staying[node] += vector
    found = Occupancy(
        horizon=horizon,
        names=names,
        gpu_columns=tuple(column[name] for name in prepared.gpu_names if name in column),
        pools=pools,
        pool_of_node=np.array([pools.index(label) for label in labels], dtype=np.int64),
        open=np.array([n.ready and not n.unschedulable for n in snapshot.nodes], dtype=np.bool_),
        away=_away(prepared, horizon),
        allocatable=np.array(
            [[node.allocatable.amount(name) for name in names] for node in snapshot.nodes],
            dtype=np.int64,
        ).reshape(shape),
        staying=staying,
        online=online,
        leaving=leaving,
        running=(),
        lending=lending,
        exact_buckets=exact_buckets,
    )
    running = tuple(
        _running(prepared, horizon, lending, ending[name], spots, nodes)
        for name, spots in sorted(held.items())
    )
    return replace(found, running=running)


def _dimensions(prepared: Prepared) -> tuple[str, ...]:
    """Dimensions of the placement problem, GPU resources of nodes and of pods on them, and what shares are made of."""
    known = prepared.problem.dimensions[:-1]
    listed = {name for node in prepared.snapshot.nodes for name in node.allocatable}
    held = (pod.spec.request for pod in prepared.ruled.pods if pod.holds_node)
    listed.update(name for request in held for name in request)  # its node may offer it no more
    wanted = [name for name in prepared.gpu_names if name in listed]
    services = prepared.policy.policy.services
    for pod in prepared.ruled.pods:
        if pod.holds_node and service_of(services, pod, prepared.ruled.gang_by_name.get(pod.gang)):
            wanted += list(pod.spec.request)  # they need room when they come back
    if prepared.limits.proportional:  # shares are filled in all resources together
        wanted += sorted({n for one in requested_by_queue(prepared.snapshot).values() for n in one})
    more = sorted({name for name in wanted if name not in known and name != PODS})
    return (*known, *more, PODS)


def _vector(pod: Pod, names: tuple[str, ...]) -> IntArray:
    request = pod.spec.request
    amounts = clipped((request.amount(name) for name in names[:-1]), MOST_OF_A_POD)
    return np.array([*amounts, 1], dtype=np.int64)


def _ending_gangs(prepared: Prepared) -> Mapping[str, Gang]:
    """Gangs that run and end: ready, planned by our scheduler, no online work."""
    services = prepared.policy.policy.services
    planned = prepared.policy.policy.scheduler_names
    found = {}
    for case in prepared.cases:
        running = [pod for pod in case.pods if pod.running]
        if not case.ready or not running or case.gang.online:
            continue
        if any(pod.spec.scheduler_name not in planned for pod in running):
            continue
        if not any(service_of(services, pod, case.gang) for pod in running):
            found[case.gang.full_name] = case.gang
    return found


def _running(
    prepared: Prepared,
    horizon: Horizon,
    lending: LendingLimits | None,
    gang: Gang,
    spots: Mapping[int, IntArray],
    nodes: Collection[str],
) -> RunningGang:
    policy = prepared.policy.policy
    pods = [pod for pod in prepared.ruled.pods_of(gang) if pod.running]
    here = [pod for pod in pods if pod.node in nodes]
    duration = duration_of(gang, pods, policy)
    left = remaining_s(duration.seconds, started_at(pods), horizon.start)
    grace, stoppable = grace_of(gang, pods, policy), may_be_stopped(gang, pods)
    interval, restart = saving_of(gang, pods, policy)
    return RunningGang(
        gang=gang,
        held=tuple(sorted(spots.items(), key=lambda item: item[0])),
        gpus=sum(gpus_in(pod.spec.request, prepared.gpu_names) for pod in here),
        pods=len(here),
        duration=duration,
        remaining_s=left,
        end_bucket=horizon.end_bucket(horizon.start + left),
        stoppable=stoppable,
        slow=is_slow(lending, grace, stoppable=stoppable),
        grace_s=grace,
        interval_s=interval,
        restart_s=restart,
    )


def is_slow(lending: LendingLimits | None, grace_s: int, *, stoppable: bool) -> bool:
    """Its pods do not leave within the deadline, or may not be evicted at all."""
    return lending is not None and (not stoppable or grace_s > lending.maximal_grace_s)


def _away(prepared: Prepared, horizon: Horizon) -> BoolArray:
    """Nodes in maintenance or in a revocable zone that is closed, by bucket."""
    nodes = prepared.snapshot.nodes
    found = np.zeros((len(nodes), horizon.count), dtype=np.bool_)
    for window in prepared.policy.policy.maintenance:
        start, end = epoch_seconds(window.start), epoch_seconds(window.end)
        if start is None or end is None:
            continue
        buckets = horizon.overlapping(start, end)
        rows = [i for i, node in enumerate(nodes) if concerns(window, node.name, node.labels)]
        if buckets and rows:
            found[np.ix_(rows, list(buckets))] = True
    for zone, text in _zones(prepared).items():
        rows = [i for i, node in enumerate(nodes) if node.labels.get(ZONE_LABEL) == zone]
        closed = np.ones(horizon.count, dtype=np.bool_)
        for start, end in openings(text, horizon.start, horizon.end):
            closed[horizon.first_from(start) : horizon.bucket_at(end)] = False
        if rows:
            found[rows] |= closed
    return found


def _zones(prepared: Prepared) -> dict[str, str]:
    """Windows of all zones that nodes belong to; one without a window is never open."""
    zones = prepared.policy.policy.revocable_zones
    if zones is None:
        return {}
    named = {
        node.labels[ZONE_LABEL] for node in prepared.snapshot.nodes if ZONE_LABEL in node.labels
    }
    return {zone: zones.get(zone, "") for zone in sorted(named)}


def concerns(window: Maintenance, name: str, labels: Mapping[str, str]) -> bool:
    """Whether a maintenance window names the node or selects it."""
    if name in window.nodes:
        return True
    wanted = window.selector
    return bool(wanted) and all(labels.get(key) == value for key, value in wanted.items())
