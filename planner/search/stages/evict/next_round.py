"""No undoing: whether a gang that the plan gives up could start again at once by evicting newcomers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from models.placement import Placement
from models.readiness import is_ready
from models.snapshot import Snapshot
from models.workloads import Gang, Pod
from planner.capacity.fit import Room
from planner.capacity.fits_alone import fits
from planner.encode.prepared import Prepared, prepare
from planner.encode.victims.victims import possible_victims
from planner.problem.victims import VictimPods, Victims
from planner.reduce.disaggregate import Assignment
from planner.reduce.pod_placements import placements
from planner.search.exact.fit_by_cpsat import exact_fit
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.search.stages.evict.legal_start import LegalStarts

Return = tuple[str, frozenset[str]]
"""A gang that is given up, and the started gangs that it could evict."""


class NextRound:
    """Plans the gangs that a plan gives up once more, in the cluster as the plan leaves it."""

    def __init__(self, prepared: Prepared, victims: Victims) -> None:
        self._prepared = prepared
        self._victims = victims
        self._known: dict[tuple[object, ...], tuple[Return, ...]] = {}

    def returning(self, plan: Assignment) -> tuple[Return, ...]:
        """Gangs that could come back, with the newcomers at whose expense."""
        given_up = self.given_up(plan)
        comers = self._comers(plan) if given_up else []
        found = [gang for gang in given_up if any(self.may_evict(gang, other) for other in comers)]
        if not found:
            return ()
        placed = placements(self._prepared.problem, plan)
        key = (plan.evicted, placed)
        if key not in self._known:
            self._known[key] = tuple(self._planned_again(found, plan, placed))
        return self._known[key]

    def given_up(self, plan: Assignment) -> list[Gang]:
        """Gangs of which no running pod stays."""
        gone = frozenset(plan.evicted)
        snapshot = self._prepared.snapshot
        names = dict.fromkeys(snapshot.pod_by_name[name].gang for name in plan.evicted)
        gangs = [snapshot.gang_by_name[name] for name in names]
        return [
            gang
            for gang in gangs
            if all(pod.full_name in gone for pod in snapshot.pods_of(gang) if pod.running)
        ]

    def may_evict(self, gang: Gang, other: Gang) -> bool:
        """Whether a gang that was given up could ever preempt another one or reclaim from it."""
        if gang.full_name == other.full_name:
            return False
        if gang.queue == other.queue:
            return self._victims.preempt and other.priority < gang.priority
        queue = self._prepared.limits.queues.get(other.queue)
        return self._victims.reclaim and queue is not None and queue.reclaimable

    def _comers(self, plan: Assignment) -> list[Gang]:
        problem, snapshot = self._prepared.problem, self._prepared.snapshot
        return [
            snapshot.gang_by_name[problem.gang_names[problem.demands[demand].gang]]
            for demand, items in plan.pods.items()
            if any(items.values())
        ]

    def _planned_again(
        self, gangs: list[Gang], plan: Assignment, placed: tuple[Placement, ...]
    ) -> Iterator[Return]:
        later, newcomers = _after(self._prepared.snapshot, plan, placed)
        prepared = prepare(later, self._prepared.policy, exact_least)
        victims = possible_victims(prepared)
        victims = None if victims is None else _only(victims, newcomers)
        if victims is None or not victims.pods:
            return
        problem = prepared.problem
        starts = LegalStarts(problem, victims)
        demand_of = {problem.gang_names[one.gang]: d for d, one in enumerate(problem.demands)}
        room = Room(problem)
        for gang in gangs:
            demand = demand_of.get(gang.full_name)
            if demand is None or fits(problem, problem.demands[demand], room, exact_fit):
                continue
            names = starts.victims(demand)
            if names:
                pods = later.pod_by_name
                yield gang.full_name, frozenset(pods[name].gang for name in names)


def _only(victims: Victims, names: frozenset[str]) -> Victims:
    """Nobody else may be evicted."""
    pods = (
        VictimPods(one.kind, one.node, tuple(name for name in one.names if name in names))
        for one in victims.pods
    )
    return replace(victims, pods=tuple(one for one in pods if one.names))


def _after(
    snapshot: Snapshot, plan: Assignment, placed: tuple[Placement, ...]
) -> tuple[Snapshot, frozenset[str]]:
    """The cluster once all this is done, and the newcomers: placed pods, and all pods of gangs that start."""
    gone = frozenset(plan.evicted)
    node_of = {name: one.node for one in placed for name in one.names}
    pods = []
    for pod in snapshot.pods:
        if pod.full_name in gone:
            pods.append(replace(pod, node=None, phase="Pending", started=""))
        elif pod.full_name in node_of:
            pods.append(replace(pod, node=node_of[pod.full_name], phase="Running"))
        else:
            pods.append(pod)
    started = {
        one.gang for one in placed if not _was_ready(snapshot, snapshot.gang_by_name[one.gang])
    }
    new = {pod.full_name for pod in pods if pod.running and pod.gang in started} | set(node_of)
    for number, one in enumerate(placed):
        made = _made(snapshot.gang_by_name[one.gang], one, number)
        pods += made
        new.update(pod.full_name for pod in made)
    return replace(snapshot, pods=tuple(pods)), frozenset(new)


def _was_ready(snapshot: Snapshot, gang: Gang) -> bool:
    pods = snapshot.pods_of(gang)
    running = [pod for pod in pods if pod.running]
    return bool(running) and is_ready(
        gang, running, [pod for pod in pods if pod.phase == "Succeeded"]
    )


def _made(gang: Gang, placed: Placement, number: int) -> list[Pod]:
    """Pods that do not exist yet, from their template."""
    template = gang.template(placed.role)
    if template is None:
        return []
    return [
        Pod(
            gang.namespace,
            f"{gang.name}-new-{number}-{place}",
            template.spec,
            gang=gang.full_name,
            role=placed.role,
            node=placed.node,
            phase="Running",
            labels=template.labels,
            annotations=template.annotations,
        )
        for place in range(placed.count - len(placed.names))
    ]
