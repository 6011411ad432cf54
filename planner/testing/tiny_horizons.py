"""Every schedule of a tiny horizon, from the definitions alone: what may run when, on which nodes, what it is worth.

Written from docs/schedule.md without the planner's code, in hours and GPUs, to be compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from models.effective import EffectivePolicy
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from planner.testing.timed import GPU, cluster, node, running, waiting

Start = int | None


@dataclass(frozen=True)
class TinyGang:
    """A gang of pods of one size; ``where`` is its node where it runs already (one pod), ``hours`` what is left."""

    name: str
    queue: str
    pods: int
    size: int
    hours: int
    priority: int = 0
    earliest: int = 0
    where: int | None = None

    @property
    def gpus(self) -> int:
        """GPUs of all pods."""
        return self.pods * self.size


@dataclass(frozen=True)
class TinyHorizon:
    """Nodes (GPUs of each), gangs, and queues: weights under ``proportion``, else capabilities (None: no limit)."""

    hours: int
    nodes: tuple[int, ...]
    gangs: tuple[TinyGang, ...]
    queues: Mapping[str, int | None]
    proportion: bool = False

    @property
    def waiting(self) -> tuple[TinyGang, ...]:
        """Gangs that do not run yet."""
        return tuple(one for one in self.gangs if one.where is None)


@dataclass
class _Best:
    value: tuple[int, ...] | None = None
    starts: dict[str, int] = field(default_factory=dict)


def best_values(tiny: TinyHorizon) -> tuple[tuple[int, ...], dict[str, int]]:
    """Per rank from the top GPU-hours of work, then minus GPU-hours of delay, of the best schedule; and its starts."""
    able = [one for one in tiny.waiting if _fits_empty(tiny, one)]
    best = _Best()
    choices: list[list[Start]] = [[*range(one.earliest, tiny.hours), None] for one in able]
    for starts in product(*choices):
        value = _value(tiny, able, starts)
        if best.value is not None and value <= best.value:
            continue
        if is_legal(tiny, able, starts):
            best = _Best(
                value, {g.name: s for g, s in zip(able, starts, strict=True) if s is not None}
            )
    assert best.value is not None
    return best.value, best.starts


def is_legal(tiny: TinyHorizon, gangs: Sequence[TinyGang], starts: Sequence[Start]) -> bool:
    """Queues keep their limits wherever a gang starts, and all pods have their nodes for the whole of their runs."""
    times = {
        one.name: (start, start + one.hours)
        for one, start in zip(gangs, starts, strict=True)
        if start is not None
    }
    return _queues_hold(tiny, gangs, times) and _placed(tiny, gangs, times)


def _value(
    tiny: TinyHorizon, gangs: Sequence[TinyGang], starts: Sequence[Start]
) -> tuple[int, ...]:
    ranks = _ranks(gangs)
    found = []
    for rank in sorted(set(ranks.values())):
        work = delay = 0
        for one, start in zip(gangs, starts, strict=True):
            if ranks[one.name] == rank:
                begin = tiny.hours if start is None else start
                work += one.gpus * min(one.hours, tiny.hours - begin)
                delay += one.gpus * (begin - one.earliest)
        found += [work, -delay]
    return tuple(found)


def _ranks(gangs: Sequence[TinyGang]) -> dict[str, int]:
    """Position of a gang's priority among those of its queue."""
    return {
        one.name: 1
        + len({o.priority for o in gangs if o.queue == one.queue and o.priority > one.priority})
        for one in gangs
    }


def _queues_hold(
    tiny: TinyHorizon, gangs: Sequence[TinyGang], times: Mapping[str, tuple[int, int]]
) -> bool:
    for hour in range(tiny.hours):
        beginning = {one.queue for one in gangs if times.get(one.name, (-1, 0))[0] == hour}
        if not beginning:
            continue
        used: dict[str, int] = {}
        for one in tiny.gangs:
            begin, end = (0, one.hours) if one.where is not None else times.get(one.name, (0, 0))
            if begin <= hour < end:
                used[one.queue] = used.get(one.queue, 0) + one.gpus
        limits = _limits(tiny, gangs, times, hour)
        if any(limits[q] is not None and used[q] > (limits[q] or 0) for q in beginning):
            return False
    return True


def _limits(
    tiny: TinyHorizon,
    gangs: Sequence[TinyGang],
    times: Mapping[str, tuple[int, int]],
    hour: int,
) -> Mapping[str, int | None]:
    if not tiny.proportion:
        return tiny.queues
    able = {one.name for one in gangs}
    asked: dict[str, int] = {}
    for one in tiny.gangs:
        ends = one.hours if one.where is not None else times.get(one.name, (0, tiny.hours + 1))[1]
        counts = one.where is not None or (one.name in able and one.earliest <= hour)
        if hour == 0:  # now every pod counts that exists
            counts = True
        if counts and (hour < ends):
            asked[one.queue] = asked.get(one.queue, 0) + one.gpus
    return _filled(sum(tiny.nodes), asked, {q: w or 1 for q, w in tiny.queues.items()})


def _filled(total: int, asked: Mapping[str, int], weights: Mapping[str, int]) -> dict[str, int]:
    """Weighted max-min shares: queues that ask for less than their part give the rest to the others."""
    shares: dict[str, Fraction] = {}
    left, open_queues = Fraction(total), set(asked)
    while open_queues:
        part = left / sum(weights[q] for q in open_queues)
        content = {q for q in open_queues if asked[q] <= part * weights[q]}
        if not content:
            shares.update({q: part * weights[q] for q in open_queues})
            break
        for queue in content:
            shares[queue] = Fraction(asked[queue])
            left -= asked[queue]
        open_queues -= content
    return {queue: int(share) for queue, share in shares.items()}


def _placed(
    tiny: TinyHorizon, gangs: Sequence[TinyGang], times: Mapping[str, tuple[int, int]]
) -> bool:
    free = [[gpus] * tiny.hours for gpus in tiny.nodes]
    for one in tiny.gangs:
        if one.where is not None:
            for hour in range(min(one.hours, tiny.hours)):
                free[one.where][hour] -= one.gpus
    pods = [
        (one.size, times[one.name]) for one in gangs for _ in range(one.pods) if one.name in times
    ]
    return _put(free, sorted(pods, reverse=True), tiny.hours, 0)


def _put(
    free: list[list[int]], pods: Sequence[tuple[int, tuple[int, int]]], hours: int, least: int
) -> bool:
    """Pods one after the other; equal ones on nodes in their order."""
    if not pods:
        return True
    (size, (begin, end)), rest = pods[0], pods[1:]
    end = min(end, hours)
    for place in range(least, len(free)):
        if all(free[place][hour] >= size for hour in range(begin, end)):
            for hour in range(begin, end):
                free[place][hour] -= size
            same = bool(rest) and rest[0] == pods[0]
            done = _put(free, rest, hours, place if same else 0)
            for hour in range(begin, end):
                free[place][hour] += size
            if done:
                return True
    return False


def _fits_empty(tiny: TinyHorizon, one: TinyGang) -> bool:
    return sum(gpus // one.size for gpus in tiny.nodes) >= one.pods


def world(tiny: TinyHorizon) -> tuple[Snapshot, EffectivePolicy]:
    """The same as a snapshot and a policy."""
    nodes = tuple(node(f"n{place}", gpus) for place, gpus in enumerate(tiny.nodes))
    gangs = tuple(
        waiting(
            one.name,
            one.size,
            f"{one.hours}h",
            pods=one.pods,
            queue=one.queue,
            priority=one.priority,
            marks=_marks(one),
        )
        for one in tiny.waiting
    )
    runs = tuple(
        running(one.name, one.gpus, f"{one.hours}h", f"n{one.where}", queue=one.queue)
        for one in tiny.gangs
        if one.where is not None
    )
    model = "proportion" if tiny.proportion else "capacity"
    return cluster(nodes, gangs, runs, tuple(_queues(tiny)), {"queue_model": model})


def _marks(one: TinyGang) -> dict[str, str]:
    if not one.earliest:
        return {}
    hour = 20 + one.earliest
    day, hour = 15 + hour // 24, hour % 24
    return {"gangplan.io/earliest-start": f"2026-09-{day:02d}T{hour:02d}:00:00Z"}


def _queues(tiny: TinyHorizon) -> Iterator[Queue]:
    for name, amount in tiny.queues.items():
        if tiny.proportion:
            yield Queue(name, weight=amount or 1)
        else:
            yield Queue(name, capability=Resources({} if amount is None else {GPU: amount}))
