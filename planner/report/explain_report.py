"""Explanations of gangs made ready for every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from models.explanation import ExplainedGang, Explanations
from planner.report.held_by import held_by
from planner.report.sections.footer import told_digest
from planner.report.tables import Column, Place, Report, Section, Table
from planner.report.text import DASH, counted

if TYPE_CHECKING:
    import pandas as pd

NAMES = 3


def explain_report(document: Explanations) -> Report:
    """Prepare the explanations: one section per gang."""

    def sections(place: Place, limit: int) -> Sequence[Section]:
        total = len(document.gangs)
        return tuple(_section(number, total, one) for number, one in enumerate(document.gangs, 1))

    def frames() -> Mapping[str, pd.DataFrame]:
        from planner.report.frames.explained import explained_frames

        return explained_frames(document)

    plan = document.plan
    footer = (
        f"As of {document.snapshot.as_of or 'an unknown time'}, snapshot "
        f"{told_digest(document.snapshot.digest, document.snapshot.sources)}.",
        f"The plan that is explained: {plan.sentence}" if plan.sentence else "",
        f"{counted(document.plans, 'plan')} made and verified.",
    )
    return Report(
        name="explain",
        title="Why it waits, and what would help",
        sentence=document.sentence,
        document=document,
        sections=sections,
        frames=frames,
        footer=tuple(line for line in footer if line),
    )


def _section(number: int, total: int, one: ExplainedGang) -> Section:
    place = f"queue {one.queue or DASH}, priority {one.priority:,}"
    lead = f"{one.full_name} ({place}): {one.sentence}."
    tables = []
    if one.reasons:
        tables.append(_reasons(one))
    if one.decision == "wait":
        tables.append(_fixes(one))
    return Section(
        f"gang-{number}",
        f"Gang {number:,} of {total:,}" if total > 1 else "The gang",
        lead=lead,
        tables=tuple(tables),
        notes=(one.proof,) if one.proof else (),
    )


def _reasons(one: ExplainedGang) -> Table:
    rows = []
    for reason in one.reasons:
        message = f"{reason.message[:1].upper()}{reason.message[1:]}."
        rows.append((reason.code, message, held_by(reason.data) or DASH))
    return Table(
        "What binds",
        (
            Column("REASON"),
            Column("WHY", grows=True),
            Column("HELD BY", grows=True, needs_width=120),
        ),
        tuple(rows),
    )


def _fixes(one: ExplainedGang) -> Table:
    rows = tuple(
        (
            f"{fix.text[:1].upper()}{fix.text[1:]}",
            _named(fix.starts, fix.starts_total),
            _named(fix.loses, fix.loses_total),
            f"{fix.gpus_after:,}",
        )
        for fix in one.fixes
    )
    return Table(
        "Changes that start it, each planned in full",
        (
            Column("CHANGE", grows=True),
            Column("ALSO STARTS", grows=True),
            Column("NO LONGER RUNS", grows=True),
            Column("GPUS", "allocated", numeric=True, needs_width=100),
        ),
        rows,
        empty=_nothing(one),
        notes=_notes(one),
    )


def _named(names: tuple[str, ...], total: int) -> str:
    if not total:
        return DASH
    more = f" and {total - min(NAMES, len(names)):,} more" if total > NAMES else ""
    return f"{', '.join(names[:NAMES])}{more}"


def _nothing(one: ExplainedGang) -> str:
    if not one.candidates:
        return "No single change is known that would start it."
    if not one.tried:
        return f"None of {counted(one.candidates, 'change')} was planned in the time given."
    return f"None of the {counted(one.tried, 'change')} that were planned starts it."


def _notes(one: ExplainedGang) -> tuple[str, ...]:
    notes = []
    if not one.complete:
        notes.append(
            f"{one.tried:,} of {counted(one.candidates, 'change')} were planned in the time given; "
            "a longer --time-limit tries the rest."
        )
    if any(fix.edits for fix in one.fixes):
        notes.append("-o json and -o yaml hold every change as a scenario.")
    return tuple(notes)
