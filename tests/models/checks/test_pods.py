from __future__ import annotations

from models.resources import Resources


def test_a_resource_that_no_node_offers(make):
    request = Resources({"nvidia.com/gpus": 1})
    found = make.tells(
        "unknown_resource",
        make.snapshot(make.gang(), make.pod(request=request, gang="ml/a")),
        make.snapshot(make.gang(), make.pod(gang="ml/a")),
    )
    assert found.object == "resource/nvidia.com/gpus"
    assert "did they mean nvidia.com/gpu?" in found.message
    assert "ml/a" in found.message


def test_running_pods_may_use_what_no_node_offers_any_more(make):
    pod = make.pod(request=Resources({"example.com/nic": 1}), node="n1")
    assert not make.findings(make.snapshot(pod), "unknown_resource")


def test_gpu_shares_are_registered_elsewhere_and_not_unknown(make):
    request = Resources({"volcano.sh/vgpu-number": 1})
    pod = make.pod(request=request, special_rules=("gpuShare",), gang="ml/a")
    assert not make.findings(make.snapshot(make.gang(), pod), "unknown_resource")


def test_running_shares_that_do_not_tell_their_cards(make):
    request = Resources({"gangplan.io/gpu-milli": 300})
    marks = {"gangplan.io/gpu-index": "0"}
    found = make.tells(
        "gpu_cards_assumed",
        make.snapshot(make.node("n1"), make.pod(request=request, node="n1")),
        make.snapshot(make.node("n1"), make.pod(request=request, node="n1", annotations=marks)),
    )
    assert "1 running pod on 1 node does not tell" in found.message


def test_a_pod_larger_than_every_node(make):
    found = make.tells(
        "pod_larger_than_any_node",
        make.snapshot(make.job(gpus=16)),
        make.snapshot(make.job(gpus=8)),
    )
    assert found.object == "gang/ml/a"
    assert "2 pods of role worker" in found.message
    assert "16 nvidia.com/gpu (the largest node has 8 nvidia.com/gpu)" in found.message


def test_no_single_node_has_all_that_the_nodes_have_apart(make):
    nodes = (make.node("fat", gpus=0), make.node("thin", allocatable=make.amounts(8, 8, 512)))
    pod = make.pod(request=make.amounts(8, 32), gang="ml/a")
    found = make.findings(make.snapshot(*nodes, make.gang(), pod), "pod_larger_than_any_node")
    assert len(found) == 1
    assert "none has all together" in found[0].message


def test_sizes_are_compared_with_empty_nodes_also_those_not_ready(make):
    node = make.node(conditions={"Ready": "False"})
    full = make.pod("full", gpus=8, node="n1")
    snapshot = make.snapshot(node, full, make.gang(), make.pod(gpus=8, gang="ml/a"))
    assert not make.findings(snapshot, "pod_larger_than_any_node")


def test_an_unknown_resource_is_told_once(make):
    pod = make.pod(request=Resources({"example.com/nic": 1}), gang="ml/a")
    snapshot = make.snapshot(make.gang(), pod)
    assert make.findings(snapshot, "unknown_resource")
    assert not make.findings(snapshot, "pod_larger_than_any_node")


def test_pods_that_request_nothing(make):
    found = make.tells(
        "no_request",
        make.snapshot(make.gang(), make.pod(request=Resources(), gang="ml/a")),
        make.snapshot(make.gang(), make.pod(gang="ml/a")),
    )
    assert found.severity == "info"
    assert "1 pod of ml/a asks for nothing" in found.message


def test_a_gpu_requested_without_a_limit(make):
    found = make.tells(
        "request_without_limit",
        make.snapshot(make.gang(), make.pod(gang="ml/a", requests_without_limit=(make.gpu,))),
        make.snapshot(make.gang(), make.pod(gang="ml/a")),
    )
    assert make.gpu in found.message


def test_gated_pods(make):
    found = make.tells(
        "gated_pods",
        make.snapshot(make.gang(), make.pod(gang="ml/a", scheduling_gates=("example.com/budget",))),
        make.snapshot(make.gang(), make.pod(gang="ml/a")),
    )
    assert "example.com/budget" in found.message


def test_pending_pods_of_other_schedulers_are_counted(make):
    pods = [make.pod(f"web-{i}", gpus=2, scheduler_name="default-scheduler") for i in range(3)]
    found = make.tells(
        "foreign_pending_pods",
        make.snapshot(*pods),
        make.snapshot(make.gang(), make.pod(gang="ml/a")),
    )
    assert found.object == "scheduler/default-scheduler"
    assert "3 pending pods" in found.message
    assert "6 nvidia.com/gpu" in found.message
    assert "12 CPUs" in found.message
    assert "not planned, may take room" in found.message


def test_the_policy_may_plan_for_other_schedulers(make):
    member = make.pod(gang="ml/a", scheduler_name="batch-scheduler")
    snapshot = make.snapshot(make.gang(), member)
    names = ("volcano", "batch-scheduler")
    assert not make.findings(snapshot, "foreign_pending_pods", scheduler_names=names)


def test_plans_place_gangs_so_pods_in_no_gang_are_told(make):
    snapshot = make.snapshot(make.pod(scheduler_name="batch-scheduler"))
    names = ("volcano", "batch-scheduler")
    (found,) = make.findings(snapshot, "foreign_pending_pods", scheduler_names=names)
    assert "in no gang, not planned" in found.message


def test_a_gang_whose_pods_name_another_scheduler(make):
    pods = [make.pod(f"a-{i}", gang="ml/a") for i in range(3)]
    stranger = make.pod("a-3", gang="ml/a", scheduler_name="default-scheduler")
    found = make.tells(
        "scheduler_mismatch",
        make.snapshot(make.gang(), *pods, stranger),
        make.snapshot(make.gang(), *pods, make.pod("web", scheduler_name="default-scheduler")),
    )
    assert "1 of 4 pods of gang ml/a names scheduler default-scheduler" in found.message


def test_a_running_pod_with_an_amount_that_no_node_has_is_named(make):
    huge = Resources({"nvidia.com/gpu": (1 << 63) - 1})
    found = make.tells(
        "running_pod_larger_than_any_node",
        make.snapshot(make.node("n1"), make.pod(request=huge, node="n1")),
        make.snapshot(make.node("n1"), make.pod(request=Resources({"cpu": 1}), node="n1")),
    )
    assert "on node n1 requests 9,223,372,036,854,775,807 nvidia.com/gpu" in found.message
