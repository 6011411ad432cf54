"""Demand of other queueing systems and schedulers is told first, and nothing is called optimal beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models.effective import resolve_policy
from models.foreign_workloads import LeftOut
from models.plan import PlanResult
from models.readers import read_snapshot
from planner.problem.limits import Limits
from planner.report.inspect_result import inspect
from planner.report.proof_words import proof_short
from planner.report.whatif.build import what_if
from planner.usecases.planning import make_plan
from planner.verify.check import verify


def plan_of(path: Path, **flags: Any) -> PlanResult:
    snapshot = read_snapshot([path])
    policy = resolve_policy(snapshot, flags=flags)
    plan = make_plan(snapshot, policy, Limits(), guard=False)
    assert not verify(snapshot, policy, plan).violations
    return plan


def test_a_kueue_cluster_with_a_failed_node(shared: Path) -> None:
    path = shared / "cases/reports/j-kueue-node-failure/snap"
    plan = plan_of(path)
    told = "2 workloads of Kueue with 32 GPUs are not planned (8 GPUs of them wait)"
    assert plan.summary.sentence.startswith(told)
    assert "optimal" not in plan.summary.sentence.lower()
    assert "no gang waits" not in plan.summary.sentence.lower()
    assert (plan.certificate.status, plan.certificate.scope) == ("FEASIBLE", "planned")
    assert proof_short(plan.certificate) == "proved for the planned gangs alone"
    snapshot = read_snapshot([path])
    assert told in inspect(snapshot, (), resolve_policy(snapshot)).sentence


NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {
        "allocatable": {"cpu": "64", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "8"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}


def pod(name: str, gpus: int, *, scheduler: str, **options: Any) -> dict[str, Any]:
    box = {"name": "c", "resources": {"limits": {"nvidia.com/gpu": str(gpus), "cpu": "1"}}}
    spec = {"schedulerName": scheduler, "containers": [box]}
    if gates := options.pop("gates", ()):
        spec["schedulingGates"] = [{"name": gate} for gate in gates]
    meta = {"name": name, "namespace": options.pop("namespace", "ml"), **options}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": spec,
        "status": {"phase": "Pending"},
    }


def workload(name: str, pods: int, gpus: int, *conditions: str, **spec: Any) -> dict[str, Any]:
    box = {"name": "c", "resources": {"requests": {"nvidia.com/gpu": str(gpus)}}}
    parts = [{"name": "main", "count": pods, "template": {"spec": {"containers": [box]}}}]
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "Workload",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"queueName": "prod", "podSets": parts, **spec},
        "status": {"conditions": [{"type": one, "status": "True"} for one in conditions]},
    }


def group(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"minMember": 1},
        "status": {"phase": "Inqueue"},
    }


def in_group(name: str) -> dict[str, Any]:
    return {"annotations": {"scheduling.k8s.io/group-name": name}}


def written(folder: Path, *objects: dict[str, Any]) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [NODE, *objects]}))
    return path


def left_out(*objects: dict[str, Any], folder: Path, **flags: Any) -> tuple[LeftOut, ...]:
    return plan_of(written(folder, *objects), **flags).summary.left_out


def test_waiting_workloads_count_once_with_their_gated_pods(tmp_path: Path) -> None:
    labels = {"labels": {"kueue.x-k8s.io/pod-group-name": "waits"}}
    gates = ["kueue.x-k8s.io/admission"]
    found = left_out(
        workload("waits", 2, 4),
        workload("runs", 1, 8, "Admitted"),
        workload("done", 1, 8, "Admitted", "Finished"),
        workload("off", 1, 8, active=False),
        pod("w-0", 4, scheduler="default-scheduler", gates=gates, **labels),
        folder=tmp_path,
    )
    assert found == (LeftOut(system="Kueue", queueing=True, workloads=2, gpus=16, waiting_gpus=8),)


def test_pods_of_kueue_without_its_workloads_count_by_owner(tmp_path: Path) -> None:
    owned = {"ownerReferences": [{"kind": "Job", "name": "j", "controller": True}]}
    labels = {"labels": {"kueue.x-k8s.io/queue-name": "prod"}}
    pods = [pod(f"j-{n}", 2, scheduler="default-scheduler", **owned, **labels) for n in range(3)]
    found = left_out(*pods, folder=tmp_path)
    assert [(one.system, one.workloads, one.gpus) for one in found] == [("Kueue", 1, 6)]


def test_pods_of_another_scheduler_beside_a_gang(tmp_path: Path) -> None:
    other = pod("t-0", 4, scheduler="kai-scheduler")
    mine = pod("g-0", 2, scheduler="volcano", **in_group("g"))
    plan = plan_of(written(tmp_path, group("g"), mine, other))
    told = "1 of 1 waiting gang can start now, 1 workload of scheduler kai-scheduler with 4 GPUs is not planned"
    assert plan.summary.sentence.startswith(told)
    assert "Proved best for the planned gangs alone" in plan.summary.sentence
    assert plan.certificate.status == "FEASIBLE"


@pytest.mark.parametrize("names", [("kai-scheduler",), ("default-scheduler",)])
def test_what_scheduler_names_leave_out_stays_visible(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    """Pods of Volcano's gang, and pods that a named scheduler has but no gang holds."""
    mine = pod("g-0", 2, scheduler="volcano", **in_group("g"))
    alone = pod("a-0", 3, scheduler="default-scheduler")
    plan = plan_of(written(tmp_path, group("g"), mine, alone), scheduler_names=names)
    found = {one.system: one.gpus for one in plan.summary.left_out}
    assert found == {"volcano": 2, "default-scheduler": 3}
    assert "optimal" not in plan.summary.sentence.lower()


def test_pods_without_gpus_are_told_but_spoil_no_proof(tmp_path: Path) -> None:
    plan = plan_of(written(tmp_path, pod("web", 0, scheduler="default-scheduler")))
    assert plan.summary.sentence.startswith(
        "1 workload of scheduler default-scheduler without GPUs is not planned; no planned gang waits"
    )
    assert (plan.certificate.status, plan.certificate.scope) == ("OPTIMAL", "all")


def test_pods_of_the_system_are_no_workload(tmp_path: Path) -> None:
    owned = {"ownerReferences": [{"kind": "DaemonSet", "name": "d", "controller": True}]}
    plugin = pod("plugin", 0, scheduler="default-scheduler", **owned)
    dns = pod("dns", 0, scheduler="default-scheduler", namespace="kube-system")
    plan = plan_of(written(tmp_path, plugin, dns))
    assert plan.summary.left_out == ()
    assert plan.summary.sentence.startswith("No gang waits")


def test_the_verifier_misses_demand_that_is_not_told(tmp_path: Path) -> None:
    path = written(tmp_path, workload("waits", 2, 4))
    snapshot = read_snapshot([path])
    policy = resolve_policy(snapshot)
    plan = make_plan(snapshot, policy, Limits(), guard=False)
    hidden = plan.model_copy(update={"summary": plan.summary.model_copy(update={"left_out": ()})})
    assert "summary/left_out" in {one.object for one in verify(snapshot, policy, hidden).violations}
    wide = plan.certificate.model_copy(update={"scope": "all", "status": "OPTIMAL"})
    proud = plan.model_copy(update={"certificate": wide})
    assert "certificate/scope" in {one.object for one in verify(snapshot, policy, proud).violations}


def test_comparisons_tell_it_first(tmp_path: Path) -> None:
    base = plan_of(written(tmp_path, workload("waits", 2, 4)))
    told = "Base: 1 workload of Kueue with 8 GPUs is not planned; 0 of 0 waiting gangs start"
    assert what_if(base, []).sentence.startswith(told)
