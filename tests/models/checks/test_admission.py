from __future__ import annotations

TREE = {"queue_model": "capacity", "hierarchy": True, "admission": "live"}


def test_a_gang_in_an_inner_queue_stops_the_tree(make):
    queues = (make.queue("team"), make.queue(parent="team"))
    found = make.tells(
        "queue_tree_stops",
        make.snapshot(*queues, make.gang(queue="team")),
        make.snapshot(*queues, make.gang(queue="eval")),
        policy=TREE,
    )
    assert found.object == "gang/ml/a"
    assert "for example eval" in found.remedy


def test_a_broken_tree_is_told_once(make):
    snapshot = make.snapshot(make.queue(parent="gone"))
    assert make.findings(snapshot, "queue_tree_stops", **TREE)
    assert not make.findings(snapshot, "queue_parent_missing", **TREE)
    assert not make.findings(snapshot, "queue_tree_stops", queue_model="capacity", hierarchy=True)


def test_a_root_that_leaves_out_cpu(make):
    found = make.tells(
        "root_without_cpu",
        make.snapshot(make.queue("root", capability=make.amounts(4, gib=8))),
        make.snapshot(make.queue("root", capability=make.amounts(4, 8, 8))),
        policy={"queue_model": "capacity", "hierarchy": True},
    )
    assert "lists no cpu," in found.message


def test_min_resources_that_the_minimum_does_not_need(make):
    """Minimum 2 of three pods, one of them without a GPU: one GPU would do, two are asked for."""
    pods = [make.pod(f"a-{i}", gpus=i and 1, gang="ml/a") for i in range(3)]
    gang = make.gang(min_member=2, phase="Pending", min_resources=make.amounts(2))
    enough = make.gang(min_member=2, phase="Pending", min_resources=make.amounts(1))
    found = make.tells(
        "min_resources_beyond_minimum",
        make.snapshot(*pods, gang),
        make.snapshot(*pods, enough),
        policy={"admission": "live"},
    )
    assert "could be met with 1 nvidia.com/gpu, but its minResources count 2" in found.message
