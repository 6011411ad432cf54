"""Gangs that the scheduler would start before the plan does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from models.schedule import Schedule, ScheduledGang
from planner.manifests.room import Room


@dataclass(frozen=True, slots=True)
class EarlyStart:
    """The first moment at which it could start too early.

    Attributes
    ----------
    ahead_of
        Full name of the gang whose room it would take; "" where the plan keeps the room free on purpose.
    """

    bucket: int
    pool: str
    idle_gpus: int
    ahead_of: str = ""


def early_starts(room: Room) -> Mapping[str, EarlyStart]:
    """Full name to the first early start; gangs that nothing tempts are absent.

    GPUs are counted per pool, not per node: a gang that would not fit the nodes may be named too, and holding it does
    no harm.
    """
    found = {}
    for gang in room.schedule.gangs:
        if gang.status == "running" or not gang.gpus or gang.full_name in found:
            continue
        early = _first(room, gang)
        if early is not None:
            found[gang.full_name] = early
    return found


def start_bucket(schedule: Schedule, gang: ScheduledGang) -> int:
    """First bucket in which the plan runs it; the number of buckets where it does not start."""
    return min((run.start_bucket for run in gang.runs), default=len(schedule.edges) - 1)


def _first(room: Room, gang: ScheduledGang) -> EarlyStart | None:
    for bucket in range(start_bucket(room.schedule, gang)):
        if not room.allows(gang, bucket):
            continue
        pool, idle = room.free(gang, bucket)
        if idle >= gang.gpus:
            return EarlyStart(bucket, pool, idle)
        for name in room.pools.get(gang.full_name, ()):
            rivals = room.starting.get((name, bucket), ())
            taken = sum(gpus_in_pool(one, name, bucket) for one in rivals)
            rival = next((one for one in rivals if not first_served(one, gang)), None)
            if rival is not None and room.idle[name][bucket] + taken >= gang.gpus:
                return EarlyStart(
                    bucket, name, room.idle[name][bucket] + taken, ahead_of=rival.full_name
                )
    return None


def gpus_in_pool(gang: ScheduledGang, pool: str, bucket: int) -> int:
    """GPUs of a pool that it starts on in a bucket."""
    return sum(run.gpus for run in gang.runs if run.pool == pool and run.start_bucket == bucket)


def first_served(one: ScheduledGang, other: ScheduledGang) -> bool:
    """The scheduler takes the one first for sure: the same queue and a higher priority."""
    return one.queue == other.queue and one.priority > other.priority
