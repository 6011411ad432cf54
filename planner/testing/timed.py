"""Small clusters with time, and every schedule of them by brute force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from models.cluster import Node
from models.effective import EffectivePolicy, resolve_policy
from models.horizon import Horizon
from models.lending import LendingLimits, PoolLending
from models.policy import Policy, parse_policy
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec, RoleTemplate
from planner.problem.timed import Chosen, Column, TimedProblem
from planner.schedule.model.tiers import TimedTier, timed_tiers

GPU = "nvidia.com/gpu"
NOW, START = "2026-09-15T20:00:00Z", 1_789_502_400
HOUR = 3600


def hours(count: int) -> Horizon:
    """So many buckets of an hour from :data:`NOW`."""
    return Horizon(tuple(START + HOUR * index for index in range(count + 1)))


def node(name: str, gpus: int = 8, pool: str = "p") -> Node:
    """A node of a pool."""
    amounts = {"cpu": 64_000, "memory": 1 << 40, "pods": 110, GPU: gpus}
    return Node(name, Resources(amounts), labels={"pool": pool})


def spec(gpus: int, *, grace: int | None = None) -> PodSpec:
    """A pod that asks for GPUs and little else."""
    amounts = {"cpu": 1000, "memory": 1 << 30, GPU: gpus}
    request = Resources({name: amount for name, amount in amounts.items() if amount})
    return PodSpec(request=request, scheduler_name="volcano", grace_seconds=grace)


def waiting(
    name: str,
    gpus: int,
    runtime: str,
    *,
    pods: int = 1,
    queue: str = "q",
    priority: int = 0,
    grace: int | None = None,
    marks: Mapping[str, str] | None = None,
) -> Gang:
    """A Job that waits, its pods promised."""
    return Gang(
        "ns",
        name,
        kind="Job",
        queue=queue,
        min_member=pods,
        priority=priority,
        created=NOW,
        templates=(RoleTemplate("worker", spec(gpus, grace=grace), pods),),
        annotations={"gangplan.io/runtime": runtime, **(marks or {})},
    )


def running(
    name: str,
    gpus: int,
    runtime: str,
    where: str,
    *,
    queue: str = "q",
    priority: int = 0,
    started: str = NOW,
    marks: Mapping[str, str] | None = None,
    grace: int | None = None,
) -> tuple[Gang, Pod]:
    """A gang of one pod that runs on a node."""
    gang = Gang(
        "ns",
        name,
        queue=queue,
        priority=priority,
        created=started,
        annotations={"gangplan.io/runtime": runtime, **(marks or {})},
    )
    pod = Pod(
        "ns",
        f"{name}-0",
        spec(gpus, grace=grace),
        gang=gang.full_name,
        node=where,
        phase="Running",
        created=started,
        started=started,
    )
    return gang, pod


def cluster(
    nodes: tuple[Node, ...],
    gangs: tuple[Gang, ...],
    runs: tuple[tuple[Gang, Pod], ...] = (),
    queues: tuple[Queue, ...] = (Queue("q"),),
    policy: Mapping[str, object] | None = None,
) -> tuple[Snapshot, EffectivePolicy]:
    """A snapshot and its policy; ``now`` is :data:`NOW`."""
    snapshot = Snapshot(
        nodes=tuple(sorted(nodes, key=lambda one: one.name)),
        pods=tuple(sorted((pod for _, pod in runs), key=lambda one: one.full_name)),
        gangs=tuple(sorted((*gangs, *(g for g, _ in runs)), key=lambda one: one.full_name)),
        queues=queues,
        as_of=NOW,
    )
    keys: dict[str, object] = {"queue_model": "capacity", "now": NOW, **(policy or {})}
    parsed: Policy = parse_policy(keys, source="test")
    return snapshot, resolve_policy(snapshot, parsed)


def lending(
    horizon: Horizon,
    pool: str,
    owned: int,
    lendable: tuple[int, ...],
    slow: tuple[int, ...] | None = None,
) -> LendingLimits:
    """Loan limits of one pool."""
    one = PoolLending(
        pool=pool,
        owned_gpus=owned,
        lendable_gpus=lendable,
        slow_gpus=lendable if slow is None else slow,
    )
    return LendingLimits(edges=horizon.edges, pools=(one,))


def every_schedule(problem: TimedProblem) -> Iterator[Chosen]:
    """Every choice of columns that fits, one gang after the other; for a handful of gangs only."""
    columns: dict[int, list[Column | None]] = {}
    for one in problem.starts.columns():
        columns.setdefault(one.work_class, [None]).append(one)
    choices = [
        columns.get(number, [None])
        for number, work in enumerate(problem.classes)
        for _ in work.items
    ]
    for picked in product(*choices):
        chosen: Chosen = {}
        for column in picked:
            if column is not None:
                chosen[column] = chosen.get(column, 0) + 1
        if fits(problem, chosen):
            yield chosen


def fits(problem: TimedProblem, chosen: Chosen) -> bool:
    """No row is used beyond its room in any bucket."""
    room = problem.room.copy()
    for column, count in chosen.items():
        for row, amount in problem.option_of(column).use:
            for start, end in column.stretches:
                for bucket in range(start, end):
                    room[row, bucket] -= amount * count
    return bool((room >= 0).all())


def best_values(problem: TimedProblem) -> tuple[int, ...]:
    """Tier values of the best schedule, found by looking at all of them."""
    tiers = timed_tiers(problem)
    best: tuple[int, ...] | None = None
    for chosen in every_schedule(problem):
        signed = tuple(_signed(tier, tier.value(problem, chosen)) for tier in tiers)
        best = signed if best is None else max(best, signed)
    assert best is not None
    return tuple(_signed(tier, value) for tier, value in zip(tiers, best, strict=True))


def _signed(tier: TimedTier, value: int) -> int:
    return value if tier.sense == "max" else -value
