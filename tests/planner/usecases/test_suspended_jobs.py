"""A suspended ``batch`` Job: Volcano has nothing to place, whatever room there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from models.effective import resolve_policy
from models.readers import read_snapshot
from models.snapshot import Snapshot
from planner.problem.limits import Limits
from planner.usecases.planning import make_plan
from planner.verify.check import verify


def _objects(*, group: bool) -> list[dict[str, Any]]:
    amounts = {"cpu": "64", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "8"}
    box = {"name": "c", "resources": {"limits": {"nvidia.com/gpu": "2"}}}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "sweep", "namespace": "ml"},
        "spec": {
            "suspend": True,
            "parallelism": 4,
            "template": {"spec": {"schedulerName": "volcano", "containers": [box]}},
        },
    }
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1"},
        "status": {"allocatable": amounts, "conditions": [{"type": "Ready", "status": "True"}]},
    }
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "sweep", "controller": True}
    asked = {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {"name": "sweep", "namespace": "ml", "ownerReferences": [owner]},
        "spec": {"minMember": 4, "minResources": {"nvidia.com/gpu": "8"}},
    }
    return [node, job, *([asked] if group else [])]


def _snapshot(folder: Path, *, group: bool) -> Snapshot:
    listed = {"apiVersion": "v1", "kind": "List", "items": _objects(group=group)}
    (folder / "export.json").write_text(json.dumps(listed))
    return read_snapshot([folder])


@pytest.mark.parametrize("model", ["proportion", "capacity"])
def test_it_waits_to_be_resumed(tmp_path: Path, model: str) -> None:
    snapshot = _snapshot(tmp_path, group=False)
    policy = resolve_policy(snapshot, flags={"queue_model": model})
    plan = make_plan(snapshot, policy, Limits(), guard=False)
    (gang,) = plan.gangs
    assert (gang.decision, gang.pods) == ("wait", ())
    (reason,) = gang.reasons
    assert reason.code == "admission_gate"
    assert reason.message == ("its Job is suspended: 4 pods will be asked for once it is resumed")
    assert reason.data == {"pods": 4}


def test_the_verifier_refuses_to_place_its_pods(tmp_path: Path) -> None:
    snapshot = _snapshot(tmp_path, group=False)
    policy = resolve_policy(snapshot)
    plan = make_plan(snapshot, policy, Limits(), guard=False)
    pod = {"action": "place", "node": "n1", "count": 4}
    document = plan.model_dump(mode="json", by_alias=True)
    document["gangs"][0] |= {"decision": "start", "pods": [pod], "reasons": []}
    found = verify(snapshot, policy, type(plan).model_validate(document))
    assert "pod_placeable" in {one.rule for one in found.violations}


@pytest.mark.parametrize("model", ["proportion", "capacity"])
def test_with_a_group_nothing_is_promised_until_it_is_resumed(tmp_path: Path, model: str) -> None:
    snapshot = _snapshot(tmp_path, group=True)
    policy = resolve_policy(snapshot, flags={"queue_model": model})
    plan = make_plan(snapshot, policy, Limits(), guard=False)
    (gang,) = plan.gangs
    assert (gang.decision, gang.pods) == ("wait", ())
    (reason,) = gang.reasons
    assert reason.code == "not_enough_pods"
    assert "its Job is suspended" in reason.message
    assert not plan.queues[0].requested
