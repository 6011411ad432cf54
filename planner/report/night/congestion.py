"""Pools whose GPUs are in use most of the time, and what waits for them."""

from __future__ import annotations

from dataclasses import dataclass

from models.schedule import ScheduledPool
from planner.report.night.subject import NightSubject
from planner.report.rows import rest_note
from planner.report.tables import Column, Section, Table
from planner.report.text import counted, duration, gpu_hours, percent
from planner.report.unknown_ends import may_be_held, unknown_words

CONGESTED = 0.9
"""Share of what batch work may hold from which on a pool counts as congested."""
_COLUMNS = (
    Column("POOL", grows=True),
    Column("GPUS", "GPUs", numeric=True),
    Column("BUSY", "% for batch work", numeric=True),
    Column("IDLE", "GPU-hours", numeric=True),
    Column("FULL", "of the horizon", numeric=True),
    Column("START LATER", "gangs", numeric=True),
    Column("DELAYED", "GPU-hours", numeric=True),
)


@dataclass(frozen=True, slots=True)
class PoolLoad:
    """One pool over the horizon; amounts in GPU-seconds.

    Attributes
    ----------
    full_s
        Seconds in which nothing is idle.
    unknown
        What running gangs hold beside that if they go on after their guessed end.
    later, delayed
        Gangs that start in it later than they could, and their GPUs times the delay.
    """

    pool: ScheduledPool
    offered: int
    used: int
    full_s: int
    later: int
    delayed: int
    unknown: int = 0

    @property
    def busy(self) -> float:
        """Used part of what is offered, 0 where nothing is."""
        return self.used / self.offered if self.offered else 0.0


def pool_loads(subject: NightSubject) -> tuple[PoolLoad, ...]:
    """All pools with GPUs for batch work, the most delayed first."""
    found = [_load(subject, pool) for pool in subject.schedule.pools]
    known = [one for one in found if one.offered]
    return tuple(sorted(known, key=lambda one: (-one.delayed, -one.busy, one.pool.name)))


def _load(subject: NightSubject, pool: ScheduledPool) -> PoolLoad:
    lengths = subject.schedule.horizon.lengths
    pairs = list(zip(pool.capacity, pool.used, lengths, strict=True))
    late = [
        (gang, sum(run.gpus for run in gang.runs if run.pool == pool.name))
        for gang in subject.starts
        if gang.delay_s and any(run.pool == pool.name for run in gang.runs)
    ]
    return PoolLoad(
        pool,
        sum(most * length for most, _, length in pairs),
        sum(used * length for _, used, length in pairs),
        sum(length for most, used, length in pairs if most and used >= most),
        len(late),
        sum(gang.gpus * gang.delay_s for gang, _ in late),
        sum(n * s for n, s in zip(may_be_held(subject.schedule, [pool]), lengths, strict=True)),
    )


def _busy(one: PoolLoad) -> str:
    """Percent, a range where ends are unknown."""
    least = percent(one.used, one.offered).removesuffix(" %")
    if not one.unknown:
        return least
    return f"{least} to {percent(one.used + one.unknown, one.offered).removesuffix(' %')}"


def _idle(one: PoolLoad) -> str:
    idle = max(one.offered - one.used, 0)
    most = gpu_hours(idle).removesuffix(" GPU-h")
    if not one.unknown:
        return most
    return f"{gpu_hours(max(idle - one.unknown, 0)).removesuffix(' GPU-h')} to {most}"


def congestion_section(subject: NightSubject, limit: int) -> Section:
    """The loads, and which pools are congested."""
    loads = pool_loads(subject)
    tight = [one.pool.name for one in loads if one.busy >= CONGESTED]
    maybe = sum(
        one.busy < CONGESTED and one.used + one.unknown >= CONGESTED * one.offered for one in loads
    )
    waits = sum(gang.gpus for gang in subject.waits)
    lead = (
        f"{counted(len(tight), 'pool')} of {len(loads):,} at {CONGESTED:.0%} or more over the horizon"
        + (f": {', '.join(tight[:5])}{' …' if len(tight) > 5 else ''}." if tight else ".")
        + (
            f" {counted(maybe, 'more pool')} if gangs of unknown length go on to its end."
            if maybe
            else ""
        )
        + (f" {counted(waits, 'GPU')} of gangs find no place within it." if waits else "")
    )
    told = unknown_words(subject.schedule)
    rows = tuple(
        (
            one.pool.name,
            f"{one.pool.gpus:,}",
            _busy(one),
            _idle(one),
            duration(one.full_s) if one.full_s else "never",
            f"{one.later:,}",
            gpu_hours(one.delayed).removesuffix(" GPU-h"),
        )
        for one in loads[:limit]
    )
    return Section(
        "congestion",
        "Congested pools",
        lead=lead,
        tables=(
            Table(
                "Pools over the horizon",
                _COLUMNS,
                rows,
                empty="No pool has GPUs for batch work.",
                notes=(
                    "Busy: of the GPU-hours that batch work may hold. Full: none of them is idle. Delayed: GPUs of "
                    "gangs that start later than they could, times their delay.",
                    *((f"{told} A range shows both.",) if told else ()),
                    *rest_note(len(rows), len(loads), "pools", "tables/schedule_pools.csv"),
                ),
            ),
        ),
    )
