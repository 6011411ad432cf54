"""What the plan starts, and what else it changes."""

from __future__ import annotations

import pandas as pd

from planner.report.frames import reason_totals
from planner.report.plan_view import PlanView
from planner.report.rows import records
from planner.report.sections.gangs import Kind, gang_table, lacking_tables
from planner.report.tables import Place, Section
from planner.report.text import counted, counted_gpus


def starts_section(view: PlanView, place: Place, limit: int) -> Section:
    """Gangs that start; and, where there are any, gangs that grow, shrink, move or are evicted."""
    starts = view.starts
    others = view.changes[view.changes["decision"] != "start"]
    tables = [
        gang_table(
            starts, place, limit, title="Gangs that start", empty="No gang starts.", kind="starts"
        )
    ]
    if len(others):
        tables.append(
            gang_table(others, place, limit, title="Other changes", empty="", kind="both")
        )
    gpus = int(starts["milli_gpus"].sum()) if len(starts) else 0
    lead = (
        f"{counted(len(starts), 'gang')} with {counted_gpus(gpus)} can start now; nodes are named in host-list "
        "notation (a-[01-03] stands for a-01, a-02 and a-03)."
        if len(starts)
        else ""
    )
    return Section("starts", "Starts", lead=lead, tables=tuple(tables), notes=(_kept(view),))


def changes_section(view: PlanView, place: Place, limit: int) -> Section:
    """For terminals: changes and waits in one table, or in two where there are too many rows for one."""
    changes, waits = view.changes, view.waits
    if len(changes) + len(waits) <= limit or not len(changes) or not len(waits):
        both = pd.concat([changes, waits], ignore_index=True)
        planned = "planned " if view.result.summary.left_out else ""
        empty = f"No {planned}gang starts, changes or waits."
        tables = [gang_table(both, place, limit, title="Gangs", empty=empty, kind="both")]
    else:
        kind: Kind = "starts" if (changes["decision"] == "start").all() else "both"
        title = "Gangs that start" if kind == "starts" else "Gangs that start or change"
        half = limit // 2
        tables = [
            gang_table(changes, place, half, title=title, empty="", kind=kind),
            gang_table(waits, place, limit // 3, title="Gangs that wait", empty="", kind="waits"),
        ]
    tables += lacking_tables(view.gangs, place, limit)
    notes = (_kept(view),)
    return Section("gangs", "Gangs", lead=_why(view, limit), tables=tuple(tables), notes=notes)


def _why(view: PlanView, limit: int) -> str:
    """Reasons by number of gangs, where single rows do not show at a glance why they wait."""
    if len(view.waits) <= limit // 2:
        return ""
    totals = records(reason_totals(view.reasons, by=("code",)))
    totals = sorted(totals, key=lambda row: (-row["gangs"], row["code"]))
    listed = ", ".join(f"{row['code']} {row['gangs']:,}" for row in totals)
    return f"Why {counted(len(view.waits), 'gang')} wait (each counts under all its reasons): {listed}."


def _kept(view: PlanView) -> str:
    kept = int((view.gangs["decision"] == "keep").sum())
    if not kept:
        return "No gang is left as it is."
    does = "it keeps running or asks" if kept == 1 else "they keep running or ask"
    return f"{counted(kept, 'gang')} unchanged ({does} for nothing)."
