from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from models.schedule import Run, Schedule, ScheduledGang, ScheduledPool, TimedLoan
from planner.report.frames.night import (
    clock_text,
    gantt_frame,
    loan_windows_frame,
    not_starting_frame,
    starting_frame,
    use_frame,
    windows_frame,
)
from planner.report.time_axis import clock_axis

alt = pytest.importorskip("altair")

START = int(datetime(2026, 10, 24, 22, 0, tzinfo=UTC).timestamp())
"""Midnight in Berlin, three hours before clocks go back."""
HOUR = 3_600


def gang(name, status, start, end, gpus, pool="p"):
    run = Run(
        pool=pool,
        start_bucket=start,
        end_bucket=end,
        starts_at="2026-10-25T00:00:00+02:00",
        ends_at=datetime.fromtimestamp(START + end * HOUR, UTC).isoformat(),
        pods=1,
        gpus=gpus,
    )
    return ScheduledGang(
        namespace="a",
        name=name,
        queue="q",
        status=status,
        gpus=gpus,
        runs=(run,),
        starts_at=run.starts_at,
    )


@pytest.fixture
def schedule():
    pool = ScheduledPool(
        name="p",
        nodes=1,
        gpus=8,
        capacity=(4, 8, 8, 4),
        own=(4, 4, 4, 4),
        used=(2, 8, 6, 0),
        lent=(0, 4, 2, 0),
        online=(4, 0, 0, 4),
    )
    return Schedule(
        edges=tuple(START + hour * HOUR for hour in range(5)),
        timezone="Europe/Berlin",
        gangs=(
            gang("runs", "running", 0, 2, 2),
            gang("starts", "starts", 1, 3, 6),
            ScheduledGang(namespace="a", name="waits", queue="q", status="waits", gpus=64),
        ),
        pools=(pool,),
        loans=(
            TimedLoan(
                pool="p",
                start_bucket=1,
                end_bucket=3,
                starts_at="2026-10-25T01:00:00+02:00",
                returned_by="2026-10-25T02:00:00+01:00",
                leave_by="2026-10-25T02:00:00+01:00",
                gpus=4,
                gpu_seconds=6 * HOUR,
            ),
        ),
    )


def test_use_adds_up_and_is_never_above_the_bound(schedule):
    found = use_frame(schedule)
    assert list(found["running"]) == [2, 2, 0, 0]
    assert list(found["scheduled"]) == [0, 6, 6, 0]
    assert list(found["running"] + found["scheduled"]) == list(found["used"])
    assert (found["used"] <= found["bound"]).all()
    assert found["demand"].isna().all()


def test_bars_and_windows_lie_on_the_buckets(schedule):
    bars = gantt_frame(schedule, "p").set_index("gang")
    assert bars.loc["a/runs", "state"] == "running"
    assert bars.loc["a/starts", "start"] == START + HOUR
    assert bars.loc["a/starts", "end"] == START + 3 * HOUR
    windows = windows_frame(schedule, "p")
    assert windows.to_dict("records") == [
        {"start": START + HOUR, "end": START + 3 * HOUR, "gpus": 4}
    ]
    assert not len(gantt_frame(schedule, "other"))


def test_lists_hold_every_gang_once(schedule):
    assert list(starting_frame(schedule)["gang"]) == ["a/starts"]
    assert list(not_starting_frame(schedule)["gang"]) == ["a/waits"]
    loan = loan_windows_frame(schedule).iloc[0]
    assert (loan["starts_at"], loan["returned_by"]) == ("2026-10-25 01:00", "2026-10-25 02:00")


def test_labels_are_those_of_the_zone_where_clocks_change():
    axis = clock_axis(START, START + 6 * HOUR, "Europe/Berlin", title="t").to_dict()["axis"]
    labels = json.loads(axis["labelExpr"].partition(")[")[0].lstrip("("))
    texts = [labels[str(value)] for value in axis["values"]]
    assert texts == ["10-25", "01:00", "02:00", "02:00", "03:00", "04:00", "05:00"]


def test_charts_say_what_they_show(schedule):
    from planner.report.night_charts import gantt, gpus_over_time

    for chart in (gantt(schedule, "p"), gpus_over_time(schedule)):
        assert chart.to_dict()["description"]
    assert clock_text(None) == ""
