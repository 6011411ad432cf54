from __future__ import annotations

from datetime import UTC, datetime

import pytest

from models.policy_lending import DemandProfile, DemandWindow
from planner.demand.profile import profile_demand


def _edges(start: str, hours: int) -> list[int]:
    first = int(datetime.fromisoformat(start).timestamp())
    return [first + 3600 * hour for hour in range(hours + 1)]


NIGHT = DemandProfile(gpus=50, windows=(DemandWindow(window="22:00-06:00", gpus=5),))


def test_a_window_across_midnight_is_one_night():
    found = profile_demand(NIGHT, _edges("2026-08-20T20:00:00+00:00", 12), "UTC")
    assert found == (50, 50, *[5] * 8, 50, 50)


def test_the_window_follows_the_time_zone():
    found = profile_demand(NIGHT, _edges("2026-08-20T18:00:00+00:00", 12), "Europe/Berlin")
    assert found == (50, 50, *[5] * 8, 50, 50)  # 22:00 in Berlin is 20:00 in UTC


@pytest.mark.parametrize(
    ("date", "length"), [("2026-10-24", 9), ("2026-03-28", 7), ("2026-08-20", 8)]
)
def test_the_night_of_a_clock_change_is_longer_or_shorter(date, length):
    start = datetime.fromisoformat(f"{date}T12:00:00").replace(tzinfo=UTC).isoformat()
    found = profile_demand(NIGHT, _edges(start, 24), "Europe/Berlin")
    assert found.count(5) == length


def test_days_are_those_on_which_the_window_begins():
    weekend = DemandProfile(
        gpus=50, windows=(DemandWindow(window="22:00-06:00", days=("fri",), gpus=5),)
    )
    # Thursday 20:00 to Sunday 20:00
    found = profile_demand(weekend, _edges("2026-08-20T20:00:00+00:00", 72), "UTC")
    assert [hour for hour, gpus in enumerate(found) if gpus == 5] == list(range(26, 34))


def test_the_most_of_overlapping_windows_and_of_a_bucket_counts():
    profile = DemandProfile(
        gpus=1,
        windows=(
            DemandWindow(window="08:00-12:00", gpus=5),
            DemandWindow(window="11:30-13:30", gpus=9),
        ),
    )
    found = profile_demand(profile, _edges("2026-08-20T10:00:00+00:00", 5), "UTC")
    assert found == (5, 9, 9, 9, 1)
    begin = int(datetime.fromisoformat("2026-08-20T11:29:30+00:00").timestamp())
    assert profile_demand(profile, [begin, begin + 29, begin + 31], "UTC") == (5, 9)
