"""Gangs that must be gone by a moment: what the plan ends, and what has to have ended by itself before the peak."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from models.running_time import may_be_stopped
from models.schedule import Run, ScheduledGang
from models.workloads import Gang
from planner.manifests.gang_actions import NO_RETRY_LEFT, start_gang, stop_gang
from planner.manifests.manifest_file import Action, Advice, Departure, Unheld
from planner.manifests.night import Night
from planner.manifests.quoting import words


@dataclass(frozen=True, slots=True)
class Stretch:
    """Buckets in which a gang runs without a break, and when it ends."""

    runs: tuple[Run, ...]
    end_bucket: int
    ends_at: int

    @property
    def pools(self) -> str:
        """Names of the pools."""
        return ", ".join(run.pool for run in self.runs)

    @property
    def gpus(self) -> int:
        """GPUs in all pools."""
        return sum(run.gpus for run in self.runs)


def stretches(night: Night, gang: ScheduledGang) -> tuple[Stretch, ...]:
    """The stretches of a gang in order."""
    ordered = sorted(gang.runs, key=lambda run: (run.start_bucket, run.end_bucket, run.pool))
    found = []
    for (_, end), runs in groupby(ordered, key=lambda run: (run.start_bucket, run.end_bucket)):
        same = tuple(runs)
        ends = max(night.at(run.ends_at, night.end) for run in same)
        found.append(Stretch(same, end, ends))
    return tuple(found)


def departures(night: Night, advice: Advice) -> None:
    """Add every planned stop with its resumption, and every end before the return of a loan that needs a look."""
    lent = {(name, loan.pool) for loan in night.schedule.loans for name in loan.gangs}
    later = _later_starts(night)
    for entry, gang in night.scheduled:
        one = _without_shrinks(night, entry, gang, advice) if entry.shrinks else entry
        parts = stretches(night, one)
        for place, part in enumerate(parts):
            following = parts[place + 1] if place + 1 < len(parts) else None
            if _is_stopped(night, one, part, following):
                back = following.runs[0].start_bucket if following else later.get(one.full_name)
                _planned_stop(night, one, gang, part, back, advice)
            elif any((one.full_name, run.pool) in lent for run in part.runs):
                _natural_end(night, one, gang, part, advice)


def _without_shrinks(night: Night, one: ScheduledGang, gang: Gang, advice: Advice) -> ScheduledGang:
    """Let pods above its minimum go, one list of pods per moment; returns the gang that goes on without them."""
    for shrink in one.shrinks:
        runs = tuple(run for run in one.runs if run.end_bucket == shrink.bucket)
        leave_by = night.schedule.edges[shrink.bucket]
        part = Stretch(runs, shrink.bucket, leave_by)
        stop_by = max(leave_by - one.grace_s - night.overhead_s, night.now)
        why = (
            f"These pods have to be gone by {night.clock(leave_by)}; the gang goes on with the others. Its grace "
            f"period is {one.grace_s} s and a return costs {night.overhead_s} s more."
        )
        pods = tuple(name.partition("/")[2] for name in shrink.pods)
        stop = _delete(gang, pods, stop_by, why, part.gpus)
        if stop is not None:
            advice.actions.append(_warned(night, gang, stop, None))
        leaving = _departure(night, one, gang, part, leave_by, stop_by, planned=True, pods=pods)
        advice.departures.append(replace(leaving, command=_delete_command(gang, pods)))
    last = max(run.end_bucket for run in one.runs)
    leaves = any(
        other.full_name == one.full_name and other.status != "running"
        for other, _ in night.scheduled
    )
    runs = tuple(run for run in one.runs if run.end_bucket == last)
    return one.model_copy(update={"runs": runs, "reasons": one.reasons if leaves else ()})


def _later_starts(night: Night) -> dict[str, int]:
    """Buckets in which gangs go on that run now and have to leave before."""
    return {
        one.full_name: min(run.start_bucket for run in one.runs)
        for one, _ in night.scheduled
        if one.status == "starts" and one.runs
    }


def _is_stopped(night: Night, one: ScheduledGang, part: Stretch, following: Stretch | None) -> bool:
    if following is not None:
        return True
    if one.status == "running":
        return bool(one.reasons)
    unfinished = one.duration is not None and one.work_gpu_seconds < one.gpus * one.duration.seconds
    resumed = any(reason.code == "scheduled_later" for reason in one.reasons)
    return unfinished and not resumed and part.end_bucket < night.schedule.horizon.count


def _planned_stop(
    night: Night,
    one: ScheduledGang,
    gang: Gang,
    part: Stretch,
    back: int | None,
    advice: Advice,
) -> None:
    leave_by = part.ends_at
    stop_by = max(leave_by - one.grace_s - night.overhead_s, night.now)
    why = (
        f"It has to be gone by {night.clock(leave_by)}; its grace period is {one.grace_s} s and a return costs "
        f"{night.overhead_s} s more."
    )
    stop = stop_gang(night, gang, stop_by, "leave", why, gpus=part.gpus)
    pods = _pods(night, gang) or _expected_pods(night, gang)
    if stop is None:
        stop = _delete(gang, pods, stop_by, why, part.gpus)
    if stop is not None:
        advice.actions.append(_warned(night, gang, stop, back))
    advice.departures.append(
        _departure(night, one, gang, part, leave_by, stop_by, planned=True, pods=pods)
    )
    if not night.controller(gang).commanded:
        # The limit comes before the pods go: their controller makes new ones at once.
        first = night.schedule.horizon.bucket_at(stop_by)
        until = night.schedule.horizon.count if back is None else back
        advice.unheld.append(Unheld(one.full_name, one.queue, one.requests, first, until))
    elif back is not None:
        night.resumes[gang.full_name] += 1
        at = night.schedule.edges[back]
        why = "Goes on with what it saved before it left."
        advice.actions.append(start_gang(night, gang, at, "start", why, gpus=one.gpus))


def _warned(night: Night, gang: Gang, stop: Action, back: int | None) -> Action:
    if stop.operation == "list":
        return replace(
            stop, warning="Its controller may create the pods again: stop it there where you can."
        )
    if back is not None and night.controller(gang).kind == "volcano" and not night.can_resume(gang):
        return replace(
            stop,
            warning=NO_RETRY_LEFT,
        )
    return stop


def _delete(gang: Gang, pods: Sequence[str], at: int, why: str, gpus: int) -> Action | None:
    if not pods:
        return None
    return Action(
        at=at,
        phase="leave",
        subject=f"gang {gang.full_name}",
        stem="delete",
        name=f"{gang.namespace}.{gang.name}",
        operation="list",
        why=why,
        namespace=gang.namespace,
        pods=tuple(pods),
        gpus=gpus,
    )


def _natural_end(
    night: Night, one: ScheduledGang, gang: Gang, part: Stretch, advice: Advice
) -> None:
    """A lent GPU whose gang should end by itself: by when it must be stopped should it still run."""
    leave_by = next(iter(_shrinks(night, part)), None)
    if leave_by is None:
        return
    stop_by = max(leave_by - one.grace_s - night.overhead_s, night.now)
    advice.departures.append(
        _departure(
            night,
            one,
            gang,
            part,
            leave_by,
            stop_by,
            planned=False,
            pods=_pods(night, gang) if one.status == "running" else _expected_pods(night, gang),
        )
    )
    if not _may_stop(night, gang):
        return
    only_if = f"it still runs (planned end {night.clock(part.ends_at)})"
    why = f"Its GPUs are lent and have to be back by {night.clock(leave_by)}."
    check = stop_gang(night, gang, stop_by, "check", why, gpus=part.gpus, only_if=only_if)
    if check is not None:
        advice.actions.append(check)


def _shrinks(night: Night, part: Stretch) -> Iterator[int]:
    """Moments after its end at which the loan limit of one of its pools shrinks."""
    limits = night.schedule.lending
    moments = []
    for run in part.runs:
        pool = limits.pool(run.pool) if limits is not None else None
        for moment in pool.leave_by[max(part.end_bucket - 1, 0) :] if pool is not None else ():
            if moment is not None and moment >= part.ends_at:
                moments.append(moment)
                break
    yield from sorted(moments)


def _pods(night: Night, gang: Gang) -> tuple[str, ...]:
    return tuple(pod.name for pod in night.snapshot.pods_of(gang) if pod.running)


def _expected_pods(night: Night, gang: Gang) -> tuple[str, ...]:
    """Pods of a gang that does not run yet and will by the time it has to leave."""
    return tuple(pod.name for pod in night.snapshot.pods_of(gang) if pod.pending)


def _may_stop(night: Night, gang: Gang) -> bool:
    return may_be_stopped(gang, night.snapshot.pods_of(gang))


def _departure(
    night: Night,
    one: ScheduledGang,
    gang: Gang,
    part: Stretch,
    leave_by: int,
    stop_by: int,
    *,
    planned: bool,
    pods: tuple[str, ...],
) -> Departure:
    may_stop = planned or _may_stop(night, gang)
    lost = "" if one.stoppable else "its unsaved work is lost"
    return Departure(
        leave_by=leave_by,
        stop_by=stop_by,
        namespace=one.namespace,
        name=one.name,
        kind=night.controller(gang).label,
        queue=one.queue,
        pool=part.pools,
        gpus=part.gpus,
        grace_s=one.grace_s,
        planned=planned,
        ends_at=night.clock(part.ends_at),
        pods=pods,
        command=_stop_command(night, gang, pods) if may_stop else "",
        note=lost if may_stop else "marked not preemptable: nobody may stop it",
    )


def _stop_command(night: Night, gang: Gang, pods: Sequence[str]) -> str:
    owner = night.controller(gang)
    if owner.kind == "volcano":
        return words(
            "vcctl", "job", "suspend", f"--namespace={owner.namespace}", f"--name={owner.name}"
        )
    if owner.kind == "batch":
        return words(
            "kubectl", "patch", f"--namespace={owner.namespace}", f"jobs.batch/{owner.name}",
            "--type=merge", '--patch={"spec":{"suspend":true}}',
        )  # fmt: skip
    return _delete_command(gang, pods) if pods else ""


def _delete_command(gang: Gang, pods: Sequence[str]) -> str:
    named = (f"pod/{name}" for name in pods)
    return words("kubectl", "delete", f"--namespace={gang.namespace}", *named)
