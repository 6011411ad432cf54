"""The document's queues and nodes: use before and after, limits and entitlements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

from models.plan import QueueEntry, RuleViolation
from models.resources import PODS
from models.rules import RuleId
from planner.verify.state import CARD_KEY, State
from planner.verify.wording import amount_text, violation

_ROOT = "root"


def check_queue_entries(state: State) -> Iterator[RuleViolation]:
    """One entry per listed queue; before and after are the sums of its pods, limit and deserved are ours."""
    if not state.given("queues"):
        return
    entries: dict[str, QueueEntry] = {}
    for entry in state.plan.queues:
        if entry.name in entries:
            told = "has more than one entry; list it once"
            yield violation(RuleId.DOCUMENT, f"queue/{entry.name}", told)
        entries[entry.name] = entry
    for name in state.queues.listed:
        if name not in entries:
            told = "has no entry in the document; list it"
            yield violation(RuleId.DOCUMENT, f"queue/{name}", told)
    for name, entry in entries.items():
        for when, usage in (("before", state.queue_before), ("after", state.queue_after)):
            have: Mapping[str, int] = entry.before if when == "before" else entry.after
            wanted = state.queue_usage(usage, name)
            yield from _compare(f"queue/{name}", when, have, wanted)
        yield from _check_counts(state, entry)
        if name in state.queues.listed and name != _ROOT:
            yield from _check_entitlement(state, entry)


def _check_counts(state: State, entry: QueueEntry) -> Iterator[RuleViolation]:
    """Gangs of the queue that wait and that start, where the entry tells them."""
    mine = Counter(one.decision for one, _ in state.reading.entries if one.queue == entry.name)
    pairs = (("gangs_waiting", mine["wait"]), ("gangs_started", mine["start"]))
    for field, wanted in pairs:
        have = getattr(entry, field)
        if field in entry.model_fields_set and have != wanted:
            told = f"{field} is {have:,}, recomputed {wanted:,}; correct it"
            yield violation(RuleId.DOCUMENT, f"queue/{entry.name}", told)


def _compare(
    subject: str, part: str, have: Mapping[str, int], wanted: Mapping[str, int]
) -> Iterator[RuleViolation]:
    names = ({*have, *wanted} - {PODS}) | ({PODS} & have.keys() & wanted.keys())
    for name in sorted(names):
        told, right = have.get(name, 0), wanted.get(name, 0)
        if told != right:
            yield violation(
                RuleId.DOCUMENT,
                subject,
                f"{part}: {name} is {amount_text(name, told)}, "
                f"recomputed {amount_text(name, right)}; correct it",
            )


def _check_entitlement(state: State, entry: QueueEntry) -> Iterator[RuleViolation]:
    """Within one unit (or a millionth); proportion has to give ``deserved``, a missing limit means none is told."""
    queue = state.queues.listed[entry.name]
    for name in sorted(state.counted_resources | {*entry.limit, *entry.deserved} - {PODS}):
        limit = state.queues.limit(entry.name, name)
        if name in entry.limit and limit is not None:
            yield from _near(entry.name, "limit", name, entry.limit[name], Fraction(limit))
        told = entry.deserved.get(name)
        if state.queues.proportional:
            told = told or 0
        elif told is None or told == queue.deserved.get(name):
            continue  # the amount as written in the queue may be shown, also where its limit is lower
        deserved = state.queues.deserved(entry.name, name)
        yield from _near(entry.name, "deserved", name, told, deserved)


def _near(queue: str, part: str, name: str, have: int, wanted: Fraction) -> Iterator[RuleViolation]:
    if abs(have - wanted) >= max(Fraction(1), abs(wanted) / 10**6):
        yield violation(
            RuleId.DOCUMENT,
            f"queue/{queue}",
            f"{part}: {name} is {amount_text(name, have)}, "
            f"recomputed {amount_text(name, wanted)}; correct it",
        )


def check_node_entries(state: State) -> Iterator[RuleViolation]:
    """One entry per node; allocatable, before and after are right, pods that end still holding their node."""
    if not state.given("nodes"):
        return
    listed: set[str] = set()
    for entry in state.plan.nodes:
        node = state.snapshot.node_by_name.get(entry.name)
        subject = f"node/{entry.name}"
        if node is None or entry.name in listed:
            told = "is not in the snapshot" if node is None else "has more than one entry"
            yield violation(RuleId.DOCUMENT, subject, f"{told}; remove the entry")
            continue
        listed.add(entry.name)
        if entry.allocatable != node.allocatable:
            yield from _compare(subject, "allocatable", entry.allocatable, node.allocatable)
        yield from _compare(
            subject, "before", entry.before, _resources(state.held_before[entry.name])
        )
        yield from _compare(subject, "after", entry.after, _resources(state.held_after[entry.name]))
    for name in state.snapshot.node_by_name.keys() - listed:
        yield violation(RuleId.DOCUMENT, f"node/{name}", "has no entry in the document; list it")


def _resources(usage: Mapping[str, int]) -> Mapping[str, int]:
    return {name: n for name, n in usage.items() if not name.startswith(CARD_KEY)}
