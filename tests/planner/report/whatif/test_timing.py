"""Two schedules side by side."""

from __future__ import annotations

from typing import Any

import pytest

from models.plan import Certificate, PlanResult, Status
from models.schedule import Schedule, ScheduledGang, TimedLoan
from planner.report.whatif.build import what_if
from planner.report.whatif.outcome import scenario_outcome
from planner.report.whatif.report import what_if_report
from planner.report.whatif.timing import schedule_delta

HOUR = 3600


def _gang(name: str, hour: int | None, **more: Any) -> ScheduledGang:
    return ScheduledGang(
        namespace="ml",
        name=name,
        queue="q",
        gpus=8,
        status="waits" if hour is None else "starts",
        starts_at=None if hour is None else f"2026-11-01T{hour:02}:00:00Z",
        delay_s=(24 if hour is None else hour) * HOUR,
        **more,
    )


def _plan(*gangs: ScheduledGang, work: int, lent: int = 0) -> PlanResult:
    loan = TimedLoan(
        pool="a",
        start_bucket=0,
        end_bucket=1,
        starts_at="2026-11-01T00:00:00Z",
        returned_by="2026-11-01T06:00:00Z",
        leave_by="2026-11-01T06:00:00Z",
        gpus=8,
        gpu_seconds=lent,
    )
    return PlanResult(
        schedule=Schedule(
            edges=(0, HOUR),
            gangs=gangs,
            loans=(loan,) if lent else (),
            work_gpu_seconds=work,
            fill_bound_gpu_seconds=None if work < 0 else work + HOUR,
        )
    )


BASE = _plan(_gang("a", 0), _gang("b", 4), _gang("c", None), work=10 * HOUR, lent=HOUR)
OTHER = _plan(_gang("a", 2), _gang("b", 4), _gang("c", 6), _gang("new", 1), work=14 * HOUR)


def test_starts_work_and_loans_are_compared() -> None:
    delta = schedule_delta(BASE, OTHER)
    assert delta is not None
    assert (delta.base_starts, delta.starts) == (2, 4)
    assert (delta.base_work_gpu_seconds, delta.work_gpu_seconds) == (10 * HOUR, 14 * HOUR)
    assert delta.delay_s - delta.base_delay_s == (2 - 18) * HOUR
    assert (delta.base_lent_gpu_seconds, delta.lent_gpu_seconds) == (HOUR, 0)
    assert [(one.name, one.change_s) for one in delta.gangs] == [
        ("a", 2 * HOUR),
        ("c", None),
        ("new", None),
    ]
    lost = schedule_delta(OTHER, BASE)
    assert lost is not None
    assert next((one.name, one.starts_at) for one in lost.gangs) == ("c", None)


def test_plans_for_now_have_no_timing() -> None:
    assert schedule_delta(PlanResult(), OTHER) is None
    assert schedule_delta(BASE, PlanResult()) is None


def test_the_report_shows_what_moves() -> None:
    outcome = scenario_outcome(BASE, OTHER, name="s", scenario={}, edits=("e",))
    report = what_if_report(what_if(BASE, [outcome]))
    section = next(one for one in report.sections("page", 50) if one.anchor == "schedule")
    figures, moved = section.tables
    assert figures.rows[1][:3] == ("s", "14.0", "+4.0")
    assert figures.rows[1][5] == "16 h earlier"
    assert [row[1] for row in moved.rows] == ["ml/a", "ml/c", "ml/new"]
    assert moved.rows[1][4:] == ("not", "2026-11-01T06:00:00Z", "starts")
    assert len(report.frames()["timing"]) == 3


@pytest.mark.parametrize(
    ("work", "hour", "status", "judgement"),
    [
        (12, 4, "OPTIMAL", "better"),
        (8, 4, "OPTIMAL", "worse"),
        (10, 4, "OPTIMAL", "same"),
        (10, 2, "OPTIMAL", "better"),
        (10, 6, "OPTIMAL", "worse"),
        (12, 4, "FEASIBLE", "undecided"),
    ],
)
def test_work_then_delay_decides_once_everything_is_proved(
    work: int, hour: int, status: Status, judgement: str
) -> None:
    base = _plan(_gang("b", 4), work=10 * HOUR)
    base = base.model_copy(update={"certificate": Certificate(status="OPTIMAL")})
    plan = _plan(_gang("b", hour), work=work * HOUR)
    plan = plan.model_copy(update={"certificate": Certificate(status=status)})
    outcome = scenario_outcome(base, plan, name="s", scenario={}, edits=())
    assert outcome.verdict is not None
    assert outcome.verdict.judgement == judgement


def _running(name: str, ends: int, *, work: int) -> ScheduledGang:
    return _gang(
        name, None, ends_at=f"2026-11-01T{ends:02}:00:00Z", work_gpu_seconds=work
    ).model_copy(update={"status": "running", "delay_s": 0})


def test_a_gang_that_is_no_longer_stopped_makes_no_scenario_worse() -> None:
    again = _gang("r", 5, ends_at="2026-11-01T20:00:00Z", work_gpu_seconds=40 * HOUR)
    base = _plan(_running("r", 1, work=8 * HOUR), again, _gang("b", 4), work=50 * HOUR)
    runs_on = _running("r", 6, work=40 * HOUR)
    proved = {"certificate": Certificate(status="OPTIMAL")}
    base = base.model_copy(update=proved)
    for hour, judgement in ((4, "better"), (2, "better"), (6, "undecided")):
        plan = _plan(runs_on, _gang("b", hour), work=10 * HOUR).model_copy(update=proved)
        outcome = scenario_outcome(base, plan, name="s", scenario={}, edits=())
        assert outcome.verdict is not None
        assert outcome.verdict.judgement == judgement
        assert "1 gang that runs now ends earlier" in outcome.verdict.message
        back = scenario_outcome(plan, base, name="s", scenario={}, edits=())
        assert back.verdict is not None
        assert back.verdict.judgement == {"better": "worse"}.get(judgement, judgement)
        report = what_if_report(what_if(base, [outcome]))
        section = next(one for one in report.sections("page", 50) if one.anchor == "schedule")
        assert ("ml/r", "runs on") in {(row[1], row[5]) for row in section.tables[1].rows}
