from __future__ import annotations

from models.checks.guarantees import GuaranteeBook, plan_message
from models.queues import Queue
from models.resources import Resources

GPU = "nvidia.com/gpu"
TREE = {"queue_model": "capacity", "hierarchy": True}


def test_two_queues_are_owed_more_than_is_free_together(make):
    """Each alone could have its guarantee (so that no other check speaks), both cannot."""
    queues = [make.queue(name, guarantee=make.amounts(3)) for name in ("a", "b")]
    gang = make.gang("work", queue="c")

    def snapshot(running):
        pod = make.pod("w-0", gpus=running, gang="ml/work", node="n1")
        return make.snapshot(*queues, make.queue("c"), gang, pod)

    found = make.tells("guarantee_not_covered", snapshot(4), snapshot(2))
    assert found.object == "cluster/guarantee"
    assert (
        "6 nvidia.com/gpu still owed to 2 queues (a, b) of 6 nvidia.com/gpu guaranteed; "
        "4 nvidia.com/gpu free, 8 nvidia.com/gpu in the cluster" in found.message
    )
    assert not make.findings(snapshot(4), "guarantee_not_honoured")


def test_guarantees_beyond_the_total_are_told_with_both_sums(make):
    queues = [make.queue(name, guarantee=make.amounts(5)) for name in ("a", "b")]
    (found,) = make.findings(make.snapshot(*queues), "guarantee_not_covered")
    assert "10 nvidia.com/gpu guaranteed" in found.message
    assert "8 nvidia.com/gpu in the cluster" in found.message


def test_a_parent_and_its_children_are_owed_once(make):
    queues = (
        make.queue("lab", guarantee=make.amounts(6)),
        make.queue("a", parent="lab", guarantee=make.amounts(3)),
        make.queue("b", parent="lab", guarantee=make.amounts(3)),
    )
    assert not make.findings(make.snapshot(*queues), "guarantee_not_covered", **TREE)
    flat = make.findings(make.snapshot(*queues), "guarantee_not_covered", queue_model="capacity")
    assert "12 nvidia.com/gpu still owed to 3 queues" in flat[0].message


def test_children_may_be_owed_more_than_their_parent():
    tree = [
        Queue("lab", guarantee=Resources({GPU: 4})),
        Queue("a", parent="lab", guarantee=Resources({GPU: 3})),
        Queue("b", parent="lab", guarantee=Resources({GPU: 3})),
    ]
    used = {"a": {GPU: 5}}
    (owed,) = GuaranteeBook(tree, hierarchy=True).owed(used, {GPU: 3}, {GPU: 9})
    assert (owed.guaranteed, owed.owed, owed.queues) == (6, 3, ("b",))
    assert owed.covered


def test_circles_and_deep_trees_are_walked_once():
    chain = [
        Queue(f"q{i}", parent=f"q{i - 1}" if i else "", guarantee=Resources({GPU: 1}))
        for i in range(3000)
    ]
    circle = [Queue("x", parent="y", guarantee=Resources({GPU: 9})), Queue("y", parent="x")]
    (owed,) = GuaranteeBook([*chain, *circle], hierarchy=True).owed({}, {GPU: 1}, {GPU: 8})
    assert (owed.guaranteed, owed.owed) == (1, 1)


def test_a_plan_message_names_room_and_use_after_it():
    queues = [Queue("a", guarantee=Resources({GPU: 4})), Queue("b")]
    told = plan_message(
        queues,
        hierarchy=False,
        used={"a": {GPU: 1}, "b": {GPU: 6}},
        free={GPU: 1},
        total=Resources({GPU: 8}),
    )
    assert told == (
        "not all guarantees can be kept after the plan: 3 nvidia.com/gpu still owed to 1 queue (a) of "
        "4 nvidia.com/gpu guaranteed; 1 nvidia.com/gpu free, 8 nvidia.com/gpu in the cluster"
    )
    kept = {"a": {GPU: 3}, "b": {GPU: 4}}
    room = {"hierarchy": False, "free": {GPU: 1}, "total": Resources({GPU: 8})}
    assert plan_message(queues, used=kept, **room) == ""
    assert plan_message([Queue("b")], used={}, **room) == ""
