"""Who is evicted, by which rule, for whom, and how much work that costs."""

from __future__ import annotations

from typing import Any

from planner.report.plan_view import PlanView
from planner.report.rows import records, rest_note
from planner.report.tables import Column, Place, Section, Table
from planner.report.text import DASH, counted

HARM = {
    "working_evicted": "fewer working GPUs evicted",
    "gangs_given_up": "fewer gangs given up",
    "pods_evicted": "fewer pods evicted",
    "lost_work": "less work lost",
}
NAMED = 3
"""Gangs named in a cell; all of them are in the document."""
_COLUMNS = (
    Column("GANG"),
    Column("QUEUE"),
    Column("PRIORITY", numeric=True, needs_width=90),
    Column("LOSES"),
    Column("PODS", "pods", numeric=True),
    Column("GPUS", "GPUs", numeric=True),
    Column("LOST", "GPU-hours", numeric=True),
    Column("RULE"),
    Column("FROM", "nodes", needs_width=110),
    Column("MAKES ROOM FOR", grows=True),
)


def evictions_section(view: PlanView, place: Place, limit: int) -> Section:
    """All losses, the dearest first; a sentence where the plan evicts nobody."""
    rows = records(view.evictions)
    shown = rows[:limit]
    table = Table(
        "Evictions",
        _COLUMNS,
        tuple(_row(row) for row in shown),
        empty="",
        notes=(
            "Lost: GPU-hours since the pods started or last saved their work, with the cost of a restart; unknown "
            "starts count 0.",
            *rest_note(len(shown), len(rows), "losses", "the document (-o json)"),
        ),
    )
    lead = _lead(view, rows)
    return Section("evictions", "Evictions", lead=lead, tables=(table,) if rows else ())


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    lost = row["lost_gpu_seconds"]
    return (
        row["gang"],
        row["queue"],
        f"{row['priority']:,}",
        "everything" if row["decision"] == "evict" else "surplus",
        _number(row["pods"]),
        _number(row["gpus"]),
        DASH if lost is None else f"{lost / 3600:,.1f}",
        row["rule"],
        row["nodes"] or DASH,
        _named(row["room_for"].splitlines()),
    )


def _number(value: int | None) -> str:
    return DASH if value is None else f"{value:,}"


def _named(gangs: list[str]) -> str:
    shown = ", ".join(gangs[:NAMED])
    more = len(gangs) - NAMED
    return f"{shown} and {counted(more, 'more gang')}" if more > 0 else shown or DASH


def _lead(view: PlanView, rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "The plan evicts nobody."
    summary = view.result.summary
    lost = sum(row["lost_gpu_seconds"] or 0 for row in rows) / 3600
    gangs = len({row["gang"] for row in rows})
    proof = {tier.name: tier for tier in view.result.certificate.tiers}
    found = [tier for name, tier in proof.items() if name in HARM]
    begin = f"{_who(gangs, summary.gangs_evicted, summary.pods_evicted)}; {lost:,.1f} GPU-hours of work are lost."
    if found and all(tier.bound == tier.value and not tier.conditional for tier in found):
        order = ", then ".join(HARM[tier.name] for tier in found)
        return f"{begin} Proved: no plan with these starts has {order}."
    known = [tier for tier in found if tier.bound is not None and tier.bound != tier.value]
    bounds = ", ".join(f"{tier.name.replace('_', ' ')} at least {tier.bound:,}" for tier in known)
    return f"{begin} Not proved least: {bounds}." if bounds else begin


def _who(gangs: int, given_up: int, pods: int) -> str:
    """Who loses how many pods, and whether that is all they have."""
    lose = "loses" if gangs == 1 else "lose"
    begin = f"{counted(gangs, 'gang')} {lose} {counted(pods, 'pod')}"
    if given_up == gangs:
        return f"{begin} and {'is' if gangs == 1 else 'are'} given up whole"
    if not given_up:
        return (
            f"{begin} beyond {'its minimum' if gangs == 1 else 'their minimum'}; none is given up"
        )
    return f"{begin}; {given_up:,} of them given up whole"
