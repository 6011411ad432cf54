"""Queue capabilities for the night where a gang would start early and nothing else holds it, and their undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from models.gpu import whole_gpu_names
from models.queues import Queue
from models.resources import Resources
from models.schedule import ScheduledGang
from planner.manifests.manifest_file import Action, Advice, Unheld
from planner.manifests.night import Night
from planner.manifests.objects import quantities, queue_patch

_NEVER = "no command or patch of its own holds it"
_NAMED = 4
"""Gangs named in a sentence; the README lists all of them."""


def limit_queues(night: Night, advice: Advice) -> None:
    """For every queue with unheld gangs: ``capability`` follows what the plan runs in it, then is as before."""
    by_queue: dict[str, list[Unheld]] = {}
    for one in advice.unheld:
        by_queue.setdefault(one.queue, []).append(one)
    for name, gangs in sorted(by_queue.items()):
        queue = night.snapshot.queue_by_name.get(name)
        limited = queue is not None and not queue.implicit and name not in night.online_queues
        for one in gangs:
            advice.nothing[one.name] = f"{_NEVER}; " + (
                f"the limit of queue {name} keeps it until its time"
                if limited
                else f"queue {name} cannot be limited ({_obstacle(queue)}): watch it by hand"
            )
        if queue is not None and limited:
            _limit_queue(night, queue, gangs, advice)


def _obstacle(queue: Queue | None) -> str:
    if queue is None or queue.implicit:
        return "it is no object of the export"
    return "it holds online work too"


def _limit_queue(night: Night, queue: Queue, gangs: Sequence[Unheld], advice: Advice) -> None:
    names = _gpu_names(night, gangs)
    needed = {bucket for one in gangs for bucket in range(one.first, one.until)}
    before: Resources | None = None
    for bucket in range(night.schedule.horizon.count):
        limit = _planned(night, queue, names, gangs, bucket) if bucket in needed else None
        if limit == before:
            continue
        at = night.schedule.edges[bucket]
        if limit is None:
            advice.actions.append(_undo(night, queue, names, at))
        else:
            advice.actions.append(_patch(night, queue, gangs, limit, at))
        before = limit
    if before is not None:
        advice.actions.append(_undo(night, queue, names, night.end))


def _gpu_names(night: Night, gangs: Sequence[Unheld]) -> tuple[str, ...]:
    known = whole_gpu_names(night.policy.policy.gpu_models)
    return tuple(name for name in known if any(name in one.requests for one in gangs))


def _planned(
    night: Night, queue: Queue, names: Sequence[str], gangs: Sequence[Unheld], bucket: int
) -> Resources:
    """What the plan lets run in the queue in a bucket, at least its guarantee, at most its present capability."""
    kept = {one.name for one in gangs if one.first <= bucket < one.until}
    amounts, held = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for gang in night.schedule.gangs:
        if gang.queue == queue.name and _runs(gang, bucket):
            for name in names:
                held[name] += gang.requests.amount(name)
                amounts[name] += 0 if gang.full_name in kept else gang.requests.amount(name)
    told = next((one for one in night.schedule.queues if one.name == queue.name), None)
    if told is not None and len(names) == 1:  # pods that belong to no gang of the schedule
        amounts[names[0]] += max(told.used[bucket] - held[names[0]], 0)
    for name in names:
        amounts[name] = max(amounts[name], queue.guarantee.amount(name))
        if name in queue.capability:
            amounts[name] = min(amounts[name], queue.capability.amount(name))
    return Resources(amounts)


def _runs(gang: ScheduledGang, bucket: int) -> bool:
    return any(run.start_bucket <= bucket < run.end_bucket for run in gang.runs)


def _patch(
    night: Night, queue: Queue, gangs: Sequence[Unheld], limit: Resources, at: int
) -> Action:
    spec: dict[str, Any] = {"capability": {**_open_dimensions(night, queue), **quantities(limit)}}
    lower = {
        name: amount
        for name, amount in limit.items()
        if name in queue.deserved and queue.deserved.amount(name) > amount
    }
    if lower:  # the webhook wants deserved within capability
        spec["deserved"] = quantities(Resources(lower))
    waiting = [one.name for one in gangs if one.until > _bucket(night, at) >= one.first]
    amounts = ", ".join(f"{amount} {name}" for name, amount in limit.items())
    why = f"Lets the queue run what the plan runs in it from now on ({amounts}). Without it the scheduler would start "
    return _action(queue, at, "limit", "limit", spec, why + _named(waiting) + " too early.")


def _open_dimensions(night: Night, queue: Queue) -> dict[str, str]:
    """A first capability must cover all that is deserved: the cluster's total is no limit in the other dimensions."""
    if queue.capability:
        return {}
    gpus = whole_gpu_names(night.policy.policy.gpu_models)
    found = {}
    for name, deserved in queue.deserved.items():
        if name not in gpus:
            most = max(night.snapshot.total.amount(name), deserved)
            found[name] = min([most, *_above(night, queue, name)])
    return quantities(Resources(found))


def _above(night: Night, queue: Queue, name: str) -> list[int]:
    """Capabilities of the queues above it; a child may not exceed them."""
    found, seen, parent = [], {queue.name}, queue.parent_name
    while parent in night.snapshot.queue_by_name and parent not in seen:
        one = night.snapshot.queue_by_name[parent]
        if name in one.capability:
            found.append(one.capability.amount(name))
        seen.add(parent)
        parent = one.parent_name
    return found


def _undo(night: Night, queue: Queue, names: Sequence[str], at: int) -> Action:
    opened = (*names, *_open_dimensions(night, queue))
    had = {name: queue.capability.amount(name) for name in opened if name in queue.capability}
    capability: dict[str, str | None] = dict.fromkeys(opened)
    capability.update(quantities(Resources(had)))
    spec: dict[str, Any] = {"capability": capability if had or queue.capability else None}
    deserved = {name: queue.deserved.amount(name) for name in names if name in queue.deserved}
    if deserved:
        spec["deserved"] = quantities(Resources(deserved))
    why = "The queue as it was before."
    return _action(queue, at, "release", "restore", spec, why)


def _action(queue: Queue, at: int, phase: Any, stem: str, spec: dict[str, Any], why: str) -> Action:
    return Action(
        at=at,
        phase=phase,
        subject=f"queue {queue.name}",
        stem=f"queue-{stem}",
        name=queue.name,
        operation="merge-patch",
        why=why,
        body=queue_patch(queue.name, spec),
        target=f"queues.scheduling.volcano.sh/{queue.name}",
    )


def _bucket(night: Night, at: int) -> int:
    return night.schedule.horizon.bucket_at(at)


def _named(names: Sequence[str]) -> str:
    if len(names) > _NAMED + 1:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more gangs"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
