"""Plans count pods to come only where nothing in the export speaks against them."""

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
from planner.usecases.planning import make_plan
from planner.verify.check import verify


def plan_of(path: Path, **flags: Any) -> PlanResult:
    snapshot = read_snapshot([path])
    policy = resolve_policy(snapshot, flags=flags)
    found = check_snapshot(snapshot, policy)
    plan = make_plan(snapshot, policy, Limits(), findings=found, guard=False)
    assert not verify(snapshot, policy, plan).violations
    return plan


def decisions(plan: PlanResult) -> dict[str, str]:
    return {gang.name: gang.decision for gang in plan.gangs}


def placed(plan: PlanResult) -> dict[str, int]:
    found = {
        gang.name: sum(item.count for item in gang.pods if item.action == "place")
        for gang in plan.gangs
    }
    return {name: count for name, count in found.items() if count}


def test_leftover_groups_are_findings_and_no_demand(shared: Path) -> None:
    plan = plan_of(shared / "cases/reports/a-empty-podgroups/snap")
    group = "podgroup-208b2879-5b10-42e5-ae1b-2b32907b4532"
    assert placed(plan) == {"tune-a": 1, group: 1}
    assert (plan.summary.gpus_after, plan.summary.gangs_waiting) == (14, 0)
    requested = {one.name: one.requested.get("nvidia.com/gpu", 0) for one in plan.queues}
    assert requested["online"] == 6
    assert requested["batch"] == 8
    (found,) = [one for one in plan.snapshot.findings if one.code == "leftover_pod_group"]
    assert found.object == "7 PodGroups"
    left = [gang for gang in plan.gangs if gang.decision == "keep"]
    assert {gang.reasons[0].code for gang in left} == {"not_enough_pods"}


def test_a_launcher_that_comes_later_takes_what_minimum_resources_leave(shared: Path) -> None:
    plan = plan_of(shared / "cases/reports/b-launcher-comes-later/snap")
    assert placed(plan) == {"bert-hvd": 5, "resnet-hvd": 3}
    assert plan.summary.gpus_after == 16


def test_pods_to_come_of_a_class_that_never_preempts_make_no_victims(shared: Path) -> None:
    plan = plan_of(shared / "cases/faults/e2c.json", evict=["preempt"])
    assert plan.summary.pods_evicted == 0
    assert decisions(plan) == {"H": "wait", "L": "keep"}


NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {
        "allocatable": {"cpu": "64", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "8"},
        "conditions": [{"type": "Ready", "status": "True"}],
    },
}


def group(name: str, owner: dict[str, Any], minimum: int, gpus: int) -> dict[str, Any]:
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "controller": True,
    }
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "ml", "ownerReferences": [reference]},
        "spec": {"minMember": minimum, "minResources": {"nvidia.com/gpu": str(gpus)}},
        "status": {"phase": "Inqueue"},
    }


def owner(kind: str, version: str, spec: Any, status: Any = None) -> dict[str, Any]:
    meta = {"name": f"o-{kind.lower()}", "namespace": "ml"}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": meta,
        "spec": spec,
        "status": status or {},
    }


def pod(name: str, group: str, gpus: int, **fields: Any) -> dict[str, Any]:
    box = {"name": "c", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}
    marks = {"scheduling.k8s.io/group-name": group}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml", "annotations": marks, **fields},
        "spec": {"schedulerName": "volcano", "containers": [box]},
        "status": {"phase": "Pending"},
    }


def written(folder: Path, *objects: dict[str, Any]) -> Path:
    path = folder / "export.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [NODE, *objects]}))
    return path


@pytest.mark.parametrize("model", ["proportion", "capacity"])
def test_groups_of_a_stopped_ray_job_and_a_scaled_down_leader_worker_set(
    tmp_path: Path, model: str
) -> None:
    ray = owner("RayJob", "ray.io/v1", {}, {"jobStatus": "SUCCEEDED"})
    lws = owner(
        "LeaderWorkerSet",
        "leaderworkerset.x-k8s.io/v1",
        {"replicas": 0, "leaderWorkerTemplate": {"size": 2}},
    )
    train = owner("PyTorchJob", "kubeflow.org/v1", {"runPolicy": {}})
    path = written(
        tmp_path,
        *(ray, lws, train),
        *(group("ray", ray, 2, 8), group("lws", lws, 2, 8), group("train", train, 2, 8)),
    )
    plan = plan_of(path, queue_model=model)
    assert decisions(plan) == {"ray": "keep", "lws": "keep", "train": "start"}
    assert plan.summary.sentence.startswith("1 of 1 waiting gang can start now")


def test_a_controller_that_has_made_fewer_pods_than_the_minimum(tmp_path: Path) -> None:
    train = owner("PyTorchJob", "kubeflow.org/v1", {"runPolicy": {}})
    path = written(tmp_path, train, group("train", train, 3, 6), pod("p0", "train", 2))
    plan = plan_of(path)
    (gang,) = plan.gangs
    assert (gang.decision, [one.code for one in gang.reasons]) == ("wait", ["not_enough_pods"])
    assert "its PyTorchJob makes all pods at once" in gang.reasons[0].message
    assert "missing_pods" in {one.code for one in plan.snapshot.findings}


def test_an_ordered_stateful_set_gets_the_room_of_its_later_pods(tmp_path: Path) -> None:
    served = owner("StatefulSet", "apps/v1", {"replicas": 3})
    path = written(tmp_path, served, group("served", served, 3, 8), pod("p0", "served", 4))
    plan = plan_of(path)
    assert placed(plan) == {"served": 3}
    assert plan.summary.gpus_after == 8


@pytest.mark.parametrize("phase", ["Completing", "Restarting", "Aborting", "Terminated"])
def test_pods_of_a_job_that_ends_wait_for_nothing(tmp_path: Path, phase: str) -> None:
    template = {"spec": pod("x", "x", 8)["spec"]}
    job = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ml"},
        "spec": {"minAvailable": 1, "tasks": [{"name": "t", "replicas": 1, "template": template}]},
        "status": {"state": {"phase": phase}},
    }
    leaving = pod("j-t-0", "j", 8, ownerReferences=[{"kind": "Job", "name": "j"}])
    plan = plan_of(written(tmp_path, job, leaving))
    assert decisions(plan) == {"j": "keep"}
    assert plan.summary.sentence.startswith("No gang waits")
    assert not plan.queues[0].requested
