"""Gangs of a snapshot that wait, and queues with what they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from models.gpu import gpus_in
from models.readiness import Supply, is_ready, pod_supply
from models.resources import Resources, total_of
from models.snapshot import Snapshot
from models.workloads import FINISHED_PHASES, Gang, Pod
from planner.report.inspect_document import QueueStanding, WaitingGang
from planner.report.text import seconds_between


def waiting_gangs(
    snapshot: Snapshot, scheduler_names: tuple[str, ...], gpu_names: tuple[str, ...], now: str
) -> tuple[WaitingGang, ...]:
    """Gangs that are neither finished nor ready, highest priority first, then the longest wait."""
    found = [
        _entry(gang, snapshot.pods_of(gang), scheduler_names, gpu_names, now)
        for gang in snapshot.gangs
        if not gang.asks_nothing and not _ready(gang, snapshot.pods_of(gang))
    ]
    return tuple(
        sorted(found, key=lambda one: (-one.priority, -(one.waited_seconds or 0), one.full_name))
    )


def queue_standings(
    snapshot: Snapshot, waiting: Sequence[WaitingGang]
) -> tuple[QueueStanding, ...]:
    """Every queue, also those that only gangs name; a parent's sums do not include its children's."""
    held: dict[str, list[Resources]] = {}
    running: Counter[str] = Counter()
    for gang in snapshot.gangs:
        pods = [pod for pod in snapshot.pods_of(gang) if pod.running]
        held.setdefault(gang.queue, []).extend(pod.spec.request for pod in pods)
        running[gang.queue] += bool(pods)
    waits = Counter(gang.queue for gang in waiting)
    known = snapshot.queue_by_name
    entries = [
        QueueStanding(
            name=queue.name,
            weight=queue.weight,
            state=queue.state,
            parent=queue.parent_name,
            implicit=queue.implicit,
            reclaimable=queue.reclaimable,
            deserved=queue.deserved,
            capability=queue.capability,
            guarantee=queue.guarantee,
            allocated=total_of(held.get(queue.name, ())),
            gangs_running=running[queue.name],
            gangs_waiting=waits[queue.name],
        )
        for queue in known.values()
    ]
    entries += [
        QueueStanding(
            name=name,
            state="missing",
            allocated=total_of(held[name]),
            gangs_running=running[name],
            gangs_waiting=waits[name],
        )
        for name in held
        if name not in known
    ]
    return tuple(sorted(entries, key=lambda one: one.name))


def _ready(gang: Gang, pods: Iterable[Pod]) -> bool:
    listed = tuple(pods)
    running = [pod for pod in listed if pod.running]
    return is_ready(gang, running, [pod for pod in listed if pod.phase == "Succeeded"])


def _entry(
    gang: Gang,
    pods: tuple[Pod, ...],
    scheduler_names: tuple[str, ...],
    gpu_names: tuple[str, ...],
    now: str,
) -> WaitingGang:
    supplies, _ = pod_supply(gang, pods, scheduler_names)
    live = sum(pod.phase not in FINISHED_PHASES and not pod.terminating for pod in pods)
    return WaitingGang(
        namespace=gang.namespace,
        name=gang.name,
        kind=gang.kind,
        queue=gang.queue,
        priority=gang.priority,
        members=live + sum(supply.promised for supply in supplies),
        running=sum(pod.running for pod in pods),
        min_member=gang.min_member,
        gpus=_least_gpus(gang, pods, supplies, gpu_names),
        created=gang.created,
        waited_seconds=seconds_between(gang.created, now),
    )


def _least_gpus(
    gang: Gang, pods: tuple[Pod, ...], supplies: Sequence[Supply], gpu_names: tuple[str, ...]
) -> int | None:
    """Fewest GPUs of pods that lead the gang to its minimum: each role's own first, then the cheapest of the rest.

    Subgroups are left aside, so for gangs with subgroups it is a lower bound.
    """
    counted = [pod for pod in pods if pod.running or pod.phase == "Succeeded"]
    have = Counter(pod.role for pod in counted)
    units = sorted(
        [gpus_in(supply.spec.request, gpu_names), supply.role, supply.count] for supply in supplies
    )
    total = taken = 0
    for role, minimum in gang.role_minimum.items() if gang.roles_bind else ():
        need = max(0, minimum - have[role])
        found = _cheapest([unit for unit in units if unit[1] == role], need)
        if found is None:
            return None
        total, taken = total + found, taken + need
    left = max(0, max(gang.min_member, 1) - len(counted) - taken)
    rest = _cheapest(units, left)
    return None if rest is None else total + rest


def _cheapest(units: Sequence[list[Any]], pods: int) -> int | None:
    """GPUs of so many pods of sorted (GPUs each, role, pods) units, which shrink by them; None if there are too few."""
    total = 0
    for unit in units:
        taken = min(pods, unit[2])
        total, pods = total + taken * unit[0], pods - taken
        unit[2] -= taken
    return None if pods else total
