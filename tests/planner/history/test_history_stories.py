"""Gangs over the nights, and documents about nights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from types import ModuleType

from models.history.documents import GangStory
from models.snapshot import Snapshot
from planner.history.opening import open_history
from planner.history.store import History
from planner.history.summaries import night_details, past_nights


def two_nights(history: History, nights: Callable, made: ModuleType) -> None:
    """``now-1`` starts after the first night, ``runs-7`` is gone, ``waits`` waits in both."""
    history.record(*nights(10))
    now = replace(made.gang_of("now-1", 10, min_member=2), created=made.at(10, 18))
    waits = replace(made.gang_of("waits", 8, min_member=8), created=made.at(8, 19))
    pods = made.pods_of(now, "n1", "n1", started=made.at(10, 20, 30))
    run, plan, _ = nights(11)
    kept = tuple(
        one.model_copy(update={"created": made.at(8, 19)}) if one.name == "waits" else one
        for one in plan.gangs
        if one.name == "waits"
    )
    later = Snapshot(gangs=(now, waits), pods=tuple(pods), as_of=made.at(11))
    history.record(run, plan.model_copy(update={"gangs": kept, "schedule": None}), later)


def story(found: tuple[GangStory, ...], name: str) -> GangStory:
    (one,) = [one for one in found if one.name == name]
    return one


def test_a_gang_is_followed_from_waiting_to_running(
    url: str, nights: Callable, made: ModuleType
) -> None:
    with open_history(url) as history:
        two_nights(history, nights, made)
        found = history.gangs()
        one = story(found.gangs, "now-1")
        assert (one.now, one.nights_waited, one.recommended_on) == ("runs", 1, date(2026, 9, 10))
        assert (one.planned_start, one.started_at) == (made.at(10, 20), made.at(10, 20, 30))
        assert (one.late_s, one.waited_s, one.gpus) == (1_800, 9_000, 16)
        assert story(found.gangs, "runs-7").now == "gone"
        assert story(found.gangs, "runs-7").retries == 3
        waits = story(found.gangs, "waits")
        assert (waits.now, waits.reasons, waits.waited_s) == (
            "waits",
            ("too_large",),
            3 * 86_400 + 3_600,
        )
        assert "1 running" in found.sentence


def test_filters_choose_gangs(url: str, nights: Callable, made: ModuleType) -> None:
    with open_history(url) as history:
        two_nights(history, nights, made)
        assert {one.name for one in history.gangs(gangs=["team/waits", "other/now-1"]).gangs} == {
            "waits"
        }
        assert history.gangs(namespaces=["other"]).sentence == "No gang of this kind was seen."
        until = history.gangs(until=date(2026, 9, 10), queues=["q"])
        assert story(until.gangs, "now-1").now == "waits"
        details = night_details(history, date(2026, 9, 10), queues=["r"])
    assert [one.name for one in details.gangs] == ["runs-7", "waits"]
    assert [one.name for one in details.queues] == ["r"]
    assert details.adoption is not None
    assert details.adoption.gangs == ()
    assert details.adoption.starts == 2
    assert "Listed: 0 of 2 gangs" in details.adoption.notes[0]


def test_the_list_says_what_the_nights_hold(url: str, nights: Callable) -> None:
    with open_history(url) as history:
        assert past_nights(history, history.nights()).sentence == "No night is kept yet."
        history.record(*nights(10))
        failed = nights(11)[0].model_copy(update={"outcome": "no_plan", "error": "no time"})
        history.record(failed, None, None)
        document = past_nights(history, history.nights())
        details = night_details(history, date(2026, 9, 11))
    assert document.sentence == "2 nights, 2026-09-10 to 2026-09-11; 1 without a plan."
    assert document.database == history.name
    assert details.adoption is None
    assert not details.has_plan
