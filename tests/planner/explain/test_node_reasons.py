from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from models.cluster import Node
from models.readiness import REVOCABLE_ZONE_KEY
from models.resources import CPU, Resources
from models.selectors import Taint
from planner.testing.by_hand import Work, gpu_node, gpu_queue, work
from planner.testing.random_gpu_kinds import kind_node
from planner.testing.random_nodes import GPU

Explain = Callable[..., dict[str, dict]]
Q = gpu_queue("q")
TAINT = Taint("dedicated", "NoSchedule", "infra")


def requests(gang: Work, *amounts: dict[str, int], roles: tuple[str, ...] = ()) -> Work:
    """The gang with these requests, pod by pod, and roles that are all needed."""
    pods = [
        replace(pod, spec=replace(pod.spec, request=Resources(one)))
        for pod, one in zip(gang.pods, amounts, strict=True)
    ]
    if not roles:
        return replace(gang, pods=tuple(pods))
    named = tuple(replace(pod, role=role) for pod, role in zip(pods, roles, strict=True))
    minimum = {role: roles.count(role) for role in roles}
    return Work(replace(gang.gang, role_minimum=minimum), named)


def selecting(gang: Work, **labels: str) -> Work:
    pods = [
        replace(pod, spec=replace(pod.spec, node_selector=tuple(labels.items())))
        for pod in gang.pods
    ]
    return replace(gang, pods=tuple(pods))


def zone_node(name: str, zone: str = "night") -> Node:
    return replace(gpu_node(name), labels={REVOCABLE_ZONE_KEY: zone})


def revocable(gang: Work) -> Work:
    mark = {REVOCABLE_ZONE_KEY: "*"}
    pods = [replace(pod, annotations={**pod.annotations, **mark}) for pod in gang.pods]
    return replace(gang, pods=tuple(pods))


def test_a_sum_that_is_too_small_is_capacity(explain: Explain) -> None:
    running = work("old", gpus=6, nodes=("n1",))
    found = explain(gpu_node("n1"), gpu_node("n2"), Q, running, work("new", pods=11, gpus=1))
    assert set(found["new"]) == {"cluster_capacity"}
    reason = found["new"]["cluster_capacity"]
    assert reason.message == "needs 11 GPUs; 10 GPUs are free on all 2 nodes"
    assert reason.data["short"] == [{"dimension": GPU, "need": 11, "free": 10, "nodes": 2}]


def test_every_dimension_that_is_short_is_named(explain: Explain) -> None:
    running = requests(work("old", nodes=("n1",)), {CPU: 63500, GPU: 7})
    found = explain(gpu_node("n1"), Q, running, work("new", pods=2, gpus=1))
    message = found["new"]["cluster_capacity"].message
    assert message == "needs 2 GPUs and 2 CPUs; 1 GPU and 0.5 CPUs are free on the only node"


def test_capacity_counts_open_nodes_only(explain: Explain) -> None:
    labelled = replace(gpu_node("n1"), labels={"gpu": "h100"})
    running = work("old", gpus=6, nodes=("n1",))
    gang = selecting(work("new", pods=2, gpus=2), gpu="h100")
    found = explain(labelled, gpu_node("n2", 1), Q, running, gang)
    assert set(found["new"]) == {"cluster_capacity"}
    assert "2 GPUs are free on the only node it may use" in found["new"]["cluster_capacity"].message


def test_the_sum_of_one_role_is_enough_for_capacity(explain: Explain) -> None:
    """CPUs would do in sum, but the role that needs them may use one node only."""
    small = replace(gpu_node("n1", 0, cpu_milli=4000), labels={"kind": "cpu"})
    running = requests(work("old", nodes=("n1",)), {CPU: 3000})
    gang = requests(
        work("new", pods=2), {CPU: 2000}, {CPU: 500, GPU: 1}, roles=("driver", "worker")
    )
    driver = gang.pods[0]
    driver = replace(driver, spec=replace(driver.spec, node_selector=(("kind", "cpu"),)))
    gang = replace(gang, pods=(driver, gang.pods[1]))
    found = explain(small, gpu_node("n2", cpu_milli=1500), Q, running, gang)
    reason = found["new"]["cluster_capacity"]
    assert reason.data["role"] == "driver"
    assert "needs 2 CPUs for 1 pod of role driver; 1 CPU is free on the only node it may use" in (
        reason.message
    )


def test_pod_slots_are_a_dimension(explain: Explain) -> None:
    running = work("old", pods=2, gpus=1, nodes=("n1", "n1"))
    found = explain(gpu_node("n1", pods=3), Q, running, work("new", pods=2, gpus=1))
    assert "needs 2 pod slots; 1 pod slot is free" in found["new"]["cluster_capacity"].message


def test_pieces_that_are_too_small_are_fragmentation(explain: Explain) -> None:
    running = [work(f"old{i}", gpus=5, nodes=(f"n{i}",)) for i in (1, 2)]
    nodes = [gpu_node(f"n{i}") for i in (1, 2, 3)]
    found = explain(*nodes, Q, *running, work("new", pods=3, gpus=4))
    assert set(found["new"]) == {"fragmentation"}
    reason = found["new"]["fragmentation"]
    assert reason.message == (
        "needs 3 pods of 4 GPUs each; 14 GPUs are free on 3 nodes, but only 2 pods fit: "
        "1 node has 4 GPUs or more"
    )
    assert reason.data["podsNeeded"] == 3
    assert reason.data["podsFit"] == 2
    assert reason.data["free"][GPU] == 14
    assert reason.data["nodesWithEnough"][GPU] == 1


def test_one_gpu_less_in_sum_is_capacity_and_not_fragmentation(explain: Explain) -> None:
    running = [work(f"old{i}", gpus=5, nodes=(f"n{i}",)) for i in (1, 2)]
    nodes = [gpu_node("n1"), gpu_node("n2"), gpu_node("n3", 5)]
    found = explain(*nodes, Q, *running, work("new", pods=3, gpus=4))
    assert set(found["new"]) == {"cluster_capacity"}


def test_a_packing_that_exists_is_no_reason(explain: Explain) -> None:
    nodes = [gpu_node(f"n{i}", 4) for i in (1, 2, 3)]
    assert explain(*nodes, Q, work("new", pods=3, gpus=4), start=("new",)) == {}


def test_gpus_and_cpus_on_different_nodes_are_fragmentation(explain: Explain) -> None:
    no_cpu = requests(work("old1", nodes=("n1",)), {CPU: 60000})
    no_gpu = work("old2", gpus=8, nodes=("n2",))
    gang = requests(work("new"), {CPU: 16000, GPU: 4})
    found = explain(gpu_node("n1"), gpu_node("n2"), Q, no_cpu, no_gpu, gang)
    reason = found["new"]["fragmentation"]
    assert "GPUs and CPUs are free on different nodes" in reason.message
    assert reason.data["podsFit"] == 0
    assert reason.data["podsFitByDimension"] == {GPU: 2, CPU: 3, "pods": 218}


def test_roles_that_fit_one_by_one_only(explain: Explain) -> None:
    """Two pods of 3 CPUs and two of 2 CPUs on two nodes of 5: three of one kind never help."""
    nodes = [gpu_node("n1", 0, cpu_milli=5000), gpu_node("n2", 0, cpu_milli=5000)]
    taker = requests(work("old", nodes=("n1",)), {CPU: 0})
    amounts = ({CPU: 3000}, {CPU: 3000}, {CPU: 4000})
    gang = requests(work("new", pods=3), *amounts, roles=("a", "a", "b"))
    found = explain(*nodes, Q, taker, gang)
    assert set(found["new"]) == {"never_fits"}
    assert "do not fit together" in found["new"]["never_fits"].message


def test_a_pod_larger_than_every_node_never_fits(explain: Explain) -> None:
    found = explain(gpu_node("n1"), gpu_node("n2", 4), Q, work("new", gpus=9))
    assert set(found["new"]) == {"never_fits"}
    reason = found["new"]["never_fits"]
    assert reason.message == "one pod needs 9 GPUs; no node has more than 8 GPUs"
    assert reason.data["perPod"][GPU] == 9
    assert reason.data["largestNode"][GPU] == 8


def test_a_pod_as_large_as_a_node_waits_for_it(explain: Explain) -> None:
    running = work("old", gpus=1, nodes=("n1",))
    found = explain(gpu_node("n1"), gpu_node("n2", 4), Q, running, work("new", gpus=8))
    assert set(found["new"]) == {"fragmentation"}


def test_more_pods_than_empty_nodes_hold_never_fit(explain: Explain) -> None:
    found = explain(gpu_node("n1"), gpu_node("n2"), Q, work("new", pods=3, gpus=5))
    reason = found["new"]["never_fits"]
    assert "all 2 nodes together hold 2 of them even when empty" in reason.message
    assert reason.data["podsFitEmpty"] == 2


def test_what_never_fits_says_too_that_every_large_node_is_closed(explain: Explain) -> None:
    """More nodes like these would not help: all are closed to it."""
    gang = selecting(work("new", pods=3, gpus=8), gpu="h200")
    found = explain(gpu_node("n1"), gpu_node("n2"), Q, gang)
    assert set(found["new"]) == {"never_fits", "node_selection"}
    reason = found["new"]["node_selection"]
    assert reason.message == (
        "all nodes that are large enough for one of its pods are closed to it: 2 nodes (no label gpu=h200)"
    )
    some = replace(gpu_node("n2"), labels={"gpu": "h200"})
    assert set(explain(gpu_node("n1"), some, Q, gang)["new"]) == {"never_fits"}


def test_more_than_the_cluster_has_never_fits(explain: Explain) -> None:
    found = explain(gpu_node("n1"), gpu_node("n2", 4), Q, work("new", pods=13, gpus=1))
    reason = found["new"]["never_fits"]
    assert reason.message == "needs 13 GPUs; all 2 nodes have 12 GPUs in all, even when empty"
    assert reason.data["short"] == [{"dimension": GPU, "need": 13, "allocatable": 12}]


def test_its_own_running_pods_are_told_apart_from_empty_nodes(explain: Explain) -> None:
    part = work("new", pods=4, gpus=3, nodes=("n1", "n1"))
    reason = explain(gpu_node("n1"), Q, part)["new"]["never_fits"]
    assert reason.message.endswith("even with no running pods but its own")


def test_resources_that_no_node_has_together_never_fit(explain: Explain) -> None:
    cpu_node = gpu_node("n2", 0, cpu_milli=128000)
    gang = requests(work("new"), {CPU: 96000, GPU: 2})
    reason = explain(gpu_node("n1"), cpu_node, Q, gang)["new"]["never_fits"]
    assert reason.message == "no node has 2 GPUs and 96 CPUs for one pod, even when empty"


def test_cards_that_no_node_has_are_told(explain: Explain) -> None:
    """The memory is there, on cards of another mode."""
    vgpu = {"volcano.sh/vgpu-number": 1, "volcano.sh/vgpu-memory": 1000}
    gang = requests(work("new"), vgpu)
    spec = replace(gang.pods[0].spec, card_rules=(("volcano.sh/vgpu-mode", "mps"),))
    gang = replace(gang, pods=(replace(gang.pods[0], spec=spec),))
    reason = explain(kind_node("n1", "vgpu", 2), Q, gang)["new"]["never_fits"]
    assert "for one pod on cards with sharing mode mps, even when empty" in reason.message


def test_a_label_that_no_node_has_is_node_selection(explain: Explain) -> None:
    gang = selecting(work("new"), gpu="h200")
    found = explain(gpu_node("n1"), gpu_node("n2"), Q, gang)
    assert set(found["new"]) == {"node_selection"}
    reason = found["new"]["node_selection"]
    assert reason.message == (
        "none of the 2 nodes is open to its pods; closed: 2 nodes (no label gpu=h200)"
    )
    assert reason.data["closed"] == {"no label gpu=h200": 2}


def test_open_nodes_that_are_too_few_even_when_empty(explain: Explain) -> None:
    closed = replace(gpu_node("n2"), taints=(TAINT,))
    cordoned = replace(gpu_node("n3"), unschedulable=True)
    broken = replace(gpu_node("n4"), conditions={"Ready": "False"})
    useless = replace(gpu_node("n5", 0), taints=(TAINT,))
    gang = work("new", pods=3, gpus=4)
    found = explain(gpu_node("n1"), closed, cordoned, broken, useless, Q, gang)
    assert set(found["new"]) == {"node_selection"}
    reason = found["new"]["node_selection"]
    assert "1 of 5 nodes is open to its pods and holds 2 of the 3 that it needs" in reason.message
    assert reason.data["closed"] == {
        "taint dedicated=infra:NoSchedule": 1,
        "cordoned": 1,
        "not Ready": 1,
    }


def test_closed_nodes_with_room_are_named_beside_the_lack_of_room(explain: Explain) -> None:
    """The open node is large enough but busy; a tainted one is idle."""
    closed = replace(gpu_node("n2"), taints=(TAINT,))
    running = work("old", gpus=8, nodes=("n1",))
    found = explain(gpu_node("n1"), closed, Q, running, work("new", gpus=8))
    assert set(found["new"]) == {"cluster_capacity", "node_selection"}
    message = found["new"]["node_selection"].message
    assert message == (
        "room for it is free on nodes that are closed to it: "
        "1 node (taint dedicated=infra:NoSchedule)"
    )


def test_room_on_nodes_out_of_service_is_told(explain: Explain) -> None:
    cordoned = replace(gpu_node("n2"), unschedulable=True)
    broken = replace(gpu_node("n3"), conditions={"Ready": "False"})
    running = work("old", gpus=8, nodes=("n1",))
    found = explain(gpu_node("n1"), cordoned, broken, Q, running, work("new", gpus=8))
    assert set(found["new"]) == {"cluster_capacity", "node_selection"}
    reason = found["new"]["node_selection"]
    assert reason.message == (
        "room for it is free on nodes that are closed to it: 1 node (cordoned), 1 node (not Ready)"
    )
    assert reason.data["closed"] == {"cordoned": 1, "not Ready": 1}


def test_closed_nodes_without_room_are_no_reason(explain: Explain) -> None:
    closed = replace(gpu_node("n2"), taints=(TAINT,))
    running = [work(f"old{i}", gpus=8, nodes=(f"n{i}",)) for i in (1, 2)]
    found = explain(gpu_node("n1"), closed, Q, *running, work("new", gpus=8))
    assert set(found["new"]) == {"cluster_capacity"}


def test_closed_nodes_that_would_not_do_alone_leave_capacity_as_a_reason(explain: Explain) -> None:
    closed = replace(gpu_node("n2"), taints=(TAINT,))
    running = work("old", gpus=8, nodes=("n1",))
    found = explain(gpu_node("n1"), closed, Q, running, work("new", pods=2, gpus=8))
    assert set(found["new"]) == {"node_selection", "cluster_capacity"}
    assert "8 GPUs are free on 2 nodes, closed ones included" in (
        found["new"]["cluster_capacity"].message
    )


def test_a_closed_zone_is_a_time_window(explain: Explain) -> None:
    gang = revocable(work("new", pods=2, gpus=8))
    found = explain(
        gpu_node("n1"),
        zone_node("z1"),
        Q,
        gang,
        revocable_zones={"night": "22:00-06:00"},
        now="2026-11-01T12:00:00Z",
    )
    assert set(found["new"]) == {"time_window"}
    reason = found["new"]["time_window"]
    assert "1 node of revocable zone night (open 22:00-06:00 UTC)" in reason.message
    assert reason.data == {"zones": {"night": 1}, "windows": {"night": "22:00-06:00"}}


def test_an_open_zone_is_none(explain: Explain) -> None:
    found = explain(
        gpu_node("n1"),
        zone_node("z1"),
        Q,
        revocable(work("new", pods=2, gpus=8)),
        revocable_zones={"night": "22:00-06:00"},
        now="2026-11-01T23:00:00Z",
        start=("new",),
    )
    assert found == {}


def test_a_zone_that_the_pods_are_not_marked_for_is_node_selection(explain: Explain) -> None:
    found = explain(
        gpu_node("n1"),
        zone_node("z1"),
        Q,
        work("new", pods=2, gpus=8),
        revocable_zones={"night": "22:00-06:00"},
        now="2026-11-01T12:00:00Z",
    )
    assert set(found["new"]) == {"node_selection"}


def test_a_zone_that_is_not_enough_beside_a_taint_is_named_with_it(explain: Explain) -> None:
    tainted = replace(gpu_node("n1"), taints=(TAINT,))
    found = explain(
        tainted,
        zone_node("z1"),
        Q,
        revocable(work("new", pods=2, gpus=8)),
        revocable_zones={"night": "22:00-06:00"},
        now="2026-11-01T12:00:00Z",
    )
    assert set(found["new"]) == {"node_selection", "time_window"}


def test_limit_and_nodes_both_bind(explain: Explain) -> None:
    running = work("old", gpus=7, nodes=("n1",))
    for capability, codes in ((8, {"quota", "cluster_capacity"}), (9, {"cluster_capacity"})):
        queue = gpu_queue("q", capability=capability)
        found = explain(gpu_node("n1"), queue, running, work("new", pods=2, gpus=1))
        assert set(found["new"]) == codes
    found = explain(
        gpu_node("n1"), gpu_node("n2", 1), gpu_queue("q", capability=8), running,
        work("new", pods=3, gpus=1),
    )  # fmt: skip
    assert set(found["new"]) == {"quota", "cluster_capacity"}
