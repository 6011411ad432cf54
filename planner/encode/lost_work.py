"""What an eviction destroys: GPU-seconds since the pod started or saved its work, and the restart."""

from __future__ import annotations

from datetime import UTC, datetime

from models.policy import Policy
from models.workloads import Gang, Pod
from planner.encode.eligibility import go_duration_s

INTERVAL_KEY, RESTART_KEY = "gangplan.io/checkpoint-interval", "gangplan.io/restart-cost"


def lost_gpu_seconds(pod: Pod, gang: Gang, gpus: int, now: str, policy: Policy) -> int:
    """Work lost with a pod in whole GPU-seconds; an unknown start, or time of planning, counts 0."""
    start, moment = moment_of(pod.started), moment_of(now)
    if start is None or moment is None or not gpus:
        return 0
    age = max(int((moment - start).total_seconds()), 0)
    interval, restart = _saving(pod, gang, policy)
    return gpus * ((age % interval if interval else age) + restart)


def _saving(pod: Pod, gang: Gang, policy: Policy) -> tuple[int, int]:
    """Seconds between checkpoints (0: never) and of a restart: annotations, then the policy's first match."""
    marks = {**gang.annotations, **pod.annotations}
    interval, restart = _seconds(marks.get(INTERVAL_KEY, "")), _seconds(marks.get(RESTART_KEY, ""))
    for rule in policy.checkpoint:
        of_queue = rule.queue is None or rule.queue == gang.queue
        if of_queue and all(pod.labels.get(key) == text for key, text in rule.selector.items()):
            interval = rule.interval_seconds if interval is None else interval
            restart = rule.restart_seconds if restart is None else restart
            break
    return interval or 0, restart or 0


def _seconds(text: str) -> int | None:
    """Whole seconds of a number or a Go duration, None where it is neither."""
    if text.isascii() and text.isdigit():
        return int(text)
    found = go_duration_s(text)
    return None if found is None else int(found)


def moment_of(text: str) -> datetime | None:
    """A point in time as Kubernetes writes it, UTC where it names no zone; None where it is none."""
    try:
        found = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
