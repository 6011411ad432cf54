"""Online demand as it was read: how many GPUs each service needed when."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

DAY_SECONDS = 86_400
ANY_SERVICE = ""
"""Name of a series whose file names no service; it belongs to the only service there is."""


@dataclass(frozen=True, slots=True)
class DemandSamples:
    """Demand of one service at some moments; it holds until the next one.

    Attributes
    ----------
    service
        Name in the file, :data:`ANY_SERVICE` where the file has no such column.
    seconds
        Ascending, distinct; since the epoch, or since the start of the recording where ``relative``.
    gpus
        Whole GPUs, parts of a GPU rounded up.
    relative
        The file gives seconds from its own start, so the date is unknown and only the time of day counts.
    source
        File that it comes from, for messages.
    measured
        All of it was measured: values after the moment of the plan announce nothing and do not count.
    notes
        What a reader should know of the values: gaps, an end before now, an answer in part; sentences.
    """

    service: str
    seconds: tuple[int, ...]
    gpus: tuple[int, ...]
    relative: bool = False
    source: str = ""
    measured: bool = False
    notes: tuple[str, ...] = ()

    @property
    def most(self) -> int:
        """Highest demand in GPUs, 0 without samples."""
        return max(self.gpus, default=0)


RELATIVE_BELOW = 10 * 365 * DAY_SECONDS
"""Seconds that stay below this are no date of a running cluster (before 1980): they count from the first midnight."""


def is_relative(seconds: Iterable[int]) -> bool:
    """Whether plain numbers of a file count from the start of the recording."""
    return max(seconds, default=0) < RELATIVE_BELOW


def dated(samples: DemandSamples, now: int, zone: ZoneInfo) -> DemandSamples:
    """Samples on the calendar: second 0 of a relative recording is a local midnight, the last sample is before ``now``.

    The latest such midnight is taken. Recordings with dates stay as they are.
    """
    if not samples.relative or not samples.seconds:
        return samples
    local = datetime.fromtimestamp(now, UTC).astimezone(zone)
    today = local.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    first = today - timedelta(days=samples.seconds[-1] // DAY_SECONDS)
    if _wall(first, samples.seconds[-1], zone) >= now:
        first -= timedelta(days=1)
    # By the wall clock: 08:00 stays 08:00 on a day of 23 or 25 hours. What falls into a missing hour is left out.
    moved = [_wall(first, second, zone) for second in samples.seconds]
    kept = [place for place in range(len(moved)) if place == 0 or moved[place] > moved[place - 1]]
    return replace(
        samples,
        seconds=tuple(moved[place] for place in kept),
        gpus=tuple(samples.gpus[place] for place in kept),
        relative=False,
    )


def _wall(first: datetime, second: int, zone: ZoneInfo) -> int:
    return int((first + timedelta(seconds=second)).replace(tzinfo=zone).timestamp())


def before(samples: DemandSamples, now: int) -> DemandSamples:
    """What of measured values was known at a moment; announced ones stay."""
    if not samples.measured or not samples.seconds or samples.seconds[-1] < now:
        return samples
    kept = bisect_left(samples.seconds, now)
    return replace(samples, seconds=samples.seconds[:kept], gpus=samples.gpus[:kept])


def in_order(samples: Iterable[DemandSamples]) -> tuple[DemandSamples, ...]:
    """By service name."""
    return tuple(sorted(samples, key=lambda one: one.service))
