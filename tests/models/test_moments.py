from __future__ import annotations

import pytest

from models.moments import epoch_seconds, local_text, seconds_of_duration, utc_offset_s, zone_of


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("4h30m", 16_200),
        ("90", 90),
        (90, 90),
        ("1.5h", 5400),
        ("2d", 172_800),
        ("0.2s", 1),
        ("", None),
        ("0", None),
        ("-4h", None),
        ("4x", None),
        ("4h x", None),
        (True, None),
        (None, None),
        ("1e400", None),
        ("9" * 13, None),
        (float("nan"), None),
    ],
)
def test_durations_are_whole_seconds_rounded_up(given: object, seconds: int | None) -> None:
    assert seconds_of_duration(given) == seconds


def test_moments_are_read_in_any_zone_and_shown_in_the_chosen_one() -> None:
    second = epoch_seconds("2026-08-20T22:00:00+02:00")
    assert second == epoch_seconds("2026-08-20T20:00:00Z") == epoch_seconds("2026-08-20T20:00:00")
    assert second is not None
    assert local_text(second) == "2026-08-20T20:00:00Z"
    assert local_text(second, "Europe/Berlin") == "2026-08-20T22:00:00+02:00"
    assert utc_offset_s(second, "Asia/Kolkata") == 19_800
    assert epoch_seconds("soon") is None


def test_unknown_zones_are_none() -> None:
    assert zone_of("Europe/Nowhere") is None
    assert zone_of("../etc/passwd") is None
