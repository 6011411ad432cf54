"""A plan document as one reader may see it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace

from models.findings import UsageError
from models.lending import LendingLimits
from models.nightly.reader import Reader
from models.plan import PlanResult, QueueEntry, SnapshotEntry, Verification
from models.schedule import Schedule, ScheduledPool
from models.snapshot import Snapshot
from planner.report.night.hidden_names import HiddenNames

_SAFE_POLICY = ("queue_model", "hierarchy", "evict", "timezone", "priority_scope")
"""Policy keys whose values name nobody."""


def cut_for(result: PlanResult, reader: Reader | None) -> PlanResult:
    """The document for a reader; the whole one for the platform team and capacity managers.

    Raises
    ------
    UsageError
        The document has no queue or online service of the reader's name; near names are told.
    """
    if reader is None or result.schedule is None:
        return result
    if reader.kind == "tenant":
        return _for_tenant(result, result.schedule, reader.name)
    if reader.kind == "service":
        return _for_service(result, result.schedule, reader.name)
    return result


def cut_snapshot(snapshot: Snapshot | None, shown: PlanResult) -> Snapshot | None:
    """Gangs and pods of the gangs that the document still shows; nothing else is kept."""
    if snapshot is None or shown.schedule is None:
        return snapshot
    names = {gang.full_name for gang in shown.gangs}
    return replace(
        snapshot,
        gangs=tuple(gang for gang in snapshot.gangs if gang.full_name in names),
        pods=tuple(pod for pod in snapshot.pods if pod.gang in names),
        nodes=(),
        queues=(),
        findings=(),
        sources=(),
    )


def own_queues(result: PlanResult, queue: str) -> frozenset[str]:
    """The queue and those below it.

    Raises
    ------
    UsageError
        There is no such queue.
    """
    parents = {one.name: one.parent for one in result.queues}
    if queue not in parents:
        raise UsageError(_unknown("queue", queue, parents))
    found = {queue}
    while more := {name for name, parent in parents.items() if parent in found} - found:
        found |= more
    return frozenset(found)


def _unknown(what: str, name: str, known: Mapping[str, str] | set[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"the plan has no {what} {name!r}{hint}"


def _for_tenant(result: PlanResult, schedule: Schedule, queue: str) -> PlanResult:
    mine = own_queues(result, queue)
    hidden = hidden_from(result, mine)
    gangs = tuple(
        gang.model_copy(update={"reasons": hidden.reasons(gang.reasons)})
        for gang in result.gangs
        if gang.queue in mine
    )
    names = {gang.full_name for gang in gangs}
    waiting = tuple(
        one.model_copy(
            update={"gangs": kept, "fixes": hidden.fixes(one.fixes)},
        )
        for one in result.waiting
        if one.queue in mine and (kept := tuple(name for name in one.gangs if name in names))
    )
    return result.model_copy(
        update={
            "summary": result.summary.model_copy(
                update={"sentence": hidden.out_of(result.summary.sentence)}
            ),
            "snapshot": _snapshot_entry(result.snapshot, hidden, names),
            "policy": {key: result.policy[key] for key in _SAFE_POLICY if key in result.policy},
            "verification": _verification(result.verification, hidden),
            "gangs": gangs,
            "waiting": waiting,
            "queues": tuple(_queue(one, mine) for one in result.queues if one.name in mine),
            "nodes": (),
            "baseline": None,
            "schedule": _tenant_schedule(schedule, mine, hidden),
            "use": result.use.of(queues=mine) if result.use is not None else None,
        }
    )


def hidden_from(result: PlanResult, mine: frozenset[str]) -> HiddenNames:
    """Names of other tenants: queues that are neither own nor above own ones, their gangs and namespaces."""
    parents = {one.name: one.parent for one in result.queues}
    above = set(mine)
    for name in mine:
        while (name := parents.get(name, "")) and name not in above:
            above.add(name)
    own_gangs = {gang.full_name for gang in result.gangs if gang.queue in mine}
    schedule = result.schedule
    listed = [(gang.full_name, gang.queue) for gang in result.gangs]
    listed += [(g.full_name, g.queue) for g in schedule.gangs] if schedule is not None else []
    own_spaces = {name.partition("/")[0] for name in own_gangs}
    own_names = {name.partition("/")[2] for name in own_gangs}
    own_pods = {
        name
        for gang in result.gangs
        if gang.queue in mine
        for group in gang.pods
        for name in group.names
    }
    foreign = {name for name, queue in listed if queue not in mine}
    return HiddenNames(
        gangs=sorted(foreign),
        namespaces={name.partition("/")[0] for name in foreign} - own_spaces,
        queues=(set(parents) | {queue for _, queue in listed}) - above,
        own=above | own_gangs | own_spaces | own_names | own_pods,
        own_spaces=own_spaces,
    )


def _queue(one: QueueEntry, mine: frozenset[str]) -> QueueEntry:
    loans = tuple(
        loan
        if loan.lender in mine or not loan.lender
        else loan.model_copy(update={"lender": "another tenant's queue"})
        for loan in one.loans
    )
    return one.model_copy(update={"loans": loans})


def _snapshot_entry(entry: SnapshotEntry, hidden: HiddenNames, names: set[str]) -> SnapshotEntry:
    findings = tuple(
        one.model_copy(update={"message": hidden.out_of(one.message)})
        for one in entry.findings
        if any(name in one.object for name in names) and not hidden.touches(one.object)
    )
    return entry.model_copy(update={"sources": (), "findings": findings})


def _verification(found: Verification | None, hidden: HiddenNames) -> Verification | None:
    if found is None:
        return None
    violations = tuple(
        one.model_copy(
            update={"object": hidden.out_of(one.object), "message": hidden.out_of(one.message)}
        )
        for one in found.violations
    )
    undecided = tuple(map(hidden.out_of, found.undecided))
    return found.model_copy(update={"violations": violations, "undecided": undecided})


def _tenant_schedule(schedule: Schedule, mine: frozenset[str], hidden: HiddenNames) -> Schedule:
    gangs = tuple(
        gang.model_copy(
            update={
                "reasons": hidden.reasons(gang.reasons),
                "fixes": tuple(fix for fix in gang.fixes if not hidden.touches(fix)),
            }
        )
        for gang in schedule.gangs
        if gang.queue in mine
    )
    names = {gang.full_name for gang in gangs}
    reservations = tuple(
        one.model_copy(
            update={"backfilled": tuple(name for name in one.backfilled if name in names)}
        )
        for one in schedule.reservations
        if one.gang in names
    )
    return schedule.model_copy(
        update={
            "gangs": gangs,
            "pools": tuple(_own_pool(pool, schedule, names) for pool in schedule.pools),
            "queues": tuple(one for one in schedule.queues if one.name in mine),
            "lending": None,
            "loans": (),
            "service_places": (),
            "missed_returns": (),
            "reservations": reservations,
            "notes": tuple(hidden.out_of(note) for note in schedule.notes),
        }
    )


def _own_pool(pool: ScheduledPool, schedule: Schedule, names: set[str]) -> ScheduledPool:
    """The pool with the tenant's own use only; what there is for batch work stays."""
    used = [0] * len(pool.used)
    for gang in schedule.gangs:
        for run in gang.runs if gang.full_name in names else ():
            if run.pool == pool.name:
                for bucket in range(run.start_bucket, min(run.end_bucket, len(used))):
                    used[bucket] += run.gpus
    none = (0,) * len(used)
    return pool.model_copy(update={"used": tuple(used), "lent": none, "slow": (), "online": none})


def _for_service(result: PlanResult, schedule: Schedule, service: str) -> PlanResult:
    lending = schedule.lending
    known = {one.service for one in lending.demand} if lending is not None else set()
    if service not in known:
        raise UsageError(_unknown("online service", service, known))
    assert lending is not None
    pools = {one.pool for one in lending.demand if one.service == service}
    cut = schedule.model_copy(
        update={
            "lending": _service_lending(lending, service, pools),
            "loans": tuple(
                loan.model_copy(
                    update={"services": tuple(o for o in loan.services if o.service == service)}
                )
                for loan in schedule.loans
                if loan.pool in pools
            ),
            "service_places": tuple(
                one for one in schedule.service_places if one.service in (service, "")
            ),
            "missed_returns": tuple(
                one for one in schedule.missed_returns if one.service in (service, "")
            ),
            "pools": tuple(pool for pool in schedule.pools if pool.name in pools),
        }
    )
    return result.model_copy(update={"schedule": cut})


def _service_lending(limits: LendingLimits, service: str, pools: set[str]) -> LendingLimits:
    """Pools of the service; demand of others in the same pool is part of the loan limits and stays."""
    return limits.model_copy(
        update={
            "pools": tuple(one for one in limits.pools if one.pool in pools),
            "demand": tuple(one for one in limits.demand if one.pool in pools),
            "forecasts": tuple(one for one in limits.forecasts if one.service == service),
        }
    )
