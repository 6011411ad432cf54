from __future__ import annotations

import pytest

from models.workloads import NetworkTopology


def test_a_queue_that_does_not_exist(make):
    found = make.tells(
        "unknown_queue",
        make.snapshot(make.gang(queue="evel")),
        make.snapshot(make.gang()),
    )
    assert found.object == "queue/evel"
    assert "1 gang (ml/a) asks for queue evel" in found.message
    assert "did they mean eval?" in found.message


def test_the_default_queue_exists_without_being_listed(make):
    assert not make.findings(make.snapshot(make.gang(queue="default")), "unknown_queue")


def test_finished_work_may_be_in_a_queue_that_is_gone(make):
    assert not make.findings(make.snapshot(make.gang(queue="old", finished=True)), "unknown_queue")


def test_a_closed_queue_with_gangs_in_it(make):
    closed = make.queue(state="Closed")
    found = make.tells(
        "closed_queue",
        make.snapshot(closed, make.gang()),
        make.snapshot(closed, make.queue("other"), make.gang(queue="other")),
    )
    assert "queue eval is Closed" in found.message


def test_an_inner_queue_that_holds_gangs(make):
    queues = (make.queue("team"), make.queue("eval", parent="team"))
    tree = {"queue_model": "capacity", "hierarchy": True}
    found = make.tells(
        "inner_queue",
        make.snapshot(*queues, make.gang(queue="team")),
        make.snapshot(*queues, make.gang()),
        policy=tree,
    )
    assert "1 child queue (eval)" in found.message
    flat = make.snapshot(*queues, make.gang(queue="team"))
    assert not make.findings(flat, "inner_queue", queue_model="capacity")


def test_the_root_is_no_leaf(make):
    snapshot = make.snapshot(make.queue("root"), make.queue("eval"), make.gang(queue="root"))
    assert make.findings(snapshot, "inner_queue", queue_model="capacity", hierarchy=True)


def test_pods_that_name_a_pod_group_which_is_not_there(make):
    found = make.tells(
        "missing_pod_group",
        make.snapshot(make.gang(missing_group=True), make.pod(gang="ml/a")),
        make.snapshot(make.gang(), make.pod(gang="ml/a")),
    )
    assert "1 pod names PodGroup ml/a" in found.message


def test_leftover_pod_groups(make):
    found = make.tells(
        "leftover_pod_group",
        make.snapshot(make.gang(finished=True, phase="Completed")),
        make.snapshot(make.gang()),
    )
    assert "Completed" in found.message
    assert found.remedy.startswith("kubectl delete podgroup -n ")


def test_pods_of_a_suspended_owner(make):
    held = {"no_more": "owner_suspended", "suspended": True, "owner_kind": "PyTorchJob"}
    found = make.tells(
        "suspended_owner", make.snapshot(make.gang(**held)), make.snapshot(make.gang())
    )
    assert "its PyTorchJob is suspended" in found.message


def test_pods_that_an_owner_does_not_make(make):
    fewer = {"no_more": "all_pods_made", "owner_kind": "RayCluster", "min_member": 4}
    found = make.tells(
        "missing_pods", make.snapshot(make.gang(**fewer)), make.snapshot(make.gang())
    )
    assert "needs 4 pods and has 0: its RayCluster makes all pods at once" in found.message


def test_more_pods_needed_than_replicas(make):
    found = make.tells(
        "min_member_above_replicas",
        make.snapshot(make.job(replicas=3, min_member=4)),
        make.snapshot(make.job(replicas=4, min_member=4)),
    )
    assert "4 pods" in found.message
    assert "3 replicas" in found.message


def test_a_role_that_needs_more_than_its_replicas(make):
    found = make.tells(
        "role_minimum_above_replicas",
        make.snapshot(make.job(replicas=2, min_member=3, role_minimum={"worker": 3})),
        make.snapshot(make.job(replicas=3, min_member=3, role_minimum={"worker": 3})),
    )
    assert "role worker needs 3 pods, has 2 replicas" in found.message


def test_role_minima_above_min_member_are_ignored(make):
    roles = {"master": 1, "worker": 3}
    found = make.tells(
        "roles_ignored",
        make.snapshot(make.gang(min_member=2, role_minimum=roles)),
        make.snapshot(make.gang(min_member=4, role_minimum=roles)),
    )
    assert "4 pods (master 1, worker 3)" in found.message
    assert "minMember is 2" in found.message


def test_a_single_role_loses_nothing_when_its_minimum_is_ignored(make):
    """An elastic Job with minAvailable below its replicas looks like this; any of its pods are equal."""
    gang = make.gang(min_member=2, role_minimum={"worker": 4})
    assert not make.findings(make.snapshot(gang), "roles_ignored")


@pytest.mark.parametrize(
    ("rule", "spec"),
    [
        ("resourceClaims", {"special_rules": ("resourceClaims",)}),
    ],
)
def test_rules_that_are_not_modelled(make, rule, spec):
    found = make.tells(
        "unsupported_rule",
        make.snapshot(make.gang(), make.pod(gang="ml/a", **spec)),
        make.snapshot(make.gang(), make.pod(gang="ml/a", node="n1", **spec)),
    )
    assert found.object == f"rule/{rule}"
    assert "1 gang requires" in found.message
    assert "ml/a" in found.message


def test_a_hard_topology_is_no_finding(make):
    hard = make.snapshot(make.job(topology=NetworkTopology("hard", 1)))
    assert make.findings(hard, "unsupported_rule") == []
