"""Labels of pods that do not exist yet, as Volcano's job controller sets them."""

from __future__ import annotations

from models.workloads import Gang, RoleTemplate


def created_labels(gang: Gang, template: RoleTemplate) -> dict[str, str]:
    """The template's labels, and for a Volcano Job those of its controller (``createJobPod``).

    The task index differs from pod to pod and is left out.
    """
    own = dict(template.labels)
    if gang.kind == "Job":
        own |= {
            "volcano.sh/job-name": gang.name,
            "volcano.sh/job-namespace": gang.namespace,
            "volcano.sh/queue-name": gang.queue,
            "volcano.sh/task-spec": template.role,
        }
    return own
