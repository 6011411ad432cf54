"""Two schedules side by side: whose start moves, how much work is done, how much is lent."""

from __future__ import annotations

from collections.abc import Container
from math import inf

from models.moments import epoch_seconds
from models.part import Part
from models.plan import PlanResult
from models.schedule import Schedule, ScheduledGang


class GangTiming(Part):
    """A gang that starts at another time; null where it does not start within the horizon.

    ``change_s`` counts seconds later (negative: earlier); null where one of the two starts is missing.
    """

    namespace: str
    name: str
    queue: str
    gpus: int
    base_starts_at: str | None = None
    starts_at: str | None = None
    change_s: int | None = None
    runs_on: bool = False
    """Runs now and is left to run, where the base stops it and starts it again."""

    @property
    def full_name(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"


class ScheduleDelta(Part):
    """Figures of both schedules.

    Attributes
    ----------
    base_work_gpu_seconds, work_gpu_seconds
        GPU-seconds of work done within the horizon.
    base_bound_gpu_seconds, bound_gpu_seconds
        Proved most of it; null where unknown.
    base_starts, starts
        Gangs that start within the horizon.
    base_delay_s, delay_s
        Seconds that the gangs of both schedules wait, in sum.
    base_lent_gpu_seconds, lent_gpu_seconds
        GPU-seconds on loan from online services.
    compared_work_gpu_seconds
        Change of the work of gangs that run now in neither schedule, or in both to the same end. Work of the others
        says little: what is done again after a stop would count as more.
    sooner, later
        Gangs that run now in a schedule and end earlier, or later or not at all, than in the base.
    """

    base_work_gpu_seconds: int
    work_gpu_seconds: int
    base_bound_gpu_seconds: int | None = None
    bound_gpu_seconds: int | None = None
    base_starts: int = 0
    starts: int = 0
    base_delay_s: int = 0
    delay_s: int = 0
    base_lent_gpu_seconds: int = 0
    lent_gpu_seconds: int = 0
    compared_work_gpu_seconds: int = 0
    sooner: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    gangs: tuple[GangTiming, ...] = ()


def schedule_delta(base: PlanResult, plan: PlanResult) -> ScheduleDelta | None:
    """What the schedules of two documents do differently; None where one has none."""
    one, other = base.schedule, plan.schedule
    if one is None or other is None:
        return None
    old = {gang.full_name: gang for gang in one.gangs}
    new = {gang.full_name: gang for gang in other.gangs}
    both = sorted(old.keys() & new.keys())
    moved = _moved_ends(one, other)
    return ScheduleDelta(
        base_work_gpu_seconds=one.work_gpu_seconds,
        work_gpu_seconds=other.work_gpu_seconds,
        base_bound_gpu_seconds=one.fill_bound_gpu_seconds,
        bound_gpu_seconds=other.fill_bound_gpu_seconds,
        base_starts=sum(gang.status == "starts" for gang in one.gangs),
        starts=sum(gang.status == "starts" for gang in other.gangs),
        base_delay_s=sum(old[name].delay_s for name in both if name not in moved),
        delay_s=sum(new[name].delay_s for name in both if name not in moved),
        base_lent_gpu_seconds=sum(loan.gpu_seconds for loan in one.loans),
        lent_gpu_seconds=sum(loan.gpu_seconds for loan in other.loans),
        compared_work_gpu_seconds=_work(other, moved) - _work(one, moved),
        sooner=tuple(name for name, change in moved.items() if change < 0),
        later=tuple(name for name, change in moved.items() if change > 0),
        gangs=_timings(old, new),
    )


def _moved_ends(one: Schedule, other: Schedule) -> dict[str, int]:
    """Gangs that run now, not as in the base: -1 ends earlier, 1 later or never, 0 at the same time after a stop."""
    ends = [_ends(one), _ends(other)]
    running = [
        {gang.full_name: gang.ends_at for gang in schedule.gangs if gang.status == "running"}
        for schedule in (one, other)
    ]
    found = {}
    for name in sorted((running[0].keys() | running[1].keys()) & ends[0].keys() & ends[1].keys()):
        if running[0].get(name) != running[1].get(name):
            before, after = ends[0][name], ends[1][name]
            found[name] = (after > before) - (after < before)
    return found


def _ends(schedule: Schedule) -> dict[str, float]:
    """Seconds since the epoch of every gang's last end; infinite where it waits for good."""
    found: dict[str, float] = {}
    for gang in schedule.gangs:
        end = epoch_seconds(gang.ends_at or "")
        told = inf if end is None or gang.status == "waits" else float(end)
        found[gang.full_name] = max(found.get(gang.full_name, 0.0), told)
    return found


def _work(schedule: Schedule, moved: Container[str]) -> int:
    aside = sum(
        gang.work_gpu_seconds
        for gang in schedule.gangs
        if gang.status == "starts" and gang.full_name in moved
    )
    return schedule.work_gpu_seconds - aside


def _timings(
    old: dict[str, ScheduledGang], new: dict[str, ScheduledGang]
) -> tuple[GangTiming, ...]:
    """Gangs of both whose start moves, the largest delays first; new gangs last."""
    found = []
    for name, gang in new.items():
        before = old.get(name)
        if before is not None and before.starts_at == gang.starts_at:
            continue
        found.append(
            GangTiming(
                namespace=gang.namespace,
                name=gang.name,
                queue=gang.queue,
                gpus=gang.gpus,
                base_starts_at=before.starts_at if before is not None else None,
                starts_at=gang.starts_at,
                change_s=_later(before, gang),
                runs_on=gang.status == "running",
            )
        )
    found.sort(key=_order)
    return tuple(found)


def _later(before: ScheduledGang | None, gang: ScheduledGang) -> int | None:
    one = epoch_seconds(before.starts_at or "") if before is not None else None
    other = epoch_seconds(gang.starts_at or "")
    return None if one is None or other is None else other - one


def _order(one: GangTiming) -> tuple[int, int, str]:
    """No longer started first, then the largest delays, then what starts only here."""
    if one.starts_at is None:
        return 0, 0, one.full_name
    return (2, 0, one.full_name) if one.change_s is None else (1, -one.change_s, one.full_name)
