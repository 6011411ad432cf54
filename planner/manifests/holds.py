"""Gangs that must not start before their time: held by their controller where it can, else named for a queue limit."""

from __future__ import annotations

from collections.abc import Mapping

from models.schedule import ScheduledGang
from models.workloads import Gang
from planner.manifests.early_starts import EarlyStart, start_bucket
from planner.manifests.gang_actions import start_gang, stop_gang
from planner.manifests.manifest_file import Advice, Unheld
from planner.manifests.night import Night

NEVER_BY_ITSELF = frozenset(
    {
        "queue_closed",
        "quota_never",
        "admission_gate",
        "not_enough_pods",
        "never_fits",
        "topology_never",
        "node_selection",
        "dependency",
    }
)
"""Reasons for which the scheduler does not start a gang either."""


def hold_gangs(night: Night, early: Mapping[str, EarlyStart], advice: Advice) -> None:
    """Add holds, starts of what is held or suspended, who needs nothing, and the gangs that cannot be held."""
    seen = set()
    for one, gang in night.scheduled:
        if one.status == "running" or one.full_name in seen:
            continue
        seen.add(one.full_name)
        bucket = start_bucket(night.schedule, one)
        if _carried(one):
            continue
        found = early.get(one.full_name)
        if any(reason.code in NEVER_BY_ITSELF for reason in one.reasons):
            advice.nothing[one.full_name] = "cannot start as it is (see why it waits)"
        elif gang.suspended and night.controller(gang).kind == "batch":
            _start_suspended(night, one, gang, bucket, advice)
        elif found is None:
            advice.nothing[one.full_name] = _nothing(night, one, bucket)
        elif not _hold(night, one, gang, bucket, found, advice):
            advice.unheld.append(
                Unheld(one.full_name, one.queue, one.requests, found.bucket, bucket)
            )


def _carried(one: ScheduledGang) -> bool:
    """It runs now and goes on later: stopping it, not this, is what holds it."""
    return any(reason.code == "scheduled_later" for reason in one.reasons)


def _nothing(night: Night, one: ScheduledGang, bucket: int) -> str:
    if one.status == "waits":
        if night.for_now:
            return "the plan has no room for it"
        return "no room comes free for it within the horizon"
    if bucket == 0:
        return "the scheduler starts it now"
    return f"the scheduler starts it when room comes free, planned {night.clock(night.schedule.edges[bucket])}"


def _start_suspended(
    night: Night, one: ScheduledGang, gang: Gang, bucket: int, advice: Advice
) -> None:
    if one.status == "waits":
        advice.nothing[one.full_name] = "is suspended; leave it so"
        return
    why = "It is suspended; the plan starts it now." if bucket == 0 else "Its planned start."
    at = night.schedule.edges[bucket]
    advice.actions.append(start_gang(night, gang, at, "start", why, gpus=one.gpus))


def _hold(
    night: Night,
    one: ScheduledGang,
    gang: Gang,
    bucket: int,
    found: EarlyStart,
    advice: Advice,
) -> bool:
    """Hold it now and let it go at its start (or when the horizon ends); False where that is not possible.

    A Volcano Job pays for a hold with a retry. It is held only for a start of this plan, and only if a retry is left
    for a failure; otherwise some nights of holding would make it fail.
    """
    owner = night.controller(gang)
    paid = owner.kind == "volcano"
    if not owner.commanded or (
        paid and (one.status == "waits" or not night.can_resume(gang, spare=1))
    ):
        return False
    held = stop_gang(night, gang, night.now, "hold", _why(night, one, bucket, found), gpus=one.gpus)
    assert held is not None
    advice.actions.append(held)
    night.resumes[gang.full_name] += 1
    at = night.schedule.edges[bucket]
    if one.status == "starts":
        why = "Its planned start."
        advice.actions.append(start_gang(night, gang, at, "start", why, gpus=one.gpus))
    else:
        why = "The gangs of the plan run" if night.for_now else "The horizon ends"
        why += ": the next plan decides about it."
        advice.actions.append(start_gang(night, gang, at, "release", why, gpus=one.gpus))
    return True


def _why(night: Night, one: ScheduledGang, bucket: int, found: EarlyStart) -> str:
    when = night.clock(night.schedule.edges[found.bucket])
    until = "the end of the horizon (the plan does not start it)"
    if one.status == "starts":
        until = f"its planned start at {night.clock(night.schedule.edges[bucket])}"
    elif night.for_now:
        until = "the gangs of the plan run"
    room = f"{found.idle_gpus} GPUs of pool {found.pool}"
    if found.ahead_of:
        return f"Held until {until}: at {when} it could take the room of {found.ahead_of} ({room})."
    return f"Held until {until}: from {when} on {room} are idle on purpose, and the scheduler would start it there."
