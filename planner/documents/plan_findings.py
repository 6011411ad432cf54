"""Findings about the plan itself, told beside those about the input."""

from __future__ import annotations

from collections.abc import Iterator

from models.checks.admission import HELD
from models.checks.guarantees import COVERED, plan_message
from models.checks.time_annotations import MAINTENANCE
from models.checks.wording import amounts_text, names_text
from models.moments import epoch_seconds, local_text
from models.plan import FindingEntry, GangEntry, PlanResult
from models.policy import Maintenance
from models.running_time import duration_of, remaining_s, started_at
from models.snapshot import Snapshot
from models.workloads import Gang
from planner.encode.prepared import Prepared

NEVER = ("never_fits", "quota_never", "topology_never", "dependency")
"""Reasons that no end of running work takes away."""


def with_plan_findings(result: PlanResult, prepared: Prepared) -> PlanResult:
    """The document with findings about the plan: guarantees not covered, admission held for ever, runs cut off.

    Room counts on Ready, uncordoned nodes only, as for the finding about the input.
    """
    limits, snapshot = prepared.limits, prepared.snapshot
    leaves = {entry.name for entry in result.queues if len(limits.below(entry.name)) == 1}
    message = plan_message(
        snapshot.queues,
        hierarchy=limits.hierarchy,
        used={entry.name: entry.after for entry in result.queues if entry.name in leaves},
        free=_free_after(result, snapshot),
        total=snapshot.total,
    )
    found = [*_holding_for_ever(result, prepared), *_meeting_maintenance(result, prepared)]
    if message:
        found.append(
            FindingEntry(
                code=COVERED.code,
                severity=COVERED.severity,
                object="plan/guarantee",
                message=message,
                remedy=COVERED.remedy,
            )
        )
    if not found:
        return result
    told = result.snapshot.model_copy(update={"findings": (*result.snapshot.findings, *found)})
    return result.model_copy(update={"snapshot": told})


def _holding_for_ever(result: PlanResult, prepared: Prepared) -> Iterator[FindingEntry]:
    """Gangs that were let in and can never run: what they hold of the admission keeps others out."""
    if not prepared.policy.admits_first:
        return
    for entry in result.gangs:
        gang = prepared.snapshot.gang_by_name.get(entry.full_name)
        lasting = [one for one in entry.reasons if one.code in NEVER]
        if gang is None or gang.phase != "Inqueue" or entry.decision != "wait" or not lasting:
            continue
        held = {name: n for name, n in (gang.min_resources or {}).items() if n > 0}
        if not held:
            continue
        kept = [
            one.full_name
            for one in result.gangs
            if any(entry.full_name in reason.data.get("holders", ()) for reason in one.reasons)
        ]
        out = (
            f": {names_text(kept)} {'waits' if len(kept) == 1 else 'wait'} for that" if kept else ""
        )
        yield FindingEntry(
            code=HELD.code,
            severity=HELD.severity,
            object=f"gang/{entry.full_name}",
            message=f"it was let in and can never run ({lasting[0].message}), but holds {amounts_text(held)} of the "
            f"admission for ever{out}",
            remedy=f"free it: {delete_command(gang)} (or lower what it asks for)",
        )


def _meeting_maintenance(result: PlanResult, prepared: Prepared) -> Iterator[FindingEntry]:
    """Gangs that get pods on nodes which go into maintenance before the gang's run would end."""
    policy = prepared.policy.policy
    now = epoch_seconds(prepared.policy.now)
    if now is None:
        return
    spans = [
        (start, end, window)
        for window in policy.maintenance
        if (start := epoch_seconds(window.start)) is not None
        and (end := epoch_seconds(window.end)) is not None
    ]
    for entry in result.gangs if spans else ():
        used = {one.node for one in entry.pods if one.action == "place" and one.node is not None}
        gang = prepared.snapshot.gang_by_name.get(entry.full_name)
        if not used or gang is None:
            continue
        pods = prepared.snapshot.pods_of(gang)
        length = duration_of(gang, pods, policy)
        begun = started_at(pods) if entry.decision == "grow" else None
        ends = now + remaining_s(length.seconds, begun, now)
        met = [
            (max(start, now), name)
            for start, end, window in spans
            if start < ends and end > now
            for name in sorted(used)
            if _concerns(window, name, prepared.snapshot)
        ]
        if met:
            yield _cut_off(entry, met, ends, prepared, source=length.source)


def _concerns(window: Maintenance, name: str, snapshot: Snapshot) -> bool:
    labels = snapshot.node_by_name[name].labels
    wanted = window.selector
    chosen = bool(wanted) and all(labels.get(key) == value for key, value in wanted.items())
    return name in window.nodes or chosen


def _cut_off(
    entry: GangEntry, met: list[tuple[int, str]], ends: int, prepared: Prepared, *, source: str
) -> FindingEntry:
    first = min(met)[0]
    names = sorted({name for start, name in met if start == first})
    zone = prepared.policy.policy.timezone
    told = "by its annotation" if source == "annotation" else f"as estimated ({source})"
    verb = "goes" if len(names) == 1 else "go"
    return FindingEntry(
        code=MAINTENANCE.code,
        severity=MAINTENANCE.severity,
        object=f"gang/{entry.full_name}",
        message=f"the plan places pods of it on {names_text(names)}, which {verb} into maintenance at "
        f"{local_text(first, zone)}; its run would end at {local_text(ends, zone)} {told}",
        remedy=MAINTENANCE.remedy,
    )


def delete_command(gang: Gang) -> str:
    """What ends a gang: its Volcano Job, or its PodGroup under its own name."""
    if gang.kind == "Job":
        return f"kubectl -n {gang.namespace} delete jobs.batch.volcano.sh {gang.name}"
    return f"kubectl -n {gang.namespace} delete podgroups.scheduling.volcano.sh {gang.name}"


def _free_after(result: PlanResult, snapshot: Snapshot) -> dict[str, int]:
    free = dict.fromkeys(snapshot.total, 0)
    for entry in result.nodes:
        node = snapshot.node_by_name[entry.name]
        if node.ready and not node.unschedulable:
            for name in free:
                free[name] += max(entry.allocatable.amount(name) - entry.after.amount(name), 0)
    return free
