"""A small night written by hand: one gang of every kind that manifests treat in their own way, and its schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from models.effective import EffectivePolicy, resolve_policy
from models.lending import DemandCurve, LendingLimits, PoolLending
from models.moments import local_text
from models.plan import GangEntry, NodeEntry, PlanResult, PodGroupEntry, QueueEntry
from models.policy import parse_policy
from models.readers.input_files import memory_file
from models.readers.snapshot_reader import read_snapshot
from models.reasons import Reason
from models.resources import Resources
from models.schedule import (
    Run,
    Schedule,
    ScheduledGang,
    ScheduledPool,
    ScheduledQueue,
    ServiceReturn,
    TimedLoan,
)
from models.snapshot import Snapshot
from planner.testing.random_nodes import GPU

NOW, HOUR, BUCKETS, POOL = 1_789_500_000, 3600, 8, "lent"
"""Tuesday evening in 2026, whole hours."""
Object = dict[str, Any]


@dataclass(frozen=True)
class NightByHand:
    """Snapshot, plan document and policy that belong together."""

    snapshot: Snapshot
    result: PlanResult
    policy: EffectivePolicy


def volcano_job(
    name: str, gpus: int = 8, *, uid: str = "", retries: int = 0, queue: str = "batch"
) -> Object:
    """A Volcano Job of one pod."""
    meta = {"name": name, "namespace": "ml", "creationTimestamp": local_text(NOW - HOUR)}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {**meta, **({"uid": uid} if uid else {})},
        "spec": {
            "minAvailable": 1,
            "queue": queue,
            "maxRetry": 3,
            "tasks": [{"name": "worker", "replicas": 1, "template": {"spec": pod_spec(gpus)}}],
        },
        "status": {"retryCount": retries},
    }


def batch_job(name: str, gpus: int = 8, *, suspended: bool = False) -> Object:
    """A ``batch/v1`` Job of one pod under Volcano."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"suspend": suspended, "parallelism": 1, "template": {"spec": pod_spec(gpus)}},
    }


def pod_spec(gpus: int) -> Object:
    """One container with GPUs and 15 s of grace."""
    amounts = {"cpu": "1", GPU: str(gpus)}
    return {
        "schedulerName": "volcano",
        "terminationGracePeriodSeconds": 15,
        "containers": [{"name": "main", "resources": {"requests": amounts, "limits": amounts}}],
    }


def pod(name: str, gang: str, gpus: int = 8, *, node: str = "", owner: str = "") -> Object:
    """A pod of a gang: running where it has a node; ``owner`` names a Job of either kind."""
    meta: Object = {
        "name": name,
        "namespace": "ml",
        "annotations": {"scheduling.k8s.io/group-name": gang},
    }
    if owner:
        meta["ownerReferences"] = [{"kind": "Job", "name": owner, "controller": True}]
    spec = pod_spec(gpus) | ({"nodeName": node} if node else {})
    phase = "Running" if node else "Pending"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": spec,
        "status": {"phase": phase},
    }


def pod_group(name: str, *, owner: str = "", queue: str = "batch") -> Object:
    """A PodGroup of one pod."""
    meta: Object = {"name": name, "namespace": "ml"}
    if owner:
        meta["ownerReferences"] = [{"kind": "Job", "name": owner, "controller": True}]
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": meta,
        "spec": {"minMember": 1, "queue": queue},
    }


def queue(name: str, *, deserved: int, capability: int | None = None) -> Object:
    """A queue with GPU amounts."""
    spec: Object = {"weight": 1, "deserved": {GPU: str(deserved)}}
    if capability is not None:
        spec["capability"] = {GPU: str(capability)}
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": spec,
    }


def nodes(count: int) -> list[Object]:
    """Nodes of 8 GPUs in one pool."""
    amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", GPU: "8"}
    return [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"n{number}", "labels": {"pool": POOL}},
            "status": {
                "allocatable": amounts,
                "capacity": amounts,
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        }
        for number in range(count)
    ]


def snapshot_of(objects: Sequence[Object]) -> Snapshot:
    """The snapshot that the reader makes of objects."""
    return read_snapshot([memory_file("night.yaml", yaml.safe_dump_all(objects).encode())])


def scheduled(
    name: str, *spans: tuple[int, int], status: str = "starts", gpus: int = 8, **more: Any
) -> ScheduledGang:
    """A gang of the schedule that runs in these spans of buckets."""
    runs = tuple(
        Run(
            pool=POOL,
            start_bucket=first,
            end_bucket=end,
            starts_at=local_text(NOW + first * HOUR),
            ends_at=local_text(NOW + end * HOUR),
            pods=1,
            gpus=gpus,
        )
        for first, end in spans
    )
    given: Object = {
        "namespace": "ml",
        "name": name,
        "queue": "batch",
        "status": status,
        "gpus": gpus,
        "requests": Resources({GPU: gpus}),
        "runs": runs,
        "starts_at": runs[0].starts_at if runs and status == "starts" else None,
        "ends_at": runs[-1].ends_at if runs else None,
        "grace_s": 15,
        "stoppable": True,
        "leaves_in_time": True,
        **more,
    }
    return ScheduledGang(**given)


def schedule_of(gangs: Sequence[ScheduledGang], *, gpus: int, online: Sequence[int]) -> Schedule:
    """A schedule of one pool, all of it lent by the service ``chat``."""
    used = [
        sum(
            run.gpus
            for gang in gangs
            for run in gang.runs
            if run.start_bucket <= b < run.end_bucket
        )
        for b in range(BUCKETS)
    ]
    edges = tuple(NOW + b * HOUR for b in range(BUCKETS + 1))
    lendable = tuple(gpus - held for held in online)
    falls = (
        edges[b + 1] if b + 1 < BUCKETS and lendable[b + 1] < lendable[b] else None
        for b in range(BUCKETS)
    )
    loan = TimedLoan(
        pool=POOL,
        start_bucket=0,
        end_bucket=BUCKETS,
        starts_at=local_text(edges[0]),
        returned_by=local_text(edges[-1]),
        leave_by=local_text(edges[-1]),
        gpus=max(used, default=0),
        gpu_seconds=HOUR * sum(used),
        gangs=tuple(gang.full_name for gang in gangs if gang.runs),
        services=(
            ServiceReturn(
                service="chat",
                returned_by=local_text(edges[-1]),
                leave_by=local_text(edges[-1]),
                slack_s=0,
            ),
        ),
    )
    return Schedule(
        edges=edges,
        gangs=tuple(gangs),
        pools=(
            ScheduledPool(
                name=POOL,
                nodes=gpus // 8,
                gpus=gpus,
                capacity=lendable,
                own=(0,) * BUCKETS,
                used=tuple(used),
                lent=tuple(used),
                slow=(0,) * BUCKETS,
                online=tuple(online),
            ),
        ),
        queues=(ScheduledQueue(name="batch", used=tuple(used)),),
        lending=LendingLimits(
            edges=edges,
            pools=(
                PoolLending(
                    pool=POOL,
                    owned_gpus=gpus,
                    lendable_gpus=lendable,
                    slow_gpus=lendable,
                    leave_by=tuple(falls),
                ),
            ),
            demand=(
                DemandCurve(service="chat", pool=POOL, forecast=tuple(online), held=tuple(online)),
            ),
        ),
        loans=(loan,),
    )


def whole_night(*, seed_order: int = 1) -> NightByHand:
    """Eight gangs on ten nodes; ``seed_order`` -1 lists the objects the other way round."""
    objects = [
        *nodes(10),
        queue("batch", deserved=40, capability=72),
        volcano_job("leaves", uid="6d1"),
        pod_group("leaves-6d1", owner="leaves"),
        pod("leaves-0", "leaves-6d1", node="n0", owner="leaves"),
        batch_job("ends"),
        pod_group("podgroup-ends", owner="ends"),
        pod("ends-0", "podgroup-ends", node="n1", owner="ends"),
        volcano_job("held", uid="7e2"),
        batch_job("kept"),
        pod_group("podgroup-kept", owner="kept"),
        pod("kept-0", "podgroup-kept", owner="kept"),
        batch_job("asleep", suspended=True),
        pod_group("bare"),
        pod("bare-0", "bare"),
        volcano_job("tired", retries=2),
        volcano_job("first", uid="8f3"),
    ]
    resumed = (Reason(code="scheduled_later", message="goes on"),)
    back = (Reason(code="time_window", message="the pool needs its GPUs back"),)
    gangs = (
        scheduled("leaves", (0, 4), status="running", reasons=back),
        scheduled("leaves", (6, 7), reasons=resumed),
        scheduled("podgroup-ends", (0, 5), status="running"),
        scheduled("first", (0, 2)),
        scheduled("held", (3, 5)),
        scheduled("podgroup-kept", (2, 4)),
        scheduled("asleep", (2, 3)),
        scheduled("bare", (4, 6)),
        scheduled("tired", status="waits"),
    )
    online = (16, 16, 16, 16, 24, 32, 40, 64)
    schedule = schedule_of(gangs, gpus=80, online=online)
    placed = PodGroupEntry(role="worker", action="place", node="n2", count=1)
    first = GangEntry(
        namespace="ml", name="first", kind="Job", queue="batch", decision="start", pods=(placed,)
    )
    offered = Resources({GPU: 8})
    named = tuple(
        NodeEntry(
            name=f"n{number}",
            pool=POOL,
            allocatable=offered,
            before=offered if number < 2 else Resources(),
            after=offered if number < 3 else Resources(),
        )
        for number in range(10)
    )
    batch = QueueEntry(
        name="batch",
        deserved=Resources({GPU: 40}),
        before=Resources({GPU: 16}),
        after=Resources({GPU: 24}),
    )
    snapshot = snapshot_of(objects[::seed_order])
    policy = resolve_policy(snapshot, parse_policy({"now": local_text(NOW)}, source="by hand"))
    return NightByHand(
        snapshot,
        PlanResult(gangs=(first,), nodes=named, queues=(batch,), schedule=schedule),
        policy,
    )
