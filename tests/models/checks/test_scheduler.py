from __future__ import annotations

import pytest


def test_reclaimable_without_a_reclaim_action(make):
    silent = make.scheduler("capacity")
    active = make.scheduler("capacity", actions=("allocate", "gangreclaim"))
    found = make.tells(
        "reclaimable_without_action",
        make.snapshot(scheduler=silent),
        make.snapshot(scheduler=active),
    )
    assert "1 queue (eval) is reclaimable" in found.message
    assert "enqueue, allocate" in found.message


def test_without_the_config_map_nobody_knows_the_actions(make):
    assert not make.findings(make.snapshot(), "reclaimable_without_action")


def test_queues_that_are_not_reclaimable_need_no_action(make):
    snapshot = make.snapshot(make.queue(reclaimable=False), scheduler=make.scheduler("capacity"))
    assert not make.findings(snapshot, "reclaimable_without_action")


def test_moves_are_allowed_but_planned_without(make):
    make.tells(
        "moves_not_planned",
        make.snapshot(),
        make.snapshot(),
        policy={"allow_moves": True},
        good_policy={"allow_moves": False},
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("fair_sharing", ["LessThanInitialShare"]),
        ("limits", {"branches": 5}),
    ],
)
def test_keys_that_change_nothing_are_told(make, key, value):
    found = make.tells(
        "policy_without_effect",
        make.snapshot(),
        make.snapshot(),
        policy={key: value},
        good_policy={},
    )
    assert f"{key} (file) changes nothing" in found.message


def test_both_queue_plugins(make):
    make.tells(
        "queue_plugins_conflict",
        make.snapshot(scheduler=make.scheduler("proportion", "capacity")),
        make.snapshot(scheduler=make.scheduler("proportion")),
    )


def test_a_queue_model_that_is_not_the_schedulers(make):
    snapshot = make.snapshot(scheduler=make.scheduler("proportion"))
    found = make.tells(
        "queue_model_differs",
        snapshot,
        snapshot,
        policy={"queue_model": "capacity"},
        good_policy={"queue_model": "proportion"},
    )
    assert "capacity (file), the scheduler uses proportion" in found.message


@pytest.mark.parametrize(
    "window", ["22-06", "25:00-26:00", "08:00-08:00", "night", "", "08:60-09:00"]
)
def test_windows_that_cannot_be_read(make, window):
    found = make.tells(
        "window_malformed",
        make.snapshot(),
        make.snapshot(),
        policy={"revocable_zones": {"night": window}},
        good_policy={"revocable_zones": {"night": "01:00-06:00"}},
    )
    assert found.object == "zone/night"


def test_a_window_that_crosses_midnight(make):
    found = make.tells(
        "window_crosses_midnight",
        make.snapshot(),
        make.snapshot(),
        policy={"revocable_zones": {"night": "22:00-06:00"}},
        good_policy={"revocable_zones": {"night": "22:00-24:00"}},
    )
    assert "closed from 00:00 to 06:00" in found.message
