"""A cluster for schedules: pools that are full now, and work that asks for more than a day of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from models.cluster import Node
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec, RoleTemplate

NOW = datetime(2026, 9, 14, 20, 0, tzinfo=UTC)
GIB = 1 << 30
GPU, MODEL = "nvidia.com/gpu", "nvidia.com/gpu.product"
POOLS = (("H100", 0.4), ("A100", 0.4), ("L40S", 0.2))
SIZES, SIZE_WEIGHTS = (1, 2, 4, 8, 16, 32, 64, 128), (20, 16, 16, 24, 12, 7, 4, 1)
HOURS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
PRIORITIES = (1000, 500, 100)


@dataclass(frozen=True, slots=True)
class ScheduleSpec:
    """Size of an instance; half of the GPUs are held by running gangs that end over the first day."""

    gangs: int = 2000
    nodes: int = 1000
    queues: int = 20
    seed: int = 1


def schedule_cluster(spec: ScheduleSpec) -> Snapshot:
    """The snapshot; same spec, same snapshot."""
    rng = random.Random(spec.seed)
    nodes = _nodes(spec)
    gangs, pods = _running(spec, nodes, rng)
    waiting = list(_waiting(spec, rng))
    return Snapshot(
        nodes=nodes,
        pods=tuple(sorted(pods, key=lambda pod: pod.full_name)),
        gangs=tuple(sorted([*gangs, *waiting], key=lambda gang: gang.full_name)),
        queues=tuple(_queues(spec)),
        as_of=_text(NOW),
    )


def _text(moment: datetime) -> str:
    return f"{moment.replace(tzinfo=None).isoformat()}Z"


def _nodes(spec: ScheduleSpec) -> tuple[Node, ...]:
    found = []
    for model, share in POOLS:
        for index in range(round(spec.nodes * share)):
            amounts = {"cpu": 128_000, "memory": 2048 * GIB, GPU: 8, "pods": 110}
            found.append(
                Node(f"{model.lower()}-{index:04d}", Resources(amounts), labels={MODEL: model})
            )
    return tuple(sorted(found, key=lambda node: node.name))


def _queues(spec: ScheduleSpec) -> Iterator[Queue]:
    gpus = 8 * spec.nodes
    for index in range(spec.queues):
        share = {GPU: 2 * gpus // (3 * spec.queues)}
        limit = {GPU: 3 * gpus // spec.queues}
        yield Queue(f"team-{index:02d}", deserved=Resources(share), capability=Resources(limit))


def _spec(gpus: int, model: str) -> PodSpec:
    amounts = {"cpu": 6000 * gpus, "memory": 64 * GIB * gpus, GPU: gpus}
    selector = ((MODEL, model),) if model else ()
    return PodSpec(request=Resources(amounts), node_selector=selector, scheduler_name="volcano")


def _running(
    spec: ScheduleSpec, nodes: tuple[Node, ...], rng: random.Random
) -> tuple[list[Gang], list[Pod]]:
    gangs, pods = [], []
    for index, node in enumerate(nodes):
        if index % 2:
            continue
        hours = rng.choice(HOURS)
        started = NOW - timedelta(minutes=rng.randrange(5, 60 * hours))
        queue = f"team-{rng.randrange(spec.queues):02d}"
        name = f"run-{index:04d}"
        gangs.append(
            Gang("bench", name, queue=queue, annotations={"gangplan.io/runtime": f"{hours}h"})
        )
        pods.append(
            Pod(
                "bench",
                f"{name}-0",
                _spec(8, ""),
                gang=f"bench/{name}",
                node=node.name,
                phase="Running",
                created=_text(started),
                started=_text(started),
            )
        )
    return gangs, pods


def _waiting(spec: ScheduleSpec, rng: random.Random) -> Iterator[Gang]:
    models = [model for model, _ in POOLS]
    for index in range(spec.gangs):
        gpus = rng.choices(SIZES, SIZE_WEIGHTS)[0]
        model = rng.choices([*models, ""], (4, 4, 2, 3))[0]
        members = max(gpus // 8, 1)
        pod = _spec(min(gpus, 8), model)
        marks = {"gangplan.io/runtime": f"{rng.choice(HOURS)}h"}
        if rng.random() < 0.2:
            marks["gangplan.io/earliest-start"] = _text(NOW + timedelta(hours=rng.randrange(1, 12)))
        yield Gang(
            "bench",
            f"job-{index:05d}",
            kind="Job",
            queue=f"team-{rng.randrange(spec.queues):02d}",
            min_member=members,
            templates=(RoleTemplate("worker", pod, members),),
            priority=rng.choices(PRIORITIES, (1, 6, 3))[0],
            created=_text(NOW - timedelta(seconds=rng.randrange(60, 172_800))),
            annotations=marks,
        )
