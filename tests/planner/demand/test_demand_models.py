from __future__ import annotations

import numpy as np
import pytest

from planner.demand.forecast import own_models
from planner.demand.recent import RecentLevel, SeasonShift
from planner.demand.replays import Replays
from planner.demand.seasonal import SeasonalQuantiles
from planner.demand.widest import WidestOf


@pytest.mark.parametrize("lead", [1, 5, 24])
def test_nothing_after_the_origin_is_used(waves, history_of, lead):
    history = waves(23)
    cut = 21 * 24 + 12
    changed = history_of([*history.gpus[:cut].tolist(), *([999] * (history.count - cut))])
    before, after = (Replays(one, own_models(one)) for one in (history, changed))
    assert [one.name for one in before.models] == [
        "recent",
        "yesterday",
        "daily",
        "weekly",
        "widest",
    ]
    for (one, levels), (_, other) in zip(before.at(lead), after.at(lead), strict=True):
        assert np.array_equal(levels[: cut + lead], other[: cut + lead]), one.name
        assert np.isfinite(levels[cut]).all()
        assert not np.array_equal(levels[cut + lead :], other[cut + lead :]), one.name


@pytest.mark.parametrize("lead", [1, 24])
def test_levels_never_fall_and_are_whole_gpus(waves, lead):
    history = waves(4)
    for one, levels in Replays(history, own_models(history)).at(lead):
        finite = levels[np.isfinite(levels).all(axis=1)]
        assert len(finite) > 24, one.name
        assert (np.diff(finite, axis=1) >= 0).all(), one.name
        assert (finite == np.round(finite)).all(), one.name
        assert (finite >= 0).all(), one.name


def test_recent_level_follows_a_jump_at_once(history_of):
    history = history_of([10] * 60 + [50] * 4)
    found = RecentLevel(history).levels_at(np.array([64]), np.array([63]), 1)
    assert found[0, 0] == 50
    assert found[0, -1] >= 50


def test_seasonal_quantiles_know_the_morning(waves):
    history = waves(6)
    steps = np.arange(history.count, history.count + 24)
    found = SeasonalQuantiles(history).levels_at(steps, np.full(24, history.count - 1), 24)
    assert found[3, 0] <= 6
    assert found[12, 0] >= 40
    assert found[7, -1] >= 40  # one step before the morning: its neighbour counts
    shift = SeasonShift(history).levels_at(steps, np.full(24, history.count - 1), 24)
    assert shift[12, 0] >= 39
    assert shift[3, 0] <= 8


def test_weekends_are_told_apart_after_three_weeks(history_of):
    week = [30] * 24 * 5 + [2] * 24 * 2
    history = history_of(week * 4)
    weekly = SeasonalQuantiles(history, weekly=True)
    assert weekly.days_needed() <= history.days
    saturday = np.array([history.count + 5 * 24 + 12])
    found = weekly.levels_at(saturday, np.array([history.count - 1]), 24)
    assert found[0, 0] == 2
    assert (
        SeasonalQuantiles(history).levels_at(saturday, np.array([history.count - 1]), 24)[0, 0]
        == 30
    )


def test_the_season_follows_the_wall_clock_across_a_change():
    import datetime as dt

    from planner.demand.clock import Clock
    from planner.demand.history import DemandHistory

    start = int(dt.datetime(2026, 10, 17, 22, tzinfo=dt.UTC).timestamp())  # 18 Oct, 00:00 in Berlin
    clock = Clock(start, 3600, "Europe/Berlin")
    steps = np.arange(7 * 24)
    local_hour = (start + steps * 3600 + clock.offsets(steps)) // 3600 % 24
    gpus = np.where((local_hour >= 8) & (local_hour < 20), 40, 4)
    history = DemandHistory("a", start, 3600, gpus, np.ones(len(gpus), bool), clock)
    ahead = np.arange(len(gpus), len(gpus) + 25)  # 25 October has 25 hours
    found = SeasonalQuantiles(history).levels_at(ahead, np.full(25, len(gpus) - 1), 24)
    hours = (start + ahead * 3600 + clock.offsets(ahead)) // 3600 % 24
    expected = np.where((hours >= 8) & (hours < 20), 40, 4)
    assert hours.tolist().count(2) == 2
    inside = (hours != 7) & (hours != 8) & (hours != 19) & (hours != 20)
    assert np.array_equal(found[inside, 0], expected[inside])


def test_unknown_steps_teach_nothing(history_of):
    values = [5] * 48
    values[30:34] = [None] * 4
    history = history_of(values)
    found = SeasonalQuantiles(history).levels_at(np.array([54]), np.array([47]), 24)
    assert (found == 5).all()


def test_the_widest_is_the_most_careful(waves):
    history = waves(4)
    parts = own_models(history)[:3]
    book = Replays(history, [*parts, WidestOf(parts)])
    levels = {one.name: found for one, found in book.at(24)}
    most = np.stack(
        [np.where(np.isfinite(levels[one.name]), levels[one.name], 0) for one in parts]
    ).max(axis=0)
    known = np.isfinite(levels["widest"])
    assert np.array_equal(levels["widest"][known], most[known])


def test_a_sparse_replay_is_part_of_the_full_one_and_sees_every_time_of_day(waves):
    history = waves(20)
    full, sparse = (Replays(history, own_models(history), most=most) for most in (None, 200))
    chosen = sparse.replayed(24)
    assert 80 <= chosen.sum() <= 200
    assert set(np.flatnonzero(chosen) % 24) == set(range(24))
    for (one, every), (_, some) in zip(full.at(24), sparse.at(24), strict=True):
        assert np.array_equal(every[chosen], some[chosen]), one.name
        assert np.isinf(some[~chosen]).all(), one.name
