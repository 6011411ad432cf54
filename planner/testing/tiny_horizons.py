"""Every schedule of a tiny horizon, from the definitions alone: what may run when, on which nodes, what it is worth.

Written from docs/schedule.md without the planner's code, in hours and GPUs, to be compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

from models.cluster import HyperNode, HyperNodeMember
from models.effective import EffectivePolicy
from models.lending import DemandCurve, LendingLimits, PoolLending
from models.queues import Queue
from models.resources import Resources
from models.snapshot import Snapshot
from models.workloads import NetworkTopology, Pod
from planner.testing.timed import GPU, cluster, hours, node, running, spec, waiting

Start = int | None


@dataclass(frozen=True)
class TinyGang:
    """A gang of pods of one size; ``where`` is its node where it runs already (one pod), ``hours`` what is left.

    With ``leaf`` all its pods stay in one leaf.
    """

    name: str
    queue: str
    pods: int
    size: int
    hours: int
    priority: int = 0
    earliest: int = 0
    where: int | None = None
    leaf: bool = False

    @property
    def gpus(self) -> int:
        """GPUs of all pods."""
        return self.pods * self.size


@dataclass(frozen=True)
class TinyHorizon:
    """Nodes (GPUs of each), gangs, and queues: weights under ``proportion``, else capabilities (None: no limit).

    ``leaf_of`` is the leaf of each node, empty without leaves. ``service`` are (node, GPUs) of the pods of an online
    service, all of one size, the oldest first; ``kept`` GPUs of it are needed in each hour, never more than it has now.
    """

    hours: int
    nodes: tuple[int, ...]
    gangs: tuple[TinyGang, ...]
    queues: Mapping[str, int | None]
    proportion: bool = False
    leaf_of: tuple[int, ...] = ()
    service: tuple[tuple[int, int], ...] = ()
    kept: tuple[int, ...] = ()

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
    for hour, there in enumerate(_service_nodes(tiny)):
        for place, gpus in there:
            free[place][hour] -= gpus
    for one in tiny.gangs:
        if one.where is not None:
            for hour in range(min(one.hours, tiny.hours)):
                free[one.where][hour] -= one.gpus
    bound = [one for one in gangs if one.name in times and one.leaf]
    for leaves in product(sorted(set(tiny.leaf_of)), repeat=len(bound)):
        leaf = {one.name: number for one, number in zip(bound, leaves, strict=True)}
        pods = [
            (one.size, times[one.name], leaf.get(one.name, -1))
            for one in gangs
            for _ in range(one.pods)
            if one.name in times
        ]
        if _put(tiny, free, sorted(pods, reverse=True), 0):
            return True
    return False


def _service_nodes(tiny: TinyHorizon) -> Iterator[list[tuple[int, int]]]:
    """Per hour the (node, GPUs) of the service's pods: the newest of the fullest node goes, and comes back there."""
    now, away = list(tiny.service), list[tuple[int, int]]()
    for hour in range(tiny.hours):
        while hour and now and sum(g for _, g in now) - now[-1][1] >= tiny.kept[hour]:
            most = max(sum(n == node for n, _ in now) for node, _ in now)
            full = [p for p in range(len(now)) if sum(n == now[p][0] for n, _ in now) == most]
            away.append(now.pop(full[-1]))
        while hour and away and sum(g for _, g in now) < tiny.kept[hour]:
            now.append(away.pop(0))
        yield list(now)


def _put(
    tiny: TinyHorizon,
    free: list[list[int]],
    pods: Sequence[tuple[int, tuple[int, int], int]],
    least: int,
) -> bool:
    """Pods one after the other; equal ones on nodes in their order."""
    if not pods:
        return True
    (size, (begin, end), leaf), rest = pods[0], pods[1:]
    end = min(end, tiny.hours)
    for place in range(least, len(free)):
        if leaf >= 0 and tiny.leaf_of[place] != leaf:
            continue
        if all(free[place][hour] >= size for hour in range(begin, end)):
            for hour in range(begin, end):
                free[place][hour] -= size
            same = bool(rest) and rest[0] == pods[0]
            done = _put(tiny, free, rest, place if same else 0)
            for hour in range(begin, end):
                free[place][hour] += size
            if done:
                return True
    return False


def _fits_empty(tiny: TinyHorizon, one: TinyGang) -> bool:
    """Whether the cluster could hold it with all work and services gone."""
    sums: dict[int, int] = {}
    for place, gpus in enumerate(tiny.nodes):
        leaf = tiny.leaf_of[place] if one.leaf else 0
        sums[leaf] = sums.get(leaf, 0) + gpus // one.size
    return max(sums.values()) >= one.pods


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
    keys: dict[str, object] = {"queue_model": model}
    if tiny.service:
        keys["services"] = [{"name": "chat", "selector": {"app": "chat"}}]
    snapshot, policy = cluster(nodes, gangs, runs, tuple(_queues(tiny)), keys)
    chat = tuple(
        Pod(
            "svc",
            f"chat-{number}",
            spec(gpus),
            node=f"n{place}",
            phase="Running",
            labels={"app": "chat"},
            started=f"2026-09-15T{10 + number:02d}:00:00Z",
        )
        for number, (place, gpus) in enumerate(tiny.service)
    )
    leaves = tuple(
        HyperNode(
            f"leaf-{leaf}",
            1,
            "",
            tuple(
                HyperNodeMember("Node", f"n{place}")
                for place, own in enumerate(tiny.leaf_of)
                if own == leaf
            ),
        )
        for leaf in sorted(set(tiny.leaf_of))
    )
    bound = {one.name for one in tiny.gangs if one.leaf}
    one_leaf = NetworkTopology("hard", highest_tier_allowed=1)
    every = tuple(
        replace(gang, topology=one_leaf) if gang.name in bound else gang for gang in snapshot.gangs
    )
    pods = tuple(sorted((*snapshot.pods, *chat), key=lambda pod: pod.full_name))
    return replace(snapshot, pods=pods, gangs=every, hyper_nodes=leaves), policy


def loan_limits(tiny: TinyHorizon) -> LendingLimits | None:
    """Limits that follow from what the service needs."""
    if not tiny.service:
        return None
    owned = sum(gpus for _, gpus in tiny.service)
    lendable = tuple(owned - kept for kept in tiny.kept)
    pool = PoolLending(pool="p", owned_gpus=owned, lendable_gpus=lendable, slow_gpus=lendable)
    curve = DemandCurve(service="chat", pool="p", forecast=tiny.kept, held=tiny.kept)
    return LendingLimits(edges=hours(tiny.hours).edges, pools=(pool,), demand=(curve,))


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
