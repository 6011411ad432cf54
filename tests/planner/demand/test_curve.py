from __future__ import annotations

import sys

import pytest

from models.demand import DemandSamples
from models.findings import UsageError
from models.horizon import bucket_grid
from models.policy_lending import DemandProfile, DemandWindow
from planner.demand.curve import ServiceInput, service_curve
from planner.demand.rules import LendingRules

DAY, HOUR = 86_400, 3600
NOW = 1_787_529_600 + 20 * HOUR  # a Monday, 20:00 UTC
RULES = LendingRules()


def _horizon(hours=24):
    return bucket_grid(NOW, hours * HOUR)


def _past(days=8):
    seconds = range(NOW - days * DAY, NOW, HOUR)
    return DemandSamples(
        "a", tuple(seconds), tuple(40 if 8 <= s // HOUR % 24 < 20 else 4 for s in seconds)
    )


def _at(curve, horizon, hours_ahead):
    return curve.held[horizon.bucket_at(NOW + int(hours_ahead * HOUR))]


def test_measurements_make_a_forecast_with_the_morning_in_it():
    horizon = _horizon()
    found = service_curve(ServiceInput("a", 10, samples=_past()), horizon, RULES)
    assert found.origin == "history"
    assert found.owned == 40
    assert _at(found, horizon, 5) <= 8
    assert _at(found, horizon, 14) == 40
    assert len(found.held) == horizon.count
    assert all(a <= b <= c for a, b, c in zip(found.expected, found.held, found.surge, strict=True))


def test_what_is_announced_is_a_floor():
    horizon = _horizon()
    past = _past()
    event = DemandSamples("a", (*past.seconds, NOW + 3 * HOUR, NOW + 4 * HOUR), (*past.gpus, 30, 0))
    found = service_curve(ServiceInput("a", 10, samples=event), horizon, RULES)
    assert _at(found, horizon, 3.5) == 30
    assert _at(found, horizon, 2.5) <= 8
    assert _at(found, horizon, 5) <= 8


def test_only_announced_demand_is_taken_as_it_is():
    horizon = _horizon(4)
    future = DemandSamples("a", (NOW, NOW + HOUR, NOW + 2 * HOUR), (3, 9, 5))
    found = service_curve(ServiceInput("a", 1, samples=future), horizon, RULES)
    assert found.origin == "announced"
    assert found.owned == 9
    assert [_at(found, horizon, hour + 0.5) for hour in range(4)] == [3, 9, 5, 5]
    assert "without any margin" in found.notes[0]


def test_before_the_first_announced_value_everything_is_kept():
    horizon = _horizon(4)
    future = DemandSamples("a", (NOW + 2 * HOUR, NOW + 3 * HOUR), (9, 5))
    found = service_curve(ServiceInput("a", 1, samples=future), horizon, RULES)
    assert [_at(found, horizon, hour + 0.5) for hour in range(4)] == [9, 9, 9, 5]
    assert "before its first value" in found.notes[0]


def test_a_file_about_another_time_says_nothing():
    far = DemandSamples("a", (NOW + 90 * HOUR,), (9,))
    found = service_curve(ServiceInput("a", 4, samples=far), _horizon(4), RULES)
    assert (found.origin, found.owned, set(found.held)) == ("replicas", 4, {4})
    assert "begins after this time" in found.notes[0]


def test_a_short_history_gives_way_to_what_is_announced():
    """A file of today and tomorrow: the evening's peak so far must not keep the night from being lent."""
    horizon = _horizon()
    seconds = range(NOW - 20 * HOUR, NOW + 24 * HOUR, HOUR)
    gpus = tuple(40 if 8 <= s // HOUR % 24 < 22 else 4 for s in seconds)
    found = service_curve(
        ServiceInput("a", 0, samples=DemandSamples("a", tuple(seconds), gpus)), horizon, RULES
    )
    assert found.origin == "history"
    assert [_at(found, horizon, hour + 0.5) for hour in (0, 1, 2, 6, 11, 12, 20)] == [
        40, 40, 4, 4, 4, 40, 40
    ]  # fmt: skip
    assert any("taken without margin" in note for note in found.notes)


def test_a_profile_then_the_pods_of_now():
    horizon = _horizon(12)
    profile = DemandProfile(gpus=20, windows=(DemandWindow(window="22:00-06:00", gpus=2),))
    found = service_curve(ServiceInput("a", 7, guarantee_gpus=5, profile=profile), horizon, RULES)
    assert (found.origin, found.owned) == ("profile", 20)
    assert _at(found, horizon, 1) == 20
    assert _at(found, horizon, 3) == 5  # the guarantee
    pods = service_curve(ServiceInput("a", 7), horizon, RULES)
    assert (pods.origin, pods.owned, set(pods.held)) == ("replicas", 7, {7})


def test_reserved_gpus_bound_what_is_held():
    found = service_curve(
        ServiceInput("a", 7, reserved_gpus=30, samples=_past()), _horizon(), RULES
    )
    assert found.owned == 30
    assert max(found.held) == 30


def test_old_measurements_are_told(waves):
    old = _past()
    late = DemandSamples("a", tuple(s - 10 * HOUR for s in old.seconds), old.gpus)
    horizon = _horizon()
    found = service_curve(ServiceInput("a", 0, samples=late), horizon, RULES)
    assert any("10.0 h old" in note for note in found.notes)
    assert len(found.held) == horizon.count


@pytest.mark.parametrize("timezone", ["UTC", "Europe/Berlin"])
def test_an_old_recording_keeps_its_times_of_day(timezone):
    """Two winters ago: weeks are moved by the local clock, so the morning stays where it was."""
    horizon = bucket_grid(NOW, 24 * HOUR, timezone=timezone)
    old = _past()
    winter = 6 * 30 * DAY + 365 * DAY
    seconds = tuple(one - winter for one in old.seconds)
    offset = 3600 if timezone != "UTC" else 0  # Berlin: one hour ahead in winter, two in summer
    gpus = tuple(40 if 8 <= (s + offset) // HOUR % 24 < 20 else 4 for s in seconds)
    found = service_curve(
        ServiceInput("a", 0, samples=DemandSamples("a", seconds, gpus)), horizon, RULES
    )
    assert "days old" in found.notes[0]
    for hour in range(24):
        local = (NOW + hour * HOUR + HOUR // 2 + (2 * offset)) // HOUR % 24
        if local in (10, 12, 15):
            assert _at(found, horizon, hour + 0.5) == 40
        if local in (0, 2, 4):
            assert _at(found, horizon, hour + 0.5) < 30


def test_the_library_is_an_option():
    pytest.importorskip("statsmodels")
    horizon = _horizon()
    rules = LendingRules(method="statsmodels")
    found = service_curve(ServiceInput("a", 0, samples=_past(4)), horizon, rules)
    assert found.forecast is not None
    assert {one.model for one in found.forecast.margins} <= {"recent", "statsmodels"}
    assert _at(found, horizon, 14) >= 30
    assert _at(found, horizon, 5) < 40


def test_a_missing_library_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "statsmodels.tsa.forecasting.theta", None)
    with pytest.raises(UsageError, match=r"gangplan\[forecast\]"):
        service_curve(
            ServiceInput("a", 0, samples=_past(4)), _horizon(), LendingRules(method="statsmodels")
        )
