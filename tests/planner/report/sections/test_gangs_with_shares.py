"""Tables of gangs say parts of GPUs: a gang with half a GPU read as 0, and sums of starts as whole GPUs."""

from __future__ import annotations

import pytest

from models.plan import PlanResult
from planner.report.frames import gang_classes
from planner.report.frames.display import display_frame
from planner.report.plan_view import PlanView
from planner.report.sections.changes import starts_section
from planner.report.sections.waits import waits_section
from planner.report.text import counted_gpus, gpus_text
from planner.testing.by_hand import gpu_node, gpu_queue, shares, work
from planner.testing.planned_by_hand import planned


@pytest.fixture(scope="module")
def plan() -> PlanResult:
    """Two cards: one shared by two gangs, a whole one, and a gang that finds none."""
    parts = (shares("a", 1, 700), shares("b", 1, 300), work("c", 1, 1), shares("d", 1, 250))
    return planned(gpu_node("n", 2), gpu_queue("q"), *parts)


def test_gangs_that_start_and_wait(plan: PlanResult) -> None:
    starts, waits = (make(PlanView(plan), "page", 10) for make in (starts_section, waits_section))
    assert starts.lead.startswith("3 gangs with 2 GPUs can start now")
    cells = {row[0]: row for table in (*starts.tables, *waits.tables) for row in table.rows}
    assert "0.70" in cells["ml/a"]
    assert "0.25" in cells["ml/d"]
    assert waits.lead == "1 gang waits; its minimum still lacks 0.25 GPUs."
    assert "0.25" in waits.tables[0].rows[0]


def test_frames_for_a_screen_tell_parts(plan: PlanResult) -> None:
    shown = display_frame(PlanView(plan).gangs).set_index("gang")["gpus"]
    assert shown["ml/a"] == 0.7
    assert shown["ml/c"] == 1


def test_frames_without_parts_stay_whole() -> None:
    whole = planned(gpu_node("n", 2), gpu_queue("q"), work("c", 1, 1))
    assert display_frame(PlanView(whole).gangs)["gpus"].dtype == "Int64"


def test_classes_of_gangs_sum_their_parts(plan: PlanResult) -> None:
    found = gang_classes(PlanView(plan).gangs)
    assert int(found["milli_gpus_total"].sum()) == 2250


@pytest.mark.parametrize(
    ("milli", "shown"),
    [(0, "0"), (1, "<0.01"), (470, "0.47"), (1000, "1"), (1_250_500, "1,250.50")],
)
def test_parts_have_two_decimals(milli: int, shown: str) -> None:
    assert gpus_text(milli) == shown


def test_only_one_gpu_is_singular() -> None:
    assert (counted_gpus(1000), counted_gpus(500)) == ("1 GPU", "0.50 GPUs")
