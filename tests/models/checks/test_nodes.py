from __future__ import annotations

from models.resources import Resources


def test_a_node_that_is_not_ready_is_named_with_its_gpus(make):
    found = make.tells(
        "node_not_ready",
        make.snapshot(make.node(conditions={"Ready": "Unknown"}), make.pod(node="n1")),
        make.snapshot(make.node(conditions={"Ready": "True"})),
    )
    assert found.object == "node/n1"
    assert "Unknown" in found.message
    assert "8 GPUs" in found.message
    assert "1 pod on it" in found.message


def test_a_cordoned_node(make):
    found = make.tells(
        "node_cordoned",
        make.snapshot(make.node(unschedulable=True)),
        make.snapshot(make.node()),
    )
    assert found.severity == "info"


def test_a_gpu_that_became_unhealthy_leaves_the_node_over_full(make):
    node = make.node(
        allocatable=Resources({"cpu": 64_000, "memory": 2**39, "pods": 110, make.gpu: 7})
    )
    pod = make.pod(gpus=8, node="n1")
    found = make.tells(
        "node_overfull",
        make.snapshot(node, pod),
        make.snapshot(node, make.pod(gpus=7, node="n1")),
    )
    assert "8 nvidia.com/gpu against 7" in found.message
    assert "counts as 0" in found.message


def test_the_number_of_pods_can_be_over_full_too(make):
    node = make.node(
        allocatable=Resources({"cpu": 64_000, "memory": 2**39, "pods": 1, make.gpu: 8})
    )
    pods = [make.pod(f"a-{i}", node="n1") for i in range(2)]
    assert (
        "2 pods against 1" in make.findings(make.snapshot(node, *pods), "node_overfull")[0].message
    )


def test_finished_pods_fill_no_node(make):
    pods = [make.pod(f"a-{i}", gpus=8, node="n1", phase="Failed") for i in range(2)]
    assert not make.findings(make.snapshot(*pods), "node_overfull")


def test_fewer_gpus_than_the_machine_has(make):
    found = make.tells(
        "unhealthy_gpus",
        make.snapshot(make.node(allocatable=make.amounts(6, 64, 512))),
        make.snapshot(make.node()),
    )
    assert "6 of its 8 nvidia.com/gpu: 2 unhealthy" in found.message


def test_nodes_without_a_gpu_model_are_grouped_by_machine(make):
    labels = {"node.kubernetes.io/instance-type": "p5.48xlarge"}
    nodes = [make.node(f"n{i}", labels=labels) for i in range(3)]
    found = make.tells(
        "no_gpu_model_label",
        make.snapshot(*nodes, make.node("n9", labels={})),
        make.snapshot(make.node(), make.node("cpu-1", gpus=0, labels={})),
    )
    messages = [one.message for one in make.findings(make.snapshot(*nodes), "no_gpu_model_label")]
    assert len(messages) == 1
    assert "n0 and 2 other nodes" in messages[0]
    assert "p5.48xlarge" in messages[0]
    assert found.severity == "info"


def test_the_policy_may_name_another_label(make):
    snapshot = make.snapshot(make.node(labels={"vendor/model": "X1"}))
    assert make.findings(snapshot, "no_gpu_model_label")
    rule = {"label_keys": ("vendor/model",)}
    assert not make.findings(snapshot, "no_gpu_model_label", gpu_models=rule)


def test_workloads_without_any_node(make):
    full, empty = make.snapshot(make.gang(), make.pod(gang="ml/a")), make.snapshot()
    make.tells(
        "no_nodes",
        type(full)(gangs=full.gangs, pods=full.pods),
        type(empty)(),
    )


def test_a_revocable_zone_without_a_window(make):
    node = make.node(
        labels={"volcano.sh/revocable-zone": "night", "nvidia.com/gpu.product": "H100"}
    )
    found = make.tells(
        "revocable_zone_without_window",
        make.snapshot(node),
        make.snapshot(node),
        policy={"revocable_zones": {"day": "08:00-20:00"}},
        good_policy={"revocable_zones": {"night": "01:00-06:00"}},
    )
    assert found.object == "zone/night"
    assert not make.findings(make.snapshot(node), "revocable_zone_without_window")


def test_parts_of_whole_gpus_do_not_overfill_a_node_that_does_not_list_them(make):
    """Before, a running pod with half a GPU made its node look overfull: 500 against 0."""
    half = make.pod(node="n1", request=Resources({"gangplan.io/gpu-milli": 500}))
    assert not make.findings(make.snapshot(make.node(), half), "node_overfull")


def test_slots_of_shared_cards(make):
    def labels(replicas):
        return {
            "nvidia.com/gpu.replicas": str(replicas),
            "nvidia.com/gpu.sharing-strategy": "time-slicing" if replicas > 1 else "none",
        }

    wide = make.pod("w-0", gang="ml/a", gpus=2)
    found = make.tells(
        "gpu_slots",
        make.snapshot(make.node("n1", labels=labels(4)), make.gang(), wide),
        make.snapshot(make.node("n1", labels=labels(1)), make.gang(), wide),
    )
    assert "8 nvidia.com/gpu of n1 are slots of 2 cards (time-slicing, 4 per card)" in found.message
    assert "ml/a asks for several per pod" in found.message
