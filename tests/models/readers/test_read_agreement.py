"""Random mixtures of groups, Jobs and pods: the independent checker links them in the same way."""

from __future__ import annotations

import importlib
import io
import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.promises import LEFTOVER
from models.readers import read_snapshot
from models.workloads import FINISHED_PHASES

NAMES = ("a", "b", "c")


@pytest.fixture(scope="module")
def checker(shared: Any) -> Any:
    tools = str(shared / "tools")
    if tools not in sys.path:
        sys.path.append(tools)
    return importlib.import_module("casecheck.model")


VERSIONS = {
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "LeaderWorkerSet": "leaderworkerset.x-k8s.io/v1",
    "PyTorchJob": "kubeflow.org/v1",
    "MPIJob": "kubeflow.org/v2beta1",
    "RayCluster": "ray.io/v1",
    "SparkApplication": "sparkoperator.k8s.io/v1beta2",
}


def owner(kind: str, name: str) -> dict[str, Any]:
    reference = {"kind": kind, "name": name, "controller": True}
    if kind in VERSIONS:
        reference["apiVersion"] = VERSIONS[kind]
    return {"ownerReferences": [reference]}


@st.composite
def controllers(draw: Any) -> dict[str, Any]:
    kind = draw(st.sampled_from(sorted(VERSIONS)))
    replicas = st.integers(0, 3)
    fields = {
        "ReplicaSet": {"replicas": replicas},
        "StatefulSet": {
            "replicas": replicas,
            "podManagementPolicy": st.sampled_from(["Parallel", "OrderedReady"]),
        },
        "LeaderWorkerSet": {
            "replicas": replicas,
            "leaderWorkerTemplate": st.fixed_dictionaries({"size": st.integers(1, 4)}),
        },
        "PyTorchJob": {
            "pytorchReplicaSpecs": st.fixed_dictionaries(
                {"Master": st.just({"replicas": 1}), "Worker": st.just({"replicas": 2})}
            )
        },
        "MPIJob": {
            "launcherCreationPolicy": st.sampled_from(["AtStartup", "WaitForWorkersReady"]),
            "mpiReplicaSpecs": st.just({"Launcher": {}, "Worker": {"replicas": 2}}),
        },
    }.get(kind, {})
    state = st.sampled_from(["Running", "COMPLETED", "FAILED", "suspended"])
    status = st.one_of(
        st.just({}),
        st.fixed_dictionaries({"state": state}),
        st.fixed_dictionaries({"jobStatus": state}),
        st.fixed_dictionaries({"applicationState": st.fixed_dictionaries({"state": state})}),
        st.sampled_from(["Succeeded", "Failed", "Created", "Suspended"]).map(
            lambda type_: {"conditions": [{"type": type_, "status": "True"}]}
        ),
    )
    run = st.sampled_from([{}, {"suspend": True}, {"suspend": False}])
    return {
        "apiVersion": VERSIONS[kind],
        "kind": kind,
        "metadata": {"name": draw(st.sampled_from(["r", "s"])), "namespace": "ml"},
        "spec": {**draw(st.fixed_dictionaries(fields)), "runPolicy": draw(run), **draw(run)},
        "status": draw(status),
    }


@st.composite
def groups(draw: Any) -> dict[str, Any]:
    owned = draw(
        st.one_of(
            st.sampled_from([None, ("Job", "a"), ("Job", "b")]),
            st.tuples(st.sampled_from(sorted(VERSIONS)), st.sampled_from(["r", "s"])),
        )
    )
    spec: dict[str, Any] = {"minMember": draw(st.integers(0, 3))}
    if draw(st.booleans()):
        spec["minResources"] = {"cpu": "5", "nvidia.com/gpu": draw(st.integers(0, 4))}
    if draw(st.booleans()):
        spec["priorityClassName"] = draw(st.sampled_from(["high", "low", ""]))
    name = f"pg-{draw(st.sampled_from(NAMES))}"
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": "ml", **(owner(*owned) if owned else {})},
        "spec": spec,
        "status": {"phase": draw(st.sampled_from(["Pending", "Running", "Completed"]))},
    }


@st.composite
def jobs(draw: Any) -> dict[str, Any]:
    tasks = [
        {
            "name": role,
            "replicas": draw(st.integers(0, 3)),
            "template": {"spec": {"schedulerName": "volcano"}},
        }
        for role in draw(st.lists(st.sampled_from(["x", "y"]), unique=True))
    ]
    for task in tasks:
        if draw(st.booleans()):
            task["minAvailable"] = draw(st.integers(0, 2))
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": draw(st.sampled_from(NAMES)), "namespace": "ml"},
        "spec": {"tasks": tasks, "minAvailable": draw(st.integers(0, 2)), "queue": "q"},
        "status": {
            "state": {
                "phase": draw(st.sampled_from(["Pending", "Running", "Aborted", "Restarting"]))
            }
        },
    }


@st.composite
def pods(draw: Any, index: int) -> dict[str, Any]:
    owned = draw(
        st.sampled_from(
            [None, ("Job", "a"), ("Job", "c"), ("ReplicaSet", "r"), ("StatefulSet", "s")]
        )
    )
    marks: dict[str, Any] = {}
    if draw(st.booleans()):
        marks["volcano.sh/task-spec"] = draw(st.sampled_from(["x", "y", "z"]))
    if draw(st.booleans()):
        marks["scheduling.volcano.sh/queue-name"] = "q"
    spec: dict[str, Any] = {
        "schedulerName": draw(st.sampled_from(["volcano", "other"])),
        "containers": [{"resources": {"limits": {"nvidia.com/gpu": draw(st.integers(0, 2))}}}],
    }
    if draw(st.booleans()):
        spec["nodeName"] = "n"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"p{index}",
            "namespace": "ml",
            "annotations": marks,
            **(owner(*owned) if owned else {}),
        },
        "spec": spec,
        "status": {"phase": draw(st.sampled_from(["Pending", "Running", "Succeeded"]))},
    }


@st.composite
def clusters(draw: Any) -> list[dict[str, Any]]:
    def unique(values: list[dict[str, Any]], key: Any) -> list[dict[str, Any]]:
        return sorted({key(one): one for one in values}.values(), key=key)

    found = unique(draw(st.lists(groups(), max_size=3)), lambda one: one["metadata"]["name"])
    one_per_owner = unique(
        [one for one in found if "ownerReferences" in one["metadata"]],
        lambda one: one["metadata"]["ownerReferences"][0]["name"],
    )
    kept = [
        one for one in found if "ownerReferences" not in one["metadata"] or one in one_per_owner
    ]
    made = unique(draw(st.lists(jobs(), max_size=2)), lambda one: one["metadata"]["name"])
    members = [draw(pods(index)) for index in range(draw(st.integers(0, 5)))]
    for pod in members:  # only groups that exist: what the checker does without is ours to decide
        if kept and draw(st.booleans()):
            pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] = kept[0]["metadata"][
                "name"
            ]
    classes = [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "high"},
            "value": 9,
        },
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "usual"},
            "value": 2,
            "globalDefault": True,
        },
    ]
    owners = unique(draw(st.lists(controllers(), max_size=3)), lambda one: one["kind"])
    return [*classes, *kept, *made, *owners, *members]


@settings(max_examples=200)
@given(items=clusters())
def test_gangs_and_links_agree(checker: Any, items: list[dict[str, Any]]) -> None:
    mine = read_snapshot(["-"], stdin=io.BytesIO(json.dumps(items).encode()))
    theirs = checker.Snapshot(items)
    assert {pod.full_name: (pod.gang, pod.role, pod.running, pod.pending) for pod in mine.pods} == {
        pod.name: (pod.gang.name if pod.gang else "", pod.role, pod.running, pod.pending)
        for pod in theirs.pods.values()
    }
    assert {
        gang.full_name: (
            set(gang.aliases),
            gang.queue,
            gang.min_member,
            dict(gang.role_minimum),
            gang.priority,
            {one.role: (one.replicas, one.spec.request) for one in promised(mine, gang)},
        )
        for gang in mine.gangs
    } == {
        gang.name: (
            gang.names,
            gang.queue,
            gang.minimum,
            gang.role_minimum,
            gang.priority,
            {
                role: (one.count, one.spec.request)
                for role, one in gang.templates.items()
                if not ended(gang.pods)
            },
        )
        for gang in theirs.gangs
    }
    declared = {gang.name: gang.finished for gang in theirs.gangs if gang.declared or gang.finished}
    leftover = {gang.full_name for gang in mine.gangs if gang.no_more in LEFTOVER}
    spent = {gang.name for gang in theirs.gangs if ended(gang.pods)}
    told = {name: mine.gang_by_name[name].finished for name in declared.keys() - leftover - spent}
    assert told == {name: declared[name] for name in told}


def ended(pods: Any) -> bool:
    return bool(pods) and all(pod.phase in FINISHED_PHASES for pod in pods)


def promised(snapshot: Any, gang: Any) -> Any:
    """Templates; the checker keeps promises of groups whose pods have all ended, which is left out on both sides."""
    return () if ended(snapshot.pods_of(gang)) else gang.templates
