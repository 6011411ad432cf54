"""SQLite and PostgreSQL give the same history, whatever is asked of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from types import ModuleType
from typing import Any

from models.snapshot import Snapshot
from planner.history.opening import open_history
from planner.history.store import History
from planner.history.summaries import night_details, past_nights

NAMES = ("a-b", "a_b", "aB", "Äa", "a.b", "ab", "z", "夜", "b-10", "b-9")
"""Databases sort such names by rules of their own."""


def fill(history: History, nights: Callable, made: ModuleType, seed: int) -> None:
    """Five nights: gangs with awkward names run, end, fail and vanish; one run without a plan, one recorded twice."""
    chance = random.Random(seed)
    for day in range(10, 15):
        run, plan, _ = nights(day)
        gangs, pods = [], []
        for name in NAMES:
            gang = replace(
                made.gang_of(name, 9),
                finished=chance.random() < 0.3,
                retry_count=chance.randrange(3),
            )
            if chance.random() < 0.8:
                gangs.append(gang)
                phase = "Succeeded" if gang.finished else "Running"
                started = made.at(day, 20 - chance.randrange(20))
                ended = made.at(day, 20, 30) if gang.finished else ""
                pods += made.pods_of(
                    gang, "n1", "n2", started=started, phase=phase, finished_at=ended
                )
        snapshot = Snapshot(gangs=tuple(gangs), pods=tuple(pods), as_of=made.at(day))
        history.record(run, plan if day != 13 else None, snapshot)
        if day == 12:
            history.record(run.model_copy(update={"run_id": "again"}), plan, snapshot)


def everything(history: History) -> dict[str, Any]:
    """All that can be asked, without the name of the database."""
    nights = history.nights()
    days = [one.night for one in nights]
    return {
        "list": past_nights(history, nights).model_copy(update={"database": ""}),
        "records": [history.night(day, with_plan=True) for day in days],
        "details": [
            night_details(history, day, namespaces=["team"]).model_copy(update={"database": ""})
            for day in days
        ],
        "adopted": [history.adopted(day) for day in days],
        "by": history.adopted(days[0], by=days[-1]),
        "differences": [history.compare(a, b) for a in days[:2] for b in days[1:]],
        "gangs": history.gangs().model_copy(update={"database": ""}),
        "some": history.gangs(gangs=["team/aB", "team/夜"], since=days[2]).gangs,
        "durations": history.observed_durations(),
        "trend": history.trend(3, before=date(2026, 9, 15)),
    }


def test_both_databases_give_the_same(
    sqlite_url: str, postgresql_url: str, nights: Callable, made: ModuleType
) -> None:
    found = []
    for url in (sqlite_url, postgresql_url):
        with open_history(url) as history:
            fill(history, nights, made, seed=7)
        with open_history(url, create=False) as history:
            found.append(everything(history))
    first, second = found
    assert first["durations"].runs > 0
    assert len(first["gangs"].gangs) > len(NAMES)
    for name, told in first.items():
        assert second[name] == told, name
