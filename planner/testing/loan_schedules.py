"""A night on the GPUs of one online service, as a schedule: for tests and pictures of the loan reports."""

from __future__ import annotations

from models.demand import DemandSamples
from models.horizon import bucket_grid
from models.lending import LendingLimits
from models.schedule import Run, Schedule, ScheduledGang, ScheduledPool
from planner.demand.curve import ServiceInput, service_curve
from planner.demand.lending import lending_limits
from planner.demand.rules import LendingRules

NOW = 1_787_529_600 + 20 * 3600
"""Monday 24 August 2026, 20:00 UTC."""
POOL = "a100"
_HOUR, _DAY = 3600, 86_400


def night_limits(*, hours: int = 24, days: int = 14, timezone: str = "UTC") -> LendingLimits:
    """Limits of a service that needs 60 GPUs by day and 8 by night, with some noise and a rare burst."""
    horizon = bucket_grid(NOW, hours * _HOUR, timezone=timezone)
    seconds = range(NOW - days * _DAY, NOW, 1800)
    gpus = [_level(second) + _noise(second // 1800) for second in seconds]
    samples = DemandSamples("chat", tuple(seconds), tuple(gpus))
    rules = LendingRules()
    curve = service_curve(
        ServiceInput("chat", 40, samples=samples, reserved_gpus=72), horizon, rules
    )
    return lending_limits([curve], {"chat": {POOL: 40}}, horizon, rules)


def night_schedule(limits: LendingLimits | None = None, *, timezone: str = "UTC") -> Schedule:
    """Gangs of 4 GPUs fill what may be lent, every third one with a grace period that is too long."""
    used = limits or night_limits(timezone=timezone)
    (pool,) = used.pools
    gangs: list[ScheduledGang] = []
    lent = [0] * len(pool.lendable_gpus)
    slow = [0] * len(lent)
    for number in range(24):
        late = number % 3 == 0
        room = [
            min(most - have, (limit - held) if late else most - have) >= 4
            for most, have, limit, held in zip(
                pool.lendable_gpus, lent, pool.slow_gpus, slow, strict=True
            )
        ]
        begin, end = _longest(room)
        for bucket in range(begin, end):
            lent[bucket] += 4
            slow[bucket] += 4 if late else 0
        runs = (
            Run(pool=POOL, start_bucket=begin, end_bucket=end, starts_at="", ends_at="", pods=4),
        )
        gangs.append(
            ScheduledGang(
                namespace="eval",
                name=f"suite-{number}",
                queue="eval",
                status="starts" if end > begin else "waits",
                gpus=4,
                runs=runs if end > begin else (),
                grace_s=120 if late else 5 + number,
                leaves_in_time=not late,
                stoppable=True,
            )
        )
    return Schedule(
        edges=used.edges,
        timezone=timezone,
        gangs=tuple(gangs),
        pools=(
            ScheduledPool(
                name=POOL,
                gpus=pool.owned_gpus,
                capacity=pool.lendable_gpus,
                own=(0,) * len(lent),
                used=tuple(lent),
                lent=tuple(lent),
                slow=tuple(slow),
            ),
        ),
        lending=used,
    )


def _level(second: int) -> int:
    return 60 if 8 * _HOUR <= second % _DAY < 22 * _HOUR else 8


def _noise(step: int) -> int:
    """Up to 4 GPUs, and 20 in one step of fifty."""
    drawn = (step * 7919 + step // 48 * 104_729) % 97
    return 20 if drawn < 2 else drawn % 5


def _longest(room: list[bool]) -> tuple[int, int]:
    """The longest run of buckets with room, the first of equal ones."""
    best, begin = (0, 0), 0
    for place in range(len(room) + 1):
        if place == len(room) or not room[place]:
            if place - begin > best[1] - best[0]:
                best = (begin, place)
            begin = place + 1
    return best
