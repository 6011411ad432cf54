"""How long gangs run, when they may start and must end, and how their work is saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from models.moments import epoch_seconds, seconds_of_duration
from models.policy import Durations, Policy
from models.schedule import Duration
from models.workloads import Gang, Pod

RUNTIME, DEADLINE = "gangplan.io/runtime", "gangplan.io/deadline"
EARLIEST_START = "gangplan.io/earliest-start"
CHECKPOINT_INTERVAL, RESTART_COST = "gangplan.io/checkpoint-interval", "gangplan.io/restart-cost"
SLA_KEYS = ("volcano.sh/sla-waiting-time", "sla-waiting-time")


def mark_of(gang: Gang, pods: Sequence[Pod], key: str) -> str:
    """An annotation of the gang, else of its first pod or template that has it; "" for none."""
    marks = (gang.annotations, *(pod.annotations for pod in pods))
    templates = (one.annotations for one in gang.templates)
    return next((found[key] for found in (*marks, *templates) if found.get(key)), "")


def duration_of(gang: Gang, pods: Sequence[Pod], policy: Policy) -> Duration:
    """Planned duration of a whole run, from the first source of ``durations.order`` that tells one."""
    rules = policy.durations
    for source in rules.order:
        if source == "annotation":
            seconds = seconds_of_duration(mark_of(gang, pods, RUNTIME))
            if seconds is not None:
                return Duration(seconds=seconds, low_s=seconds, high_s=seconds, source=source)
        elif source == "active_deadline":
            seconds = _active_deadline(gang, pods)
            if seconds is not None:
                return Duration(seconds=seconds, low_s=seconds, high_s=seconds, source=source)
        elif source == "history":
            past = history_of(gang, rules)
            if past:
                return _from_history(past, rules)
        elif source == "default":
            break
    return Duration(
        seconds=rules.default,
        low_s=max(rules.default // 2, 1),
        high_s=2 * rules.default,
        source="default",
    )


def _active_deadline(gang: Gang, pods: Sequence[Pod]) -> int | None:
    """The longest ``activeDeadlineSeconds`` of pods and templates, None unless every one has it."""
    found = [pod.spec.active_deadline_seconds for pod in pods]
    found += [one.spec.active_deadline_seconds for one in gang.templates]
    known = [seconds for seconds in found if seconds]
    return max(known) if known and len(known) == len(found) else None


def owner_stem(full_name: str) -> str:
    """Full name without the number of the run: ``team/train`` for ``team/train-7``."""
    return full_name.rstrip("0123456789").rstrip("-")


def history_of(gang: Gang, rules: Durations) -> tuple[int, ...]:
    """Past durations of the gang's owner: its name without the run's number, its namespace, its queue."""
    for owner in (
        gang.full_name,
        owner_stem(gang.full_name),
        gang.namespace,
        f"queue:{gang.queue}",
    ):
        if rules.history.get(owner):
            return rules.history[owner]
    return ()


def _from_history(past: Sequence[int], rules: Durations) -> Duration:
    ordered = sorted(past)
    seconds = quantile(ordered, rules.quantile)
    return Duration(
        seconds=seconds,
        low_s=min(quantile(ordered, rules.low_quantile), seconds),
        high_s=max(ordered[-1], seconds),
        source="history",
    )


def quantile(ordered: Sequence[int], part: float) -> int:
    """The smallest value that at least ``part`` of the sorted values do not exceed."""
    place = -int(-part * len(ordered) // 1)
    return ordered[min(max(place, 1), len(ordered)) - 1]


def remaining_s(seconds: int, started: int | None, now: int) -> int:
    """Seconds that a running gang still needs.

    One that runs longer than planned needs twice, four times … its duration: the least of these not yet passed. An
    unknown start counts as now.
    """
    if started is None or started >= now:
        return seconds
    whole = seconds
    while started + whole <= now:
        whole *= 2
    return started + whole - now


def started_at(pods: Sequence[Pod]) -> int | None:
    """When the last of the running pods started, in seconds since the epoch: the gang's work begins then."""
    found = [epoch_seconds(pod.started) for pod in pods if pod.running and pod.started]
    known = [second for second in found if second is not None]
    return max(known) if known else None


def earliest_start_of(gang: Gang, pods: Sequence[Pod]) -> int | None:
    """Annotated earliest start, seconds since the epoch."""
    return epoch_seconds(mark_of(gang, pods, EARLIEST_START))


def deadline_of(gang: Gang, pods: Sequence[Pod]) -> int | None:
    """Annotated hard deadline of the end, seconds since the epoch."""
    return epoch_seconds(mark_of(gang, pods, DEADLINE))


def latest_start_of(gang: Gang) -> int | None:
    """Creation plus SLA waiting time, seconds since the epoch."""
    text = next((gang.annotations[key] for key in SLA_KEYS if key in gang.annotations), "")
    waiting, created = seconds_of_duration(text), epoch_seconds(gang.created)
    return None if waiting is None or created is None else created + waiting


def saving_of(gang: Gang, pods: Sequence[Pod], policy: Policy) -> tuple[int, int]:
    """Seconds between checkpoints (0: never) and of a restart: annotations, then the policy's first match."""
    interval = seconds_of_duration(mark_of(gang, pods, CHECKPOINT_INTERVAL))
    restart = seconds_of_duration(mark_of(gang, pods, RESTART_COST))
    for rule in policy.checkpoint:
        of_queue = rule.queue is None or rule.queue == gang.queue
        if of_queue and all(_labels(gang, pods).get(k) == v for k, v in rule.selector.items()):
            interval = rule.interval_seconds if interval is None else interval
            restart = rule.restart_seconds if restart is None else restart
            break
    return interval or 0, restart or 0


def _labels(gang: Gang, pods: Sequence[Pod]) -> Mapping[str, str]:
    if pods:
        return pods[0].labels
    return gang.templates[0].labels if gang.templates else gang.labels


def grace_of(gang: Gang, pods: Sequence[Pod], policy: Policy) -> int:
    """Longest termination grace period of its pods and templates, seconds; the policy's where none is set."""
    specs = [pod.spec for pod in pods] or [one.spec for one in gang.templates]
    found = [
        policy.grace_seconds if spec.grace_seconds is None else spec.grace_seconds for spec in specs
    ]
    return max(found, default=policy.grace_seconds)


def may_be_stopped(gang: Gang, pods: Sequence[Pod]) -> bool:
    """Nothing marks the gang or one of its pods as not preemptable, and it is no online work."""
    if gang.preemptable is False or gang.online:
        return False
    key = "volcano.sh/preemptable"
    marks = [{**one.labels, **one.annotations} for one in gang.templates]
    return all(pod.preemptable for pod in pods) and all(
        mark.get(key, "true").lower() != "false" for mark in marks
    )
