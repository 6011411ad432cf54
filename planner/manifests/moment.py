"""A plan for now as a schedule of one bucket: what runs, what starts, and who could take the room of what starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from models.effective import EffectivePolicy
from models.gpu import gpus_in, whole_gpu_names
from models.moments import epoch_seconds, local_text
from models.plan import GangEntry, PlanResult, PodGroupEntry
from models.resources import Resources, total_of
from models.schedule import (
    Run,
    Schedule,
    ScheduledGang,
    ScheduledPool,
    ScheduledQueue,
    ScheduleStatus,
)
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.manifests.early_starts import EarlyStart, first_served, gpus_in_pool
from planner.manifests.night import Moment
from planner.manifests.room import Room

AFTERWARDS = Moment("once the gangs of the plan run", "after")
UNKNOWN_NOW = Moment("now", "now")
"""The export tells no time."""


def moments_of(schedule: Schedule, result: PlanResult) -> Mapping[int, Moment]:
    """Words for the edges of the one bucket that are no time of day."""
    found = {schedule.edges[-1]: AFTERWARDS}
    if epoch_seconds(result.snapshot.as_of) is None:
        found[schedule.edges[0]] = UNKNOWN_NOW
    return found


def schedule_of(snapshot: Snapshot, result: PlanResult, policy: EffectivePolicy) -> Schedule:
    """The plan over one bucket, which begins now and ends once the plan's gangs run.

    GPUs are whole ones, summed per pool from the pods that run after the plan.
    """
    start = epoch_seconds(result.snapshot.as_of) or 0
    edges, zone = (start, start + 1), policy.policy.timezone
    names = whole_gpu_names(policy.policy.gpu_models)
    pool = {node.name: node.pool for node in result.nodes}
    times = tuple(local_text(second, zone) for second in edges)
    gangs = []
    for entry in result.gangs:
        gang = snapshot.gang_by_name.get(entry.full_name)
        if gang is not None:
            gangs.append(_gang(entry, gang, snapshot, names, pool, times))
    return Schedule(
        edges=edges,
        timezone=zone,
        gangs=tuple(gangs),
        pools=_pools(result, names),
        queues=tuple(
            ScheduledQueue(
                name=one.name,
                used=(gpus_in(one.after, names),),
                limit=(gpus_in(one.limit, names) if _limited(one.limit, names) else None,),
            )
            for one in result.queues
        ),
    )


def _limited(limit: Resources, names: Iterable[str]) -> bool:
    return any(name in limit for name in names)


def _pools(result: PlanResult, names: tuple[str, ...]) -> tuple[ScheduledPool, ...]:
    """GPUs of pools without the free ones of nodes that take no pods."""
    open_, used = Counter[str](), Counter[str]()
    for node in result.nodes:
        held = gpus_in(node.after, names)
        open_[node.pool] += held if node.conditions else gpus_in(node.allocatable, names)
        used[node.pool] += held
    return tuple(
        ScheduledPool(name=name, gpus=most, own=(most,), used=(used[name],), online=(0,))
        for name, most in sorted(open_.items())
        if most
    )


def _gang(
    entry: GangEntry,
    gang: Gang,
    snapshot: Snapshot,
    names: tuple[str, ...],
    pool: Mapping[str, str],
    times: tuple[str, ...],
) -> ScheduledGang:
    """What of it runs after the plan, by pool; of a gang that receives pods what these take."""
    grows = entry.decision in ("start", "grow")
    held = [
        (one, _request(one, gang, snapshot))
        for one in entry.pods
        if one.action != "evict" and one.node
    ]
    by_pool = Counter[str]()
    for one, request in held:
        if one.action == "place" or not grows:
            by_pool[pool.get(one.node or "", "")] += gpus_in(request, names)
    waits = entry.decision == "wait" and not held
    status: ScheduleStatus = "starts" if grows else "waits" if waits else "running"
    return ScheduledGang(
        namespace=entry.namespace,
        name=entry.name,
        queue=entry.queue,
        priority=entry.priority,
        status=status,
        gpus=entry.gpus if waits else sum(by_pool.values()),
        requests=_asked(gang, snapshot) if waits else total_of(request for _, request in held),
        runs=tuple(
            Run(
                pool=name,
                start_bucket=0,
                end_bucket=1,
                starts_at=times[0],
                ends_at=times[1],
                gpus=gpus,
            )
            for name, gpus in sorted(by_pool.items())
        ),
        reasons=entry.reasons if waits else (),
    )


def _request(group: PodGroupEntry, gang: Gang, snapshot: Snapshot) -> Resources:
    """What pods of one group ask for together."""
    found = [
        snapshot.pod_by_name[name].spec.request
        for name in group.names
        if name in snapshot.pod_by_name
    ]
    template = gang.template(group.role)
    missing = group.count - len(found)
    if missing and template is not None:
        found.append(template.spec.request.times(missing))
    return total_of(found)


def _asked(gang: Gang, snapshot: Snapshot) -> Resources:
    """What its pods ask for that do not run, those of templates where it has none."""
    pods = [pod.spec.request for pod in snapshot.pods_of(gang) if pod.pending]
    return total_of(pods or [one.spec.request.times(one.replicas) for one in gang.templates])


def rivals(room: Room) -> Mapping[str, EarlyStart]:
    """Waiting gangs that the scheduler could start in place of one that the plan starts, by full name.

    GPUs are counted by pool and by queue: a gang that would not fit the nodes may be named too. What is idle beside the
    plan tempts nobody, because no waiting gang fits there.
    """
    found = {}
    for gang in room.schedule.gangs:
        if gang.status == "waits" and gang.gpus:
            early = _rival(room, gang)
            if early is not None:
                found[gang.full_name] = early
    return found


def _rival(room: Room, gang: ScheduledGang) -> EarlyStart | None:
    names = room.pools.get(gang.full_name, ())
    for name in names:
        others = [one for one in room.starting.get((name, 0), ()) if not first_served(one, gang)]
        idle = room.idle[name][0] + sum(gpus_in_pool(one, name, 0) for one in others)
        if others and idle >= gang.gpus and _quota(room, gang, others):
            return EarlyStart(0, name, idle, ahead_of=others[0].full_name)
    return None


def _quota(room: Room, gang: ScheduledGang, others: Iterable[ScheduledGang]) -> bool:
    """Its queues have room for it once the others are not there."""
    for name in room.above.get(gang.queue, ()):
        queue = room.limits.get(name)
        limit = queue.limit[0] if queue is not None and queue.limit else None
        if queue is None or limit is None:
            continue
        freed = sum(one.gpus for one in others if name in room.above.get(one.queue, ()))
        if queue.used[0] - freed + gang.gpus > limit:
            return False
    return True
