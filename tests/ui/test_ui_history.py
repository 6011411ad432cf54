from __future__ import annotations

import functools

import pandas as pd
import pytest

from models.nightly.run import NightRun, NightSnapshot
from planner.history.opening import open_history
from planner.problem.limits import Limits
from planner.usecases.cluster_session import open_sample
from planner.usecases.planning import make_plan
from ui.messages import Words
from ui.parts.history_words import figures_in_words


@functools.cache
def demo_plan():
    given = open_sample("demo").under({})
    return given.snapshot, make_plan(given.snapshot, given.policy, Limits(), guard=False)


def run_of(day, **values):
    given = {
        "run_id": f"run-{day}",
        "night": f"2026-09-{day}",
        "started_at": f"2026-09-{day}T20:00:00Z",
        "sentence": f"Night {day}.",
        "snapshot": NightSnapshot(as_of=f"2026-09-{day}T20:00:00Z", digest="d" * 64),
    }
    return NightRun.model_validate({**given, **values})


@pytest.fixture
def url(tmp_path):
    """Two nights with a plan, then one that failed."""
    found = f"sqlite:///{tmp_path / 'history.db'}"
    with open_history(found) as history:
        snapshot, plan = demo_plan()
        history.record(run_of(14), plan, snapshot)
        history.record(run_of(15), plan, snapshot)
        history.record(run_of(16, outcome="input_error", exit_code=3, error="no file"), None, None)
    return found


def at(start, url):
    dashboard = start(history=url)
    dashboard.open("history")
    return dashboard


def test_without_a_history_the_page_says_how_to_give_one(start):
    dashboard = start()
    dashboard.open("history")
    assert "started without a history" in dashboard.texts()
    assert "gangplan ui --history URL" in dashboard.texts()


def test_all_nights_are_listed_and_the_failed_one_is_told(start, url):
    dashboard = at(start, url)
    assert "3 nights from 2026-09-14 to 2026-09-16; 1 left no plan." in dashboard.texts()
    assert "The last run left no plan: no file" in dashboard.texts()
    nights = next(one.value for one in dashboard.app.dataframe if "outcome" in one.value)
    assert list(nights["night"]) == ["2026-09-16", "2026-09-15", "2026-09-14"]
    assert list(nights["gpus_after"].dropna()) == [68, 68]


def test_one_night_opens_on_the_page_plan_and_closes_again(start, url):
    dashboard = at(start, url)
    import datetime

    dashboard.app.selectbox(key="history-night").set_value(datetime.date(2026, 9, 15))
    dashboard.run()
    dashboard.press("history-open")
    assert "The page Plan shows the plan of this night now" in dashboard.texts()
    dashboard.open("plan")
    assert "This is the plan of the night 2026-09-15" in dashboard.texts()
    assert dashboard.metrics()["Start now (gangs)"] == "5"
    dashboard.press("past-close")
    assert "There is no plan yet" in dashboard.texts()


def test_two_nights_are_compared_and_the_same_one_twice_is_not(start, url):
    import datetime

    dashboard = at(start, url)
    first, second = datetime.date(2026, 9, 14), datetime.date(2026, 9, 15)
    dashboard.app.selectbox(key="history-before").set_value(first)
    dashboard.app.selectbox(key="history-after").set_value(second)
    dashboard.run()
    figures = next(one.value for one in dashboard.app.dataframe if "earlier" in one.value)
    assert not figures["change"].dropna().any()
    dashboard.app.selectbox(key="history-after").set_value(first)
    dashboard.run()
    assert "Choose two different nights" in dashboard.texts()


def test_planned_against_actual_says_what_was_adopted(start, url):
    import datetime

    dashboard = at(start, url)
    dashboard.app.selectbox(key="history-adopted").set_value(datetime.date(2026, 9, 14))
    dashboard.run()
    assert dashboard.metrics()["Starts adopted (gangs)"] == "0"
    fates = next(one.value for one in dashboard.app.dataframe if "next_night" in one.value)
    assert len(fates) >= 5
    dashboard.app.selectbox(key="history-adopted").set_value(datetime.date(2026, 9, 15))
    dashboard.run()
    assert "No later night kept its snapshot yet" in dashboard.texts()


def test_a_history_that_cannot_be_read_is_explained(start, tmp_path):
    path = tmp_path / "broken.db"
    path.write_bytes(b"this is no database at all" * 50)
    dashboard = at(start, f"sqlite:///{path}")
    assert dashboard.app.title[0].value == "History"
    assert dashboard.app.error[0].value


def test_an_empty_history_says_so(start, tmp_path):
    found = f"sqlite:///{tmp_path / 'empty.db'}"
    open_history(found).close()
    assert "holds no night yet" in at(start, found).texts()


def test_chinese(start, url):
    dashboard = at(start, url)
    dashboard.app.session_state["language"] = "zh"
    dashboard.run()
    assert dashboard.app.title[0].value == "历史"
    assert "3 次" in dashboard.texts()


def test_figures_of_two_nights_are_words_with_units(start, url):
    dashboard = at(start, url)
    figures = next(one.value for one in dashboard.app.dataframe if "earlier" in one.value)
    work = figures.set_index("name").loc["GPUs allocatable"]
    assert (work["earlier"], work["later"], work["change"]) == (80, 80, 0)
    assert not figures["name"].str.contains("_").any()


def test_seconds_of_nights_are_told_in_hours():
    frame = pd.DataFrame(
        {"name": ["work_gpu_seconds", "gangs"], "earlier": [7200, 3], "later": [9000, 4]}
    ).assign(change=[1800, 1])
    shown = figures_in_words(Words("zh"), frame)
    assert list(shown["change"]) == [0.5, 1]
    assert list(shown["name"]) == ["工作量（GPU 小时）", "任务组"]


def test_times_of_a_night_are_those_of_its_own_zone(start, tmp_path):
    """The policy of now may name another zone than the nights were planned in."""
    url = f"sqlite:///{tmp_path / 'berlin.db'}"
    with open_history(url) as history:
        snapshot, plan = demo_plan()
        for day in (14, 15):
            history.record(run_of(day, timezone="Europe/Berlin"), plan, snapshot)
    dashboard = at(start, url)
    texts = dashboard.texts()
    assert "Last night 2026-09-15, as of 2026-09-15 22:00:00 Europe/Berlin" in texts
    assert texts.count("Times are those of Europe/Berlin.") == 2
    dashboard.press("history-open")
    dashboard.open("plan")
    assert "Europe/Berlin; snapshot" in dashboard.texts()
