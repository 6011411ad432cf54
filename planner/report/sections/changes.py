"""What the plan starts, and what else it changes."""

from __future__ import annotations

import pandas as pd

from planner.report.plan_view import PlanView
from planner.report.sections.gangs import gang_table
from planner.report.tables import Place, Section
from planner.report.text import counted


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
    gpus = int(starts["gpus"].sum()) if len(starts) else 0
    lead = (
        f"{counted(len(starts), 'gang')} with {counted(gpus, 'GPU')} can start now; nodes are named in host-list "
        "notation (a-[01-03] stands for a-01, a-02 and a-03)."
        if len(starts)
        else ""
    )
    return Section("starts", "Starts", lead=lead, tables=tuple(tables), notes=(_kept(view),))


def changes_section(view: PlanView, place: Place, limit: int) -> Section:
    """For terminals: changes and waits in one table."""
    both = pd.concat([view.changes, view.waits], ignore_index=True)
    table = gang_table(
        both,
        place,
        limit,
        title="Gangs",
        empty="No gang starts, changes or waits.",
        kind="both",
    )
    return Section("gangs", "Gangs", tables=(table,), notes=(_kept(view),))


def _kept(view: PlanView) -> str:
    kept = int((view.gangs["decision"] == "keep").sum())
    if not kept:
        return "No gang is left as it is."
    return f"{counted(kept, 'gang')} unchanged ({'it keeps' if kept == 1 else 'they keep'} running or ask for nothing)."
