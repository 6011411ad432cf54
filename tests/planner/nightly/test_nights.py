from __future__ import annotations

import pytest

from models.moments import epoch_seconds
from models.nightly.config import Retention
from models.nightly.run import NightRun
from planner.nightly.folders import Night
from planner.nightly.nights import days_between, is_night, night_of
from planner.nightly.retention import surplus


@pytest.mark.parametrize(
    ("moment", "zone", "night"),
    [
        ("2026-09-15T20:00:00Z", "UTC", "2026-09-15"),
        ("2026-09-15T11:59:59Z", "UTC", "2026-09-14"),
        ("2026-09-15T12:00:00Z", "UTC", "2026-09-15"),
        ("2026-09-16T00:20:00Z", "UTC", "2026-09-15"),
        ("2026-09-15T03:00:00Z", "Asia/Shanghai", "2026-09-14"),
        ("2026-09-15T04:00:00Z", "Asia/Shanghai", "2026-09-15"),
        ("2026-01-01T02:00:00Z", "Europe/Berlin", "2025-12-31"),
    ],
)
def test_a_night_lasts_from_noon_to_noon_of_its_zone(moment: str, zone: str, night: str) -> None:
    assert night_of(epoch_seconds(moment) or 0, zone) == night


@pytest.mark.parametrize(("day", "hours"), [("2026-10-24", 25), ("2026-03-28", 23)])
def test_the_nights_in_which_clocks_change_are_one_night_each(day: str, hours: int) -> None:
    first = epoch_seconds(f"{day}T08:00:00Z") or 0
    names = [night_of(first + hour * 3600, "Europe/Berlin") for hour in range(40)]
    assert names == sorted(names)
    assert names.count(day) == hours


def test_names_of_nights() -> None:
    assert is_night("2026-02-28")
    assert not is_night("2026-02-30")
    assert not is_night("2026-2-3")
    assert not is_night("latest")
    assert days_between("2026-12-31", "2027-01-02") == 2


def nights(*names: str, tmp_path) -> list[Night]:
    return [Night(tmp_path / name, NightRun(night=name)) for name in names]


def gone(kept: Retention, names: list[str], tmp_path, today: str, spared: tuple[str, ...] = ()):
    found = surplus(nights(*names, tmp_path=tmp_path), kept, today=today, spared=spared)
    return [one.name for one in found]


WEEK = [f"2026-09-{day:02d}" for day in range(10, 17)]


def test_the_oldest_go_first_and_nothing_goes_by_default(tmp_path) -> None:
    assert gone(Retention(), WEEK, tmp_path, "2026-09-16") == []
    assert gone(Retention(nights=3), WEEK, tmp_path, "2026-09-16") == WEEK[:4]
    assert gone(Retention(age=86_400 * 2), WEEK, tmp_path, "2026-09-16") == WEEK[:4]
    assert gone(Retention(nights=6, age=86_400 * 2), WEEK, tmp_path, "2026-09-16") == WEEK[:4]


def test_the_newest_night_stays_whatever_its_age(tmp_path) -> None:
    assert gone(Retention(age=60), WEEK, tmp_path, "2031-01-01") == WEEK[:-1]
    assert gone(Retention(nights=1), WEEK[:1], tmp_path, "2031-01-01") == []


def test_nights_that_the_history_has_not_taken_stay(tmp_path) -> None:
    assert gone(Retention(nights=1), WEEK, tmp_path, WEEK[-1], spared=(WEEK[0],)) == WEEK[1:-1]


def test_one_night_from_the_future_makes_no_other_too_old(tmp_path) -> None:
    names = [*WEEK, "2099-01-01"]
    assert gone(Retention(age=30 * 86_400), names, tmp_path, today=WEEK[-1]) == []
