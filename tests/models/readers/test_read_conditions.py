from __future__ import annotations

from typing import Any

from models.workloads import GangCondition


def condition(kind: str, status: str = "True", **more: str) -> dict[str, str]:
    return {"type": kind, "status": status, "message": "secret text", **more}


def test_conditions_that_hold_are_kept_without_their_messages(read: Any, objects: Any) -> None:
    group = objects.group("train", 1)
    group["status"] = {
        "failed": 2,
        "conditions": [
            condition("Unschedulable", reason="NotEnoughResources", lastTransitionTime="2026-09-15T01:00:00Z"),
            condition("Scheduled", "False"),
        ],
    }  # fmt: skip
    (gang,) = read(group).gangs
    assert gang.conditions == (
        GangCondition("Unschedulable", "NotEnoughResources", "2026-09-15T01:00:00Z"),
    )
    assert gang.failed_pods == 2
    assert "secret" not in repr(gang)


def test_a_job_tells_its_failed_pods_and_the_reason_of_its_phase(read: Any, objects: Any) -> None:
    job = objects.job("train", objects.task("worker", 1), meta={"uid": "u-1"})
    job["status"] = {
        "failed": 3,
        "retryCount": 2,
        "state": {"phase": "Restarting", "reason": "PodFailed"},
    }
    (gang,) = read(job).gangs
    assert (gang.failed_pods, gang.retry_count, gang.uid) == (3, 2, "u-1")
    assert gang.conditions == (GangCondition("Restarting", "PodFailed"),)


def test_a_batch_job_lends_its_status_to_the_group(read: Any, objects: Any) -> None:
    group = objects.group("podgroup-x", 1)
    group["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "x", "controller": True}]
    job = objects.obj(
        "Job", "batch/v1", "x", "ml",
        status={"failed": 5, "conditions": [condition("Failed", reason="BackoffLimitExceeded")]},
    )  # fmt: skip
    (gang,) = read(group, job).gangs
    assert gang.failed_pods == 5
    assert gang.conditions == (GangCondition("Failed", "BackoffLimitExceeded"),)
