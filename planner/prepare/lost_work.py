"""What an eviction destroys: GPU-seconds since the pod started or saved its work, and the restart."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from models.policy import Checkpoint, Policy
from models.workloads import Gang, Pod


def lost_gpu_seconds(pod: Pod, gang: Gang, gpus: int, now: str, policy: Policy) -> int:
    """Work lost with a pod in GPU-seconds; an unknown start, or time of planning, counts 0."""
    if not pod.started or not now or not gpus:
        return 0
    age = int((_moment(now) - _moment(pod.started)).total_seconds())
    rule = next((one for one in policy.checkpoint if _applies(one, pod, gang)), None)
    if rule is None:
        return gpus * max(age, 0)
    return gpus * (max(age, 0) % rule.interval_seconds + rule.restart_seconds)


def _applies(rule: Checkpoint, pod: Pod, gang: Gang) -> bool:
    labels: Mapping[str, str] = pod.labels
    of_queue = rule.queue is None or rule.queue == gang.queue
    return of_queue and all(labels.get(key) == value for key, value in rule.selector.items())


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return found if found.tzinfo else found.replace(tzinfo=UTC)
