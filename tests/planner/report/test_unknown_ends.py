"""Running gangs of unknown length are said to be that; no common end of a default is shown as a fact."""

from __future__ import annotations

from models.plan import PlanResult, Reason
from models.schedule import Duration, Schedule, Shrink
from planner.problem.limits import Limits
from planner.report.night.congestion import congestion_section, pool_loads
from planner.report.night.subject import NightSubject
from planner.report.schedule_report import schedule_figures
from planner.report.svg.gantt import gantt
from planner.report.svg.use_over_time import use_over_time
from planner.report.unknown_ends import may_be_held, unknown_words
from planner.schedule.make import ScheduleOptions, make_schedule
from planner.testing.nights_by_hand import HOUR, schedule_of, scheduled
from planner.testing.timed import cluster, node, running

GUESS = Duration(seconds=4 * HOUR, low_s=2 * HOUR, high_s=8 * HOUR, source="default")
KNOWN = Duration(seconds=2 * HOUR, low_s=2 * HOUR, high_s=2 * HOUR, source="annotation")


def _full(duration: Duration, **more: object) -> Schedule:
    """All 16 GPUs run for two of the eight hours, as far as anybody says."""
    gang = scheduled("a", (0, 2), gpus=16, status="running", duration=duration, **more)
    return schedule_of((gang,), gpus=16, online=(0,) * 8)


def _subject(schedule: Schedule) -> NightSubject:
    return NightSubject(result=PlanResult(schedule=schedule), schedule=schedule)


def test_a_full_pool_is_not_said_to_be_a_quarter_busy() -> None:
    """A full cluster had '28 % busy' because every running gang ended four hours after its start."""
    section = congestion_section(_subject(_full(GUESS)), 10)
    (row,) = section.tables[0].rows
    assert row[2] == "25.0 to 100.0"
    assert row[3] == "0.0 to 96.0"
    assert "1 more pool if gangs of unknown length go on" in section.lead
    assert any("It is a guess." in note for note in section.tables[0].notes)


def test_known_ends_and_pods_that_have_to_leave_are_facts() -> None:
    reason = Reason(code="scheduled_later", message="leaves for a service")
    leaving = _full(GUESS, reasons=(reason,))
    shrinking = _full(GUESS, shrinks=(Shrink(bucket=2, pods=("ml/a-0",)),))
    for schedule in (_full(KNOWN), leaving, shrinking):
        assert may_be_held(schedule, schedule.pools) == (0,) * 8
        (load,) = pool_loads(_subject(schedule))
        assert (load.busy, load.unknown) == (0.25, 0)
    assert unknown_words(_full(KNOWN)) == ""


def test_more_than_batch_work_may_hold_is_never_held() -> None:
    schedule = _full(GUESS)
    pool = schedule.pools[0].model_copy(update={"capacity": (16,) * 4 + (4,) * 4})
    assert may_be_held(schedule, [pool]) == (0, 0, 16, 16, 4, 4, 4, 4)


def test_charts_and_figures_say_it() -> None:
    guess, known = _full(GUESS), _full(KNOWN)
    assert "unknown length" in use_over_time(guess)
    assert "unknown length" not in use_over_time(known)
    assert "end unknown" in gantt(guess, guess.pools[0])
    assert "end unknown" not in gantt(known, known.pools[0]).replace("pale: its end is unknown", "")
    figures = {one.label: one.value for one in schedule_figures(PlanResult(schedule=guess), guess)}
    assert figures["Run, end unknown"] == "1 gang"
    labels = {one.label for one in schedule_figures(PlanResult(schedule=known), known)}
    assert "Run, end unknown" not in labels


def test_ages_tell_ends_apart_and_the_schedule_says_which_are_guesses() -> None:
    """Of two gangs of three hours the older one ends first; a third has no length at all."""
    runs = (
        running("old", 2, "3h", "n0", started="2026-09-15T18:00:00Z"),
        running("new", 2, "3h", "n0"),
        running("bare", 2, "", "n0"),
    )
    snapshot, policy = cluster((node("n0"),), (), runs)
    options = ScheduleOptions(
        horizon_s=6 * HOUR, limits=Limits(time_limit_s=20.0, workers=1, deterministic=True)
    )
    result = make_schedule(snapshot, policy, None, options, guard=False)
    assert result.schedule is not None
    ends = {gang.name: gang.ends_at for gang in result.schedule.gangs}
    assert (ends["old"], ends["new"]) == ("2026-09-15T21:00:00Z", "2026-09-15T23:00:00Z")
    assert [gang.name for gang in result.schedule.gangs if gang.end_unknown] == ["bare"]
    assert any("How long 1 running gang still" in note for note in result.schedule.notes)
