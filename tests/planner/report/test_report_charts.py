from __future__ import annotations

import pytest

from planner.report.plan_view import PlanView

charts = pytest.importorskip("planner.report.charts", exc_type=ImportError)


@pytest.fixture(scope="module")
def view(medium):
    return PlanView(medium)


def values_of(chart):
    document = chart.to_dict()
    return [row for rows in document["datasets"].values() for row in rows]


def test_gpus_by_state_holds_every_gpu(view, medium):
    chart = charts.gpus_by_state(view.pools)
    rows = values_of(chart)
    assert sum(row["gpus"] for row in rows) == medium.summary.gpus_allocatable
    assert {row["state"] for row in rows} == set(charts.STATE_COLORS)
    assert chart.to_dict()["description"]


def test_queue_bars_hold_deserved_before_and_after(view):
    chart = charts.queue_bars(view.queues)
    assert len(chart.to_dict()["layer"]) == 3
    assert {"deserved_gpus", "before_gpus", "after_gpus"} <= set(values_of(chart)[0])


def test_tiers_without_a_bound_stay_in_the_chart(view):
    rows = values_of(charts.tier_gaps(view.tiers))
    assert len(rows) == len(view.tiers)
    assert sum(row["words"] == "no bound proved" for row in rows) == 3


def test_incumbents_accept_missing_bounds():
    chart = charts.incumbents([(0.1, 10, None), (2.0, 12, 13)], unit="GPUs")
    rows = values_of(chart)
    assert rows[0]["bound"] is None
    assert chart.to_dict()["layer"][0]["encoding"]["y"]["title"] == "GPUs"


def test_charts_of_an_empty_plan_can_be_made():
    from models.plan import PlanResult

    empty = PlanView(PlanResult())
    for chart in (
        charts.gpus_by_state(empty.pools),
        charts.queue_bars(empty.queues),
        charts.tier_gaps(empty.tiers),
        charts.incumbents([], unit="GPUs"),
    ):
        assert chart.to_dict()


def test_page_charts_of_an_empty_plan_can_be_made():
    from models.plan import PlanResult
    from planner.report.frames.gpu_cells import occupancy_frame

    maps = pytest.importorskip("planner.report.map_charts", exc_type=ImportError)
    empty = PlanView(PlanResult())
    for chart in (
        charts.queue_loans(empty.queues),
        charts.gpu_ladder(empty.result),
        charts.reason_bars(empty.reason_totals_by_code),
        maps.gpu_map(empty.nodes),
        maps.occupancy(occupancy_frame(empty.nodes)),
    ):
        assert charts.inked(chart).to_dict()["description"]


def test_every_word_of_a_chart_is_asked_of_the_reader(view, medium):
    def say(text):
        return f"<{text}>"

    words = {row["state"] for row in values_of(charts.gpus_by_state(view.pools, say))}
    assert words == {f"<{state}>" for state in charts.STATE_COLORS}
    ladder = charts.gpu_ladder(medium, say).to_dict()
    assert ladder["description"].startswith("<")


def test_the_map_marks_states_by_more_than_colour():
    maps = pytest.importorskip("planner.report.map_charts", exc_type=ImportError)
    marks = {state: mark for state, mark in maps.GLYPHS.items() if mark}
    assert len(set(marks.values())) == len(marks) == 3


def test_a_huge_gap_leaves_the_other_bars_readable(view):
    tiers = view.tiers.head(2).assign(
        gap=[8.0, 0.002], value=[1, 1000], bound=[9, 1002], unit="GPUs"
    )
    rows = values_of(charts.tier_gaps(tiers))
    assert [row["gap_percent"] for row in rows] == [100.0, pytest.approx(0.2)]
    assert [row["words"] for row in rows] == ["8 GPUs", "0.2 %"]
