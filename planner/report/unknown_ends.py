"""Running gangs whose end nobody knows: how many, and which GPUs they may hold beyond the guess."""

from __future__ import annotations

from collections.abc import Sequence

from models.schedule import Run, Schedule, ScheduledGang, ScheduledPool
from planner.report.text import counted


def unknown_ends(schedule: Schedule) -> tuple[ScheduledGang, ...]:
    """Running gangs whose end is a guess."""
    return tuple(gang for gang in schedule.gangs if gang.end_unknown)


def unknown_words(schedule: Schedule) -> str:
    """One sentence about them; "" where there are none."""
    gangs = unknown_ends(schedule)
    if not gangs:
        return ""
    gpus = sum(gang.gpus for gang in gangs)
    verb, whose = ("runs", "its") if len(gangs) == 1 else ("run", "their")
    return (
        f"{counted(len(gangs), 'gang')} with {counted(gpus, 'GPU')} {verb} for an unknown time: {whose} end is the "
        f"policy's `durations.default` after the start, doubled where that has passed. It is a guess."
    )


def _open_ended(gang: ScheduledGang) -> list[Run]:
    """Its runs without those of pods that have to leave."""
    leave = {shrink.bucket for shrink in gang.shrinks}
    return [run for run in gang.runs if run.end_bucket not in leave]


def may_be_held(schedule: Schedule, pools: Sequence[ScheduledPool]) -> tuple[int, ...]:
    """GPUs per bucket beyond those in use that running gangs hold if they go on after their guessed end.

    At most what batch work may hold then; scheduled starts count as in use, though they may have to wait for these.
    """
    found = [0] * (len(schedule.edges) - 1)
    gangs = unknown_ends(schedule)
    for pool in pools:
        longer = [0] * len(found)
        for run in (run for gang in gangs for run in _open_ended(gang) if run.pool == pool.name):
            for bucket in range(run.end_bucket, len(found)):
                longer[bucket] += run.gpus
        idle = (max(most - used, 0) for most, used in zip(pool.capacity, pool.used, strict=True))
        for bucket, gpus in enumerate(idle):
            found[bucket] += min(gpus, longer[bucket])
    return tuple(found)
