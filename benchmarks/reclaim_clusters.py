"""Full clusters in which one gang waits for whole nodes that another queue has borrowed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Literal

from models.queues import Queue
from models.resources import CPU, MEMORY, PODS, Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.testing.by_hand import gpu_node
from planner.testing.random_nodes import GIB, GPU

Layout = Literal["uniform", "fragmented", "scattered"]
LAYOUTS: tuple[Layout, ...] = ("uniform", "fragmented", "scattered")
EIGHT = 8
AS_OF = "2026-11-01T12:00:00Z"
CHURN = 0.4
"""Part of the jobs that end and are replaced, so that what fits together no longer stands together."""

Job = tuple[int, list[int]]
"""GPUs per pod, and the node of every pod."""


def make_snapshot(nodes: int, layout: Layout = "uniform", seed: int = 1) -> Snapshot:
    """A full cluster, and the gang that waits for a tenth of its nodes.

    Parameters
    ----------
    layout
        ``uniform``: one-GPU jobs everywhere. ``fragmented``: jobs of one to eight pods of one to eight GPUs, placed
        tightly, 40 % of them replaced after the cluster was full once. ``scattered``: jobs of one to eight one-GPU
        pods, every pod on a random node. The last two mix priorities and ages.
    """
    rng = random.Random(seed)
    mixed = layout != "uniform"
    jobs = {"uniform": _uniform, "fragmented": _fragmented, "scattered": _scattered}[layout]
    gangs: list[Gang] = []
    pods: list[Pod] = []
    for number, (gpus, places) in enumerate(jobs(nodes, rng)):
        name = f"job-{number:06}"
        priority = rng.choice((0, 10, 100)) if mixed else 0
        minute = rng.randrange(720) if mixed else 600
        gangs.append(Gang("ml", name, queue="lent", min_member=len(places), priority=priority))
        started = f"2026-11-01T{minute // 60:02}:{minute % 60:02}:00Z"
        pods += [
            _running(name, member, place, gpus, started) for member, place in enumerate(places)
        ]
    wanted = max(nodes // 10, 1)
    gangs.append(Gang("ml", "owner", queue="own", min_member=wanted))
    pods += [Pod("ml", f"owner-{n:05}", _spec(EIGHT), gang="ml/owner") for n in range(wanted)]
    return Snapshot(
        nodes=tuple(gpu_node(f"n{place:05}", EIGHT) for place in range(nodes)),
        pods=tuple(sorted(pods, key=lambda pod: pod.full_name)),
        gangs=tuple(gangs),
        queues=(
            Queue("lent", deserved=Resources({GPU: 0})),
            Queue("own", deserved=Resources({GPU: EIGHT * nodes})),
        ),
        as_of=AS_OF,
    )


def _uniform(nodes: int, rng: random.Random) -> Iterator[Job]:
    slots = [place for place in range(nodes) for _ in range(EIGHT)]
    while slots:
        yield 1, [slots.pop()]


def _scattered(nodes: int, rng: random.Random) -> Iterator[Job]:
    slots = [place for place in range(nodes) for _ in range(EIGHT)]
    rng.shuffle(slots)
    while slots:
        size = min(rng.choice((1, 1, 1, 2, 4, 8)), len(slots))
        yield 1, [slots.pop() for _ in range(size)]


def _fragmented(nodes: int, rng: random.Random) -> list[Job]:
    free = [EIGHT] * nodes
    jobs = _fill(free, rng)
    rng.shuffle(jobs)
    kept = jobs[int(CHURN * len(jobs)) :]
    for gpus, places in jobs[: len(jobs) - len(kept)]:
        for place in places:
            free[place] += gpus
    return [*kept, *_fill(free, rng)]


def _fill(free: list[int], rng: random.Random) -> list[Job]:
    """Jobs until the cluster is full; each pod goes to the fullest node that holds it."""
    jobs: list[Job] = []
    levels: dict[int, list[int]] = {level: [] for level in range(EIGHT + 1)}
    for place in rng.sample(range(len(free)), len(free)):
        levels[free[place]].append(place)
    while any(levels[level] for level in range(1, EIGHT + 1)):
        gpus, size = rng.choice((1, 1, 2, 4, 8)), rng.choice((1, 1, 2, 4, 8))
        places: list[int] = []
        while len(places) < size:
            level = next((one for one in range(gpus, EIGHT + 1) if levels[one]), None)
            if level is None and not places and gpus > 1:
                gpus //= 2
                continue
            if level is None:
                break
            place = levels[level].pop()
            free[place] -= gpus
            levels[free[place]].append(place)
            places.append(place)
        if places:
            jobs.append((gpus, places))
    return jobs


def _running(job: str, member: int, place: int, gpus: int, started: str) -> Pod:
    return Pod(
        "ml",
        f"{job}-{member}",
        _spec(gpus),
        gang=f"ml/{job}",
        node=f"n{place:05}",
        phase="Running",
        started=started,
    )


def _spec(gpus: int) -> PodSpec:
    amounts = Resources({CPU: 4000 * gpus, MEMORY: 8 * GIB * gpus, GPU: gpus, PODS: 0})
    return PodSpec(request=amounts.without_zeros(), scheduler_name="volcano")
