"""What waits, and why."""

from __future__ import annotations

from models.foreign_workloads import nothing_waits
from planner.report.plan_view import PlanView
from planner.report.reason_words import meaning
from planner.report.rows import records, rest_note, whole
from planner.report.sections.gangs import gang_table, lacking_tables
from planner.report.sections.helps import helps_table
from planner.report.tables import Column, Place, Section, Table
from planner.report.text import counted_gpus, gpus_text


def waits_section(view: PlanView, place: Place, limit: int) -> Section:
    """Totals by reason, then the gangs."""
    waits = view.waits
    lacking = lacking_tables(view.gangs, place, limit)
    if not len(waits):
        lead = nothing_waits(view.result.summary.left_out)
        return Section("waiting", "Waiting and why", lead=lead, tables=lacking)
    gpus = int(waits["milli_gpus"].sum())
    return Section(
        "waiting",
        "Waiting and why",
        lead=_lead(len(waits), gpus),
        tables=(
            _totals(view, limit),
            gang_table(
                waits, place, limit, title="Gangs that wait", empty="No gang waits.", kind="waits"
            ),
            *lacking,
            *_helps(view, place, limit),
        ),
    )


def _helps(view: PlanView, place: Place, limit: int) -> tuple[Table, ...]:
    """Nothing for documents without classes."""
    return (helps_table(view, place, limit),) if view.result.waiting else ()


def _lead(gangs: int, gpus: int) -> str:
    if gangs == 1:
        return f"1 gang waits; its minimum still lacks {counted_gpus(gpus)}."
    return f"{gangs:,} gangs wait; their minimum still lacks {counted_gpus(gpus)}."


def _totals(view: PlanView, limit: int) -> Table:
    totals = records(view.reason_totals)
    shown = totals[:limit]
    return Table(
        "Reasons by queue",
        (
            Column("REASON"),
            Column("MEANING", grows=True),
            Column("QUEUE"),
            Column("GANGS", "gangs", numeric=True),
            Column("GPUS", "GPUs", numeric=True),
        ),
        tuple(
            (
                row["code"],
                meaning(row["code"]),
                row["queue"],
                whole(row["gangs"]),
                gpus_text(int(row["milli_gpus"])),
            )
            for row in shown
        ),
        empty="No reason is given.",
        notes=(
            "A gang with several reasons counts under each of them.",
            *rest_note(len(shown), len(totals), "rows", "reasons.csv (-o csv --out DIR)"),
        ),
    )
