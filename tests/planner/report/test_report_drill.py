from __future__ import annotations

import re

import pytest

from models.drill import DrillResult, Holder, Need
from models.effective import resolve_policy
from planner.drill.use_case import drill_question, make_drill
from planner.problem.limits import Limits
from planner.report.drill_report import drill_report
from planner.report.html_page import html_page
from planner.report.markdown import markdown_page
from planner.report.svg.curve import drill_curve
from planner.report.text import gpu_hours
from planner.samples import sample_path
from planner.usecases.inputs.inputs import read_inputs


def drilled(gpus: int) -> DrillResult:
    night = read_inputs([sample_path("night")])
    policy = resolve_policy(night)
    asked = [Need(service="online", gpus=gpus)]
    question = drill_question(asked, deadline_seconds=30, policy=policy)
    return make_drill(night, policy, question, Limits(deterministic=True, workers=1))


@pytest.fixture(scope="module")
def late() -> DrillResult:
    return drilled(24)


@pytest.fixture(scope="module")
def early() -> DrillResult:
    return drilled(12)


def test_the_page_has_every_section_and_chart(late):
    page = html_page(drill_report(late))
    for title in (
        "Who leaves",
        "GPUs back against seconds",
        "What holds the rest",
        "What would help",
        "Where the room is",
        "What was asked",
        "Method and proof",
        "Findings",
    ):
        assert f">{title}</h2>" in page
    assert page.count("<svg") == 2  # patterns and the curve
    assert "<script" not in page


def test_markdown_tells_the_same(late):
    page = markdown_page(drill_report(late))
    assert "16 of 24 GPUs" in page
    assert "| pretrain/night\\-run |" in page or "pretrain/night-run" in page


def test_the_curve_names_deadline_need_and_every_step(late):
    drawn = drill_curve(late)
    assert "deadline 30 s" in drawn
    assert "24 asked" in drawn
    assert "after 121 s 24 GPUs with this drill, 24 at most" in drawn
    [planned] = re.findall(r'<path d="(M[^"]+)" class="l-planned"', drawn)
    assert planned.count("H") == len(late.curve)


def test_in_time_says_so_and_tries_nothing(early):
    assert early.summary.sentence.startswith("In time: online has 12 GPUs back after 16 s of 30 s")
    assert early.changes == ()
    sections = drill_report(early).sections("table", 60)
    assert [one.anchor for one in sections] == ["leaving", "curve", "findings"]


def test_frames_have_one_row_per_entry(late):
    frames = drill_report(late).frames()
    for name in ("curve", "leaving", "gangs", "holders", "changes", "places", "needs"):
        assert len(frames[name]) == len(getattr(late, name)), name
    assert len(frames["tiers"]) == len(late.certificate.tiers)


def test_rows_that_are_not_shown_are_told(late):
    sections = drill_report(late).sections("page", 3)
    notes = [note for section in sections for table in section.tables for note in table.notes]
    assert any("5 more pods are not shown here; all 8 are in" in note for note in notes)


def test_names_of_the_export_are_escaped(late):
    bad = Holder(code="grace", object="<b>\x1b[31m", gpus=1, message="<script>alert(1)</script>")
    page = html_page(drill_report(late.model_copy(update={"holders": (bad,)})))
    assert "<script>" not in page
    assert "\x1b" not in page


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.0 GPU-h"),
        (59, "1 GPU-min"),
        (350, "6 GPU-min"),
        (3600, "1.0 GPU-h"),
        (5400, "1.5 GPU-h"),
    ],
)
def test_lost_work_has_a_unit(seconds, words):
    assert gpu_hours(seconds) == words
