"""Shares of every queue: limit, deserved, before, after, borrowed and lent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from models.placement import Placement
from models.plan import GangEntry, QueueEntry
from models.resources import NO_RESOURCES, PODS, Resources
from planner.prepare.prepared import Prepared
from planner.prepare.queue_limits import requested_by_queue, sum_below
from planner.prepare.water_filling import whole_limit
from planner.service.departures import freed_by_queue


def queue_entries(
    prepared: Prepared,
    entries: Sequence[GangEntry],
    placed: Sequence[Placement],
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
                borrowed=_borrowed(prepared, name, then, dimensions),
                gangs_waiting=waiting[name],
                gangs_started=started[name],
            )
        )
    return _with_lent(prepared, found, after, dimensions)


def _dimensions(prepared: Prepared) -> tuple[str, ...]:
    return tuple(sorted({*prepared.limits.total, *prepared.problem.dimensions} - {PODS}))


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


def _borrowed(
    prepared: Prepared, name: str, after: Resources, dimensions: Sequence[str]
) -> Resources:
    """What a queue without children uses beyond what it deserves, in dimensions that have a deserved amount."""
    if len(prepared.limits.below(name)) > 1 or not any(
        prepared.limits.has_deserved(other, d)
        for other in prepared.limits.queues
        for d in dimensions
    ):
        return NO_RESOURCES
    counted = [
        d
        for d in dimensions
        if any(prepared.limits.has_deserved(other, d) for other in prepared.limits.queues)
    ]
    over = {d: after.amount(d) - whole_limit(prepared.limits.deserved(name, d)) for d in counted}
    return Resources({d: amount for d, amount in over.items() if amount > 0})


def _with_lent(
    prepared: Prepared,
    entries: list[QueueEntry],
    after: Mapping[str, Resources],
    dimensions: Sequence[str],
) -> tuple[QueueEntry, ...]:
    """Loans come from queues that use less than they deserve, in proportion to what they leave idle.

    Whole units by largest remainder; what is borrowed beyond all idle entitlements comes from resources that nobody
    deserves, and is lent by no queue.
    """
    lent: dict[str, dict[str, int]] = {entry.name: {} for entry in entries}
    leaves = [entry for entry in entries if len(prepared.limits.below(entry.name)) == 1]
    for d in dimensions:
        borrowed = sum(entry.borrowed.amount(d) for entry in leaves)
        idle = {
            entry.name: max(
                entry.deserved.amount(d) - after.get(entry.name, NO_RESOURCES).amount(d), 0
            )
            for entry in leaves
        }
        for name, amount in _divide(borrowed, idle).items():
            if amount:
                lent[name][d] = amount
    return tuple(
        entry.model_copy(update={"lent": Resources(lent[entry.name])}) for entry in entries
    )


def _divide(amount: int, idle: Mapping[str, int]) -> dict[str, int]:
    total = sum(idle.values())
    if total <= amount:
        return dict(idle)
    parts = {name: amount * one // total for name, one in idle.items()}
    left = amount - sum(parts.values())
    by_remainder = sorted(idle, key=lambda name: (-(amount * idle[name] % total), name))
    for name in by_remainder[:left]:
        parts[name] += 1
    return parts
