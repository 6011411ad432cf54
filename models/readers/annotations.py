"""The annotations that are kept; everything else in ``metadata.annotations`` is dropped while reading."""

from __future__ import annotations

from typing import Final

GROUP_NAMES: Final = ("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name")
QUEUE_NAME: Final = "scheduling.volcano.sh/queue-name"
MIN_MEMBER: Final = "scheduling.volcano.sh/group-min-member"
TASK_ROLE: Final = "volcano.sh/task-spec"
PREEMPTABLE: Final = "volcano.sh/preemptable"
RUNTIME: Final = "gangplan.io/runtime"

_OWN_PREFIX: Final = "gangplan.io/"
_KEPT: Final = frozenset(
    {
        *GROUP_NAMES,
        QUEUE_NAME,
        MIN_MEMBER,
        TASK_ROLE,
        PREEMPTABLE,
        "sla-waiting-time",
        "volcano.sh/sla-waiting-time",
        "volcano.sh/revocable-zone",
        "volcano.sh/cooldown-time",
        "volcano.sh/jdb-min-available",
        "volcano.sh/jdb-max-unavailable",
        "volcano.sh/task-priority",
        "volcano.sh/task-index",
        "volcano.sh/partition-id",
        "volcano.sh/job-name",
        "volcano.sh/job-version",
        "volcano.sh/queue-name",
        "volcano.sh/vgpu-mode",
        "volcano.sh/vgpu-ids-new",
        "volcano.sh/node-vgpu-register",
        "volcano.sh/gpu-index",
        "alibabacloud.com/gpu-index",
        "controller.kubernetes.io/pod-deletion-cost",
        "nvidia.com/use-gputype",
        "nvidia.com/nouse-gputype",
    }
)


def is_kept(key: str) -> bool:
    """Whether an annotation of this key says something about scheduling."""
    return key in _KEPT or key.startswith(_OWN_PREFIX)
