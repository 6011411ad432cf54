from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest

from models.schedule import Schedule
from planner.demand.scheduled import schedule_returns, scheduled_occupants
from planner.report.frames.lending import (
    demand_frame,
    grace_gains_frame,
    lendable_frame,
    lending_frames,
    limits_frame,
    returns_frame,
)
from planner.report.sections.loans import loans_section
from planner.report.svg.demand_curve import demand_curve
from planner.testing.loan_schedules import POOL, night_limits, night_schedule


@pytest.fixture(scope="module")
def limits():
    return night_limits(timezone="Europe/Berlin")


@pytest.fixture(scope="module")
def schedule(limits):
    return night_schedule(limits, timezone="Europe/Berlin")


def test_without_services_the_section_says_what_to_do():
    found = loans_section(Schedule(edges=(0, 300)), "page", 10)
    assert "Name services in the policy" in found.lead
    assert found.tables == ()


def test_the_section_holds_proof_table_and_advice(schedule):
    found = loans_section(schedule, "page", 100)
    assert found.lead.startswith("Services own 72 GPUs; ")
    assert "at a service level of 95%" in found.lead
    assert "none of them is returnable in time" in found.points[0]
    assert "A grace period of 29 s instead of 120 s on eval/suite-" in found.points[1]
    proof, lendable, grace, forecast = found.tables
    assert [column.heading for column in proof.columns][:4] == ["POOL", "FROM", "TO", "LENT"]
    assert all(len(row) == len(proof.columns) for row in proof.rows)
    assert len(lendable.rows) == 9
    assert {row[3] for row in lendable.rows if row[1:3] == ("30", "30")} == {"no"}
    assert grace.rows[0][3:5] == ("120", "29")
    assert [row[2] for row in forecast.rows] == ["30 min", "1 d"]
    assert all(row[0] == "chat" and row[1] == "history" for row in forecast.rows)
    assert all("to" in row[5] for row in forecast.rows)


def test_spans_cover_every_bucket_with_loans_once(schedule):
    (returns,) = schedule_returns(schedule)
    rows = loans_section(schedule, "page", 1000).tables[0].rows
    lent = [one for one in returns.proof if one.lent_gpus]
    assert 1 < len(rows) < len(lent)
    first = rows[0][1].replace(" ", "T")
    assert first == "2026-08-24T22:00"
    begins = [row[1] for row in rows]
    assert begins == sorted(set(begins))
    assert (
        sum(before[2] != after[1][11:] for before, after in pairwise(rows)) == 1
    )  # a gap without loans


def test_few_rows_show_the_least_slack_and_say_what_is_missing(schedule):
    proof = loans_section(schedule, "page", 2).tables[0]
    assert len(proof.rows) == 2
    assert "more spans with loans are not shown here" in proof.notes[1]
    slacks = [int(row[7]) for row in loans_section(schedule, "page", 1000).tables[0].rows]
    assert sorted(int(row[7]) for row in proof.rows) == sorted(slacks)[:2]


def test_the_night_is_returnable_and_counted_once(schedule, limits):
    (returns,) = schedule_returns(schedule)
    inside = scheduled_occupants(schedule, POOL)
    for one, gangs in zip(returns.proof, inside, strict=True):
        assert one.lent_gpus == sum(gang.gpus for gang in gangs)
        assert one.short_gpus == 0
        assert one.slack_s is not None
        assert one.slack_s >= 0
        quick = sum(gang.gpus for gang in gangs if gang.grace_s <= 29)
        assert one.returnable_gpus == quick
    assert any(one.surge_gpus for one in returns.proof)


def test_frames_hold_every_bucket_in_local_time(schedule, limits):
    returns = schedule_returns(schedule)
    buckets = schedule.horizon.count
    for frame in (
        demand_frame(limits, "Europe/Berlin"),
        limits_frame(limits, "Europe/Berlin"),
        returns_frame(returns, limits, "Europe/Berlin"),
    ):
        assert len(frame) == buckets
        assert frame["from"].iloc[0] == "2026-08-24T22:00:00+02:00"
        assert (frame["to"].iloc[:-1].to_numpy() == frame["from"].iloc[1:].to_numpy()).all()
    demand = demand_frame(limits, "UTC")
    assert (demand["forecast_gpus"] <= demand["held_gpus"]).all()
    assert (demand["held_gpus"] <= demand["surge_gpus"]).all()
    assert len(lendable_frame(limits)) == 9
    gains = grace_gains_frame(returns)
    assert gains["gpu_seconds"].is_monotonic_decreasing


def test_the_files_of_the_notes_are_in_the_set(schedule):
    stems = set(lending_frames(schedule))
    assert stems == {"demand", "lending", "returns", "lendable", "grace"}
    section = loans_section(schedule, "page", 1)
    named = {word for table in section.tables for note in table.notes for word in note.split()}
    assert {"returns.csv", "grace.csv"} <= named
    assert lending_frames(Schedule(edges=(0, 300))) == {}


def test_the_chart_is_well_formed_and_says_the_numbers(schedule, limits):
    lent = schedule.pools[0].lent
    markup = demand_curve(limits, limits.pools[0], "Europe/Berlin", lent)
    root = ElementTree.fromstring(markup)
    texts = [one.text for one in root.iter() if one.tag.endswith("text")]
    assert "local time, Europe/Berlin" in texts
    assert "25 Aug" in texts
    assert f"at most {max(lent)} are lent" in markup
    areas = [one for one in root.iter() if one.tag.endswith("path")]
    assert [one.get("class") for one in areas].count("s-planned") >= 1
    plain = ElementTree.fromstring(demand_curve(limits, limits.pools[0], "UTC"))
    kinds = [one.get("class") for one in plain.iter() if one.tag.endswith("path")]
    assert "s-planned" not in kinds
    lines = [one.get("class") for one in plain.iter() if one.tag.endswith("polyline")]
    assert lines == ["curve", "surge"]


def test_marks_stay_on_round_hours_where_clocks_change():
    from planner.report.svg.demand_curve import _moments

    begin = 1_792_872_000  # 2026-10-24T20:00:00Z, the night on which Berlin's clocks go back
    marks = _moments(begin, begin + 12 * 3600, "Europe/Berlin")
    words = [text for _, text in marks]
    assert words[0] == "22:00"
    assert "25 Oct" in words
    assert words.count("02:00") == 2
    assert len(marks) == 13
