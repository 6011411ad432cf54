"""The document's ledger of loans: what is borrowed and lent follows from use and entitlement, and the sums agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from models.plan import QueueEntry, RuleViolation
from models.rules import RuleId
from planner.verify.state import State
from planner.verify.wording import amount_text, violation

_BASE = ("cpu", "memory")


def check_loans(state: State) -> Iterator[RuleViolation]:
    """Borrowed, lent and loans of a document whose queues tell them; those that leave them out are not checked."""
    if not state.given("queues"):
        return
    entries = {entry.name: entry for entry in state.plan.queues}
    if any("borrowed" in entry.model_fields_set for entry in entries.values()):
        yield from _check_borrowed(state, entries)
    if any("lent" in entry.model_fields_set for entry in entries.values()):
        yield from _check_lent(state, entries)
    if any("loans" in entry.model_fields_set for entry in entries.values()):
        yield from _check_sums(entries)


def _leaf(state: State, name: str) -> bool:
    return state.queues.family(name) == {name}


def _check_borrowed(state: State, entries: Mapping[str, QueueEntry]) -> Iterator[RuleViolation]:
    """Use after the plan beyond deserved, in resources of which some queue deserves something; leaves only."""
    counted = _deserved_resources(entries)
    for name, entry in entries.items():
        leaf = _leaf(state, name)
        for resource in sorted({*entry.borrowed, *(counted if leaf else ())}):
            over = entry.after.amount(resource) - entry.deserved.amount(resource)
            right = max(over, 0) if leaf and resource in counted else 0
            yield from _same(name, "borrowed", resource, entry.borrowed.amount(resource), right)


def _deserved_resources(entries: Mapping[str, QueueEntry]) -> set[str]:
    return {
        resource
        for entry in entries.values()
        for resource, amount in entry.deserved.items()
        if amount > 0 or resource not in _BASE
    }


def _check_lent(state: State, entries: Mapping[str, QueueEntry]) -> Iterator[RuleViolation]:
    """Nobody lends more than it leaves idle; all together lend what is borrowed, as far as that goes."""
    lent: Counter[str] = Counter()
    idle: Counter[str] = Counter()
    borrowed: Counter[str] = Counter()
    for name, entry in entries.items():
        borrowed.update(entry.borrowed)
        lent.update(entry.lent)
        for resource in sorted({*entry.deserved, *entry.lent}):
            spare = entry.deserved.amount(resource) - entry.after.amount(resource)
            own = max(spare, 0) if _leaf(state, name) else 0
            idle[resource] += own
            given = entry.lent.amount(resource)
            if not 0 <= given <= own:
                told = f"lends {amount_text(resource, given)}, leaves idle"
                yield _wrong(name, f"{resource}: {told} {amount_text(resource, own)}")
    for resource in sorted({*lent, *borrowed}):
        right = min(borrowed[resource], idle[resource])
        if lent[resource] != right:
            told = f"all queues lend {amount_text(resource, lent[resource])}"
            yield _wrong("", f"{resource}: {told}, recomputed {amount_text(resource, right)}")


def _check_sums(entries: Mapping[str, QueueEntry]) -> Iterator[RuleViolation]:
    """Loans of a borrower sum up to what it borrows, loans from a lender to what it lends; lenders exist."""
    lent: dict[str, Counter[str]] = {name: Counter() for name in entries}
    for name, entry in entries.items():
        taken: Counter[str] = Counter()
        for loan in entry.loans:
            taken[loan.resource] += loan.amount
            if loan.amount <= 0:
                yield _wrong(name, f"loans: {loan.amount} of {loan.resource} is no loan")
            if loan.lender in lent:
                lent[loan.lender][loan.resource] += loan.amount
            elif loan.lender:
                yield _wrong(name, f"loans: the lender {loan.lender} has no entry")
        for resource in sorted({*taken, *entry.borrowed}):
            yield from _same(
                name, "loans", resource, taken[resource], entry.borrowed.amount(resource)
            )
    for name, given in lent.items():
        for resource in sorted({*given, *entries[name].lent}):
            yield from _same(
                name, "lent", resource, entries[name].lent.amount(resource), given[resource]
            )


def _same(queue: str, part: str, resource: str, told: int, right: int) -> Iterator[RuleViolation]:
    if told != right:
        yield _wrong(
            queue,
            f"{part}: {resource} is {amount_text(resource, told)}, "
            f"recomputed {amount_text(resource, right)}",
        )


def _wrong(queue: str, told: str) -> RuleViolation:
    return violation(
        RuleId.DOCUMENT, f"queue/{queue}" if queue else "queues", f"{told}; correct it"
    )
