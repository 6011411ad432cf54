"""Pods that the plan takes away now to make room: who evicts them, and what keeps them from coming back."""

from __future__ import annotations

from dataclasses import replace

from models.gpu import gpus_in, whole_gpu_names
from models.plan import GangEntry
from models.workloads import Gang
from planner.manifests.gang_actions import NO_RETRY_LEFT, start_gang, stop_gang
from planner.manifests.manifest_file import Action, Advice, Departure
from planner.manifests.night import Night
from planner.manifests.objects import replicas_patch
from planner.manifests.quoting import words

_CAUSES = {"preempted": "preempt", "reclaimed": "reclaim"}


def evictions_now(night: Night, advice: Advice) -> None:
    """Add the evictions of the plan for now, smaller replica counts of shrunk Volcano Jobs, and their undo."""
    for entry in night.result.gangs:
        gang = night.snapshot.gang_by_name.get(entry.full_name)
        pods = _leaving(entry)
        if gang is None or not pods:
            continue
        advice.departures.append(_departure(night, entry, pods))
        if entry.decision == "shrink" and gang.kind == "Job":
            _shrink(night, entry, gang, advice)
        elif not _by_scheduler(night, entry):
            why = (
                "; ".join(reason.message for reason in entry.reasons) or "The plan needs its room."
            )
            stop = None
            if entry.decision == "evict":
                stop = stop_gang(night, gang, night.now, "leave", why, gpus=entry.gpus)
            if stop is not None and night.for_now:
                advice.actions += _and_back(night, entry, gang, stop)
            else:
                advice.actions.append(stop or _delete(night, entry, pods, why))


def _and_back(night: Night, entry: GangEntry, gang: Gang, stop: Action) -> tuple[Action, Action]:
    """What a command stops waits for room again afterwards; in a night the schedule says when it goes on."""
    if night.controller(gang).kind == "volcano" and not night.can_resume(gang):
        stop = replace(stop, warning=NO_RETRY_LEFT)
    night.resumes[gang.full_name] += 1
    why = "It waits for room again; without this it stays stopped."
    return stop, start_gang(night, gang, night.end, "release", why, gpus=entry.gpus)


def _leaving(entry: GangEntry) -> tuple[str, ...]:
    """Names of pods without their namespace."""
    return tuple(
        name.partition("/")[2]
        for group in entry.pods
        if group.action in ("evict", "move")
        for name in group.names
    )


def _by_scheduler(night: Night, entry: GangEntry) -> bool:
    """The scheduler's own actions (``preempt``, ``reclaim``) do it when the gangs that need the room arrive."""
    config = night.snapshot.scheduler
    if config is None:
        return False
    wanted = {_CAUSES.get(reason.code, "") for reason in entry.reasons}
    have = {action.removeprefix("gang") for action in config.actions}
    return bool(wanted) and wanted <= have


def _departure(night: Night, entry: GangEntry, pods: tuple[str, ...]) -> Departure:
    by_itself = _by_scheduler(night, entry)
    named = (f"pod/{name}" for name in pods)
    pool = {node.name: node.pool for node in night.result.nodes}
    nodes = (group.node or group.from_node for group in entry.pods if group.action != "keep")
    return Departure(
        leave_by=night.now,
        stop_by=night.now,
        namespace=entry.namespace,
        name=entry.name,
        kind=entry.kind,
        queue=entry.queue,
        pool=", ".join(sorted({pool.get(node or "", "") for node in nodes} - {""})),
        gpus=entry.gpus,
        grace_s=0,
        planned=True,
        ends_at=night.clock(night.now),
        pods=pods,
        command=""
        if by_itself
        else words("kubectl", "delete", f"--namespace={entry.namespace}", *named),
        note="the scheduler evicts it by itself" if by_itself else "",
    )


def _shrink(night: Night, entry: GangEntry, gang: Gang, advice: Advice) -> None:
    kept: dict[str, int] = {}
    for group in entry.pods:
        if group.action in ("keep", "place"):
            kept[group.role] = kept.get(group.role, 0) + group.count
    less, more = [], []
    for place, one in enumerate(gang.templates):
        stay, least = kept.get(one.role, 0), gang.role_minimum.get(one.role)
        if stay < one.replicas:
            binds = least is not None and least > stay
            less.append((place, one.role, stay, stay if binds else None))
            more.append((place, one.role, one.replicas, least if binds else None))
    if not less:
        return
    known, counted = night.snapshot.pod_by_name, whole_gpu_names(night.policy.policy.gpu_models)
    gone = (name for group in entry.pods if group.action == "evict" for name in group.names)
    gpus = sum(gpus_in(known[name].spec.request, counted) for name in gone if name in known)
    shrink = Action(
        at=night.now,
        phase="leave",
        subject=f"gang {gang.full_name}",
        stem="shrink",
        name=f"{gang.namespace}.{gang.name}",
        operation="json-patch",
        why="It gives pods beyond its minimum away; with fewer replicas they are not created again.",
        body=replicas_patch(less),
        target=f"jobs.batch.volcano.sh/{gang.name}",
        namespace=gang.namespace,
        gpus=gpus,
    )
    grow = replace(
        shrink,
        at=night.end,
        phase="release",
        stem="grow",
        why="Its replicas as they were.",
        body=replicas_patch(more),
    )
    advice.actions += [shrink, grow]


def _delete(night: Night, entry: GangEntry, pods: tuple[str, ...], why: str) -> Action:
    return Action(
        at=night.now,
        phase="leave",
        subject=f"gang {entry.full_name}",
        stem="delete",
        name=f"{entry.namespace}.{entry.name}",
        operation="list",
        why=why,
        namespace=entry.namespace,
        pods=pods,
        gpus=entry.gpus,
    )
