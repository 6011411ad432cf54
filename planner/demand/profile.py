"""Demand by the clock: what a profile of the policy asks for in each bucket."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from models.moments import utc_offset_s
from models.policy_lending import WEEKDAYS, DemandProfile, DemandWindow
from models.windows import DailyWindow, parse_window

_MINUTE, _DAY_MINUTES = 60, 24 * 60
_EPOCH_WEEKDAY = 3
"""1 January 1970 was a Thursday; Monday is 0."""


def profile_demand(profile: DemandProfile, edges: Sequence[int], timezone: str) -> tuple[int, ...]:
    """Most GPUs that the profile asks for in each bucket ``[edges[i], edges[i + 1])``; edges in epoch seconds.

    The clock is asked minute by minute, so windows across midnight and days on which clocks change come out right: an
    hour that does not exist asks for nothing, one that comes twice asks twice.
    """
    windows = [(parse_window(one.window), one) for one in profile.windows]
    usable = [(window, one) for window, one in windows if window is not None]
    found = []
    for begin, end in pairwise(edges):
        moments = [begin, *range(begin - begin % _MINUTE + _MINUTE, end, _MINUTE)]
        found.append(max(_asked(profile.gpus, usable, moment, timezone) for moment in moments))
    return tuple(found)


def _asked(
    base: int, windows: Sequence[tuple[DailyWindow, DemandWindow]], second: int, timezone: str
) -> int:
    minutes = (second + utc_offset_s(second, timezone)) // _MINUTE
    day, minute = divmod(minutes, _DAY_MINUTES)
    asked = [one.gpus for window, one in windows if _covers(window, one, day, minute)]
    return max(asked, default=base)


def _covers(window: DailyWindow, one: DemandWindow, day: int, minute: int) -> bool:
    if not window.contains(minute):
        return False
    began = day - 1 if window.crosses_midnight and minute < window.end else day
    return WEEKDAYS[(began + _EPOCH_WEEKDAY) % 7] in one.days
