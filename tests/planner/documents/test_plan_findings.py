from __future__ import annotations

from dataclasses import replace

from models.effective import resolve_policy
from models.policy import Policy
from models.resources import Resources
from planner.problem.limits import Limits
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.usecases.planning import make_plan

GPU = "nvidia.com/gpu"
CODE = "guarantee_not_covered"


def plan(*parts, **policy):
    snapshot = snapshot_of(*parts)
    effective = resolve_policy(
        snapshot, Policy.model_validate({"queue_model": "capacity", **policy})
    )
    limits = Limits(workers=1, deterministic=True)
    return make_plan(snapshot, effective, limits, guard=False)


def told(result):
    return [one for one in result.snapshot.findings if one.code == CODE]


def owner(name, gpus):
    return replace(gpu_queue(name), guarantee=Resources({GPU: gpus}))


def test_two_queues_may_fill_up_what_a_third_is_guaranteed():
    """Each may use 8 - 4 GPUs: their limits leave the guarantee alone one by one, not together."""
    parts = (gpu_node("n"), owner("kept", 4), gpu_queue("x"), gpu_queue("y"))
    full = plan(*parts, work("a", 4, queue="x"), work("b", 3, queue="y"))
    (found,) = told(full)
    assert found.object == "plan/guarantee"
    assert "4 nvidia.com/gpu still owed to 1 queue (kept)" in found.message
    assert "1 nvidia.com/gpu free, 8 nvidia.com/gpu in the cluster" in found.message
    assert full.summary.gangs_started == 2
    assert full.verification is not None
    assert full.verification.violations == ()
    assert told(plan(*parts, work("a", 4, queue="x"))) == []


def test_what_the_owner_itself_starts_is_no_longer_owed():
    parts = (gpu_node("n"), owner("kept", 4), gpu_queue("x"))
    assert told(plan(*parts, work("a", 4, queue="kept"), work("b", 4, queue="x"))) == []


def test_room_on_closed_nodes_covers_nothing():
    closed = replace(gpu_node("m"), unschedulable=True)
    parts = (gpu_node("n", 4), closed, owner("kept", 6), work("a", 1, queue="kept"))
    (found,) = told(plan(*parts))
    assert (
        "5 nvidia.com/gpu still owed to 1 queue (kept) of 6 nvidia.com/gpu guaranteed"
        in found.message
    )
    assert "3 nvidia.com/gpu free, 12 nvidia.com/gpu in the cluster" in found.message


def test_a_tree_counts_the_use_of_its_leaves_once():
    lab = owner("lab", 6)
    deep = replace(owner("deep", 4), parent="lab")
    parts = (gpu_node("n"), lab, deep, gpu_queue("x"))
    rest = [work("a", 3, queue="deep"), work("b", 2, queue="x")]
    assert told(plan(*parts, *rest, hierarchy=True)) == []
    full = plan(gpu_node("n", 7), lab, deep, *rest[:1], hierarchy=True)
    assert told(full) == []
