"""Each kind of edit does what its words say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from models.cluster import HyperNode, HyperNodeMember
from models.edits.apply import apply_edits, inverse_edits
from models.edits.catalogue import edit_from
from models.edits.edit import Situation
from models.effective import EffectivePolicy, resolve_policy
from models.findings import InputError
from models.policy import Policy
from models.resources import Resources
from models.snapshot import Snapshot
from planner.testing.random_nodes import GPU

Edited = Callable[..., Situation]


def test_new_nodes_are_like_the_sample_but_empty_open_and_named_anew(edited: Edited) -> None:
    after = edited({"drain": {"nodes": "a-1"}}, {"add_nodes": {"like": "pool/a", "count": 2}})
    new = [node for node in after.snapshot.nodes if "new" in node.name]
    assert [node.name for node in new] == ["a-2-new-1", "a-2-new-2"]
    assert all(node.allocatable[GPU] == 8 and not node.unschedulable for node in new)
    assert new[0].labels == {"pool": "a", "kubernetes.io/hostname": "a-2-new-1"}
    assert not after.snapshot.pods_by_node.get("a-2-new-1")


def test_a_node_can_be_written_out(edited: Edited) -> None:
    content = {"name": "b200", "count": 1, "allocatable": {"gpu": 8, "cpu": "192", "memory": "2Ti"}}
    node = edited({"add_nodes": content}).snapshot.node_by_name["b200-new-1"]
    assert node.allocatable == {"cpu": 192_000, "memory": 2 << 40, GPU: 8, "pods": 110}


def test_new_nodes_may_join_a_topology_domain(snapshot: Snapshot, policy: EffectivePolicy) -> None:
    leaf = HyperNode("leaf", 1, members=(HyperNodeMember("Node", exact_name="a-1"),))
    spine = HyperNode("spine", 2, members=(HyperNodeMember("HyperNode", exact_name="leaf"),))
    base = replace(snapshot, hyper_nodes=(leaf, spine))
    edit = edit_from({"add_nodes": {"like": "a-1", "hyper_node": "leaf"}})
    after = apply_edits(base, policy, [edit]).snapshot
    assert [one.exact_name for one in after.hyper_nodes[0].members] == ["a-1", "a-1-new-1"]
    for name, told in (("leav", "did you mean 'leaf'"), ("spine", "leaf domain")):
        wrong = edit_from({"add_nodes": {"like": "a-1", "hyper_node": name}})
        with pytest.raises(Exception, match="HyperNode") as caught:
            apply_edits(base, policy, [wrong])
        assert told in str(caught.value.findings[0].remedy)  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["remove_nodes", "drain", "fail"])
def test_pods_of_nodes_that_go_wait_again(edited: Edited, kind: str) -> None:
    after = edited({kind: {"nodes": "pool/b"}})
    pod = after.snapshot.pod_by_name["ml/runs-1"]
    assert (pod.node, pod.phase) == (None, "Pending")
    assert after.snapshot.pod_by_name["ml/runs-0"].node == "a-1"
    assert any("1 pod of" in note and "wait again" in note for note in after.notes)
    nodes = after.snapshot.node_by_name
    if kind == "remove_nodes":
        assert sorted(nodes) == ["a-1", "a-2"]
    else:
        closed = nodes["b-1"].unschedulable if kind == "drain" else not nodes["b-1"].ready
        assert closed


def test_a_job_that_restarts_as_a_whole_loses_all_its_pods(
    snapshot: Snapshot, policy: EffectivePolicy
) -> None:
    gangs = tuple(replace(one, restarts_on_eviction=True) for one in snapshot.gangs)
    base = replace(snapshot, gangs=gangs)
    after = apply_edits(base, policy, [edit_from({"fail": {"nodes": "b-1"}})])
    assert all(pod.node is None for pod in after.snapshot.pods if pod.gang == "ml/runs")
    assert "restarts as a whole" in after.notes[0]


def test_node_bound_pods_go_with_their_node_and_strangers_are_told(
    snapshot: Snapshot, policy: EffectivePolicy
) -> None:
    def changed(pod: Any) -> Any:
        if pod.name == "runs-0":
            return replace(pod, owner_kind="DaemonSet")
        if pod.name == "runs-1":
            return replace(pod, spec=replace(pod.spec, scheduler_name="default-scheduler"))
        return pod

    base = replace(snapshot, pods=tuple(changed(pod) for pod in snapshot.pods))
    gone = apply_edits(base, policy, [edit_from({"remove_nodes": {"nodes": "*-1"}})])
    assert "ml/runs-0" not in gone.snapshot.pod_by_name
    assert gone.notes == (
        "1 pod (8 GPUs) of other schedulers lose their node; this plan keeps no room for them",
    )
    drained = apply_edits(base, policy, [edit_from({"drain": {"nodes": "*-1"}})])
    assert drained.snapshot.pod_by_name["ml/runs-0"].node == "a-1"


def test_draining_with_pods_kept_only_closes(edited: Edited, snapshot: Snapshot) -> None:
    after = edited({"drain": {"nodes": "b-1", "pods": "keep"}})
    assert after.snapshot.pods == snapshot.pods
    assert edited({"drain": {"nodes": "b-2"}}, {"uncordon": {"nodes": "b-2"}}).snapshot == snapshot


def test_repaired_nodes_offer_their_capacity(snapshot: Snapshot, policy: EffectivePolicy) -> None:
    broken = replace(
        snapshot.nodes[0],
        allocatable=Resources({**snapshot.nodes[0].allocatable, GPU: 7, "cpu": 60_000}),
        conditions={"Ready": "False"},
    )
    base = replace(snapshot, nodes=(broken, *snapshot.nodes[1:]))
    node = apply_edits(base, policy, [edit_from({"repair": {"nodes": "a-1"}})]).snapshot.nodes[0]
    assert node.ready
    assert (node.allocatable[GPU], node.allocatable["cpu"]) == (8, 60_000)


def test_queue_amounts_merge_add_and_leave(edited: Edited) -> None:
    fields = {"queue": "train", "deserved": {"gpu": "+8", "cpu": "64"}, "capability": {"gpu": None}}
    queue = edited({"set_queue": {**fields, "weight": "+2"}}).snapshot.queue_by_name["train"]
    assert queue.deserved == {GPU: 32, "cpu": 64_000}
    assert queue.capability == {}
    assert queue.weight == 3


def test_the_implicit_default_queue_becomes_a_listed_one(edited: Edited) -> None:
    after = edited({"set_queue": {"queue": "default", "reclaimable": False}})
    assert not after.snapshot.queue_by_name["default"].reclaimable
    assert not after.snapshot.queue_by_name["default"].implicit


def test_queues_come_and_go(edited: Edited) -> None:
    after = edited(
        {"create_queue": {"queue": "night", "parent": "train", "deserved": {"gpu": 4}}},
        {"delete_queue": {"queue": "eval", "move_gangs_to": "night"}},
    )
    assert after.snapshot.queue_by_name["night"].parent == "train"
    assert {gang.queue for gang in after.snapshot.gangs} == {"train", "night"}


def test_copies_wait_under_new_names(edited: Edited) -> None:
    after = edited({"multiply": {"gangs": "runs", "factor": 3}})
    assert {"ml/runs-x2", "ml/runs-x3"} <= set(after.snapshot.gang_by_name)
    copies = after.snapshot.pods_by_gang["ml/runs-x2"]
    assert [(pod.name, pod.node) for pod in copies] == [("runs-0-x2", None), ("runs-1-x2", None)]
    assert after.snapshot.gang_by_name["ml/runs-x2"].created == "2026-11-01T12:00:00Z"


def test_demand_grows_evenly_and_shrinks_evenly(edited: Edited) -> None:
    more = edited({"scale_demand": {"queue": "eval", "factor": 2.5}}).snapshot
    names = [gang.name for gang in more.gangs if gang.queue == "eval"]
    assert sorted(names) == ["later", "later-x2", "waits", "waits-x2", "waits-x3"]
    less = edited({"scale_demand": {"queue": "eval", "factor": "50%"}}).snapshot
    assert [gang.name for gang in less.gangs if gang.queue == "eval"] == ["waits"]
    assert not edited({"scale_demand": {"queue": "eval", "factor": 0}}).snapshot.pods_by_gang.get(
        "ml/waits"
    )


def test_gangs_are_written_out(edited: Edited) -> None:
    content = {"name": "new", "queue": "eval", "members": 4, "resources": {"gpu": 2}, "count": 2}
    after = edited({"add_gangs": {**content, "priority_class": "high"}}).snapshot
    gang = after.gang_by_name["what-if/new-2"]
    assert (gang.priority, gang.min_member, gang.templates[0].replicas) == (1000, 4, 4)
    assert gang.templates[0].spec.request == {GPU: 2}


def test_gangs_change_rank_queue_and_rules(edited: Edited) -> None:
    after = edited(
        {"reprioritise": {"gangs": "queue/eval", "priority_class": "high"}},
        {
            "set_gang": {
                "gangs": ["ml/waits"],
                "queue": "train",
                "min_member": "-1",
                "node_selector": {"pool": "a"},
                "topology": {"mode": "hard", "highest_tier_allowed": 1},
            }
        },
    ).snapshot
    gang = after.gang_by_name["ml/waits"]
    assert (gang.priority, gang.queue, gang.min_member) == (1000, "train", 1)
    assert gang.topology is not None
    assert gang.topology.binds
    assert after.pod_by_name["ml/waits-0"].spec.node_selector == (("pool", "a"),)
    assert after.pod_by_name["ml/later-0"].spec.node_selector == ()


def test_minima_of_roles_change_and_come_back(edited: Edited, snapshot: Snapshot) -> None:
    given = replace(snapshot.gang_by_name["ml/waits"], role_minimum={"a": 1, "b": 2}, min_member=3)
    others = tuple(one for one in snapshot.gangs if one.full_name != given.full_name)
    base = replace(snapshot, gangs=tuple(sorted((*others, given), key=lambda one: one.full_name)))
    minima = {"a": "+1", "b": 0}
    edit = edit_from({"set_gang": {"gangs": "ml/waits", "min_member": 2, "role_minimum": minima}})
    policy = resolve_policy(base, Policy(queue_model="capacity"))
    after = apply_edits(base, policy, [edit])
    assert after.snapshot.gang_by_name["ml/waits"].role_minimum == {"a": 2, "b": 0}
    back = inverse_edits(base, policy, (edit,))
    assert back is not None
    assert apply_edits(after.snapshot, policy, back).snapshot.gang_by_name["ml/waits"] == given
    with pytest.raises(InputError, match="there is no role of ml/waits 'c'"):
        apply_edits(
            base, policy, [edit_from({"set_gang": {"gangs": "ml/waits", "role_minimum": {"c": 1}}})]
        )
    with pytest.raises(InputError, match="minimum of role a of ml/waits would be -1"):
        apply_edits(
            base,
            policy,
            [edit_from({"set_gang": {"gangs": "ml/waits", "role_minimum": {"a": "-2"}}})],
        )


def test_policy_keys_change_and_the_rest_stays(edited: Edited, policy: EffectivePolicy) -> None:
    after = edited(
        {"set_queue": {"queue": "eval", "deserved": None}},
        {"set_queue": {"queue": "train", "deserved": None}},
        {"set_policy": {"evict": ["preempt"]}},
    ).policy
    assert after.evict == ("preempt",)
    assert after.queue_model == policy.queue_model == "capacity"
    assert after.origins["evict"] == "scenario"


def test_removed_gangs_make_room(edited: Edited) -> None:
    after = edited({"remove_gangs": {"gangs": "ml/run*"}}).snapshot
    assert not after.pods_by_node


def test_the_digest_tells_edited_snapshots_apart(edited: Edited, snapshot: Snapshot) -> None:
    changed = edited({"set_queue": {"queue": "eval", "weight": 5}}).snapshot
    assert changed.digest
    assert changed.digest != snapshot.digest
    same = edited({"set_policy": {"evict": ["preempt"]}}).snapshot
    assert same is snapshot


def test_an_edit_that_adds_nodes_tells_what_they_have_of_their_own():
    content = {
        "count": 2,
        "like": "a-1",
        "labels": {"zone": "b"},
        "allocatable": {"cpu": "8"},
        "taints": [{"key": "only", "value": "x", "effect": "NoSchedule"}],
        "hyper_node": "leaf",
    }
    told = edit_from({"add_nodes": content}).text()
    assert told == "add 2 nodes like a-1 with cpu=8, zone=b, taint only=x:NoSchedule in leaf"
    assert edit_from({"add_nodes": {"like": "a-1"}}).text() == "add 1 node like a-1"
