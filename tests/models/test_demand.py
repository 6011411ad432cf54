from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from models.demand import DAY_SECONDS, DemandSamples, dated


def _at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def test_relative_seconds_start_at_the_latest_midnight_that_keeps_them_in_the_past():
    day = DemandSamples("a", (0, 3600, 80_000), (1, 2, 3), relative=True)
    found = dated(day, _at("2026-08-20T23:00:00+02:00"), ZoneInfo("Europe/Berlin"))
    assert found.seconds[0] == _at("2026-08-20T00:00:00+02:00")
    assert not found.relative
    early = dated(day, _at("2026-08-20T08:00:00+02:00"), ZoneInfo("Europe/Berlin"))
    assert early.seconds[0] == _at("2026-08-19T00:00:00+02:00")


@pytest.mark.parametrize("now", ["2026-10-26T12:00:00+01:00", "2026-03-30T12:00:00+02:00"])
def test_relative_days_keep_their_time_of_day_where_clocks_change(now):
    zone = ZoneInfo("Europe/Berlin")
    seconds = tuple(day * DAY_SECONDS + 8 * 3600 for day in range(4))
    found = dated(DemandSamples("a", seconds, (1,) * 4, relative=True), _at(now), zone)
    clock = [datetime.fromtimestamp(one, UTC).astimezone(zone) for one in found.seconds]
    assert {one.hour for one in clock} == {8}
    assert len({one.date() for one in clock}) == 4
    assert found.seconds[-1] < _at(now)
    assert list(found.seconds) == sorted(set(found.seconds))


def test_dated_recordings_stay():
    one = DemandSamples("a", (1_700_000_000,), (1,))
    assert dated(one, 1_800_000_000, ZoneInfo("UTC")) is one
