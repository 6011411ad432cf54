"""Nights that are recorded are there again, exactly, in both databases."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from models.history.rows import GangOutcome
from planner.history.errors import HistoryError
from planner.history.extract.record import record_of
from planner.history.opening import open_history
from planner.history.store import History

FIRST = date(2026, 9, 10)


def test_a_recorded_night_is_there_again_with_everything(url: str, nights: Callable) -> None:
    given = nights(10)
    with open_history(url) as history:
        history.record(*given)
    with open_history(url, create=False) as history:
        found = history.night(FIRST, with_plan=True)
    expected = record_of(*given)
    assert found == expected
    assert found.plan == given[1]
    assert found.night.figures is not None
    assert found.night.figures.work_gpu_seconds == 5_000_000_000
    assert found.queues[0].deserved.amount("memory") == 9_000 << 40
    assert found.findings[0].object == "pod/team/läuft-夜"


def test_figures_tell_what_starts_later_and_what_waits_long(url: str, nights: Callable) -> None:
    with open_history(url) as history:
        night = history.record(*nights(10))
    figures = night.figures
    assert figures is not None
    assert (figures.gangs_started, figures.gangs_started_later, figures.gangs_waiting) == (1, 1, 1)
    assert (figures.long_waits, figures.longest_wait_s) == (1, 2 * 86_400 + 3_600)
    assert (figures.loans, figures.lent_gpu_seconds, figures.lent_gpus_most) == (1, 28_800, 8)
    assert (figures.gangs_retried, figures.pod_restarts, figures.lost_gpu_seconds) == (1, 2, 60)
    assert (figures.findings_errors, figures.findings_warnings) == (0, 1)


def test_outcomes_hold_planned_times_in_utc_and_nodes(url: str, nights: Callable) -> None:
    with open_history(url) as history:
        history.record(*nights(10))
        record = history.night(FIRST)
    gangs = {one.name: one for one in record.gangs}
    assert gangs["now-1"].starts_at == "2026-09-10T20:00:00Z"
    assert gangs["now-1"].nodes == {"n1": 2}
    assert gangs["later-1"].starts_at == "2026-09-10T22:00:00Z"
    assert gangs["later-1"].pools == ("h100",)
    assert not gangs["runs-7"].recommended
    assert gangs["runs-7"].ends_at == "2026-09-10T21:00:00Z"
    assert gangs["waits"].reasons[0].data == {"gpus": 64}
    assert record.loans[0].starts_at == "2026-09-01T20:00:00Z"
    assert [one.name for one in record.sightings if one.runs] == ["runs-7"]


def test_the_same_night_again_replaces_all_of_it(url: str, nights: Callable) -> None:
    run, plan, snapshot = nights(10)
    with open_history(url) as history:
        history.record(run, plan, snapshot)
        history.record(*nights(11))
        smaller = plan.model_copy(update={"gangs": plan.gangs[:1], "schedule": None})
        again = run.model_copy(update={"run_id": "again"})
        history.record(again, smaller, snapshot)
        history.record(again, smaller, snapshot)
        assert history.night(FIRST, with_plan=True) == record_of(again, smaller, snapshot)
        assert [one.run_id for one in history.nights()] == ["again", "run-11"]
        assert len(history.night(date(2026, 9, 11)).gangs) == 4


def test_a_run_without_plan_or_snapshot_is_kept_with_its_error(url: str, nights: Callable) -> None:
    run, _, snapshot = nights(10)
    failed = run.model_copy(update={"outcome": "no_plan", "exit_code": 5, "error": "no time"})
    with open_history(url) as history:
        history.record(failed, None, snapshot)
        record = history.night(FIRST, with_plan=True)
        assert (record.night.exit_code, record.night.error) == (5, "no time")
        assert record.night.figures is record.plan is None
        assert len(record.sightings) == 2
        history.record(failed.model_copy(update={"night": ""}), None, None)
        assert history.night(FIRST).sightings == ()


def test_the_last_nights_come_oldest_first(url: str, nights: Callable) -> None:
    with open_history(url) as history:
        for day in (12, 10, 11, 13):
            history.record(*nights(day))
        assert _days(history) == [10, 11, 12, 13]
        assert [one.night.day for one in history.nights(last=2)] == [12, 13]
        until = date(2026, 9, 12)
        assert [one.night.day for one in history.nights(since=FIRST, until=until, last=2)] == [
            11,
            12,
        ]
        trend = history.trend(2, before=date(2026, 9, 13))
    assert [one.night.day for one in trend.points] == [11, 12]
    assert trend.series("gpus_after") == ((date(2026, 9, 11), 24), (date(2026, 9, 12), 24))


def test_an_unknown_night_says_which_are_there(url: str, nights: Callable) -> None:
    with open_history(url) as history:
        with pytest.raises(HistoryError, match="holds no night yet"):
            history.night(FIRST)
        history.record(*nights(10))
        history.record(*nights(12))
        with pytest.raises(HistoryError, match="2 nights from 2026-09-10 to 2026-09-12"):
            history.night(date(2026, 9, 11))


def test_a_record_that_fails_half_way_leaves_the_earlier_one(url: str, nights: Callable) -> None:
    given = nights(10)
    record = record_of(*given)
    twice = record.model_copy(update={"gangs": (GangOutcome(namespace="a", name="b"),) * 2})
    with open_history(url) as history:
        history.keep(record)
        with pytest.raises(HistoryError):
            history.keep(twice)
        assert history.night(FIRST, with_plan=True) == record


def test_text_that_no_database_takes_is_replaced_alike(url: str, nights: Callable) -> None:
    run, plan, snapshot = nights(10)
    odd = run.model_copy(update={"sentence": "a\x00b\ud800c", "error": "tab\tü 夜 🙂"})
    with open_history(url) as history:
        history.record(odd, plan, snapshot)
        night = history.night(FIRST).night
    assert night.sentence == "a\ufffdb?c"
    assert night.error == "tab\tü 夜 🙂"


def _days(history: History) -> list[int]:
    return [one.night.day for one in history.nights()]


def test_whole_numbers_of_any_size_are_kept_exactly(url: str, nights: Callable) -> None:
    """A sum of more than 64 bits once kept its night, and every later one, out of the history."""
    run, plan, snapshot = nights(10)
    huge = (1 << 63) + 7
    summary = plan.summary.model_copy(update={"gpus_before": 3 * huge, "gpus_after": -huge - 2})
    gangs = (plan.gangs[0].model_copy(update={"gpus": huge}), *plan.gangs[1:])
    with open_history(url) as history:
        history.record(run, plan.model_copy(update={"summary": summary, "gangs": gangs}), snapshot)
        history.record(*nights(11))
        record = history.night(FIRST)
        (first, second) = history.trend(5).points
    assert record.night.figures is not None
    assert record.night.figures.gpus_before == 3 * huge
    assert first.figures is not None
    assert first.figures.gpus_after == -huge - 2
    assert second.figures is not None
    assert second.figures.gpus_before == 8
    assert {one.name: one.gpus for one in record.gangs}["now-1"] == huge
