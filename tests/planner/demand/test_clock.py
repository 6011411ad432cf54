from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from planner.demand.clock import Clock

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe")


def _local(clock: Clock, step: int) -> datetime:
    return datetime.fromtimestamp(clock.start + step * clock.step, UTC).astimezone(
        ZoneInfo(clock.timezone)
    )


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("month", [3, 4, 10, 11])
def test_days_before_have_the_same_local_time(zone, month):
    start = int(datetime(2026, month, 1, tzinfo=UTC).timestamp())
    clock = Clock(start, 1800, zone)
    steps = np.arange(10 * 48, 20 * 48, 7)
    days = np.array([1, 2, 7])
    found = clock.days_before(steps, days)
    for row, step in enumerate(steps):
        here = _local(clock, int(step))
        for column, day in enumerate(days):
            there = _local(clock, int(found[row, column]))
            wanted = here.replace(tzinfo=None) - timedelta(days=int(day))
            assert abs(there.replace(tzinfo=None) - wanted) <= timedelta(hours=1)
            if here.utcoffset() == there.utcoffset() or not 0 <= here.hour <= 3:
                assert there.replace(tzinfo=None) == wanted


@pytest.mark.parametrize("zone", ZONES)
def test_offsets_are_those_of_the_zone(zone):
    start = int(datetime(2026, 10, 24, tzinfo=UTC).timestamp())
    clock = Clock(start, 300, zone)
    steps = np.arange(3 * 288)
    offsets = clock.offsets(steps)
    for step in steps[::5]:
        offset = _local(clock, int(step)).utcoffset()
        assert offset is not None
        assert offsets[step] == offset.total_seconds()


def test_weekdays_follow_the_local_calendar():
    start = int(datetime(2026, 8, 23, 20, tzinfo=UTC).timestamp())  # Sunday
    clock = Clock(start, 3600, "Europe/Berlin")
    assert clock.weekdays(np.arange(6)).tolist() == [6, 6, 0, 0, 0, 0]
