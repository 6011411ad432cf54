from __future__ import annotations

import pytest

from models.windows import DailyWindow, parse_window


@pytest.mark.parametrize(
    ("text", "window"),
    [
        ("01:00-06:00", (60, 360)),
        ("1:00 - 6:30", (60, 390)),
        (" 00:00-24:00 ", (0, 1440)),
        ("22:00-06:00", (1320, 360)),
    ],
)
def test_windows_that_can_be_read(text, window):
    assert parse_window(text) == DailyWindow(*window)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "1-2",
        "01:00",
        "01:00-",
        "24:00-25:00",
        "01:60-02:00",
        "01:00-24:01",
        "01:00-01:00",
        "01:00-02:00-03:00",
        "٠١:00-02:00",
        "-1:00-02:00",
        "x" * 10_000,
    ],
)
def test_windows_that_cannot(text):
    assert parse_window(text) is None


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("01:00-06:00", (60, 359), (0, 59, 360, 1439)),
        ("22:00-06:00", (1320, 1439, 0, 359), (360, 1319)),
        ("00:00-24:00", (0, 1439), ()),
    ],
)
def test_the_end_is_excluded_and_midnight_may_be_crossed(text, inside, outside):
    window = parse_window(text)
    assert window is not None
    assert all(window.contains(minute) for minute in inside)
    assert not any(window.contains(minute) for minute in outside)
