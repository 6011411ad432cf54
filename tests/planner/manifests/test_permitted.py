from __future__ import annotations

from typing import Any

import pytest

from planner.manifests.files import steps_of
from planner.manifests.manifest_file import Action
from planner.manifests.night import Night
from planner.manifests.objects import job_command, queue_patch, replicas_patch, suspend_patch
from planner.manifests.permitted import refused
from planner.testing.nights_by_hand import whole_night

JOB = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "a"}}


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        ("create", job_command("ml", "a", "u", "AbortJob", "why")),
        ("create", job_command("ml", "a", "", "ResumeJob", "why")),
        ("merge-patch", suspend_patch("ml", "a", suspended=True)),
        ("merge-patch", queue_patch("q", {"weight": 3, "deserved": {"nvidia.com/gpu": "8"}})),
        ("merge-patch", queue_patch("q", {"capability": None})),
        ("merge-patch", {**JOB, "spec": {"minAvailable": 2, "priorityClassName": "high"}}),
        ("json-patch", replicas_patch([(0, "worker", 3, None), (1, "ps", 1, 1)])),
    ],
)
def test_permitted(operation: Any, body: Any) -> None:
    assert refused(operation, body) == ()


@pytest.mark.parametrize(
    ("operation", "body", "path"),
    [
        ("merge-patch", {**JOB, "spec": {"suspend": True}}, "spec.suspend"),
        ("merge-patch", {**JOB, "spec": {"queue": "other"}}, "spec.queue"),
        ("merge-patch", {**JOB, "spec": {"tasks": [{"name": "w"}]}}, "spec.tasks[].name"),
        ("merge-patch", queue_patch("q", {"guarantee": {"resource": {}}}), "spec.guarantee.resource"),
        ("merge-patch", queue_patch("q", {"reclaimable": False}), "spec.reclaimable"),
        ("merge-patch", {**queue_patch("q", {}), "status": {"state": "Closed"}}, "status.state"),
        ("create", {**job_command("ml", "a", "", "AbortJob", ""), "action": "Delete"}, "action Delete"),
        ("create", suspend_patch("ml", "a", suspended=True), "create of Job batch/v1"),
        ("json-patch", [{"op": "replace", "path": "/spec/queue", "value": "q"}], "replace /spec/queue"),
        ("json-patch", [{"op": "remove", "path": "/spec/tasks/0"}], "remove /spec/tasks/0"),
        (
            "json-patch",
            [{"op": "add", "path": "/spec/tasks/0/template/spec/affinity", "value": {}}],
            "add /spec/tasks/0/template/spec/affinity",
        ),
        ("resubmit", [{"op": "add", "path": "/spec/queue", "value": "q"}], "add /spec/queue"),
    ],
)  # fmt: skip
def test_everything_else_is_refused(operation: Any, body: Any, path: str) -> None:
    assert path in refused(operation, body)


def test_a_refused_field_never_reaches_a_file() -> None:
    made = whole_night()
    assert made.result.schedule is not None
    night = Night(made.snapshot, made.result, made.policy, made.result.schedule)
    action = Action(
        at=night.now,
        phase="hold",
        subject="gang ml/a",
        stem="suspend",
        name="a",
        operation="merge-patch",
        why="",
        body={**JOB, "spec": {"suspend": True}},
    )
    with pytest.raises(ValueError, match=r"ml/a: no cluster accepts spec\.suspend"):
        steps_of(night, [action])
