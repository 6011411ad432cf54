"""Who creates the pods of a gang, and with that what can hold or stop it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from models.snapshot import Snapshot
from models.workloads import Gang

ControllerKind = Literal["volcano", "batch", "other"]
JOB_NAME = "volcano.sh/job-name"
DEFAULT_RETRIES = 3
"""``maxRetry`` of a Volcano Job that sets none."""


@dataclass(frozen=True, slots=True)
class Controller:
    """A Volcano Job, a ``batch/v1`` Job, or anything else; ``label`` names it for people."""

    kind: ControllerKind
    namespace: str
    name: str
    label: str

    @property
    def commanded(self) -> bool:
        """A command or patch stops and resumes it."""
        return self.kind != "other"


def controller_of(snapshot: Snapshot, gang: Gang) -> Controller:
    """The controller of a gang, as far as the export tells."""
    pods = snapshot.pods_of(gang)
    owners = {(pod.owner_kind, pod.owner_name) for pod in pods if pod.owner_name}
    job = gang.name
    if gang.kind != "Job" and len(owners) == 1:
        ((kind, job),) = owners
        if kind != "Job":
            return Controller("other", gang.namespace, job, kind)
    elif gang.kind == "PodGroup" and not owners:
        owner = next((name for name in gang.aliases if name != gang.full_name), "")
        if not owner:
            return Controller("other", gang.namespace, gang.name, "unknown owner")
        job = owner.partition("/")[2]
    elif gang.kind != "Job" and not gang.suspended:
        return Controller("other", gang.namespace, gang.name, "unknown owner")
    marks = (gang.annotations, *(pod.annotations for pod in pods))
    if gang.kind == "Job" or any(JOB_NAME in one for one in marks):
        return Controller("volcano", gang.namespace, job, "Volcano Job")
    return Controller("batch", gang.namespace, job, "batch/v1 Job")


def resumes_left(gang: Gang) -> int:
    """How often a Volcano Job can be resumed before it counts as failed.

    Resuming an aborted Job adds one to ``status.retryCount``, and a restarting Job whose count has reached
    ``maxRetry`` fails (Volcano, job controller states ``aborted`` and ``restarting``).
    """
    most = DEFAULT_RETRIES if gang.max_retry is None else gang.max_retry
    return max((most or DEFAULT_RETRIES) - gang.retry_count - 1, 0)
