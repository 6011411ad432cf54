"""The fair optimum beside what queues deserve and get, and the ledger of loans."""

from __future__ import annotations

from typing import Any

from planner.report.plan_view import PlanView
from planner.report.rows import records, rest_note, whole
from planner.report.tables import Column, Place, Section, Table
from planner.report.text import DASH, counted, resource_text

NOBODY = "what nobody deserves"
_RULES = {
    "joint": "Several resources are divided together: a queue uses them in the mix in which it asks for them, and the "
    "largest of its fractions of the cluster counts.",
    "per resource": "Every resource is divided on its own.",
    "all met": "Nothing is contended: every queue can have what it asks for within its limit.",
}
_SHARES = (
    Column("QUEUE"),
    Column("PARENT"),
    Column("WEIGHT", numeric=True),
    Column("GUARANTEE", "GPUs", numeric=True),
    Column("REQUESTED", "GPUs", numeric=True),
    Column("FAIR SHARE", "GPUs", numeric=True),
    Column("DESERVED", "GPUs", numeric=True),
    Column("PLANNED", "GPUs", numeric=True),
    Column("PLANNED - FAIR", "GPUs", numeric=True),
)
_LOANS = (Column("BORROWER"), Column("FROM"), Column("AMOUNT", grows=True))


def shares_section(view: PlanView, place: Place, limit: int) -> Section:
    """Fair share per queue and every loan; the wide and page outputs show it."""
    rule = view.result.fair_share_rule
    return Section(
        "shares",
        "Shares and loans",
        lead=_lead(view),
        points=(
            "Fair share: weighted max-min with guarantees as floors (as far as they are asked for), limits as "
            "ceilings and requests as demand, level by level down the queue tree. It is shown beside the scheduler's "
            "own numbers and changes nothing in the plan.",
            *((_RULES[rule],) if rule in _RULES else ()),
            "A queue borrows what it uses beyond deserved. Lenders are queues that use less than they deserve, in "
            "proportion to what they leave idle; the rest comes from what nobody deserves.",
        ),
        tables=(_shares(view, limit), _loans(view, limit)),
    )


def _shares(view: PlanView, limit: int) -> Table:
    rows = records(view.queues) if view.result.fair_share_rule else []
    notes = rest_note(len(rows[:limit]), len(rows), "queues", "queues.csv (-o csv --out DIR)")
    return Table(
        "Fair shares",
        _SHARES,
        tuple(_share_row(row) for row in rows[:limit]),
        "The document holds no fair shares.",
        notes,
    )


def _share_row(row: dict[str, Any]) -> tuple[str, ...]:
    names = ("guarantee", "requested", "fair_share", "deserved", "after")
    gpus = [whole(row[f"{name}_gpus"]) for name in names]
    apart = int(row["after_gpus"]) - int(row["fair_share_gpus"] or 0)
    return (row["queue"], row["parent"] or DASH, whole(row["weight"]), *gpus, f"{apart:+,}")


def _loans(view: PlanView, limit: int) -> Table:
    rows = records(view.loans)
    shown = tuple(
        (row["borrower"], row["lender"] or NOBODY, resource_text(row["resource"], row["amount"]))
        for row in rows[:limit]
    )
    notes = rest_note(len(shown), len(rows), "loans", "loans.csv (-o csv --out DIR)")
    return Table("Loans after the plan", _LOANS, shown, "No queue borrows anything.", notes)


def _lead(view: PlanView) -> str:
    rows = records(view.loans)
    if not rows:
        return "No queue uses more than it deserves."
    borrowers = {row["borrower"] for row in rows}
    lenders = {row["lender"] for row in rows if row["lender"]}
    told = f"{counted(len(borrowers), 'queue')} " + ("uses" if len(borrowers) == 1 else "use")
    return (
        f"{told} more than deserved, lent by {counted(len(lenders), 'queue')}."
        if lenders
        else (f"{told} more than deserved, all of it taken from {NOBODY}.")
    )
