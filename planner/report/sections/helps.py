"""What would start the waiting gangs, class by class."""

from __future__ import annotations

from models.foreign_workloads import nothing_waits
from models.plan import GangEntry, WaitingClass
from planner.report.frames.gangs import milli_gpus
from planner.report.held_by import held_by
from planner.report.plan_view import PlanView
from planner.report.rows import rest_note
from planner.report.tables import Column, Place, Section, Table
from planner.report.text import DASH, clean, counted, gpus_text

FIXES = 3
WHERE = "fixes.csv (-o csv --out DIR) and -o json"


def helps_table(view: PlanView, place: Place, limit: int) -> Table:
    """One row per class of waiting gangs, most GPUs first: what binds, who holds it, the cheapest changes."""
    result = view.result
    entries = {one.full_name: one for one in result.gangs}
    classes = sorted(
        result.waiting, key=lambda one: (-one.gpus * len(one.gangs), one.queue, one.gangs)
    )
    shown = classes[:limit]
    columns = [
        Column("GANGS"),
        Column("QUEUE", needs_width=100),
        Column("GPUS", "GPUs each", numeric=True),
        Column("BINDS", grows=True),
    ]
    if place != "table":
        columns.append(Column("HELD BY", grows=True))
    columns.append(Column("WHAT WOULD START ONE", grows=True))
    notes = ["Codes joined by + bind together: without any one of them the gang could start."]
    if any(one.fixes for one in shown):
        notes.append(
            "Each change was tried beside this plan: everything else stays as planned. gangplan explain SNAPSHOT "
            "--gang NAME plans such changes in full and shows those that start the gang."
        )
    return Table(
        "What would help, by class of waiting gangs",
        tuple(columns),
        tuple(_row(one, entries.get(one.gangs[0]), place) for one in shown),
        empty="No class of waiting gangs is listed.",
        notes=(*notes, *rest_note(len(shown), len(classes), "classes", WHERE)),
    )


def helps_section(view: PlanView, place: Place, limit: int) -> Section:
    """The table as a section of its own."""
    if not view.result.waiting:
        return Section("help", "What would help", lead=nothing_waits(view.result.summary.left_out))
    return Section("help", "What would help", tables=(helps_table(view, place, limit),))


def _row(one: WaitingClass, entry: GangEntry | None, place: Place) -> tuple[str, ...]:
    more = f" and {counted(len(one.gangs) - 1, 'other')} like it" if len(one.gangs) > 1 else ""
    sets = "; ".join(" + ".join(codes) for codes in one.minimal_sets) or DASH
    gpus = gpus_text(1000 * one.gpus if entry is None else milli_gpus(entry))
    cells = [f"{one.gangs[0]}{more}", one.queue or DASH, gpus, sets]
    if place != "table":
        told = [held_by(reason.data) for reason in entry.reasons] if entry else []
        cells.append(clean(next((text for text in told if text), DASH)))
    fixes = [f"{fix.text[:1].upper()}{fix.text[1:]}" for fix in one.fixes[:FIXES]]
    rest = len(one.fixes) - len(fixes)
    if rest > 0:
        fixes.append(counted(rest, "other change"))
    cells.append("\n".join(clean(text) for text in fixes) or DASH)
    return tuple(cells)
