"""A small cluster that lives through several days: work arrives, starts, ends, and a service lends its GPUs.

Real run times differ from the announced ones by up to a quarter; most gangs follow the plan, the others start when
there is room. The service gets its GPUs first: what stands in its way is stopped and counted.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from models.cluster import Node, PriorityClass
from models.moments import epoch_seconds, local_text
from models.plan import PlanResult
from models.queues import Queue
from models.resources import CPU, MEMORY, PODS, Resources
from models.schedule import Run, ScheduledGang
from models.snapshot import Snapshot
from models.workloads import Gang, Pod, PodSpec
from planner.testing.kube_objects import kube_list

GPU, GIB, MODEL = "nvidia.com/gpu", 1 << 30, "nvidia.com/gpu.product"
ZONE = ZoneInfo("Europe/Berlin")
HOUR, STEP_S = 3600, 900
CARDS = 8
POOLS = {"train": ("H100", 12), "infer": ("L40S", 6)}
QUEUES = {"eval": 40, "pretrain": 64, "research": 24}
PRIORITIES = {"online": 1000, "normal": 500, "besteffort": 100}
SIZES = ((1, 2), (2, 2), (2, 4), (1, 8), (2, 8), (4, 8))
HOURS = (1, 2, 3, 4, 6, 9)
FOLLOWS, ARRIVALS_PER_HOUR = 0.75, 2.2


@dataclass
class Work:
    """One gang; ``left_s`` is announced, ``real_s`` is what it takes, both from its last start on."""

    queue: str
    name: str
    pods: int
    gpus: int
    pool: str
    priority: str
    created: int
    left_s: int
    real_s: int
    started: int = 0
    nodes: tuple[str, ...] = ()
    runs: list[tuple[int, int]] = field(default_factory=list)
    follows: bool = False
    own_start: int = 0

    @property
    def full_name(self) -> str:
        """``namespace/name``; the namespace is the queue's name."""
        return f"{self.queue}/{self.name}"


@dataclass
class Day:
    """What happened in 24 hours."""

    arrived: int = 0
    ended: int = 0
    followed: int = 0
    started_otherwise: int = 0
    stopped: int = 0
    taken_back: int = 0
    short_steps: int = 0


class NightCluster:
    """The state; every change is drawn from one seeded generator."""

    def __init__(self, start: int, seed: int = 7) -> None:
        self._rng = random.Random(seed)
        self._works: list[Work] = []
        self._number = 0
        for _ in range(22):
            self._arrive(start - self._rng.randrange(1, 9) * HOUR)
        for work in list(self._works)[:9]:
            self._start(work, start - HOUR, self._room(start, "train"))

    def export(self, at: int) -> str:
        """What ``kubectl get … -o json`` would print now."""
        pairs = [self._gang(work) for work in self._works]
        pairs.append(self._service(at))
        snapshot = Snapshot(
            nodes=tuple(_nodes()),
            pods=tuple(pod for _, pods in pairs for pod in pods),
            gangs=tuple(gang for gang, _ in pairs),
            queues=tuple(_queues()),
            priority_classes=tuple(
                PriorityClass(name, value) for name, value in PRIORITIES.items()
            ),
        )
        document = kube_list(snapshot)
        for item in document["items"]:
            if item["kind"] == "Node":
                for condition in item["status"]["conditions"]:
                    condition["lastHeartbeatTime"] = local_text(at)
        return json.dumps(document)

    def demand(self, at: int, days: int = 28) -> str:
        """The service's GPUs, every half hour of the last days, as CSV."""
        rows = ["time,service,gpus"]
        rows += [
            f"{local_text(second)},chat,{needed(second)}"
            for second in range(at - days * 24 * HOUR, at, HOUR // 2)
        ]
        return "\n".join(rows) + "\n"

    def live(self, at: int, plan: PlanResult) -> Day:
        """Twenty-four hours after a plan, in steps of a quarter of an hour."""
        day = Day()
        self._tell(plan, at)
        for now in range(at, at + 24 * HOUR, STEP_S):
            self._end_work(now, day)
            self._give_back(now, day)
            if self._rng.random() < ARRIVALS_PER_HOUR * STEP_S / HOUR:
                self._arrive(now)
                day.arrived += 1
            for work in self._works:
                self._maybe_start(work, now, day)
        return day

    def counts(self) -> tuple[int, int]:
        """Gangs that run, and gangs that wait."""
        running = sum(bool(work.nodes) for work in self._works)
        return running, len(self._works) - running

    def _arrive(self, now: int) -> None:
        rng = self._rng
        self._number += 1
        left = rng.choice(HOURS) * HOUR
        queue = rng.choice(list(QUEUES))
        pool = "train" if queue == "pretrain" or rng.random() < 0.75 else "infer"
        pods, gpus = rng.choice(SIZES if pool == "train" else SIZES[:-1])
        priority = "besteffort" if queue == "research" else "normal"
        real = int(left * rng.uniform(0.75, 1.25))
        name = f"job-{self._number:03d}"
        self._works.append(Work(queue, name, pods, gpus, pool, priority, now, left, real))

    def _tell(self, plan: PlanResult, at: int) -> None:
        """Gangs hear of the plan; some do not care."""
        assert plan.schedule is not None
        told = {gang.full_name: gang for gang in plan.schedule.gangs}
        for work in self._works:
            gang = told.get(work.full_name)
            work.runs = list(_runs(gang)) if gang is not None else []
            work.follows = self._rng.random() < FOLLOWS
            work.own_start = at + self._rng.randrange(1, 20) * HOUR

    def _maybe_start(self, work: Work, now: int, day: Day) -> None:
        if work.nodes:
            return
        if work.follows:
            wanted = any(start <= now < end for start, end in work.runs)
        else:
            wanted = work.pool == "train" and work.own_start <= now
        if wanted and self._start(work, now, self._room(now, work.pool)):
            day.followed += work.follows
            day.started_otherwise += not work.follows

    def _start(self, work: Work, now: int, room: dict[str, int]) -> bool:
        """Put a gang on nodes of its pool, all pods or none."""
        nodes = []
        for name in sorted(room, reverse=True):
            while room[name] >= work.gpus and len(nodes) < work.pods:
                room[name] -= work.gpus
                nodes.append(name)
        if len(nodes) < work.pods or work.pool not in nodes[0]:
            return False
        work.nodes, work.started = tuple(nodes), now
        return True

    def _end_work(self, now: int, day: Day) -> None:
        """Work that is done goes; on lent GPUs whatever reaches the end of its planned run stops."""
        for work in list(self._works):
            if not work.nodes:
                continue
            if now >= work.started + work.real_s:
                self._works.remove(work)
                day.ended += 1
            elif work.pool == "infer" and not any(start <= now < end for start, end in work.runs):
                self._stop(work, now)
                day.stopped += 1

    def _give_back(self, now: int, day: Day) -> None:
        """The service takes what it needs; the youngest work in its way is stopped."""
        while sum(self._room(now, "infer").values()) < 0:
            lent = [work for work in self._works if work.nodes and work.pool == "infer"]
            if not lent:
                day.short_steps += 1
                return
            self._stop(max(lent, key=lambda one: one.started), now)
            day.taken_back += 1

    def _stop(self, work: Work, now: int) -> None:
        """Its work so far is saved."""
        done = now - work.started
        work.left_s, work.real_s = max(work.left_s - done, 900), max(work.real_s - done, 900)
        work.nodes, work.started = (), 0

    def _room(self, now: int, pool: str) -> dict[str, int]:
        """Node to free GPUs; in the service's pool its demand comes off the first nodes."""
        room = {f"{pool}-{number:02d}": CARDS for number in range(1, POOLS[pool][1] + 1)}
        for work in self._works:
            for name in work.nodes:
                if name in room:
                    room[name] -= work.gpus
        if pool == "infer":
            left = needed(now)
            for name in sorted(room):
                taken = min(left, max(room[name], 0))
                room[name] -= taken
                left -= taken
            if left:
                room[min(room)] -= left
        return room

    def _gang(self, work: Work) -> tuple[Gang, tuple[Pod, ...]]:
        created = local_text(work.created)
        marks = {"gangplan.io/runtime": f"{work.left_s}s", "gangplan.io/checkpoint-interval": "15m"}
        gang = Gang(
            work.queue,
            work.name,
            queue=work.queue,
            min_member=work.pods,
            priority_class_name=work.priority,
            priority=PRIORITIES[work.priority],
            created=created,
            annotations=marks,
            phase="Running" if work.nodes else "Inqueue",
        )
        spec = _spec(work.gpus, work.pool, work.priority)
        pods = tuple(
            Pod(
                work.queue,
                f"{work.name}-{number}",
                spec,
                gang=gang.full_name,
                node=work.nodes[number] if work.nodes else None,
                phase="Running" if work.nodes else "Pending",
                annotations={"scheduling.k8s.io/group-name": work.name},
                created=created,
                started=local_text(work.started) if work.nodes else "",
            )
            for number in range(work.pods)
        )
        return gang, pods

    def _service(self, at: int) -> tuple[Gang, tuple[Pod, ...]]:
        """Pods of the service beside whatever was lent."""
        gang = Gang(
            "serving",
            "chat",
            queue="online",
            min_member=1,
            priority_class_name="online",
            priority=PRIORITIES["online"],
            created=local_text(at - 90 * 24 * HOUR),
            phase="Running",
        )
        spec = _spec(1, "infer", "online")
        free = self._free_for_service()
        places = [name for name in sorted(free) for _ in range(free[name])][: needed(at)]
        pods = tuple(
            Pod(
                "serving",
                f"chat-{number}",
                spec,
                gang=gang.full_name,
                node=node,
                phase="Running",
                labels={"app": "chat"},
                annotations={"scheduling.k8s.io/group-name": "chat"},
                created=local_text(at - 24 * HOUR),
                started=local_text(at - 24 * HOUR),
            )
            for number, node in enumerate(places)
        )
        return gang, pods

    def _free_for_service(self) -> dict[str, int]:
        room = {f"infer-{number:02d}": CARDS for number in range(1, POOLS["infer"][1] + 1)}
        for work in self._works:
            for name in work.nodes:
                if name in room:
                    room[name] -= work.gpus
        return room


def needed(second: int) -> int:
    """GPUs that the service needs: by local time of day, a little less at weekends, and some chance."""
    local = datetime.fromtimestamp(second, UTC).astimezone(ZONE)
    hour = local.hour + local.minute / 60
    up, down = (hour - 6) / 3, (24 - hour) / 4
    level = max(0.0, min(1.0, up, down))
    peak = 30 if local.weekday() >= 5 else 38
    noise = random.Random(second // (HOUR // 2)).choice((0, 0, 0, 1, 1, 2))
    return 6 + round((peak - 6) * level) + noise


def _runs(gang: ScheduledGang) -> Iterator[tuple[int, int]]:
    for run in gang.runs:
        start, end = _moments(run)
        yield start, end


def _moments(run: Run) -> tuple[int, int]:
    start, end = epoch_seconds(run.starts_at), epoch_seconds(run.ends_at)
    assert start is not None
    assert end is not None
    return start, end


def _spec(gpus: int, pool: str, priority: str) -> PodSpec:
    amounts = {CPU: 12_000 * gpus, MEMORY: 96 * GIB * gpus, GPU: gpus}
    return PodSpec(
        request=Resources(amounts),
        node_selector=((MODEL, POOLS[pool][0]),),
        scheduler_name="volcano",
        priority_class_name=priority,
        priority=PRIORITIES[priority],
        grace_seconds=15,
    )


def _nodes() -> Iterator[Node]:
    amounts = Resources({CPU: 126_000, MEMORY: 984 * GIB, PODS: 110, GPU: CARDS})
    for pool, (model, count) in POOLS.items():
        for number in range(1, count + 1):
            name = f"{pool}-{number:02d}"
            labels = {"kubernetes.io/hostname": name, MODEL: model}
            yield Node(name, amounts, amounts, labels=labels, conditions={"Ready": "True"})


def _queues() -> Iterator[Queue]:
    gpus = {name: CARDS * count for name, (_, count) in POOLS.items()}
    for name, deserved in QUEUES.items():
        most = Resources({GPU: sum(gpus.values()) - CARDS})
        yield Queue(name, deserved=Resources({GPU: deserved}), capability=most)
    own = Resources({GPU: gpus["infer"]})
    yield Queue("online", deserved=own, capability=own, reclaimable=False)
