from __future__ import annotations

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from planner.cli.values import parse_duration, parse_gap


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("60", 60),
        ("60s", 60),
        (" 90S ", 90),
        ("500ms", 0.5),
        ("2h30m", 9000),
        ("1d", 86400),
        ("1.5m", 90),
        (60.0, 60),
    ],
)
def test_a_duration_is_read_in_seconds(text: str | float, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "0", "0s", "-5s", "five", "10 s", "1h-2m", "inf", "nan", "5x", "s", "1e3"]
)
def test_other_durations_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="2h30m"):
        parse_duration(text)


@given(st.integers(0, 50), st.integers(0, 59), st.integers(1, 59))
def test_parts_of_a_duration_add_up(hours: int, minutes: int, seconds: int) -> None:
    assert parse_duration(f"{hours}h{minutes}m{seconds}s") == hours * 3600 + minutes * 60 + seconds


@pytest.mark.parametrize(
    ("text", "gap"), [("0", 0), ("0.1%", 0.001), ("1 %", 0.01), ("0.001", 0.001), (0.0, 0)]
)
def test_a_gap_is_a_ratio_or_a_percentage(text: str | float, gap: float) -> None:
    assert parse_gap(text) == pytest.approx(gap)


@pytest.mark.parametrize("text", ["", "%", "-1%", "100%", "1", "small", "nan"])
def test_other_gaps_are_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="gap"):
        parse_gap(text)
