"""Gangs that are stopped before their end, as charts, tables and text show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.nightly.run import NightFigures, NightRun
from models.schedule import Duration, Run, Schedule, ScheduledGang, ScheduledPool
from planner.report.markdown import markdown_page
from planner.report.night_run_report import summary_line
from planner.report.svg.gantt import gantt, leaves_before_end
from planner.report.tables import Figure, Report, Section

HOUR = 3600
EDGES = tuple(HOUR * index for index in range(5))


def _gang(end_bucket: int, hours: int) -> ScheduledGang:
    """Starts at once on 8 GPUs, has so many hours of work, is there until a bucket."""
    length = hours * HOUR
    at, until = "1970-01-01T00:00:00Z", f"1970-01-01T{end_bucket:02}:00:00Z"
    run = Run(
        pool="p", start_bucket=0, end_bucket=end_bucket, starts_at=at, ends_at=until, pods=1, gpus=8
    )
    return ScheduledGang(
        namespace="ns",
        name="g",
        queue="q",
        status="starts",
        gpus=8,
        duration=Duration(seconds=length, low_s=length, high_s=length, source="annotation"),
        runs=(run,),
        starts_at=at,
        ends_at=until,
        work_gpu_seconds=8 * HOUR * min(end_bucket, hours),
    )


def _schedule(gang: ScheduledGang) -> Schedule:
    flat = (8, 8, 8, 8)
    pool = ScheduledPool(
        name="p", nodes=1, gpus=8, capacity=flat, own=flat, used=flat, lent=(0, 0, 0, 0)
    )
    return Schedule(edges=EDGES, timezone="UTC", gangs=(gang,), pools=(pool,))


@pytest.mark.parametrize(
    ("end_bucket", "hours", "leaves"),
    [(2, 12, True), (2, 2, False), (4, 12, False)],
    ids=["stopped", "finished", "runs on after the horizon"],
)
def test_a_gang_that_is_stopped_has_its_own_bar(end_bucket: int, hours: int, leaves: bool) -> None:
    gang = _gang(end_bucket, hours)
    schedule = _schedule(gang)
    assert leaves_before_end(schedule, gang) is leaves
    drawn = gantt(schedule, schedule.pools[0])
    assert drawn.count("s-gap") == 1 + leaves  # once in the legend
    assert ">deadline<" in drawn


def test_a_section_of_figures_alone_is_no_heading_in_markdown() -> None:
    drawn = Section("over-time", "Over time", figures=(Figure("Use", lambda: "<svg/>"),))
    told = Section("gangs", "Gangs", lead="Two gangs start.", figures=drawn.figures)
    report = Report(
        name="x",
        title="X",
        sentence="Y.",
        document=_gang(2, 2),
        sections=lambda place, limit: (drawn, told),
        frames=dict,
    )
    page = markdown_page(report)
    assert "Over time" not in page
    assert "## Gangs\n\nTwo gangs start." in page


@pytest.mark.parametrize(("status", "said"), [("OPTIMAL", False), ("FEASIBLE", True)])
def test_the_line_of_a_night_says_what_is_proved(status: str, said: bool) -> None:
    run = NightRun(
        run_id="r",
        started_at="2026-09-15T20:00:00Z",
        night="2026-09-15",
        status=status,
        figures=NightFigures(worst_gap=0.0),
    )
    line = summary_line(run, Path("out"))
    assert "gap of GPU-hours 0 %" in line
    assert ("not proved optimal" in line) is said
