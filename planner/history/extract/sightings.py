"""What a snapshot showed of every gang."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from models.gpu import gpus_in
from models.history.rows import GangSighting
from models.snapshot import Snapshot
from models.workloads import Gang, Pod
from planner.history.times import utc_text


def sightings_of(snapshot: Snapshot, gpu_names: tuple[str, ...]) -> tuple[GangSighting, ...]:
    """One sighting per gang, sorted by name."""
    found = (_sighting(gang, snapshot.pods_of(gang), gpu_names) for gang in snapshot.gangs)
    return tuple(sorted(found, key=lambda one: (one.namespace, one.name)))


def _sighting(gang: Gang, pods: Sequence[Pod], gpu_names: tuple[str, ...]) -> GangSighting:
    running = [pod for pod in pods if pod.running]
    placed = [pod for pod in pods if pod.node] if gang.finished else running
    nodes = Counter(str(pod.node) for pod in placed)
    return GangSighting(
        namespace=gang.namespace,
        name=gang.name,
        queue=gang.queue,
        kind=gang.kind,
        created=utc_text(gang.created),
        phase=gang.phase,
        finished=gang.finished,
        min_member=gang.min_member,
        pods_running=len(running),
        pods_pending=sum(pod.pending for pod in pods),
        pods_failed=sum(pod.phase == "Failed" for pod in pods),
        gpus=sum(gpus_in(pod.spec.request, gpu_names) for pod in running),
        started_at=_last([pod.started for pod in running or pods]),
        ended_at=_ended(gang, pods),
        retries=gang.retry_count,
        restarts=sum(pod.restarts for pod in pods),
        nodes=dict(sorted(nodes.items())),
    )


def _ended(gang: Gang, pods: Sequence[Pod]) -> str:
    if not gang.finished:
        return ""
    return _last([pod.finished_at for pod in pods]) or utc_text(gang.finished_at)


def _last(times: Sequence[str]) -> str:
    return max((utc_text(one) for one in times), default="")
