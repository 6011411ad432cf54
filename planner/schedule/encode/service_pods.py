"""Where the pods of online services are over time: who is removed at night, and where they come back.

Loans are lent node by node. When the demand of a service falls, its controller removes pods in its own order: lowest
``controller.kubernetes.io/pod-deletion-cost`` first, then from the node with most pods of the service, then the newest.
When it rises, each pod gets a node that holds it: the ones that were given up first, then the tightest with room, then
the one where running gangs that may be stopped lose least. A pod that finds none is a missed return until it finds one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from models.cluster import Node
from models.lending import PoolLending
from models.moments import local_text
from models.online import service_of
from models.plan import Reason
from models.readiness import is_ready
from models.use import idle_gangs, measured_use
from models.workloads import Pod
from planner.encode.predicates import Predicates, Profile
from planner.encode.prepared import Prepared
from planner.problem.placement import IntArray
from planner.schedule.encode.occupancy import (
    MissingPods,
    Occupancy,
    RunningGang,
    ServicePod,
    ServicePods,
)

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"


@dataclass(eq=False)
class _Leaving:
    """A gang that leaves, or only some of its pods on the node, with what they hold there."""

    gang: RunningGang
    held: IntArray
    pods: tuple[str, ...] = ()


@dataclass(eq=False)
class _Place:
    """A pod that holds a node now."""

    service: str
    node: int
    since: int
    gpus: int
    vector: IntArray
    pod: Pod | None


def with_service_pods(prepared: Prepared, one: Occupancy) -> Occupancy:
    """The same with places of services' pods in every bucket, and the moments at which running gangs leave for them."""
    if one.lending is None:
        return one
    found = ServicePods()
    for limits in one.lending.pools:
        if limits.pool in one.pools:
            walk = _PoolWalk(prepared, one, limits)
            one, more = walk.run()
            found = ServicePods(found.pods + more.pods, found.missing + more.missing)
    return replace(one, services=found)


class _PoolWalk:
    """One pool, bucket after bucket."""

    def __init__(self, prepared: Prepared, one: Occupancy, limits: PoolLending) -> None:
        self.prepared, self.one, self.limits = prepared, one, limits
        self.pool = one.pools.index(limits.pool)
        self.nodes = np.flatnonzero(one.open & (one.pool_of_node == self.pool))
        self.gangs = {(gang.gang.full_name, gang.shed): gang for gang in one.running}
        self._closed: dict[tuple[str, int], bool] = {}
        self._predicates = Predicates(prepared.policy)
        self.now = list(self._running())
        self._first = tuple(self.now)
        policy = prepared.policy.policy
        self._prefers_idle = policy.prefers_idle
        use = measured_use(prepared.snapshot, policy) if policy.prefers_idle else None
        self._idle = idle_gangs(use)
        self.left: list[tuple[str, int]] = []
        self.done: list[ServicePod] = []
        self.missing: list[MissingPods] = []

    def run(self) -> tuple[Occupancy, ServicePods]:
        """Walk over the buckets; the first one is as it is."""
        for bucket in range(1, self.one.horizon.count):
            free = self._free(bucket)
            self._drop_away(bucket, free)
            for service, kept in self._kept(bucket).items():
                self._follow(service, kept, bucket, free)
        last = self.one.horizon.count
        for place in self.now:
            self._end(place, last)
        return replace(self.one, running=tuple(self.gangs.values())), ServicePods(
            tuple(self.done), tuple(_joined(self.missing))
        )

    def _running(self) -> Iterator[_Place]:
        snapshot, services = self.prepared.ruled, self.prepared.policy.policy.services
        index = {node.name: number for number, node in enumerate(snapshot.nodes)}
        for pod in snapshot.pods:
            if not pod.holds_node or pod.terminating or pod.node not in index:
                continue
            node = index[pod.node]
            name = service_of(services, pod, snapshot.gang_by_name.get(pod.gang))
            if name and int(self.one.pool_of_node[node]) == self.pool:
                vector = np.array(
                    [*(pod.spec.request.amount(n) for n in self.one.names[:-1]), 1], dtype=np.int64
                )
                yield _Place(name, node, 0, int(self.one.gpus(vector)), vector, pod)

    def _kept(self, bucket: int) -> dict[str, int]:
        """Service to the GPUs that are kept for it; all are one service's where the limits do not say whose."""
        assert self.one.lending is not None
        total = self.limits.owned_gpus - self.limits.lendable_gpus[bucket]
        curves = [one for one in self.one.lending.demand if one.pool == self.limits.pool]
        found: dict[str, int] = {}
        for curve in curves:
            found[curve.service] = min(curve.held[bucket], total)
            total -= found[curve.service]
        if total:
            last = max(found, default="")
            if curves or not self.now:
                found[last] = found.get(last, 0) + total
            else:
                found[self.now[0].service] = total
        for place in self.now:
            found.setdefault(place.service, 0)
        return found

    def _free(self, bucket: int) -> IntArray:
        """Room beside pods that stay, running gangs and the services' own places."""
        one = self.one
        free = one.allocatable - one.staying
        for gang in self.gangs.values():
            if bucket < gang.gone_bucket:
                for node, vector in gang.held:
                    free[node] -= vector
        for place in self.now:
            free[place.node] -= place.vector
        found: IntArray = free
        found[~one.here(bucket)] = 0
        return found

    def _drop_away(self, bucket: int, free: IntArray) -> None:
        """Pods on nodes in maintenance are gone; they come back elsewhere."""
        here = self.one.here(bucket)
        for place in [one for one in self.now if not here[one.node]]:
            self._remove(place, bucket)

    def _follow(self, service: str, kept: int, bucket: int, free: IntArray) -> None:
        mine = [one for one in self.now if one.service == service]
        held = sum(one.gpus for one in mine)
        while mine:
            going = self._first_to_go(mine)
            if held - going.gpus < kept:
                break
            free[going.node] += going.vector
            held -= going.gpus
            mine.remove(going)
            self._remove(going, bucket)
        vector, pod = self._size(service)
        gpus = max(int(self.one.gpus(vector)), 1)
        while held < kept:
            node = self._place(service, vector, pod, bucket, free)
            if node is None:
                self.missing.append(
                    MissingPods(service, self.pool, bucket, bucket + 1, kept - held)
                )
                return
            free[node] -= vector
            held += gpus
            self.now.append(_Place(service, node, bucket, gpus, vector, None))

    def _first_to_go(self, mine: Sequence[_Place]) -> _Place:
        """The pod that the controller removes first."""
        together: dict[int, int] = {}
        for one in mine:
            together[one.node] = together.get(one.node, 0) + 1

        def key(pair: tuple[int, _Place]) -> tuple[int, int, int, str, str, int]:
            number, one = pair
            pod = one.pod
            cost = _deletion_cost(pod)
            newest = pod.started or pod.created if pod is not None else "9"
            return (-cost, together[one.node], one.since, newest, pod.name if pod else "", number)

        return max(enumerate(mine), key=key)[1]

    def _size(self, service: str) -> tuple[IntArray, Pod | None]:
        """What one more pod asks for: the same as the largest one that runs, a GPU where none does."""
        known = [one for one in self._first if one.service == service and one.pod is not None]
        if known:
            most = max(known, key=lambda one: (one.gpus, one.pod.full_name if one.pod else ""))
            return most.vector, most.pod
        vector = np.zeros(len(self.one.names), dtype=np.int64)
        if self.one.gpu_columns:
            vector[self.one.gpu_columns[0]] = 1
        return vector, None

    def _place(
        self, service: str, vector: IntArray, pod: Pod | None, bucket: int, free: IntArray
    ) -> int | None:
        """The node of one more pod."""
        admitted = [int(n) for n in self.nodes if self._admits(service, pod, int(n))]
        admitted = [n for n in admitted if self.one.here(bucket)[n]]
        with_room = [n for n in admitted if _holds(free[n], vector)]
        if with_room:
            for place, (name, node) in enumerate(self.left):
                if name == service and node in with_room:
                    self.left.pop(place)
                    return node
            return min(with_room, key=lambda n: (int(self.one.gpus(free[n])), n))
        best: tuple[tuple[int, int, int, int], list[_Leaving]] | None = None
        for node in admitted:
            leaving = self._leaving(node, vector, bucket, free)
            if leaving is not None:
                cost = (
                    sum(
                        int(self.one.gpus(one.held)) if one.pods else one.gang.gpus
                        for one in leaving
                        if self._works(one.gang)
                    ),
                    max(one.gang.gang.priority for one in leaving),
                    sum(_lost(one.gang) for one in leaving if not one.pods),
                    node,
                )
                if best is None or cost < best[0]:
                    best = (cost, leaving)
        if best is None:
            return None
        for one in best[1]:
            self._let_go(one, best[0][-1], bucket, free)
        return best[0][-1]

    def _let_go(self, one: _Leaving, node: int, bucket: int, free: IntArray) -> None:
        """A gang leaves whole, or pods above its minimum leave one node while the others go on."""
        gang = one.gang
        key = (gang.gang.full_name, gang.shed)
        if not one.pods:
            for place, held in gang.held:
                free[place] += held
            self.gangs[key] = self._stopped(gang, bucket)
            return
        free[node] += one.held
        rest = [(place, held - one.held if place == node else held) for place, held in gang.held]
        gpus = int(self.one.gpus(one.held))
        self.gangs[key] = replace(
            gang,
            held=tuple((place, held) for place, held in rest if held.any()),
            gpus=gang.gpus - gpus,
            pods=gang.pods - len(one.pods),
        )
        shed = replace(gang, held=((node, one.held),), gpus=gpus, pods=len(one.pods), shed=one.pods)
        self.gangs[gang.gang.full_name, one.pods] = self._stopped(shed, bucket)

    def _leaving(
        self, node: int, vector: IntArray, bucket: int, free: IntArray
    ) -> list[_Leaving] | None:
        """Who leaves so that a pod fits onto a node: pods above a minimum, then whole gangs, those that lose least.

        Where the policy prefers idle holders, working ones follow when these are not enough.
        """
        short = free[node].copy()
        there = [
            (gang, held)
            for gang in self.gangs.values()
            if gang.stoppable and bucket < gang.gone_bucket
            for place, held in gang.held
            if place == node and not gang.shed
        ]
        there.sort(
            key=lambda p: (
                self._works(p[0]),
                p[0].gang.priority,
                _lost(p[0]),
                p[0].gang.full_name,
            )
        )
        leaving: list[_Leaving] = []
        for works in (False, True):
            group = [(gang, held) for gang, held in there if self._works(gang) is works]
            for gang, _ in group:
                for names, vector_of in self._spare(gang, node):
                    if _holds(short, vector):
                        break
                    more = _Leaving(gang, vector_of, names)
                    known = next((one for one in leaving if one.gang is gang), None)
                    if known is not None:
                        leaving.remove(known)
                        more = _Leaving(gang, known.held + vector_of, (*known.pods, *names))
                    leaving.append(more)
                    short += vector_of
            for gang, held in group:
                if _holds(short, vector):
                    break
                known = next((one for one in leaving if one.gang is gang), None)
                if known is not None:
                    leaving.remove(known)
                    short -= known.held
                leaving.append(_Leaving(gang, held))
                short += held
        if not _holds(short, vector):
            return None
        for one in list(leaving):  # whoever is not needed after all stays
            if _holds(short - one.held, vector):
                leaving.remove(one)
                short -= one.held
        return leaving

    def _works(self, gang: RunningGang) -> bool:
        """Whether a gang leaves after idle ones: where the policy prefers these, and it is none as measured."""
        return self._prefers_idle and gang.gang.full_name not in self._idle

    def _spare(self, gang: RunningGang, node: int) -> Iterator[tuple[tuple[str, ...], IntArray]]:
        """Pods of an elastic gang on a node that may leave one after the other while the rest stays ready."""
        snapshot = self.prepared.ruled
        shed = {name for one in self.gangs.values() if one.gang is gang.gang for name in one.shed}
        pods = [p for p in snapshot.pods_of(gang.gang) if p.running and p.full_name not in shed]
        succeeded = [p for p in snapshot.pods_of(gang.gang) if p.phase == "Succeeded"]
        here = [p for p in pods if p.node == snapshot.nodes[node].name]
        for pod in sorted(here, key=lambda p: (p.started, p.full_name), reverse=True):
            rest = [one for one in pods if one is not pod]
            if not is_ready(gang.gang, rest, succeeded):
                continue
            pods = rest
            yield (
                (pod.full_name,),
                np.array(
                    [*(pod.spec.request.amount(n) for n in self.one.names[:-1]), 1], dtype=np.int64
                ),
            )

    def _stopped(self, gang: RunningGang, bucket: int) -> RunningGang:
        horizon, name = self.one.horizon, self.limits.pool
        text = local_text(horizon.edges[bucket], horizon.timezone)
        leaves = "pods above its minimum have" if gang.shed else "it has"
        told = Reason(
            code="time_window",
            message=f"pool {name} needs its GPUs back: {leaves} to leave by {text}",
            data={"pool": name, "bucket": bucket},
        )
        return replace(gang, stop_bucket=bucket, reasons=(told,))

    def _admits(self, service: str, pod: Pod | None, node: int) -> bool:
        key = (service, node)
        if key not in self._closed:
            which: Node = self.prepared.snapshot.nodes[node]
            self._closed[key] = pod is not None and bool(
                self._predicates.why_closed(_profile(pod), which)
            )
        return not self._closed[key]

    def _remove(self, place: _Place, bucket: int) -> None:
        self.now.remove(place)
        self.left.append((place.service, place.node))
        self._end(place, bucket)

    def _end(self, place: _Place, bucket: int) -> None:
        self.done.append(
            ServicePod(
                place.service,
                self.pool,
                place.node,
                place.since,
                bucket,
                place.gpus,
                place.vector,
                place.pod.full_name if place.pod is not None else "",
            )
        )


def _profile(pod: Pod) -> Profile:
    spec = pod.spec
    return Profile(
        spec.node_selector,
        spec.node_affinity,
        spec.tolerations,
        revocable=False,
    )


def _holds(free: IntArray, vector: IntArray) -> bool:
    return bool(((free >= vector) | (vector == 0)).all())


def _deletion_cost(pod: Pod | None) -> int:
    try:
        return int(pod.annotations.get(DELETION_COST, "0")) if pod is not None else 0
    except ValueError:
        return 0


def _lost(gang: RunningGang) -> int:
    return gang.gpus * (gang.interval_s or gang.duration.seconds)


def _joined(missing: Sequence[MissingPods]) -> Iterator[MissingPods]:
    """Stretches of buckets in which a service lacks the same number of GPUs."""
    last: MissingPods | None = None
    for one in sorted(missing, key=lambda m: (m.service, m.start)):
        if last is not None and (last.service, last.gpus, last.end) == (
            one.service,
            one.gpus,
            one.start,
        ):
            last = replace(last, end=one.end)
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last
