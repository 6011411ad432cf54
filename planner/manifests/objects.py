"""Objects and patches that clusters with Volcano accept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from models.resources import CPU, Resources

BATCH_JOB = ("batch/v1", "Job")
VOLCANO_JOB = ("batch.volcano.sh/v1alpha1", "Job")
QUEUE = ("scheduling.volcano.sh/v1beta1", "Queue")
COMMAND = ("bus.volcano.sh/v1alpha1", "Command")
JobAction = Literal["AbortJob", "ResumeJob"]

Object = dict[str, Any]


def job_command(namespace: str, name: str, uid: str, action: JobAction, message: str) -> Object:
    """A ``Command`` for one Volcano Job.

    Its controller finds the Job by name; the uid makes the Command a child of the Job, so that it is left out where the
    export does not tell it (an owner that does not exist would have the Command removed).
    """
    job: Object = {"apiVersion": VOLCANO_JOB[0], "kind": VOLCANO_JOB[1], "name": name, "uid": uid}
    meta: Object = {"generateName": f"{name}-{action.lower()}-", "namespace": namespace}
    if uid:
        meta["ownerReferences"] = [{**job, "controller": True}]
    return {
        "apiVersion": COMMAND[0],
        "kind": COMMAND[1],
        "metadata": meta,
        "action": action,
        "target": {**job, "controller": True},
        "reason": "PlannedByGangplan",
        "message": message,
    }


def suspend_patch(namespace: str, name: str, *, suspended: bool) -> Object:
    """Merge patch of ``spec.suspend`` of a ``batch/v1`` Job, in the form of the object."""
    return {
        "apiVersion": BATCH_JOB[0],
        "kind": BATCH_JOB[1],
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"suspend": suspended},
    }


def queue_patch(name: str, spec: Mapping[str, Any]) -> Object:
    """Merge patch of a Queue, in the form of the object."""
    return {
        "apiVersion": QUEUE[0],
        "kind": QUEUE[1],
        "metadata": {"name": name},
        "spec": dict(spec),
    }


def replicas_patch(tasks: Sequence[tuple[int, str, int, int | None]]) -> list[Object]:
    """JSON patch of Volcano Job tasks: (index, name, replicas, ``minAvailable`` or None to leave it).

    Each index is tested for its name first, so that a Job whose tasks changed meanwhile is left alone.
    """
    found: list[Object] = []
    for index, name, replicas, least in tasks:
        where = f"/spec/tasks/{index}"
        found.append({"op": "test", "path": f"{where}/name", "value": name})
        found.append({"op": "replace", "path": f"{where}/replicas", "value": replicas})
        if least is not None:
            found.append({"op": "add", "path": f"{where}/minAvailable", "value": least})
    return found


def quantities(amounts: Resources) -> dict[str, str]:
    """Exact Kubernetes quantities."""
    return {name: f"{amount}m" if name == CPU else str(amount) for name, amount in amounts.items()}
