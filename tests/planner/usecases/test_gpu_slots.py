"""Slots of cards and parts of vGPUs are said as what they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models.checks import check_snapshot
from models.effective import resolve_policy
from models.plan import PlanResult
from models.readers import read_snapshot
from planner.problem.limits import Limits
from planner.report.inspect_result import inspect
from planner.usecases.planning import make_plan
from planner.verify.check import verify


def plan_of(path: Path) -> PlanResult:
    snapshot = read_snapshot([path])
    policy = resolve_policy(snapshot)
    found = check_snapshot(snapshot, policy)
    plan = make_plan(snapshot, policy, Limits(), findings=found, guard=False)
    assert not verify(snapshot, policy, plan).violations
    return plan


def test_time_sliced_nodes_beside_a_node_of_cards(shared: Path) -> None:
    path = shared / "cases/reports/i-time-slicing/snap"
    plan = plan_of(path)
    told = "64 of the 72 GPUs are slots of 16 shared cards"
    assert plan.summary.gangs_started == 2
    assert (plan.summary.gpu_slots, plan.summary.gpu_slot_cards) == (64, 16)
    assert told in plan.summary.sentence
    (found,) = [one for one in plan.snapshot.findings if one.code == "gpu_slots"]
    assert "64 nvidia.com/gpu of ts-1, ts-2 are slots of 16 cards" in found.message
    assert "two slots of one pod may be one card, and lab/ddp-16, lab/ddp-8 ask" in found.message
    snapshot = read_snapshot([path])
    inventory = inspect(snapshot, (), resolve_policy(snapshot))
    assert told in inventory.sentence
    assert sorted(one.slots_per_card for one in inventory.node_classes) == [1, 4, 4]


def vgpu_node(memory: int) -> dict[str, Any]:
    cards = "".join(f"GPU-{n},10,{memory},NVIDIA-A100,true,hami-core:" for n in range(2))
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1", "annotations": {"volcano.sh/node-vgpu-register": cards}},
        "status": {
            "allocatable": {
                "cpu": "64",
                "memory": "64Gi",
                "pods": "110",
                "volcano.sh/vgpu-number": "20",
                "volcano.sh/vgpu-memory": str(2 * memory),
                "volcano.sh/vgpu-cores": "200",
            },
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


@pytest.mark.parametrize(
    ("asks", "milli"),
    [
        ({"vgpu-number": "1", "vgpu-memory": "20480"}, 500),
        ({"vgpu-number": "2", "vgpu-memory": "10240"}, 500),
        ({"vgpu-number": "1", "vgpu-memory-percentage": "25"}, 250),
        ({"vgpu-number": "2"}, 2000),
        ({"vgpu-number": "1", "vgpu-memory": "20480", "vgpu-cores": "30"}, 300),
    ],
)
def test_a_vgpu_without_a_share_of_cores_counts_its_memory(
    tmp_path: Path, asks: dict[str, str], milli: int
) -> None:
    limits = {f"volcano.sh/{name}": amount for name, amount in asks.items()}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "a-0",
            "namespace": "ml",
            "annotations": {"scheduling.k8s.io/group-name": "a"},
        },
        "spec": {
            "schedulerName": "volcano",
            "containers": [{"name": "c", "resources": {"limits": limits}}],
        },
        "status": {"phase": "Pending"},
    }
    group = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "a", "namespace": "ml"},
        "spec": {"minMember": 1},
        "status": {"phase": "Inqueue"},
    }
    path = tmp_path / "export.json"
    items = [vgpu_node(40960), group, pod]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    (gang,) = plan_of(path).gangs
    assert (gang.decision, gang.milli_gpus) == ("start", milli)
