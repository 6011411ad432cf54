from __future__ import annotations

import pytest

TREE = {"queue_model": "capacity", "hierarchy": True}


def test_a_parent_that_does_not_exist(make):
    found = make.tells(
        "queue_parent_missing",
        make.snapshot(make.queue(parent="team")),
        make.snapshot(make.queue(parent="team"), make.queue("team")),
        policy=TREE,
    )
    assert "parent team" in found.message
    assert "switches off all queue decisions" in found.message


def test_the_root_need_not_be_listed(make):
    assert not make.findings(make.snapshot(make.queue(parent="root")), "queue_parent_missing")


def test_queues_in_a_circle_are_told_once(make):
    circle = [make.queue("a", parent="b"), make.queue("b", parent="c"), make.queue("c", parent="a")]
    outside = make.queue("d", parent="a")
    found = make.tells(
        "queue_cycle",
        make.snapshot(*circle, outside),
        make.snapshot(*circle[:2], make.queue("c"), outside),
        policy=TREE,
    )
    assert found.object == "queue/a"
    assert "a > b > c > a" in found.message
    assert len(make.findings(make.snapshot(outside, *circle), "queue_cycle")) == 1


def test_a_queue_that_is_its_own_parent(make):
    assert make.findings(make.snapshot(make.queue(parent="eval")), "queue_cycle")


def test_a_circle_does_not_stop_the_other_checks(make):
    circle = [make.queue("a", parent="b", capability=make.amounts(4)), make.queue("b", parent="a")]
    assert make.findings(make.snapshot(*circle, make.gang(queue="a")), "inner_queue", **TREE)


def test_a_queue_tree_that_does_not_count(make):
    queues = (make.queue("team"), make.queue(parent="team"))
    found = make.tells(
        "queue_tree_ignored",
        make.snapshot(*queues),
        make.snapshot(*queues),
        good_policy=TREE,
    )
    assert "1 queue names a parent (eval)" in found.message
    assert not make.findings(make.snapshot(make.queue(parent="root")), "queue_tree_ignored")


@pytest.mark.parametrize("weight", [0, -1, 65_536])
def test_weights_out_of_range(make, weight):
    make.tells(
        "queue_weight_out_of_range",
        make.snapshot(make.queue(weight=weight)),
        make.snapshot(make.queue(weight=65_535)),
    )


def test_deserved_is_ignored_under_proportion(make):
    queue = make.queue(deserved=make.amounts(8), weight=3)
    found = make.tells(
        "deserved_under_proportion",
        make.snapshot(queue),
        make.snapshot(queue),
        policy={"queue_model": "proportion"},
        good_policy={"queue_model": "capacity"},
    )
    assert "8 nvidia.com/gpu" in found.message
    assert "(file)" in found.message
    assert "weight 3" in found.message


def test_capability_is_a_ceiling(make):
    found = make.tells(
        "capability_is_ceiling",
        make.snapshot(make.queue(capability=make.amounts(64))),
        make.snapshot(make.queue(capability=make.amounts(64), deserved=make.amounts(32))),
        policy={"queue_model": "capacity"},
    )
    assert "capability is a ceiling: nothing is guaranteed" in found.message
    assert "64 nvidia.com/gpu" in found.message
    guaranteed = make.snapshot(make.queue(capability=make.amounts(64), guarantee=make.amounts(8)))
    assert not make.findings(guaranteed, "capability_is_ceiling")
