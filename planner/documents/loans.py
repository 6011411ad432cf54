"""The ledger of loans: who uses more than it deserves after the plan, and whose idle entitlement that is.

A queue borrows what it uses beyond its deserved amount, in resources of which some queue deserves something. Lenders
are the queues that use less than they deserve, in proportion to what they leave idle, in whole units. What is borrowed
beyond all idle entitlements is taken from what nobody deserves; its lender is "". Only queues without children borrow
and lend.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from models.plan import Loan, QueueEntry
from models.resources import BASE_DIMENSIONS, Resources


def with_loans(entries: Sequence[QueueEntry], leaves: Collection[str]) -> tuple[QueueEntry, ...]:
    """The entries with ``borrowed``, ``lent`` and ``loans`` filled in from ``deserved`` and ``after``.

    Per resource the loans of a borrower sum up to what it borrows, and those of a lender to what it lends.
    """
    counted = sorted(
        {name for one in entries for name, n in one.deserved.items() if _counts(name, n)}
    )
    above: dict[str, dict[str, int]] = {entry.name: {} for entry in entries}
    lent: dict[str, dict[str, int]] = {entry.name: {} for entry in entries}
    loans: dict[str, list[Loan]] = {entry.name: [] for entry in entries}
    taking_part = [entry for entry in entries if entry.name in leaves]
    for resource in counted:
        over = {
            one.name: one.after.amount(resource) - one.deserved.amount(resource)
            for one in taking_part
        }
        borrowed = {name: amount for name, amount in over.items() if amount > 0}
        idle = {name: max(-amount, 0) for name, amount in over.items()}
        for borrower, amount in borrowed.items():
            above[borrower][resource] = amount
        for borrower, parts in ledger(borrowed, idle).items():
            for lender, amount in parts.items():
                loans[borrower].append(Loan(resource=resource, lender=lender, amount=amount))
                if lender:
                    lent[lender][resource] = lent[lender].get(resource, 0) + amount
    return tuple(
        entry.model_copy(
            update={
                "borrowed": Resources(above[entry.name]),
                "lent": Resources(lent[entry.name]),
                "loans": tuple(loans[entry.name]),
            }
        )
        for entry in entries
    )


def _counts(resource: str, deserved: int) -> bool:
    """Whether an entitlement is one: an amount above 0, or a listed 0 of an extended resource."""
    return deserved > 0 or resource not in BASE_DIMENSIONS


def ledger(borrowed: Mapping[str, int], idle: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Loans per borrower and lender of one resource, largest remainders first, names breaking ties.

    What the lenders give in all is divided among them in proportion to what they leave idle, and among the borrowers
    in proportion to what they borrow; the rest of a borrower comes from "".
    """
    takers = {name: amount for name, amount in sorted(borrowed.items()) if amount > 0}
    given = divide(sum(takers.values()), idle)
    received = divide(sum(given.values()), takers)
    found: dict[str, dict[str, int]] = {}
    for borrower, amount in takers.items():
        parts = divide(received[borrower], given)
        given = {lender: left - parts[lender] for lender, left in given.items()}
        found[borrower] = {lender: part for lender, part in parts.items() if part}
        if amount > received[borrower]:
            found[borrower][""] = amount - received[borrower]
    return found


def divide(amount: int, among: Mapping[str, int]) -> dict[str, int]:
    """An amount in proportion to ``among``, nobody more than its own, whole units by largest remainder."""
    total = sum(among.values())
    if total <= amount:
        return dict(among)
    parts = {name: amount * one // total for name, one in among.items()}
    left = amount - sum(parts.values())
    by_remainder = sorted(among, key=lambda name: (-(amount * among[name] % total), name))
    for name in by_remainder[:left]:
        parts[name] += 1
    return parts
