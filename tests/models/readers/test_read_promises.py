"""Pods that a PodGroup is still to get: what its owner, its pods and minResources say."""

from __future__ import annotations

from typing import Any

import pytest

from models.promises import no_more_text
from models.workloads import Gang

GROUPS = {
    "ReplicaSet": "apps/v1",
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "Job": "batch/v1",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
    "JobSet": "jobset.x-k8s.io/v1alpha2",
    "PyTorchJob": "kubeflow.org/v1",
    "TFJob": "kubeflow.org/v1",
    "MPIJob": "kubeflow.org/v2beta1",
    "RayJob": "ray.io/v1",
    "RayCluster": "ray.io/v1",
    "TrainJob": "trainer.kubeflow.org/v1alpha1",
    "SparkApplication": "sparkoperator.k8s.io/v1beta2",
}


class Case:
    """One PodGroup of three pods with nine GPUs, its owner, and some of its pods."""

    def __init__(self, read: Any, objects: Any) -> None:
        self._read, self._objects = read, objects

    def gang(self, owner: dict[str, Any] | None, *pods: dict[str, Any], **options: Any) -> Gang:
        kind = options.pop("kind", owner["kind"] if owner else "")
        reference = {
            "apiVersion": GROUPS.get(kind, "example.com/v1"),
            "kind": kind,
            "name": options.pop("name", "w"),
            "controller": True,
        }
        group = self._objects.group(
            "g",
            3,
            meta={"ownerReferences": [reference]} if kind else {},
            minResources={"nvidia.com/gpu": 9},
            **options,
        )
        objects = [group, *pods, *([owner] if owner else []), *self.more]
        return next(one for one in self._read(*objects).gangs if one.full_name == "ml/g")

    more: tuple[dict[str, Any], ...] = ()

    def owner(self, kind: str, spec: Any = None, status: Any = None, **meta: Any) -> dict[str, Any]:
        made = self._objects.obj(kind, GROUPS[kind], "w", "ml", meta=meta, spec=spec or {})
        return {**made, "status": status or {}}

    def pods(self, count: int, **options: Any) -> list[dict[str, Any]]:
        return [self._objects.pod(f"p{n}", group="g", **options) for n in range(count)]


@pytest.fixture
def case(read: Any, objects: Any) -> Case:
    return Case(read, objects)


DONE = {"conditions": [{"type": "Succeeded", "status": "True"}]}
ROLES = {"Master": {"replicas": 1}, "Worker": {"replicas": 2}}


@pytest.mark.parametrize(
    ("kind", "spec", "status", "code"),
    [
        ("ReplicaSet", {"replicas": 0}, {}, "owner_at_zero"),
        ("Deployment", {"replicas": 0}, {}, "owner_at_zero"),
        ("StatefulSet", {"replicas": 0}, {}, "owner_at_zero"),
        (
            "LeaderWorkerSet",
            {"replicas": 0, "leaderWorkerTemplate": {"size": 3}},
            {},
            "owner_at_zero",
        ),
        ("JobSet", {"replicatedJobs": [{"replicas": 0}]}, {}, "owner_at_zero"),
        ("Job", {"parallelism": 3}, {"completionTime": "2026-11-16T01:00:00Z"}, "owner_ended"),
        ("JobSet", {}, {"conditions": [{"type": "Completed", "status": "True"}]}, "owner_ended"),
        ("PyTorchJob", {"pytorchReplicaSpecs": ROLES}, DONE, "owner_ended"),
        ("TFJob", {}, {"conditions": [{"type": "Failed", "status": "True"}]}, "owner_ended"),
        ("RayJob", {}, {"jobStatus": "STOPPED"}, "owner_ended"),
        ("RayCluster", {}, {"state": "suspended"}, "owner_suspended"),
        ("RayCluster", {"suspend": True}, {}, "owner_suspended"),
        ("TrainJob", {"suspend": True}, {}, "owner_suspended"),
        ("PyTorchJob", {"runPolicy": {"suspend": True}}, {}, "owner_suspended"),
        ("SparkApplication", {}, {"applicationState": {"state": "COMPLETED"}}, "owner_ended"),
        (
            "PyTorchJob",
            {"pytorchReplicaSpecs": {"Worker": {"replicas": 2}}},
            {},
            "owner_makes_fewer",
        ),
    ],
)
def test_an_owner_that_makes_no_pods(
    case: Case, kind: str, spec: Any, status: Any, code: str
) -> None:
    gang = case.gang(case.owner(kind, spec, status))
    assert (gang.no_more, gang.templates) == (code, ())
    assert gang.finished == (code in ("owner_at_zero", "owner_ended"))
    assert gang.suspended == (code == "owner_suspended")
    assert no_more_text(gang).startswith(f"its {kind} ")


def test_an_owner_that_is_being_deleted_makes_no_pods(case: Case) -> None:
    gang = case.gang(case.owner("RayCluster", deletionTimestamp="2026-11-16T01:00:00Z"))
    assert gang.no_more == "owner_ended"


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("ReplicaSet", {"replicas": 3}),
        ("Job", {"parallelism": 3}),
        ("LeaderWorkerSet", {"replicas": 2, "leaderWorkerTemplate": {"size": 3}}),
        ("JobSet", {"replicatedJobs": [{"replicas": 3, "template": {"spec": {"parallelism": 1}}}]}),
        ("PyTorchJob", {"pytorchReplicaSpecs": ROLES, "runPolicy": {"suspend": False}}),
        ("RayCluster", {"workerGroupSpecs": [{"replicas": 2}]}),
        ("SparkApplication", {"executor": {"instances": 2}}),
    ],
)
def test_an_owner_that_is_about_to_make_its_pods(case: Case, kind: str, spec: Any) -> None:
    gang = case.gang(case.owner(kind, spec))
    (template,) = gang.templates
    assert (gang.no_more, gang.finished) == ("", False)
    assert (template.replicas, template.spec.request) == (3, {"nvidia.com/gpu": 3})


@pytest.mark.parametrize(
    ("kind", "spec", "later"),
    [
        ("MPIJob", {"launcherCreationPolicy": "WaitForWorkersReady"}, True),
        ("MPIJob", {}, False),
        ("StatefulSet", {"replicas": 3}, True),
        ("StatefulSet", {"replicas": 3, "podManagementPolicy": "Parallel"}, False),
        ("LeaderWorkerSet", {"leaderWorkerTemplate": {"size": 3}}, True),
        ("SparkApplication", {}, True),
        ("JobSet", {"startupPolicy": {"startupPolicyOrder": "InOrder"}}, True),
        ("JobSet", {"replicatedJobs": [{"replicas": 3, "dependsOn": [{"name": "a"}]}]}, True),
        ("JobSet", {}, False),
        ("PyTorchJob", {"pytorchReplicaSpecs": ROLES}, False),
        ("RayCluster", {}, False),
        ("Job", {"parallelism": 3}, False),
    ],
)
def test_a_missing_pod_comes_later_or_never(case: Case, kind: str, spec: Any, later: bool) -> None:
    """Two pods with 1 GPU each exist: minResources leave 7 GPUs for the third."""
    gang = case.gang(case.owner(kind, spec), *case.pods(2))
    if later:
        (template,) = gang.templates
        assert (template.replicas, template.spec.request) == (3, {"nvidia.com/gpu": 7})
    else:
        assert (gang.no_more, gang.templates, gang.finished) == ("all_pods_made", (), False)


def test_an_owner_that_is_gone(case: Case, objects: Any) -> None:
    assert case.gang(None, kind="RayCluster").templates  # no RayCluster was exported at all
    case.more = (objects.obj("RayCluster", "ray.io/v1", "other", "ml", spec={}),)
    gang = case.gang(None, kind="RayCluster")
    assert (gang.no_more, gang.finished) == ("owner_gone", True)
    had = case.gang(None, kind="RayCluster", status={"phase": "Running"})
    assert had.templates
    there = case.gang(None, *case.pods(1), kind="RayCluster")
    assert there.templates


def test_the_owner_of_the_owner_is_asked_too(case: Case) -> None:
    above = {"ownerReferences": [{"kind": "JobSet", "name": "w", "controller": True}]}
    case.more = (case.owner("JobSet", {"suspend": True}),)
    assert case.gang(case.owner("Job", {"parallelism": 3}, **above)).no_more == "owner_suspended"


def test_a_field_that_cannot_be_understood_says_nothing(case: Case) -> None:
    assert case.gang(case.owner("ReplicaSet", {"replicas": "many"}, [1])).templates


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_group_whose_pods_have_all_ended_waits_for_nothing(case: Case, phase: str) -> None:
    gang = case.gang(None, *case.pods(2, phase=phase, node="n1"))
    assert (gang.finished, gang.no_more, gang.templates) == (True, "pods_ended", ())
    gone = case.gang(None, status={"phase": "Inqueue", "succeeded": 2, "failed": 1})
    assert (gone.finished, gone.no_more) == (True, "pods_ended")


def test_a_volcano_job_whose_pods_have_all_ended_waits_for_nothing(read: Any, objects: Any) -> None:
    job = objects.job("j", objects.task("t", 1), status={"state": {"phase": "Running"}})
    failed = objects.pod("j-t-0", owner=("Job", "j"), phase="Failed", node="n1")
    assert read(job, failed).gangs[0].finished
    more = objects.job("j", objects.task("t", 2), status={"state": {"phase": "Running"}})
    assert not read(more, failed).gangs[0].finished


@pytest.mark.parametrize("phase", ["Completing", "Restarting", "Aborting", "Terminating"])
def test_a_volcano_job_that_ends_or_restarts_asks_for_nothing(
    read: Any, objects: Any, phase: str
) -> None:
    job = objects.job("j", objects.task("t", 2), status={"state": {"phase": phase}})
    left = objects.pod("j-t-0", owner=("Job", "j"))
    (gang,) = read(job, left).gangs
    assert (gang.asks_nothing, gang.finished) == (True, False)


def test_of_two_groups_of_a_job_the_present_run_counts(read: Any, objects: Any) -> None:
    job = objects.job("j", objects.task("t", 2), meta={"uid": "u1"})
    old = objects.group("j-a", 2, owner=("Job", "j"), minResources={"nvidia.com/gpu": 16})
    new = objects.group("j-u1", 2, owner=("Job", "j"))
    gangs = {gang.full_name: gang for gang in read(job, old, new).gangs}
    assert set(gangs) == {"ml/j", "ml/j-a"}
    assert "ml/j-u1" in gangs["ml/j"].aliases
    assert (gangs["ml/j-a"].no_more, gangs["ml/j-a"].finished) == ("replaced", True)


def test_pods_to_come_follow_the_preemption_policy_of_their_class(read: Any, objects: Any) -> None:
    def of_class(name: str, policy: str, **fields: Any) -> Any:
        kind, version = "PriorityClass", "scheduling.k8s.io/v1"
        return objects.obj(kind, version, name, value=1, preemptionPolicy=policy, **fields)

    classes = [of_class("calm", "Never"), of_class("hot", "PreemptLowerPriority")]
    asks = {"minResources": {"nvidia.com/gpu": 2}}
    snapshot = read(
        *classes,
        objects.group("a", 2, priorityClassName="calm", **asks),
        objects.group("b", 2, priorityClassName="hot", **asks),
        objects.job("c", objects.task("t", 2), priorityClassName="calm"),
    )
    found = {gang.name: gang.templates[0].spec.preemption_policy for gang in snapshot.gangs}
    assert found == {"a": "Never", "b": "", "c": "Never"}
    usual = read(of_class("calm", "Never", globalDefault=True), objects.group("a", 2, **asks))
    assert usual.gangs[0].templates[0].spec.preemption_policy == "Never"


def test_a_suspended_owner_with_all_its_pods_lacks_none(case: Case) -> None:
    gang = case.gang(case.owner("RayCluster", {"suspend": True}), *case.pods(3))
    assert (gang.suspended, gang.no_more) == (True, "")
    short = case.gang(case.owner("RayCluster", {"suspend": True}), *case.pods(2))
    assert (short.suspended, short.no_more) == (True, "owner_suspended")
    ended = case.gang(case.owner("PyTorchJob", {}, DONE), *case.pods(3))
    assert (ended.no_more, ended.finished) == ("", False)
