"""Two schedules side by side: whose start moves, how much work is done, how much is lent."""

from __future__ import annotations

from models.moments import epoch_seconds
from models.part import Part
from models.plan import PlanResult
from models.schedule import ScheduledGang


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
    gangs: tuple[GangTiming, ...] = ()


def schedule_delta(base: PlanResult, plan: PlanResult) -> ScheduleDelta | None:
    """What the schedules of two documents do differently; None where one has none."""
    one, other = base.schedule, plan.schedule
    if one is None or other is None:
        return None
    old = {gang.full_name: gang for gang in one.gangs}
    new = {gang.full_name: gang for gang in other.gangs}
    both = sorted(old.keys() & new.keys())
    return ScheduleDelta(
        base_work_gpu_seconds=one.work_gpu_seconds,
        work_gpu_seconds=other.work_gpu_seconds,
        base_bound_gpu_seconds=one.fill_bound_gpu_seconds,
        bound_gpu_seconds=other.fill_bound_gpu_seconds,
        base_starts=sum(gang.status == "starts" for gang in one.gangs),
        starts=sum(gang.status == "starts" for gang in other.gangs),
        base_delay_s=sum(old[name].delay_s for name in both),
        delay_s=sum(new[name].delay_s for name in both),
        base_lent_gpu_seconds=sum(loan.gpu_seconds for loan in one.loans),
        lent_gpu_seconds=sum(loan.gpu_seconds for loan in other.loans),
        gangs=_timings(old, new),
    )


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
