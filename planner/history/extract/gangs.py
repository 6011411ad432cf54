"""What a plan recommended for every gang."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from models.history.rows import GangOutcome
from models.moments import epoch_seconds, local_text
from models.plan import GangEntry, PlanResult
from models.schedule import ScheduledGang
from planner.history.extract.moment import moment_of
from planner.history.times import utc_text

STARTS_NOW = "start"
_WAITS = ("wait", "start")


def outcomes_of(result: PlanResult) -> tuple[GangOutcome, ...]:
    """One outcome per gang of the plan, sorted by name; planned times come from the schedule where there is one."""
    schedule = result.schedule
    timed = {} if schedule is None else {one.full_name: one for one in schedule.gangs}
    now = moment_of(result)
    found = (_outcome(gang, timed.get(gang.full_name), now) for gang in result.gangs)
    return tuple(sorted(found, key=lambda one: (one.namespace, one.name)))


def _outcome(gang: GangEntry, timed: ScheduledGang | None, now: int | None) -> GangOutcome:
    return GangOutcome(
        namespace=gang.namespace,
        name=gang.name,
        queue=gang.queue,
        kind=gang.kind,
        priority=gang.priority,
        min_member=gang.min_member,
        decision=gang.decision,
        gpus=gang.gpus if timed is None else max(gang.gpus, timed.gpus),
        created=utc_text(gang.created),
        waited_s=_waited(gang, now),
        nodes=nodes_after(gang),
        reasons=gang.reasons or (() if timed is None else timed.reasons),
        **_times(gang, timed, now),
    )


def _waited(gang: GangEntry, now: int | None) -> int | None:
    created = epoch_seconds(gang.created)
    if gang.decision not in _WAITS or now is None or created is None:
        return None
    return max(now - created, 0)


def _times(gang: GangEntry, timed: ScheduledGang | None, now: int | None) -> Mapping[str, Any]:
    if timed is None:
        starts = gang.decision == STARTS_NOW and now is not None
        return {"starts_at": local_text(now) if starts and now is not None else ""}
    starts = timed.status == "starts"
    return {
        "starts_at": utc_text(timed.starts_at) if starts else "",
        "ends_at": utc_text(timed.ends_at),
        "duration_s": None if timed.duration is None else timed.duration.seconds,
        "duration_source": "" if timed.duration is None else timed.duration.source,
        "lost_gpu_seconds": timed.lost_gpu_seconds,
        "pools": tuple(dict.fromkeys(run.pool for run in timed.runs)),
    }


def nodes_after(gang: GangEntry) -> dict[str, int]:
    """Node to pods that the gang holds after the plan; empty for a start that is not placed yet."""
    found: dict[str, int] = {}
    for group in gang.pods:
        if group.node is not None and group.action != "evict":
            found[group.node] = found.get(group.node, 0) + group.count
    return dict(sorted(found.items()))
