"""Clusters at the edge of what an export may hold: each is planned, verified, and every waiting gang is told why."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from models.effective import resolve_policy
from models.readers import read_snapshot
from planner.problem.limits import Limits
from planner.usecases.planning import make_plan

GPU, AMD, ASCEND = "nvidia.com/gpu", "amd.com/gpu", "huawei.com/Ascend910"
Object = dict[str, Any]


def node(name: str, ready: str = "True", **gpus: int) -> Object:
    amounts = {"cpu": "64", "memory": "512Gi", "pods": "110"}
    names = {"nvidia": GPU, "amd": AMD, "ascend": ASCEND}
    amounts |= {names[one]: str(count) for one, count in gpus.items()}
    conditions = [{"type": "Ready", "status": ready}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": amounts, "conditions": conditions},
    }


def group(name: str, minimum: int, namespace: str = "ml", **spec: Any) -> Object:
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"minMember": minimum, **spec},
    }


def pods(
    gang: str, count: int, gpus: int, namespace: str = "ml", resource: str = GPU, **spec: Any
) -> list[Object]:
    box = {"name": "c", "resources": {"limits": {"cpu": "1", resource: str(gpus)}}}
    return [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": f"{gang}-{'on' if 'nodeName' in spec else 'off'}-{index}",
                "namespace": namespace,
                "annotations": {"scheduling.k8s.io/group-name": gang},
            },
            "spec": {"schedulerName": "volcano", "containers": [box], **spec},
            "status": {"phase": "Running" if "nodeName" in spec else "Pending"},
        }
        for index in range(count)
    ]


def job(name: str, replicas: int, gpus: int, minimum: int) -> Object:
    box = {"name": "c", "resources": {"limits": {GPU: str(gpus)}}}
    task = {"name": "w", "replicas": replicas, "template": {"spec": {"containers": [box]}}}
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"minAvailable": minimum, "tasks": [task]},
    }


def priority(name: str, value: int) -> Object:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    }


CASES: dict[str, tuple[list[Object], dict[str, str]]] = {
    "no gang": ([node("n", nvidia=8)], {}),
    "no node": ([group("a", 2), *pods("a", 2, 1)], {"ml/a": "never_fits"}),
    "no GPU": ([node("n"), group("a", 1), *pods("a", 1, 1)], {"ml/a": "never_fits"}),
    "no CPU asked, no GPU there": ([node("n"), group("a", 2), *pods("a", 2, 0)], {"ml/a": "start"}),
    "no node is Ready": (
        [
            node("n", "False", nvidia=8),
            node("m", "Unknown", nvidia=8),
            group("a", 1),
            *pods("a", 1, 1),
        ],
        {"ml/a": "node_selection"},
    ),
    "minMember 0": ([node("n", nvidia=8), group("a", 0), *pods("a", 12, 1)], {"ml/a": "start"}),
    "group without pods": ([node("n", nvidia=8), group("a", 4)], {"ml/a": "not_enough_pods"}),
    "group with minResources only": (
        [node("n", nvidia=8), group("a", 3, minResources={GPU: "8"})],
        {"ml/a": "start"},
    ),
    "no replica": ([node("n", nvidia=8), job("a", 0, 1, 1)], {"ml/a": "not_enough_pods"}),
    "a million pods": ([node("n", nvidia=8), job("a", 10**6, 1, 10**6)], {"ml/a": "never_fits"}),
    "a million elastic pods": ([node("n", nvidia=8), job("a", 10**6, 1, 1)], {"ml/a": "start"}),
    "one name in two namespaces": (
        [
            node("n", nvidia=8),
            group("a", 1, "x"),
            group("a", 1, "y"),
            *pods("a", 1, 4, "x"),
            *pods("a", 1, 4, "y"),
        ],
        {"x/a": "start", "y/a": "start"},
    ),
    "negative priorities": (
        [
            node("n", nvidia=8),
            priority("low", -5),
            priority("lower", -(2**31)),
            group("a", 1, priorityClassName="lower"),
            group("b", 1, priorityClassName="low"),
            *pods("a", 1, 8),
            *pods("b", 1, 8),
        ],
        {"ml/a": "lower_priority", "ml/b": "start"},
    ),
    "a pod on a node that is gone": (
        [node("n", nvidia=8), group("a", 2), *pods("a", 1, 4, nodeName="gone"), *pods("a", 1, 4)],
        {"ml/a": "start"},
    ),
    "a node with more allocated than it has": (
        [
            node("n", nvidia=7),
            group("r", 1),
            *pods("r", 1, 8, nodeName="n"),
            group("a", 1),
            *pods("a", 1, 1),
        ],
        {"ml/r": "keep", "ml/a": "cluster_capacity"},
    ),
    "GPUs of three makers": (
        [
            node("n", amd=8),
            node("m", ascend=8),
            group("a", 2),
            group("b", 1),
            group("c", 1),
            *pods("a", 2, 4, resource=AMD),
            *pods("b", 1, 8, resource=ASCEND),
            *pods("c", 1, 8),
        ],
        {"ml/a": "start", "ml/b": "start", "ml/c": "never_fits"},
    ),
    "one gang with GPUs of two makers": (
        [node("n", nvidia=4, amd=4), node("m", nvidia=8), group("a", 2)]
        + pods("a", 1, 4)
        + [
            {**one, "metadata": {**one["metadata"], "name": "amd"}}
            for one in pods("a", 1, 4, resource=AMD)
        ],
        {"ml/a": "start"},
    ),
}


@pytest.mark.parametrize("model", ["proportion", "capacity"])
@pytest.mark.parametrize("case", CASES)
def test_it_is_planned_and_told(case: str, model: str) -> None:
    objects, expected = CASES[case]
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    snapshot = read_snapshot(["-"], stdin=io.BytesIO(text.encode()))
    policy = resolve_policy(snapshot, flags={"queue_model": model})
    plan = make_plan(snapshot, policy, Limits(), guard=False)
    found = {
        one.full_name: (one.decision, {reason.code for reason in one.reasons}) for one in plan.gangs
    }
    assert found.keys() == expected.keys()
    for name, wanted in expected.items():
        decision, codes = found[name]
        assert wanted in (codes if codes else {decision}), (name, decision, codes)
    assert plan.verification is not None
    assert not plan.verification.violations
    assert plan.summary.sentence.endswith("Verified: 0 violations.")
