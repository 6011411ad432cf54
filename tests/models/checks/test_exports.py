from __future__ import annotations

from dataclasses import replace

from models.snapshot import Source


def test_a_queue_that_reports_more_than_its_pods_request_makes_the_export_incomplete(make):
    gang, pod = make.gang(), make.pod(gpus=2, gang="ml/a", node="n1")
    reported = make.queue(allocated=make.amounts(8, 4, 16))
    explained = make.queue(allocated=make.amounts(2, 4, 16))
    found = make.tells(
        "export_incomplete",
        make.snapshot(reported, gang, pod),
        make.snapshot(explained, gang, pod),
    )
    assert found.severity == "error"
    assert found.object == "queue/eval"
    assert "8 nvidia.com/gpu against 2" in found.message
    assert "--allow-incomplete" in found.remedy


def test_a_gang_that_reports_more_running_pods_than_the_export_holds_makes_it_incomplete(make):
    pods = [make.pod(f"a-{i}", gang="ml/a", node="n1") for i in range(3)]
    found = make.tells(
        "export_incomplete",
        make.snapshot(make.gang(reported_running=4), *pods[:2]),
        make.snapshot(make.gang(reported_running=3), *pods),
    )
    assert found.object == "gang/ml/a"
    assert "4 running pods" in found.message
    assert "2 pods" in found.message


def test_what_a_parent_reports_is_explained_by_the_pods_of_its_leaves(make):
    parent = make.queue("team", allocated=make.amounts(2))
    leaf = make.queue("eval", parent="team")
    pods = (make.gang(), make.pod(gpus=2, gang="ml/a", node="n1"))
    assert not make.findings(make.snapshot(parent, leaf, *pods), "export_incomplete")


def test_pods_that_ended_or_lost_their_node_meanwhile_still_explain_what_was_reported(make):
    gang = make.gang(reported_running=2)
    queue = make.queue(allocated=make.amounts(2))
    pods = (
        make.pod("a-0", gang="ml/a", phase="Succeeded", node="n1"),
        make.pod("a-1", gang="ml/a"),
    )
    assert not make.findings(make.snapshot(queue, gang, *pods), "export_incomplete")


def test_waiting_pods_explain_nothing_that_runs(make):
    queue = make.queue(allocated=make.amounts(1))
    bad = make.snapshot(queue, make.gang(), make.pod(gang="ml/a"))
    assert make.findings(bad, "export_incomplete")


def test_pods_whose_gang_is_unknown_may_belong_to_any_queue(make):
    queue = make.queue(allocated=make.amounts(2))
    gang = make.gang(queue="default", missing_group=True)
    pod = make.pod(gpus=2, gang="ml/a", node="n1")
    assert not make.findings(make.snapshot(queue, gang, pod), "export_incomplete")


def test_volumes_and_other_dimensions_that_no_node_offers_are_not_compared(make):
    queue = make.queue(allocated=make.amounts(**{"attachable-volumes-csi-x": 3}))
    assert not make.findings(make.snapshot(queue), "export_incomplete")


def test_more_than_twenty_nodes_without_system_pods(make):
    nodes = [make.node(f"n{i}") for i in range(22)]
    served = make.pod("agent-n0", node="n0", owner_kind="DaemonSet")
    static = make.pod("proxy-n1", node="n1", namespace="kube-system")
    found = make.tells(
        "no_system_pods",
        make.snapshot(*nodes, served),
        make.snapshot(*nodes, served, static),
    )
    assert "21 of 22 nodes" in found.message


def test_traces_have_no_system_pods_by_nature(make):
    nodes = [make.node(f"n{i}") for i in range(22)]
    trace = replace(make.snapshot(*nodes), sources=(Source("openb_nodes.csv", "openb nodes"),))
    assert not make.findings(trace, "no_system_pods")


def test_a_pod_on_a_node_that_is_gone_is_told_with_both_times(make):
    node = make.node(created="2026-08-20T08:00:00Z")
    pod = make.pod(node="gone", started="2026-08-20T08:30:00Z")
    found = make.tells(
        "pod_on_unknown_node",
        make.snapshot(node, pod),
        make.snapshot(node, replace(pod, node="n1")),
    )
    assert found.object == "node/gone"
    assert "2026-08-20T08:00:00Z" in found.message
    assert "2026-08-20T08:30:00Z" in found.message


def test_a_finished_pod_may_have_been_on_a_node_that_is_gone(make):
    pod = make.pod(node="gone", phase="Succeeded")
    assert not make.findings(make.snapshot(pod), "pod_on_unknown_node")


def test_a_half_listed_gang_is_told_with_both_times(make):
    gang = make.gang(reported_running=4)
    pods = [make.pod(f"a-{i}", gang="ml/a", node="n1") for i in range(4)]
    newest = {"PodGroup": "2026-08-20T08:05:00Z", "Pod": "2026-08-20T08:01:00Z"}
    found = make.tells(
        "half_listed_gang",
        make.snapshot(gang, *pods[:3], newest=newest),
        make.snapshot(gang, *pods, newest=newest),
    )
    assert "only 3 of 4 running pods" in found.message
    assert "2026-08-20T08:05:00Z" in found.message
    assert "2026-08-20T08:01:00Z" in found.message


def test_waiting_work_of_another_queueing_system_is_told(make):
    kueue = {"Workload.kueue.x-k8s.io": 3, "Namespace": 2}
    found = make.tells(
        "other_queueing_system",
        make.snapshot(make.node("n1"), ignored=kueue),
        make.snapshot(make.node("n1"), ignored={"Namespace": 2, "Workload.example.com": 1}),
    )
    assert found.object == "kind/Workload.kueue.x-k8s.io"
    assert "3 objects of kind Workload.kueue.x-k8s.io (Kueue)" in found.message
