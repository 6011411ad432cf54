"""What the verifier finds out about a schedule by itself: pools, who holds GPUs until when, what lasts how long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from models.cluster import Node
from models.horizon import Horizon
from models.moments import epoch_seconds
from models.online import service_of
from models.pools import pool_of
from models.running_time import duration_of, remaining_s, saving_of, started_at
from models.schedule import Schedule, ScheduledGang
from models.workloads import Gang, Pod
from planner.verify.predicates import ZONE_KEY, window_seconds
from planner.verify.readiness import is_ready
from planner.verify.state import State

DAY = 86_400


class Book:
    """Facts about a document with a schedule.

    Attributes
    ----------
    running
        Entries of running gangs by full name.
    planned
        Entries with runs that are no running gangs, in the document's order.
    """

    def __init__(self, state: State, schedule: Schedule) -> None:
        self.state, self.schedule = state, schedule
        self.horizon: Horizon = schedule.horizon
        self.count = self.horizon.count
        self.running = {g.full_name: g for g in schedule.gangs if g.status == "running"}
        self.planned = [g for g in schedule.gangs if g.status == "starts"]
        self.now = epoch_seconds(state.policy.now)

    @cached_property
    def able(self) -> frozenset[str]:
        """Gangs that start, go on or wait and that the cluster can hold at all."""
        return frozenset(
            one.full_name
            for one in self.schedule.gangs
            if one.status != "running" and self.places(one)
        )

    @cached_property
    def going_on(self) -> frozenset[str]:
        """Running gangs that leave and have an entry for the rest of their work."""
        return self.able & self.ending.keys()

    @cached_property
    def _ends(self) -> Mapping[str, int]:
        """Gang to the first bucket in which its work is done, for those that end within the horizon."""
        found = {}
        for entry in self.planned:
            end = epoch_seconds(entry.ends_at or "")
            last = max(run.end_bucket for run in entry.runs)
            done = entry.work_gpu_seconds >= entry.gpus * self._length(entry)
            if done and end is not None and end <= self.horizon.edges[last]:
                found[entry.full_name] = last
        return found

    def _length(self, entry: ScheduledGang) -> int:
        """Seconds of work of a planned entry: the whole run, or what a gang that left has not saved, and a restart."""
        gang, policy = self.state.snapshot.gang_by_name[entry.full_name], self.state.policy.policy
        pods = self.state.snapshot.pods_of(gang)
        if entry.full_name not in self.ending:
            return duration_of(gang, pods, policy).seconds
        here = [pod for pod in pods if pod.running]
        length, start = duration_of(gang, here, policy).seconds, self.horizon.start
        left = remaining_s(length, started_at(here), start)
        interval, restart = saving_of(gang, here, policy)
        ran = max(length - left, 0) + self.horizon.edges[self.gone_bucket(entry.full_name)] - start
        saved = ran - ran % interval if interval else 0
        return max(max(length, left) - saved, 1) + restart

    def has_ended(self, name: str, bucket: int) -> bool:
        """Whether a gang that waits or goes on has done its work before a bucket."""
        return bucket >= self._ends.get(name, self.count)

    @cached_property
    def pool_by_node(self) -> Mapping[str, str]:
        """Pool of every node."""
        rule, names = self.state.policy.policy.gpu_models, self.state.gpu_names
        return {n.name: pool_of(n, rule, tuple(names)) for n in self.state.snapshot.nodes}

    def on_known_node(self, pod: Pod) -> bool:
        """Whether the snapshot has the pod's node; elsewhere a pod holds no GPUs of a pool."""
        return pod.node in self.pool_by_node

    @cached_property
    def open_nodes(self) -> tuple[Node, ...]:
        """Nodes that take new pods at all."""
        return tuple(n for n in self.state.snapshot.nodes if n.ready and not n.unschedulable)

    @cached_property
    def away(self) -> Mapping[str, frozenset[int]]:
        """Node to the buckets in which it is in maintenance, or its revocable zone is not open all the time."""
        found: dict[str, set[int]] = {}
        for window in self.state.policy.policy.maintenance:
            start, end = epoch_seconds(window.start), epoch_seconds(window.end)
            if start is None or end is None:
                continue
            buckets = self.horizon.overlapping(start, end)
            for node in self.state.snapshot.nodes:
                chosen = node.name in window.nodes or (
                    window.selector
                    and all(node.labels.get(k) == v for k, v in window.selector.items())
                )
                if chosen:
                    found.setdefault(node.name, set()).update(buckets)
        zones = self.state.policy.policy.revocable_zones
        for node in self.state.snapshot.nodes if zones is not None else ():
            if ZONE_KEY in node.labels:
                text = (zones or {}).get(node.labels[ZONE_KEY], "")
                shut = {b for b in range(self.count) if not self._stays_open(text, b)}
                found.setdefault(node.name, set()).update(shut)
        return {name: frozenset(buckets) for name, buckets in found.items()}

    def _stays_open(self, window: str, bucket: int) -> bool:
        """A daily window (UTC) holds the whole bucket; measured from its start, midnight is nothing special."""
        first, last = self.horizon.edges[bucket], self.horizon.edges[bucket + 1]
        length = window_seconds(window)
        if length is None:
            return False
        offset = (first - length[0]) % DAY
        return length[1] == DAY or offset + last - first <= length[1]

    def is_here(self, node: str, bucket: int) -> bool:
        """The node is open and not in maintenance."""
        return node in self._open_names and bucket not in self.away.get(node, ())

    @cached_property
    def _open_names(self) -> frozenset[str]:
        return frozenset(node.name for node in self.open_nodes)

    @cached_property
    def ending(self) -> Mapping[str, Gang]:
        """Running gangs that end one day and hold room: ready, ours, no online work, a pod on a known node."""
        policy = self.state.policy.policy
        found = {}
        for gang in self.state.snapshot.gangs:
            running = [pod for pod in self.state.snapshot.pods_of(gang) if pod.running]
            if gang.online or not any(self.on_known_node(pod) for pod in running):
                continue
            if not is_ready(gang, running, self.state.succeeded(gang)):
                continue
            ours = all(pod.spec.scheduler_name in policy.scheduler_names for pod in running)
            if ours and not any(service_of(policy.services, pod, gang) for pod in running):
                found[gang.full_name] = gang
        return found

    def natural_end(self, gang: Gang) -> int:
        """Second at which a running gang is estimated to end."""
        pods = [pod for pod in self.state.snapshot.pods_of(gang) if pod.running]
        planned = duration_of(gang, pods, self.state.policy.policy).seconds
        return self.horizon.start + remaining_s(planned, started_at(pods), self.horizon.start)

    @cached_property
    def _shed(self) -> Mapping[str, int]:
        """Pod of a running gang that leaves before the rest, to its first bucket without it."""
        return {
            pod: shrink.bucket
            for entry in self.running.values()
            for shrink in entry.shrinks
            for pod in shrink.pods
        }

    def gone_of(self, pod: Pod) -> int:
        """First bucket in which a pod of a running gang holds nothing."""
        gone = self.gone_bucket(pod.gang)
        return min(self._shed.get(pod.full_name, gone), gone)

    def gone_bucket(self, name: str) -> int:
        """First bucket in which a running gang holds nothing, as the document says (else its estimated end)."""
        entry = self.running.get(name)
        if entry is not None and entry.runs:
            return max(run.end_bucket for run in entry.runs)
        return self.horizon.end_bucket(self.natural_end(self.ending[name]))

    @cached_property
    def _lent_pools(self) -> frozenset[str]:
        lending = self.schedule.lending
        return frozenset(one.pool for one in lending.pools) if lending else frozenset()

    def holders(self) -> Iterator[tuple[Pod, str, str]]:
        """(pod, node, kind) of pods that hold room: ``ending``, ``online``, ``leaving`` or ``staying``."""
        services = self.state.policy.policy.services
        for pod in self.state.snapshot.pods:
            if not pod.holds_node or pod.node is None or pod.node not in self.pool_by_node:
                continue
            gang = self.state.snapshot.gang_by_name.get(pod.gang)
            if pod.terminating:
                yield pod, pod.node, "leaving"
            elif self.pool_by_node[pod.node] in self._lent_pools and service_of(
                services, pod, gang
            ):
                yield pod, pod.node, "online"
            elif gang is not None and gang.full_name in self.ending:
                yield pod, pod.node, "ending"
            else:
                yield pod, pod.node, "staying"

    def places(self, gang: ScheduledGang) -> bool:
        """The gang has some way to run, so that tiers count it."""
        return bool(gang.tier_class)

    def stretches(self, gang: ScheduledGang) -> list[tuple[int, int]]:
        """Bucket ranges of an entry, each once."""
        return sorted({(run.start_bucket, run.end_bucket) for run in gang.runs})
