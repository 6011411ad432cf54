from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from models.effective import resolve_policy
from models.policy import Policy
from models.readers import read_snapshot
from models.resources import Resources
from planner.problem.limits import Limits
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work
from planner.usecases.inputs.policies import read_policy
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


NOW = "2026-11-17T20:00:00Z"


def run(runtime, **policy):
    """One gang of 2 h or more on the only node, with maintenance from 23:00 to 24:00."""
    window = {"from": "2026-11-17T23:00:00Z", "to": "2026-11-18T00:00:00Z", "nodes": ["n"]} | policy
    one = work("a", 4)
    marks = {"gangplan.io/runtime": runtime} if runtime else {}
    one = replace(one, gang=replace(one.gang, annotations=marks))
    result = plan(gpu_node("n"), gpu_queue("q"), one, maintenance=[window], now=NOW)
    assert result.summary.gangs_started == 1
    return [one for one in result.snapshot.findings if one.code == "run_meets_maintenance"]


def test_a_run_that_ends_before_maintenance_is_not_told():
    assert run("2h") == []
    assert run("3h") == []  # it ends as the window begins


def test_a_run_that_lasts_into_maintenance_is_told_with_both_times():
    (found,) = run("181m")
    assert found.object == "gang/ml/a"
    assert "on n, which goes into maintenance at 2026-11-17T23:00:00Z" in found.message
    assert "would end at 2026-11-17T23:01:00Z by its annotation" in found.message


def test_a_run_of_unknown_length_counts_with_the_default_and_says_so():
    (found,) = run(None)
    assert "would end at 2026-11-18T00:00:00Z as estimated (default)" in found.message


def test_maintenance_that_is_over_or_of_other_nodes_is_not_told():
    past = {"from": "2026-11-17T18:00:00Z", "to": NOW}
    assert run("9h", **past) == []
    assert run("9h", nodes=["m"]) == []
    assert run("9h", nodes=[], selector={"pool": "x"}) == []


def test_maintenance_that_goes_on_now_is_told():
    (found,) = run("1m", **{"from": "2026-11-17T19:00:00Z"})
    assert f"into maintenance at {NOW}" in found.message


@pytest.mark.shared
def test_the_upgrade_window_of_the_case_is_told(shared: Path):
    """A run of 3 h placed at 21:41 on a node that is upgraded at 23:30."""
    case = shared / "cases/reports/g-upgrade-window"
    snapshot = read_snapshot([case / "snap"])
    policy = read_policy(case / "policy.yaml")
    result = make_plan(
        snapshot,
        resolve_policy(snapshot, policy),
        Limits(workers=1, deterministic=True),
        guard=False,
    )
    placed = {
        gang.full_name
        for gang in result.gangs
        for pods in gang.pods
        if pods.action == "place" and pods.node in ("w1", "w2")
    }
    found = {one.object for one in result.snapshot.findings if one.code == "run_meets_maintenance"}
    assert found == {f"gang/{name}" for name in placed & {"hpc/g-half", "hpc/g-pair"}}
    assert "gang/hpc/g-half" in found
