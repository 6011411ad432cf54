from __future__ import annotations

from dataclasses import replace

import pytest

from models.effective import resolve_policy
from models.findings import BackendError
from models.policy import Policy
from models.queues import Queue
from models.resources import Resources
from planner.documents import fair_shares as module
from planner.documents.fair_shares import fair_shares
from planner.encode.prepared import prepare
from planner.search.exact.least_need_by_cpsat import exact_least
from planner.testing.by_hand import gpu_node, gpu_queue, snapshot_of, work

GPU = "nvidia.com/gpu"


def shares(*parts, **policy):
    snapshot = snapshot_of(*parts)
    keys = {"queue_model": "capacity", **policy}
    effective = resolve_policy(snapshot, Policy.model_validate(keys))
    return fair_shares(prepare(snapshot, effective, exact_least))


def gpus(found):
    return {name: one.amount(GPU) for name, one in found.by_queue.items()}


def test_every_demand_fits():
    found = shares(gpu_node("n"), gpu_queue("q"), work("a", 3))
    assert found.rule == "all met"
    assert found.of("q") == {"cpu": 3000, GPU: 3}
    assert found.of("missing") == {}


def test_weights_divide_contended_gpus_whatever_deserved_says():
    light = gpu_queue("light", deserved=8)
    heavy = replace(gpu_queue("heavy", deserved=0), weight=3)
    found = shares(
        gpu_node("n"), light, heavy, work("a", 9, queue="light"), work("b", 9, queue="heavy")
    )
    assert found.rule == "joint"
    assert gpus(found) == {"default": 0, "heavy": 6, "light": 2}


def test_guarantee_and_capability_bound_the_share():
    kept = replace(gpu_queue("kept"), guarantee=Resources({GPU: 5}))
    found = shares(
        gpu_node("n"),
        kept,
        gpu_queue("free"),
        work("a", 9, queue="kept"),
        work("b", 9, queue="free"),
    )
    assert gpus(found)["kept"] == 5
    capped = shares(
        gpu_node("n"),
        gpu_queue("x", capability=1),
        gpu_queue("y"),
        work("a", 9, queue="x"),
        work("b", 9, queue="y"),
    )
    assert gpus(capped) == {"default": 0, "x": 1, "y": 7}


def test_under_proportion_the_ceiling_is_the_capability_not_the_share():
    """With the share as ceiling the fair optimum could never differ from it."""
    found = shares(
        gpu_node("n"),
        replace(gpu_queue("a"), guarantee=Resources({GPU: 1})),
        gpu_queue("b"),
        work("x", 2, queue="a"),
        work("y", 20, queue="b"),
        queue_model="proportion",
    )
    assert gpus(found) == {"a": 2, "b": 6, "default": 0}


def test_a_tree_divides_level_by_level():
    lab = Queue("lab", weight=1)
    deep = replace(gpu_queue("deep"), parent="lab")
    found = shares(
        gpu_node("n"),
        lab,
        deep,
        gpu_queue("solo"),
        work("x", 20, queue="deep"),
        work("y", 20, queue="solo"),
        hierarchy=True,
    )
    assert gpus(found) == {"deep": 4, "default": 0, "lab": 4, "solo": 4}


def test_queues_that_hang_below_no_root_take_no_part():
    lost = replace(gpu_queue("lost"), parent="nowhere")
    circle = [replace(gpu_queue(one), parent=other) for one, other in ("ab", "ba")]
    found = shares(gpu_node("n"), lost, *circle, work("x", 3, queue="lost"), hierarchy=True)
    assert gpus(found) == {"default": 0}


@pytest.mark.parametrize("weight", [-3, 0, 10**9])
def test_odd_weights_and_amounts_do_not_stop_a_plan(weight):
    odd = replace(gpu_queue("odd"), weight=weight, guarantee=Resources({GPU: -4, "memory": 2**70}))
    found = shares(gpu_node("n"), odd, gpu_queue("q"), work("a", 9, queue="odd"), work("b", 9))
    assert sum(gpus(found).values()) <= 8


def test_no_nodes_or_no_work():
    assert shares(gpu_queue("q"), work("a", 3)).by_queue == {}
    assert shares(gpu_node("n"), gpu_queue("q")).by_queue == {}


def test_a_failing_solver_leaves_each_resource_on_its_own(monkeypatch):
    def fails(tree):
        raise BackendError("no")

    monkeypatch.setattr(module, "joint_shares", fails)
    found = shares(
        gpu_node("n"), gpu_queue("q"), gpu_queue("r"), work("a", 9), work("b", 9, queue="r")
    )
    assert found.rule == "per resource"
    assert gpus(found) == {"default": 0, "q": 4, "r": 4}
