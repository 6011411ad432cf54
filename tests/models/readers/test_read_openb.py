"""The openb trace: small lists with every kind of row, and the real lists where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models.findings import InputError
from models.gpu import GPU_MODEL_LABEL
from models.readers import read_snapshot

NODES = "sn,cpu_milli,memory_mib,gpu,model\nn-0,32000,1024,0,\nn-1,64000,2048,8,G2\n"
LONG = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
    "p-0,12000,16,1,1000,,LS,Running,0,12537496,7\n"
    "p-1,6000,12,1,460,,LS,Running,427061,12902960,427061\n"
    "p-2,6000,12,0,0,,BE,Pending,427061,12902960,\n"
    "p-3,6000,12,4,1000,V100M32|V100M16,LS,Running,5,9,6\n"
)
SHORT = "name,cpu_milli,memory_mib,num_gpu,gpu_milli\r\np-0,12000,16,8,1000\r\np-1,1,1,1,1\r\n"


def test_nodes_and_pods(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NODES)
    (tmp_path / "pods.csv").write_text(LONG)
    snapshot = read_snapshot([tmp_path])
    bare, full = snapshot.nodes
    assert bare.allocatable == {"cpu": 32_000, "memory": 1024 * 1024**2, "pods": 10_000}
    assert full.allocatable.amount("nvidia.com/gpu") == 8
    assert full.labels == {GPU_MODEL_LABEL: "G2"}
    assert bare.labels == {}
    whole, shared, none, wants = snapshot.pods
    assert whole.spec.request == {"cpu": 12_000, "memory": 16 * 1024**2, "nvidia.com/gpu": 1}
    assert shared.spec.request == {
        "cpu": 6000,
        "memory": 12 * 1024**2,
        "gangplan.io/gpu-milli": 460,
    }
    assert {pod.spec.special_rules for pod in (whole, shared, none)} == {()}
    assert wants.spec.node_affinity is not None
    (term,) = wants.spec.node_affinity
    assert term.matches("x", {GPU_MODEL_LABEL: "V100M16"})
    assert not term.matches("x", {GPU_MODEL_LABEL: "G2"})
    assert (whole.created, wants.created) == ("1970-01-01T00:00:00Z", "1970-01-01T00:00:05Z")
    assert (
        wants.annotations["gangplan.io/runtime"],
        "gangplan.io/runtime" in none.annotations,
    ) == ("3s", False)
    assert all(pod.pending and pod.spec.scheduler_name == "volcano" for pod in snapshot.pods)
    assert [(one.format, one.objects) for one in snapshot.sources] == [("openb", 2), ("openb", 4)]


def test_every_pod_is_a_gang_of_one(tmp_path: Path) -> None:
    (tmp_path / "pods.csv").write_text(SHORT)
    snapshot = read_snapshot([tmp_path / "pods.csv"])
    assert [gang.full_name for gang in snapshot.gangs] == ["openb/p-0", "openb/p-1"]
    assert {(gang.min_member, gang.kind, gang.queue) for gang in snapshot.gangs} == {
        (1, "implicit", "default")
    }
    assert [pod.gang for pod in snapshot.pods] == ["openb/p-0", "openb/p-1"]
    assert snapshot.pods[0].spec.request.amount("nvidia.com/gpu") == 8


def test_two_lists_of_different_content_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(NODES)
    (tmp_path / "b.csv").write_text(NODES.replace("64000", "96000"))
    with pytest.raises(InputError, match="two lists with different values"):
        read_snapshot([tmp_path])


@pytest.mark.parametrize(
    ("pods", "count", "fractions", "constrained"),
    [
        ("openb_pod_list_gpuspec33.csv", 8152, None, 2388),
        ("openb_pod_list_gpushare60.csv", 8152, 5233, None),
        ("openb_pod_list_multigpu50.csv", 9061, None, 0),
    ],
)
def test_the_real_lists(
    shared: Path, pods: str, count: int, fractions: int | None, constrained: int | None
) -> None:
    folder = shared / "data" / "openb"
    snapshot = read_snapshot([folder / "openb_node_list_gpu_node.csv", folder / pods])
    assert len(snapshot.nodes) == 1213
    assert snapshot.total.amount("nvidia.com/gpu") == 6212
    assert len(snapshot.pods) == len(snapshot.gangs) == count
    if fractions is not None:
        assert sum("gangplan.io/gpu-milli" in p.spec.request for p in snapshot.pods) == fractions
    if constrained is not None:
        assert sum(pod.spec.node_affinity is not None for pod in snapshot.pods) == constrained


def test_manifests_beside_the_trace(tmp_path: Path, objects: Any) -> None:
    (tmp_path / "nodes.csv").write_text(NODES)
    job = objects.job("eval", objects.task("main", 4), minAvailable=4, queue="evaluation")
    queue = objects.queue(
        "evaluation", weight=30, capability={"nvidia.com/gpu": 64}, reclaimable=True
    )
    (tmp_path / "job.json").write_text(json.dumps(job))
    (tmp_path / "queue.json").write_text(json.dumps(queue))
    snapshot = read_snapshot([tmp_path])
    assert (len(snapshot.nodes), len(snapshot.gangs), len(snapshot.queues)) == (2, 1, 1)


def test_a_wrong_amount_names_its_column(tmp_path: Path) -> None:
    header, first, *_ = NODES.splitlines()
    cells = first.split(",")
    cells[1] = "-5"
    (tmp_path / "nodes.csv").write_text(f"{header}\n{','.join(cells)}\n")
    with pytest.raises(InputError, match="row 1: '-5' is negative; an amount of cpu_milli"):
        read_snapshot([tmp_path])


def test_lists_with_some_columns_in_another_order(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(
        "model,gpu,memory_mib,cpu_milli,sn,rack\nG2,8,2048,64000,n-1,r\n"
    )
    (tmp_path / "pods.csv").write_text(
        "gpu_spec,name,cpu_milli,memory_mib,num_gpu,gpu_milli\nG2|G3,p-0,1000,16,1,460\n"
    )
    snapshot = read_snapshot([tmp_path])
    assert snapshot.nodes[0].allocatable.amount("nvidia.com/gpu") == 8
    assert snapshot.pods[0].spec.request.amount("gangplan.io/gpu-milli") == 460
    assert snapshot.pods[0].spec.node_affinity


def test_a_list_without_a_needed_column_is_no_list(tmp_path: Path) -> None:
    (tmp_path / "pods.csv").write_text("name,cpu_milli,memory_mib,num_gpu\np-0,1000,16,1\n")
    with pytest.raises(InputError):
        read_snapshot([tmp_path])
