"""Shares of every queue: limit, deserved, fair share, before, after, borrowed and lent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from models.placement import Placement
from models.plan import GangEntry, QueueEntry
from models.resources import NO_RESOURCES, PODS, Resources
from planner.documents.departures import freed_by_queue
from planner.documents.fair_shares import FairShares
from planner.documents.loans import with_loans
from planner.encode.prepared import Prepared
from planner.encode.queue_limits import requested_by_queue, sum_below
from planner.encode.water_filling import whole_limit
from planner.problem.rule_names import names_only


def queue_entries(
    prepared: Prepared,
    entries: Sequence[GangEntry],
    placed: Sequence[Placement],
    shares: FairShares,
    evicted: Sequence[str] = (),
) -> tuple[QueueEntry, ...]:
    """One entry per queue, by name; the unlisted queue ``default`` only where gangs are in it."""
    limits, snapshot = prepared.limits, prepared.snapshot
    gained = _gained(prepared, placed)
    requested = requested_by_queue(snapshot)
    freed = freed_by_queue(snapshot, evicted)
    after = {
        name: prepared.usage.get(name, NO_RESOURCES)
        .plus(gained.get(name, NO_RESOURCES))
        .minus(freed.get(name, NO_RESOURCES))
        for name in {*prepared.usage, *gained}
    }
    waiting = Counter(entry.queue for entry in entries if entry.decision == "wait")
    started = Counter(entry.queue for entry in entries if entry.decision == "start")
    used = {gang.queue for gang in snapshot.gangs}
    names = [
        name for name, queue in sorted(limits.queues.items()) if not queue.implicit or name in used
    ]
    dimensions = _dimensions(prepared)
    found: list[QueueEntry] = []
    for name in names:
        queue = limits.queues[name]
        now, then = prepared.usage_below(name), sum_below(limits, after, name)
        deserved = _deserved(prepared, name, dimensions)
        found.append(
            QueueEntry(
                name=name,
                parent=queue.parent_name if limits.hierarchy else "",
                weight=queue.weight,
                state=queue.state,
                guarantee=queue.guarantee,
                deserved=deserved,
                capability=queue.capability,
                limit=_limits(prepared, name, dimensions),
                requested=requested.get(name, NO_RESOURCES),
                before=now.without_zeros(),
                after=then.without_zeros(),
                fair_share=shares.of(name),
                gangs_waiting=waiting[name],
                gangs_started=started[name],
            )
        )
    leaves = {entry.name for entry in found if len(limits.below(entry.name)) == 1}
    return with_loans(found, leaves)


def _dimensions(prepared: Prepared) -> tuple[str, ...]:
    asked = names_only(prepared.problem.dimensions)
    return tuple(sorted({*prepared.limits.total, *asked} - {PODS}))


def _gained(prepared: Prepared, placed: Sequence[Placement]) -> dict[str, Resources]:
    snapshot = prepared.snapshot
    totals: dict[str, dict[str, int]] = {}
    for one in placed:
        gang = snapshot.gang_by_name[one.gang]
        total = totals.setdefault(gang.queue, {})
        for name in one.names:
            _add(total, snapshot.pod_by_name[name].spec.request, 1)
        promised = one.count - len(one.names)
        template = gang.template(one.role)
        if promised and template is not None:
            _add(total, template.spec.request, promised)
    return {name: Resources(total) for name, total in totals.items()}


def _add(total: dict[str, int], request: Mapping[str, int], factor: int) -> None:
    for name, amount in request.items():
        total[name] = total.get(name, 0) + amount * factor


def _deserved(prepared: Prepared, name: str, dimensions: Sequence[str]) -> Resources:
    amounts = {d: whole_limit(prepared.limits.deserved(name, d)) for d in dimensions}
    queue = prepared.limits.queues[name]
    return Resources({d: a for d, a in amounts.items() if a or d in queue.deserved})


def _limits(prepared: Prepared, name: str, dimensions: Sequence[str]) -> Resources:
    found = {d: prepared.limits.limit(name, d) for d in dimensions}
    return Resources({d: limit for d, limit in found.items() if limit is not None})
