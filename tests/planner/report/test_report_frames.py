from __future__ import annotations

import pandas as pd

from models.plan import CardEntry, NodeEntry, PlanResult, Reason
from models.resources import Resources
from planner.report.frames import (
    changes_frame,
    findings_frame,
    gang_classes,
    gangs_frame,
    nodes_frame,
    pods_frame,
    policy_frame,
    pools_frame,
    queues_frame,
    reason_totals,
    reasons_frame,
    starts_frame,
    tiers_frame,
    waits_frame,
)
from planner.report.frames.nodes import GPU_STATES

GPU = "nvidia.com/gpu"


def test_every_gpu_of_a_node_is_in_exactly_one_state(medium):
    nodes = nodes_frame(medium)
    assert (nodes[list(GPU_STATES)].sum(axis=1) == nodes["gpus_allocatable"]).all()
    assert (nodes[list(GPU_STATES)] >= 0).all().all()
    pools = pools_frame(nodes)
    assert pools["gpus_allocatable"].sum() == medium.summary.gpus_allocatable
    assert pools["nodes"].sum() == len(medium.nodes)
    busy = pools["gpus_used"].sum() + pools["gpus_planned"].sum()
    assert busy == medium.summary.gpus_after


def test_states_of_the_demo(demo):
    nodes = nodes_frame(demo).set_index("node")
    states = [name.removeprefix("gpus_") for name in GPU_STATES]
    found = {
        name: dict(zip(states, nodes.loc[name, list(GPU_STATES)], strict=True))
        for name in ("h100-05", "h100-06", "a100-03")
    }
    assert found["h100-05"] == {
        "used": 4, "planned": 2, "free_whole": 0, "free_fragment": 2, "unavailable": 0,
    }  # fmt: skip
    assert found["h100-06"]["free_whole"] == 8
    assert found["a100-03"]["unavailable"] == 7


def test_gpus_held_beyond_allocatable_are_counted_apart():
    node = NodeEntry(
        name="sick", allocatable=Resources({GPU: 6}), before=Resources({GPU: 8}), after=Resources({GPU: 8})
    )  # fmt: skip
    row = nodes_frame(PlanResult(nodes=(node,))).iloc[0]
    assert (row["gpus_used"], row["gpus_overcommitted"], row["gpus_free_fragment"]) == (6, 2, 0)


def test_a_card_with_shares_is_a_used_gpu():
    loads = ((250, 250), (0, 400), (0, 1000), (0, 0))
    cards = tuple(
        CardEntry(
            name=str(number),
            capacity={"milliGpu": 1000},
            before={"milliGpu": before},
            after={"milliGpu": after},
        )
        for number, (before, after) in enumerate(loads)
    )
    node = NodeEntry(
        name="n", allocatable=Resources({GPU: 4}), after=Resources({GPU: 1}), cards=cards
    )
    without = node.model_copy(update={"allocatable": Resources({}), "after": Resources({})})
    frame = nodes_frame(PlanResult(nodes=(node, without)))
    assert [int(frame.iloc[0][state]) for state in GPU_STATES] == [1, 2, 0, 1, 0]
    assert int(frame.iloc[1]["gpus_overcommitted"]) == 0


def test_gpu_names_follow_the_policy():
    node = NodeEntry(name="n", allocatable=Resources({"acme.io/npu": 4, GPU: 8}))
    policy = {"gpu_models": {"value": {"resource_names": ["acme.io/npu"]}, "origin": "file"}}
    assert nodes_frame(PlanResult(nodes=(node,), policy=policy))["gpus_allocatable"].sum() == 4


def test_amounts_stay_exact_integers():
    huge = 2**62 + 1
    node = NodeEntry(name="n", allocatable=Resources({"memory": huge}))
    frame = nodes_frame(PlanResult(nodes=(node,)))
    assert int(frame["memory_bytes_allocatable"].iloc[0]) == huge
    assert str(frame["memory_bytes_allocatable"].dtype) == "Int64"


def test_gangs_carry_nodes_waits_and_reasons(demo):
    gangs = gangs_frame(demo).set_index("gang")
    assert gangs.loc["pre/llama-70b", "nodes"] == "h100-[03-04]"
    assert gangs.loc["pre/llama-70b", "gpu_models"] == "H100-80GB"
    assert gangs.loc["pre/moe-24", "reason_codes"] == "fragmentation, quota"
    assert gangs.loc["pre/moe-24", "waited_seconds"] == (49 * 60 + 45) * 60
    assert gangs.loc["online/chat", "node_count"] == 3
    assert pd.isna(gangs.loc["eval/mig-probe", "startable"])


def test_starts_changes_and_waits_part_the_gangs(demo, medium):
    for plan in (demo, medium):
        gangs = gangs_frame(plan)
        starts, changes, waits = starts_frame(gangs), changes_frame(gangs), waits_frame(gangs)
        assert len(starts) == plan.summary.gangs_started == len(changes)
        assert len(waits) == plan.summary.gangs_waiting
        assert starts["gpus"].is_monotonic_decreasing
        assert waits["priority"].is_monotonic_decreasing


def test_classes_keep_every_gang_and_every_gpu(medium):
    waits = waits_frame(gangs_frame(medium))
    classes = gang_classes(waits)
    assert classes["gangs"].sum() == len(waits)
    assert classes["gpus_total"].sum() == waits["gpus"].sum()
    assert len(classes) < len(waits)
    assert set(classes["example"]) <= set(waits["gang"])


def test_a_class_whose_texts_differ_says_so(samples):
    def wait(name, message):
        reason = Reason(code="quota", message=message)
        return samples.gang(name, "q", "wait", minimum=1, gpus=1, reasons=(reason,))

    gangs = (wait("a/1", "3 GPUs left"), wait("a/2", "2 GPUs left"), wait("b/1", "3 GPUs left"))
    classes = gang_classes(gangs_frame(PlanResult(gangs=gangs)))
    assert list(classes["gangs"]) == [3]
    assert list(classes["same_why"]) == [False]


def test_a_missing_bound_is_missing_and_a_missing_sum_is_zero(demo):
    queues = queues_frame(demo).set_index("queue")
    assert pd.isna(queues.loc["pretrain", "capability_gpus"])
    assert queues.loc["eval", "capability_gpus"] == 16
    assert queues.loc["online", "borrowed_gpus"] == 0


def test_pods_that_do_not_exist_yet_are_counted_without_a_name(samples):
    from models.plan import PodGroupEntry

    entry = PodGroupEntry(role="w", action="place", node="n", count=5, names=("ns/a", "ns/b"))
    gang = samples.gang("ns/g", "q", "start", minimum=5, gpus=5)
    frame = pods_frame(PlanResult(gangs=(gang.model_copy(update={"pods": (entry,)}),)))
    assert list(zip(frame["pod"], frame["pods"], strict=True)) == [
        ("ns/a", 1),
        ("ns/b", 1),
        ("", 3),
    ]


def test_reasons_count_a_gang_under_each_of_its_codes(demo):
    totals = reason_totals(reasons_frame(demo)).set_index(["code", "queue"])
    assert totals.loc[("quota", "pretrain"), "gpus"] == 24
    assert totals.loc[("fragmentation", "pretrain"), "gangs"] == 1
    assert len(totals) == 3


def test_findings_come_errors_first(demo):
    assert list(findings_frame(demo)["severity"]) == ["error", "warning", "info"]


def test_tiers_without_bound_are_missing_not_zero(medium):
    tiers = tiers_frame(medium)
    assert tiers["bound"].isna().sum() == 3
    assert tiers["gap"].isna().sum() == 3


def test_policy_tells_where_each_value_came_from(demo):
    policy = policy_frame(demo).set_index("key")
    assert policy.loc["queue_model", "origin"] == "scheduler ConfigMap"
    assert policy.loc["evict", "value"] == "[]"


def test_empty_documents_give_empty_frames_with_their_columns():
    empty = PlanResult()
    gangs = gangs_frame(empty)
    for frame in (
        gangs,
        starts_frame(gangs),
        waits_frame(gangs),
        changes_frame(gangs),
        gang_classes(gangs),
        nodes_frame(empty),
        pools_frame(nodes_frame(empty)),
        queues_frame(empty),
        pods_frame(empty),
        reasons_frame(empty),
        reason_totals(reasons_frame(empty)),
        tiers_frame(empty),
    ):
        assert len(frame) == 0
        assert len(frame.columns) > 2
