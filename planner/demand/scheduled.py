"""The gangs of a schedule as occupants of a pool, bucket by bucket, for the return proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from models.lending import LendingLimits
from models.schedule import Schedule, ScheduledGang
from planner.demand.grace import GraceGain, grace_gains
from planner.demand.occupants import Occupant
from planner.demand.returns import BucketReturn, return_proof


@dataclass(frozen=True)
class PoolReturns:
    """Loans of one pool: the proof per bucket, and whose shorter grace period buys most."""

    pool: str
    proof: tuple[BucketReturn, ...]
    gains: tuple[GraceGain, ...]


def schedule_returns(schedule: Schedule) -> tuple[PoolReturns, ...]:
    """Every pool of the schedule that has loan limits; empty where nothing may be lent at all."""
    limits = schedule.lending
    if limits is None:
        return ()
    return tuple(
        _pool_returns(schedule, limits, one.name, one.lent)
        for one in schedule.pools
        if limits.pool(one.name) is not None and one.lent
    )


def scheduled_occupants(schedule: Schedule, pool: str) -> tuple[tuple[Occupant, ...], ...]:
    """Who holds GPUs of a pool in each bucket, own and lent ones alike: GPUs are returned by whoever leaves.

    Work lost: what a gang did since its run began; nothing where it is saved (``stoppable``).
    """
    inside: list[list[Occupant]] = [[] for _ in range(schedule.horizon.count)]
    for gang in schedule.gangs:
        for run in gang.runs:
            if run.pool == pool:
                gpus = _gpus_in(gang, pool, run.start_bucket)
                for bucket in range(run.start_bucket, run.end_bucket):
                    ran = schedule.edges[bucket + 1] - schedule.edges[run.start_bucket]
                    inside[bucket].append(_occupant(gang, gpus, ran))
    return tuple(tuple(one) for one in inside)


def _pool_returns(
    schedule: Schedule, limits: LendingLimits, pool: str, lent: Sequence[int]
) -> PoolReturns:
    inside = scheduled_occupants(schedule, pool)
    waiting = [
        _occupant(gang, gang.gpus, 0)
        for gang in schedule.gangs
        if gang.status == "waits" and gang.gpus
    ]
    return PoolReturns(
        pool,
        return_proof(limits, pool, inside, lent),
        grace_gains(limits, pool, [()] * len(inside), [*_each_once(inside), *waiting], lent),
    )


def _each_once(inside: Sequence[Sequence[Occupant]]) -> list[Occupant]:
    """Every gang once, as it is at its largest."""
    found: dict[str, Occupant] = {}
    for bucket in inside:
        for one in bucket:
            if one.gang not in found or one.gpus > found[one.gang].gpus:
                found[one.gang] = one
    return list(found.values())


def _occupant(gang: ScheduledGang, gpus: int, ran_s: int) -> Occupant:
    return Occupant(
        gang.full_name,
        gpus,
        gang.grace_s,
        lost_gpu_seconds=0 if gang.stoppable else gpus * ran_s,
        evictable=gang.leaves_in_time or gang.stoppable,
    )


def _gpus_in(gang: ScheduledGang, pool: str, bucket: int) -> int:
    """GPUs of a gang in a pool: by its pods there, all of them where its runs name no pods."""
    beside = [run for run in gang.runs if run.start_bucket <= bucket < run.end_bucket]
    pods = sum(run.pods for run in beside)
    here = sum(run.pods for run in beside if run.pool == pool)
    return -(-gang.gpus * here // pods) if pods else gang.gpus
