from __future__ import annotations

from models.resources import Resources

CAPACITY = {"queue_model": "capacity"}


def test_deserved_above_capability(make):
    def queue(gpus):
        return make.queue(deserved=make.amounts(gpus), capability=make.amounts(4))

    found = make.tells(
        "deserved_above_capability", make.snapshot(queue(6)), make.snapshot(queue(4))
    )
    assert "6 nvidia.com/gpu against 4" in found.message


def test_cpu_of_zero_is_no_ceiling_and_gpus_of_zero_are(make):
    no_cpu_limit = make.queue(deserved=make.amounts(cpu=4), capability=Resources({"cpu": 0}))
    assert not make.findings(make.snapshot(no_cpu_limit), "deserved_above_capability")
    no_gpus = make.queue(deserved=make.amounts(4), capability=Resources({make.gpu: 0}))
    assert make.findings(make.snapshot(no_gpus), "deserved_above_capability")


def test_guarantee_above_capability(make):
    def queue(gpus):
        return make.queue(guarantee=make.amounts(gpus), capability=make.amounts(4))

    make.tells("guarantee_above_capability", make.snapshot(queue(5)), make.snapshot(queue(4)))


def test_one_queue_deserves_more_than_the_cluster(make):
    found = make.tells(
        "deserved_above_cluster",
        make.snapshot(make.queue(deserved=make.amounts(9))),
        make.snapshot(make.queue(deserved=make.amounts(8))),
    )
    assert found.object == "queue/eval"
    assert "9 nvidia.com/gpu against 8" in found.message


def test_all_queues_together_deserve_more_than_the_cluster(make):
    queues = (make.queue("a", deserved=make.amounts(5)), make.queue("b", deserved=make.amounts(4)))
    found = make.findings(make.snapshot(*queues), "deserved_above_cluster")
    assert [one.object for one in found] == ["cluster/deserved"]
    assert "9 nvidia.com/gpu against 8" in found[0].message


def test_a_parent_and_its_child_deserve_the_same_gpus(make):
    queues = (
        make.queue("team", deserved=make.amounts(8)),
        make.queue("eval", parent="team", deserved=make.amounts(8)),
    )
    tree = {**CAPACITY, "hierarchy": True}
    assert not make.findings(make.snapshot(*queues), "deserved_above_cluster", **tree)
    assert make.findings(make.snapshot(*queues), "deserved_above_cluster", **CAPACITY)


def test_guarantees_above_the_total(make):
    def queues(gpus):
        return (
            make.queue("a", guarantee=make.amounts(5)),
            make.queue("b", guarantee=make.amounts(gpus)),
        )

    found = make.tells(
        "guarantees_above_total", make.snapshot(*queues(4)), make.snapshot(*queues(3))
    )
    assert "9 nvidia.com/gpu against 8" in found.message
    assert "2 queues (a, b)" in found.message


def test_children_that_deserve_more_than_their_parent(make):
    def queues(gpus):
        return (
            make.queue("team", deserved=make.amounts(6)),
            make.queue("a", parent="team", deserved=make.amounts(4)),
            make.queue("b", parent="team", deserved=make.amounts(gpus)),
        )

    found = make.tells(
        "children_deserved_above_parent", make.snapshot(*queues(3)), make.snapshot(*queues(2))
    )
    assert found.object == "queue/team"
    assert "7 nvidia.com/gpu against 6" in found.message


def test_children_that_are_guaranteed_what_their_parent_is_not(make):
    def queues(gpus):
        return (
            make.queue("team", guarantee=make.amounts(gpus)),
            make.queue("a", parent="team", guarantee=make.amounts(4)),
        )

    make.tells(
        "children_guarantee_above_parent", make.snapshot(*queues(0)), make.snapshot(*queues(4))
    )


def test_amounts_of_the_root_are_sums_of_its_children(make):
    queues = (make.queue("root", deserved=make.amounts(1)), make.queue(deserved=make.amounts(4)))
    assert not make.findings(make.snapshot(*queues), "children_deserved_above_parent")


def test_a_capability_above_the_nearest_ancestor_that_has_one(make):
    def queues(gpus):
        return (
            make.queue("org", capability=make.amounts(16)),
            make.queue("team", parent="org", capability=make.amounts(cpu=8)),
            make.queue("eval", parent="team", capability=make.amounts(gpus)),
        )

    found = make.tells(
        "capability_above_ancestor", make.snapshot(*queues(17)), make.snapshot(*queues(16))
    )
    assert found.object == "queue/eval"
    assert "17 nvidia.com/gpu against 16 of queue org" in found.message


def test_a_quota_for_what_no_node_has(make):
    found = make.tells(
        "quota_for_missing_resource",
        make.snapshot(make.queue(capability=Resources({"nvidia.com/gpus": 8}))),
        make.snapshot(make.queue(capability=Resources({"nvidia.com/gpu": 8, "amd.com/gpu": 0}))),
    )
    assert found.object == "resource/nvidia.com/gpus"
    assert "did they mean nvidia.com/gpu?" in found.message


def test_a_guarantee_that_cannot_be_had_now(make):
    queues = (make.queue(guarantee=make.amounts(4)), make.queue("other"))
    gangs = (make.gang(), make.gang("b", queue="other"))
    own = make.pod(gpus=1, gang="ml/a", node="n1")

    def others(gpus):
        return make.pod("b-0", gpus=gpus, gang="ml/b", node="n1")

    found = make.tells(
        "guarantee_not_honoured",
        make.snapshot(*queues, *gangs, own, others(5)),
        make.snapshot(*queues, *gangs, own, others(4)),
    )
    assert (
        "4 nvidia.com/gpu guaranteed, 1 nvidia.com/gpu in use, 2 nvidia.com/gpu free"
        in found.message
    )


def test_nodes_that_take_no_pods_keep_no_guarantee(make):
    queue = make.queue(guarantee=make.amounts(4))
    closed = make.snapshot(queue, make.node(unschedulable=True))
    assert make.findings(closed, "guarantee_not_honoured")


def test_amounts_below_zero(make):
    found = make.tells(
        "negative_amount",
        make.snapshot(make.queue(deserved=Resources({make.gpu: -1}))),
        make.snapshot(make.queue(deserved=Resources({make.gpu: 0}))),
    )
    assert "-1 nvidia.com/gpu" in found.message


def test_a_quota_of_parts_of_gpus_is_one_that_nodes_with_gpus_offer(make):
    queue = make.queue(capability=Resources({"gangplan.io/gpu-milli": 1500}))
    make.tells(
        "quota_for_missing_resource",
        make.snapshot(queue, make.node(allocatable=make.amounts(cpu=4))),
        make.snapshot(queue, make.node()),
    )
