from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.horizon import Horizon, bucket_grid
from models.moments import epoch_seconds, local_text

HOUR = 3600


def _at(text: str) -> int:
    found = epoch_seconds(text)
    assert found is not None
    return found


def test_buckets_are_fine_near_and_coarse_far() -> None:
    grid = bucket_grid(_at("2026-08-20T20:00:00Z"), 48 * HOUR)
    assert grid.lengths[0] == 300
    assert grid.lengths[15] == 900
    assert grid.lengths[-1] == HOUR
    assert sum(grid.lengths) == 48 * HOUR
    assert list(grid.lengths) == sorted(grid.lengths)


def test_edges_lie_on_the_local_clock_and_a_first_sliver_joins_the_next_bucket() -> None:
    grid = bucket_grid(_at("2026-08-20T20:13:00Z"), 2 * HOUR, bucket_s=900)
    assert [local_text(edge)[11:16] for edge in grid.edges[:3]] == ["20:13", "20:30", "20:45"]
    kolkata = bucket_grid(
        _at("2026-08-20T20:00:00Z"), 3 * HOUR, bucket_s=HOUR, timezone="Asia/Kolkata"
    )
    assert [local_text(edge, "Asia/Kolkata")[11:16] for edge in kolkata.edges[1:-1]] == [
        "02:00",
        "03:00",
        "04:00",
    ]


@pytest.mark.parametrize(
    ("day", "hours"), [("2026-03-28T23:00:00Z", 23), ("2026-10-24T22:00:00Z", 25)]
)
def test_a_day_on_which_clocks_change_has_23_or_25_hours(day: str, hours: int) -> None:
    grid = bucket_grid(_at(day), hours * HOUR, bucket_s=HOUR, timezone="Europe/Berlin")
    assert local_text(grid.start, "Europe/Berlin")[11:16] == "00:00"
    assert local_text(grid.end, "Europe/Berlin")[11:16] == "00:00"
    assert grid.count == hours
    assert set(grid.lengths) == {HOUR}


def test_cuts_become_edges() -> None:
    start = _at("2026-08-20T20:00:00Z")
    grid = bucket_grid(start, 4 * HOUR, bucket_s=HOUR, cuts=(start + 100, start - 5, start + 9**9))
    assert start + 100 in grid.edges
    assert grid.count == 5


def test_buckets_of_moments_and_windows() -> None:
    grid = Horizon((0, 10, 20, 40))
    assert [grid.bucket_at(second) for second in (-1, 0, 9, 10, 39, 40, 99)] == [
        -1,
        0,
        0,
        1,
        2,
        3,
        3,
    ]
    assert list(grid.overlapping(5, 20)) == [0, 1]
    assert list(grid.overlapping(-9, 1)) == [0]
    assert list(grid.overlapping(40, 50)) == []
    assert list(grid.overlapping(12, 12)) == []
    assert grid.first_from(10) == 1
    assert grid.first_from(11) == 2
    assert grid.end_bucket(10) == 1
    assert grid.end_bucket(11) == 2


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1_700_000_000, 1_800_000_000),
    st.integers(600, 9 * 86_400),
    st.sampled_from((None, 300, 900, 3600, 7200)),
    st.sampled_from(
        ("UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe")
    ),
)
def test_a_grid_covers_the_horizon_once(
    now: int, horizon_s: int, bucket_s: int | None, timezone: str
) -> None:
    grid = bucket_grid(now, horizon_s, bucket_s=bucket_s, timezone=timezone)
    assert grid.start == now
    assert grid.end == now + horizon_s
    assert all(length > 0 for length in grid.lengths)
    assert max(grid.lengths) <= 2 * (bucket_s or 3600)
